package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Problem is a mistake in a file: its place, and one sentence with the mistake and the remedy.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"` // from 1
	Col     int    `json:"col"`  // from 1, in characters
	Warning bool   `json:"warning,omitempty"`
	Message string `json:"message"`
}

// String returns the problem as compilers print theirs: `file:line:col: message`.
func (p Problem) String() string {
	kind := ""
	if p.Warning {
		kind = "warning: "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", p.File, p.Line, p.Col, kind, p.Message)
}

// Problems are all that is wrong, in the order of the files. With warnings alone the files are in force.
type Problems []Problem

// Errors returns the problems that keep the files from being used.
func (p Problems) Errors() Problems {
	return slices.DeleteFunc(slices.Clone(p), func(one Problem) bool { return one.Warning })
}

// Err returns the errors as one error with a line for each, or nil if there are only warnings.
func (p Problems) Err() error {
	if some := p.Errors(); len(some) > 0 {
		return errors.New(some.String())
	}
	return nil
}

// String returns one line for each problem.
func (p Problems) String() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// maxProblems is how many problems of one file are listed. A file that breaks more often has one problem.
const maxProblems = 500

// report collects the problems of one file.
type report struct {
	file     string
	problems Problems
	errors   int
	unlisted int
	notes    map[string]string // which items parts of the file are made of, by their paths, and which inventories
	used     map[pos]bool      // the lists of those items
	others   []string          // the parts and inventories, whose lines are counted on behind those of the file
	known    map[reading]known // lists that may stand in many places
	quiet    bool              // nothing of it is shown to anybody
	nothing  bool              // a list of for-each has no item that can be used, which is told where it stands
}

// mention says for messages what a part of the file is made of.
func (r *report) mention(path, what string) {
	if r.notes == nil {
		r.notes = map[string]string{}
	}
	r.notes[path] = what
}

// place returns the file and the line of a place. It returns the first file for a place in a file that the report does
// not know, which happens only in reports that are thrown away.
func (r *report) place(at pos) (file string, line int) {
	if other := at.line / linesOfFile; other > 0 && other <= len(r.others) {
		return r.others[other-1], at.line % linesOfFile
	}
	return r.file, at.line
}

// where says where a place is, for messages about the file.
func (r *report) where(at pos) string {
	file, line := r.place(at)
	if line == at.line {
		return fmt.Sprintf("%d:%d", line, at.col)
	}
	return fmt.Sprintf("%s:%d:%d", file, line, at.col)
}

// listed says where an inventory lists a target; "" if none does.
func (r *report) listed(t found[targetFile]) string {
	if file, _ := r.place(t.at); file == r.file {
		return ""
	}
	return fmt.Sprintf("target %s, at %s", quote(t.value.name.value), r.where(t.at))
}

// seenFrom says where a place is, for a message about another one.
func (r *report) seenFrom(here, at pos) string {
	file, line := r.place(at)
	if ours, _ := r.place(here); ours == file {
		return fmt.Sprintf("%d:%d", line, at.col)
	}
	return fmt.Sprintf("%s:%d:%d", file, line, at.col)
}

// note says which items of lists a part of the file is made of.
func (r *report) note(path string, lists []entry[[]found[item]], items string) {
	r.mention(path, items)
	if r.used == nil {
		r.used = map[pos]bool{}
	}
	for _, l := range lists {
		r.used[l.key] = true
	}
}

// made reports whether a part of the file is made of the items of a list.
func (r *report) made(list pos) bool { return r.used[list] }

func (r *report) add(at pos, warning bool, message string) {
	if !warning {
		r.errors++
	}
	one := Problem{Col: at.col, Warning: warning, Message: visible(message)}
	one.File, one.Line = r.place(at)
	if !r.full() {
		r.problems = append(r.problems, one)
		return
	}
	r.unlisted++
	isWarning := func(p Problem) bool { return p.Warning }
	if i := slices.IndexFunc(r.problems, isWarning); !warning && i >= 0 {
		r.problems[i] = one // why a file is refused is listed before what may be wrong with it
	}
}

// visible returns a message in one line, in which everything shows. It has names as they are in the file, which may be
// that of a stranger: a terminal, or the log of a CI, would take what does not show for orders.
func visible(message string) string {
	var b strings.Builder
	for _, r := range message {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return b.String()
}

// full reports whether no more problems are listed, so that remedies need not be worked out any more.
func (r *report) full() bool { return r.quiet || len(r.problems) >= maxProblems }

// sorted returns the problems by their places, those in inventories last. Equal problems of two checks are listed once.
func (r *report) sorted() Problems {
	sorted := slices.Clone(r.problems)
	slices.SortStableFunc(sorted, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(slices.Index(r.others, a.File), slices.Index(r.others, b.File)),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	sorted = slices.Compact(sorted)
	if r.unlisted > 0 {
		last := sorted[len(sorted)-1]
		last.Message, last.Warning = fmt.Sprintf("%d more problems are not listed", r.unlisted), r.errors == 0
		sorted = append(sorted, last)
	}
	return sorted
}

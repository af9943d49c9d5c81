// Package markedit changes values in any text file whose lines can be marked by comments, and leaves every other byte
// unchanged. A comment such as `# waybill: image.tag` at the end of a line names the value on that line. Alone on a
// line, it names the value on the next line, for files whose comments need lines of their own.
//
// The value of a line is the text in the last quotes. Without quotes it is the single word after the first = or colon,
// or after the first word, or the only word of the line. A line whose value is ambiguous is refused with the reason.
package markedit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"waybill/internal/keypath"
)

// maxSize is the largest size of a file, in bytes.
const maxSize = 4 << 20

// Set makes the assignments, each to the name of a mark, and returns the result. The error joins a *keypath.Error for
// each assignment that cannot be made.
func Set(content []byte, assignments []keypath.Assignment) ([]byte, error) {
	all, err := marksOf(content)
	if err != nil {
		return nil, err
	}
	var edits []edit
	var problems []error
	for _, a := range assignments {
		where, err := all.value(a.Path)
		if err == nil {
			err = where.takes(a.Value)
		}
		if err == nil && slices.ContainsFunc(edits, func(e edit) bool { return e.start == where.start }) {
			err = errors.New("another name marks the same value")
		}
		if err != nil {
			problems = append(problems, &keypath.Error{Path: a.Path, Reason: err.Error()})
			continue
		}
		edits = append(edits, edit{where, a.Value})
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	result := apply(string(content), edits)
	return result, verify(result, assignments)
}

// edit replaces a value.
type edit struct {
	value
	text string
}

func apply(content string, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out strings.Builder
	done := 0
	for _, e := range edits {
		out.WriteString(content[done:e.start] + e.text)
		done = e.end
	}
	out.WriteString(content[done:])
	return []byte(out.String())
}

// verify parses the result again and checks that each mark has its new value.
func verify(result []byte, assignments []keypath.Assignment) error {
	for _, a := range assignments {
		if says, err := Get(result, []string{a.Path}); err != nil || says[a.Path] != a.Value {
			return &keypath.Error{Path: a.Path, Reason: "the value cannot be written in its place"}
		}
	}
	return nil
}

// Get returns the values of the named marks. It leaves out a value that Set would refuse to replace.
func Get(content []byte, names []string) (map[string]string, error) {
	all, err := marksOf(content)
	if err != nil {
		return nil, err
	}
	texts := make(map[string]string, len(names))
	for _, name := range names {
		if where, err := all.value(name); err == nil {
			texts[name] = string(content[where.start:where.end])
		}
	}
	return texts, nil
}

// Sketch returns a file in which each name marks a value.
func Sketch(names []string, value string) ([]byte, error) {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "%q # waybill: %s\n", value, name)
	}
	return []byte(b.String()), nil
}

func marksOf(content []byte) (marks, error) {
	if len(content) > maxSize {
		return marks{}, fmt.Errorf("read lines: %d bytes are more than the %d that are read", len(content), maxSize)
	}
	if !utf8.Valid(content) {
		return marks{}, errors.New("read lines: the file is not UTF-8")
	}
	return findMarks(string(content)), nil
}

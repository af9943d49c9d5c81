// Package markedit changes values in any file of text whose lines can be marked by comments, and leaves every other
// byte as it is. A comment such as `# waybill: image.tag` at the end of a line gives the value on that line a name;
// alone on a line it names the value on the next one, for files whose comments need lines of their own.
//
// The value of a line is what stands between the last quotes; without quotes it is the one word behind the first = or
// colon, or behind the first word, or the one word that there is. Whatever does not say for sure what its value is, is
// refused with the reason.
package markedit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"waybill/internal/keypath"
)

// maxSize bounds the files that are read, in bytes.
const maxSize = 4 << 20

// Set makes the assignments, of which each names a mark, and returns the result. The error joins a *keypath.Error for
// every one that cannot be made.
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

// verify reads the result again: every mark has to stand where it stood and say what it should.
func verify(result []byte, assignments []keypath.Assignment) error {
	for _, a := range assignments {
		if says, err := Get(result, []string{a.Path}); err != nil || says[a.Path] != a.Value {
			return &keypath.Error{Path: a.Path, Reason: "the value cannot be written in its place"}
		}
	}
	return nil
}

// Get returns the values that marks name. One that Set would refuse to replace is left out.
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

// Package yamledit changes single values in YAML and JSON files and leaves every other byte unchanged: comments, order,
// indentation, quotes, line endings and trailing blanks. It finds a value in the parsed file, computes which bytes
// spell it, and replaces them. Then it parses the line or the whole file again, to prove that only the requested values
// have changed. It refuses a change that it cannot make safely, with the reason.
package yamledit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"waybill/internal/keypath"
)

// maxSize is the largest size of a file, in bytes.
const maxSize = 4 << 20

// Set makes the assignments in content and returns the result; content itself is unchanged. It sets only scalars that
// exist and inserts nothing. The error joins a *keypath.Error for each assignment that cannot be made, so that the
// caller sees all of them at once. It is another error if content is not YAML.
func Set(content []byte, assignments []keypath.Assignment) ([]byte, error) {
	return set(format{parseYAML, spell, provenByLine}, content, assignments)
}

// format is a file format, YAML or JSON.
type format struct {
	parse func(content []byte) (file, error)
	// spell returns the spelling of value in place of old, whose current spelling is text.
	spell func(old *yaml.Node, text, value string) (string, error)
	// proven reports whether edits are known to be right without parsing the result; nil: never.
	proven func(content []byte, old file, edits []edit) bool
}

// file is a parsed file with the positions of its scalars.
type file struct {
	documents []*yaml.Node // the roots, at least one
	span      func(*yaml.Node) (span, error)
}

func set(f format, content []byte, assignments []keypath.Assignment) ([]byte, error) {
	old, err := f.parse(content)
	if err != nil {
		return nil, err
	}
	edits, err := f.plan(content, old, assignments)
	if err != nil {
		return nil, err
	}
	result := apply(content, edits)
	if f.proven != nil && f.proven(content, old, edits) {
		return result, nil
	}
	if err := f.verify(old.documents, result, edits); err != nil {
		return nil, err
	}
	return result, nil
}

// edit replaces the bytes that spell a node.
type edit struct {
	keypath.Assignment
	node *yaml.Node
	span span
	text string
}

func (f format) plan(content []byte, in file, assignments []keypath.Assignment) ([]edit, error) {
	var edits []edit
	var problems []error
	for _, a := range assignments {
		e, reason := f.planOne(content, in, a)
		if other := slices.IndexFunc(edits, func(o edit) bool { return o.node == e.node }); reason == nil && other >= 0 {
			reason = fmt.Errorf("%s sets the same value", edits[other].Path)
		}
		if reason != nil {
			problems = append(problems, &keypath.Error{Path: a.Path, Reason: reason.Error()})
			continue
		}
		edits = append(edits, e)
	}
	return edits, errors.Join(problems...)
}

func (f format) planOne(content []byte, in file, a keypath.Assignment) (edit, error) {
	path, err := keypath.Parse(a.Path)
	if err != nil {
		return edit{}, err
	}
	node, err := find(in.documents, path)
	if err != nil {
		return edit{}, err
	}
	where, err := in.span(node)
	if err != nil {
		return edit{}, err
	}
	text, err := f.spell(node, string(content[where.start:where.end]), a.Value)
	if err != nil {
		return edit{}, err
	}
	return edit{Assignment: a, node: node, span: where, text: text}, nil
}

// apply replaces all spans. They do not overlap: each belongs to a different scalar.
func apply(content []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.span.start - b.span.start })
	var out bytes.Buffer
	done := 0
	for _, e := range edits {
		out.Write(content[done:e.span.start])
		if e.span.gap {
			out.WriteByte(' ')
		}
		out.WriteString(e.text)
		done = e.span.end
	}
	out.Write(content[done:])
	return out.Bytes()
}

package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// maxFile is the largest pipeline or policy file that is read, in bytes: GitHub shows no longer text whole.
const maxFile = 512 << 10

// maxInventoryBytes is how many bytes the inventories of a pipeline may have together.
const maxInventoryBytes = 1 << 20

// EmptyFile is what is said of a pipeline or policy file that has no values.
const EmptyFile = "the file is empty; it begins with `version: 1`"

// parseDocument returns the root of a file that is one YAML document, or nil and a problem.
func parseDocument(data []byte, report *report) *yaml.Node {
	if len(data) > maxFile {
		report.add(top, false, fmt.Sprintf("the file has %d bytes; at most %d are read", len(data), maxFile))
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		report.add(top, false, EmptyFile)
		return nil
	} else if err != nil {
		report.add(notYAML(data, err))
		return nil
	}
	if err := decoder.Decode(&second); err == nil {
		report.add(posOf(&second), false, "a second document begins here; the file must be a single one")
		return nil
	} else if !errors.Is(err, io.EOF) {
		report.add(notYAML(data, err))
		return nil
	}
	return document.Content[0]
}

// notYAML says where and why data cannot be parsed, as arguments for report.add.
func notYAML(data []byte, err error) (pos, bool, string) {
	var problem *yaml.LoadError
	if !errors.As(err, &problem) {
		return top, false, "not YAML: " + err.Error()
	}
	at := pos{problem.Mark.Line, problem.Mark.Column}
	context := pos{problem.ContextMark.Line, problem.ContextMark.Column}
	lines := bytes.Split(bytes.TrimRight(data, " \r\n"), []byte("\n"))
	switch {
	case at.line == 0:
		return badCharacter(data), false, "not YAML: " + problem.Message
	case at.line <= len(lines) && indentedByTab(lines[at.line-1]):
		return at, false, "not YAML: the line is indented with a tab; use blanks"
	case at.line > len(lines) && context.line > 0 && context.line <= len(lines):
		at = context // the file ends in the middle of a value that begins here
	case at.line > len(lines):
		at = pos{len(lines), utf8.RuneCount(lines[len(lines)-1]) + 1}
	}
	message := "not YAML: " + problem.Message
	switch {
	case problem.ContextMsg == "" || context.line == 0 || context.line > len(lines):
	case context == at:
		message += fmt.Sprintf(" (%s)", problem.ContextMsg)
	default:
		message += fmt.Sprintf(" (%s that begins at %d:%d)", problem.ContextMsg, context.line, context.col)
	}
	return at, false, message
}

func indentedByTab(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("\t"))
}

// badCharacter finds the first byte in data that YAML forbids everywhere: a control character, or one that is not
// UTF-8.
func badCharacter(data []byte) pos {
	at := top
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1, r < ' ' && !strings.ContainsRune("\t\r\n", r), r == 0x7f:
			return at
		case r == '\n':
			at = pos{at.line + 1, 0}
		}
		at.col++
		data = data[size:]
	}
	return top
}

// pos is a place in a file: line and column from 1, the column in characters.
type pos struct{ line, col int }

// top is the place of a problem with a whole file.
var top = pos{1, 1}

func posOf(n *yaml.Node) pos { return pos{n.Line, n.Column} }

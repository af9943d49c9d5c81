package yamledit

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// span is the range of bytes that spells a scalar, without its anchor and tag.
type span struct {
	start, end int
	gap        bool // there is no value yet; a blank must precede a new one
}

// index converts a line and column to a byte offset. The parser counts columns in characters, and it counts more line
// breaks than newlines.
type index struct {
	content []byte
	lines   []int // offset of each line
}

func newIndex(content []byte) index {
	begin := len(content) - len(bytes.TrimPrefix(content, []byte("\ufeff")))
	lines := []int{begin}
	for i := begin; i < len(content); {
		if c := content[i]; c < utf8.RuneSelf && c != '\n' && c != '\r' {
			i++ // the most common case
			continue
		}
		r, size := utf8.DecodeRune(content[i:])
		i += size
		if r == '\r' && i < len(content) && content[i] == '\n' {
			continue
		}
		if breaksLine(r) {
			lines = append(lines, i)
		}
	}
	return index{content: content, lines: lines}
}

// breaksLine reports whether the parser counts a new line after r.
func breaksLine(r rune) bool {
	return r == '\n' || r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// offset returns the byte offset of a line and column, both counted from 1, or -1 if there is no such place.
func (x index) offset(line, column int) int {
	if line < 1 || line > len(x.lines) {
		return -1
	}
	at := x.lines[line-1]
	for ; column > 1; column-- {
		if at >= len(x.content) {
			return -1
		}
		_, size := utf8.DecodeRune(x.content[at:])
		at += size
	}
	return at
}

// errNotFound means that the parser's position and the bytes there disagree, which should not happen.
var errNotFound = errors.New("its place in the file cannot be told for sure")

// span returns the bytes that spell a scalar.
func (x index) span(node *yaml.Node) (span, error) {
	start := x.offset(node.Line, node.Column)
	if start < 0 {
		return span{}, errNotFound
	}
	if node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return span{}, errors.New("it is a block of text (| or >); write it as a value on one line to have it set")
	}
	properties := node.Anchor != "" || node.Style&yaml.TaggedStyle != 0
	if node.Value == "" && !quoted(node) {
		return x.empty(start, properties), nil
	}
	if properties {
		start = x.skipProperties(start)
	}
	end := x.end(node, start)
	if end < 0 {
		return span{}, errNotFound
	}
	if !quoted(node) && string(x.content[start:end]) != node.Value {
		return span{}, errors.New("it is text without quotes over several lines; write it on one line to have it set")
	}
	return span{start: start, end: end}, nil
}

func quoted(node *yaml.Node) bool {
	return node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
}

// empty returns the span of a missing value: right after the colon or dash, or after the anchor and tag.
func (x index) empty(start int, properties bool) span {
	for properties && x.property(start) {
		start = x.skipWord(start)
		if next := x.skipBlanks(start); x.property(next) {
			start = next
		}
	}
	blank := start == 0 || strings.IndexByte(" \t\r\n", x.content[start-1]) >= 0
	return span{start: start, end: start, gap: !blank}
}

// property reports whether an anchor or a tag begins there.
func (x index) property(at int) bool {
	return at < len(x.content) && (x.content[at] == '&' || x.content[at] == '!')
}

// skipProperties returns the offset of the value after an anchor or a tag. The value may be on a later line.
func (x index) skipProperties(at int) int {
	for at < len(x.content) {
		switch c := x.content[at]; {
		case c == '&' || c == '!':
			at = x.skipWord(at)
		case c == '#':
			at = x.skipLine(at)
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			at++
		default:
			return at
		}
	}
	return at
}

func (x index) skipWord(at int) int {
	for at < len(x.content) && strings.IndexByte(" \t\r\n,[]{}", x.content[at]) < 0 {
		at++
	}
	return at
}

func (x index) skipBlanks(at int) int {
	for at < len(x.content) && (x.content[at] == ' ' || x.content[at] == '\t') {
		at++
	}
	return at
}

func (x index) skipLine(at int) int {
	for at < len(x.content) && x.content[at] != '\n' && x.content[at] != '\r' {
		at++
	}
	return at
}

// end returns the offset after the scalar that begins at start, or -1 if no such scalar begins there.
func (x index) end(node *yaml.Node, start int) int {
	switch {
	case node.Style&yaml.SingleQuotedStyle != 0:
		return closing(x.content, start, '\'', '\'')
	case node.Style&yaml.DoubleQuotedStyle != 0:
		return closing(x.content, start, '"', '\\')
	case start+len(node.Value) > len(x.content):
		return -1
	}
	return start + len(node.Value)
}

// closing returns the offset after the quote that closes the one at start. The byte after escape is not a quote; in
// single quotes, a quote escapes itself.
func closing(content []byte, start int, quote, escape byte) int {
	if start >= len(content) || content[start] != quote {
		return -1
	}
	for i := start + 1; i < len(content); i++ {
		switch {
		case content[i] == escape && escape != quote:
			i++
		case content[i] == quote && escape == quote && i+1 < len(content) && content[i+1] == quote:
			i++
		case content[i] == quote:
			return i + 1
		}
	}
	return -1
}

package story

import (
	"fmt"
	"strings"
)

// Error is a mistake in a story file, with its place.
type Error struct {
	File    string
	Line    int // from 1
	Col     int // in bytes, from 1
	Message string
}

// Error returns "file:line:col: message".
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Message)
}

// scanner takes one line of a story apart. A word ends at white space, or at a comma or colon with white space behind
// it; one with spaces in it stands in 'single quotes', in which ” is a quote.
type scanner struct {
	file string
	line int
	text string
	pos  int
}

// word returns the next word and where it starts; ok is false at the end of the line or before a comma or colon.
func (s *scanner) word() (word string, at int, err error) {
	s.skipSpace()
	at = s.pos
	var b strings.Builder
	for s.pos < len(s.text) && !s.atBreak() {
		c := s.text[s.pos]
		if c == '\'' && (s.pos == at || s.text[s.pos-1] == '/') {
			quoted, err := s.quoted()
			if err != nil {
				return "", at, err
			}
			b.WriteString(quoted)
			continue
		}
		b.WriteByte(c)
		s.pos++
	}
	if s.pos == at {
		return "", at, s.errorf(at, "a word is missing here")
	}
	return b.String(), at, nil
}

// quoted reads a quoted piece of a word, the scanner standing on its first quote.
func (s *scanner) quoted() (string, error) {
	start := s.pos
	var b strings.Builder
	for s.pos++; s.pos < len(s.text); s.pos++ {
		if s.text[s.pos] != '\'' {
			b.WriteByte(s.text[s.pos])
			continue
		}
		s.pos++
		if s.pos == len(s.text) || s.text[s.pos] != '\'' {
			return b.String(), nil
		}
		b.WriteByte('\'')
	}
	return "", s.errorf(start, "the quote is not closed")
}

// atBreak reports whether a word ends here.
func (s *scanner) atBreak() bool {
	switch s.text[s.pos] {
	case ' ', '\t':
		return true
	case ',', ':':
		return s.pos+1 == len(s.text) || s.text[s.pos+1] == ' ' || s.text[s.pos+1] == '\t'
	}
	return false
}

// peek returns the next word without taking it, or "" where there is none.
func (s *scanner) peek() string {
	from := s.pos
	defer func() { s.pos = from }()
	word, _, err := s.word()
	if err != nil {
		return ""
	}
	return word
}

// mark takes a comma or a colon, if one stands here.
func (s *scanner) mark(c byte) bool {
	if s.pos < len(s.text) && s.text[s.pos] == c && s.atBreak() {
		s.pos++
		return true
	}
	return false
}

// rest takes everything up to the end of the line.
func (s *scanner) rest() string {
	rest := strings.TrimSpace(s.text[s.pos:])
	s.pos = len(s.text)
	return rest
}

// done reports whether nothing but white space is left.
func (s *scanner) done() bool {
	s.skipSpace()
	return s.pos == len(s.text)
}

// end is an error if something is left.
func (s *scanner) end() error {
	if s.done() {
		return nil
	}
	return s.errorf(s.pos, "the line should end before %q", s.text[s.pos:])
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.text) && (s.text[s.pos] == ' ' || s.text[s.pos] == '\t') {
		s.pos++
	}
}

func (s *scanner) errorf(at int, format string, args ...any) error {
	return &Error{File: s.file, Line: s.line, Col: at + 1, Message: fmt.Sprintf(format, args...)}
}

// oneOf takes a word that must be one of some.
func (s *scanner) oneOf(what string, words []string) (string, error) {
	word, at, err := s.word()
	if err != nil {
		return "", s.errorf(at, "%s is missing here: want one of %s", what, strings.Join(words, ", "))
	}
	for _, w := range words {
		if w == word {
			return word, nil
		}
	}
	return "", s.errorf(at, "unknown %s %q: want one of %s", what, word, strings.Join(words, ", "))
}

// literal takes exactly that word.
func (s *scanner) literal(want string) error {
	word, at, err := s.word()
	if err != nil || word != want {
		return s.errorf(at, "want %q here", want)
	}
	return nil
}

// quote writes a word so that word reads it back.
func quote(word string) string {
	word = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, word)
	plain := word != "" && word != "because" && !strings.ContainsAny(word, " \t'") &&
		!strings.HasSuffix(word, ",") && !strings.HasSuffix(word, ":")
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", "''") + "'"
}

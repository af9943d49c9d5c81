package story

import (
	"fmt"
	"strings"
)

// Error is a mistake in a story file, with its position.
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

// scanner splits one line of a story into words. A word ends at white space, and at a comma or colon followed by white
// space or the end of the line. A word with spaces stands in single quotes; a quote inside is written twice.
type scanner struct {
	file string
	line int
	text string
	pos  int
}

// word returns the next word and its offset. It fails at the end of the line and before a comma or colon.
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

// quoted reads the quoted part of a word. The scanner is at its opening quote.
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

// peek returns the next word without consuming it, or "" if word would fail.
func (s *scanner) peek() string {
	from := s.pos
	defer func() { s.pos = from }()
	word, _, err := s.word()
	if err != nil {
		return ""
	}
	return word
}

// mark consumes the comma or colon c if it is next, and reports whether it was.
func (s *scanner) mark(c byte) bool {
	if s.pos < len(s.text) && s.text[s.pos] == c && s.atBreak() {
		s.pos++
		return true
	}
	return false
}

// rest consumes and returns the rest of the line.
func (s *scanner) rest() string {
	rest := strings.TrimSpace(s.text[s.pos:])
	s.pos = len(s.text)
	return rest
}

// done reports whether only white space is left.
func (s *scanner) done() bool {
	s.skipSpace()
	return s.pos == len(s.text)
}

// end returns an error if more than white space is left.
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

// oneOf reads a word that must be one of words.
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

// literal reads a word that must be want.
func (s *scanner) literal(want string) error {
	word, at, err := s.word()
	if err != nil || word != want {
		return s.errorf(at, "want %q here", want)
	}
	return nil
}

// quote returns a word in the form that scanner.word reads. Line ends become spaces.
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

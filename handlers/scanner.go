package handlers

import (
	"bytes"
	"strings"
)

// scanner walks over a JSON text. It finds where values begin and end; the decoder checks whether they are well formed
// inside.
type scanner struct {
	text []byte
	at   int
}

// members visits the members of the object that comes next. visit must step over the member's value.
func (s *scanner) members(visit func(key []byte) bool) bool {
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	for {
		key, ok := s.quoted()
		if !ok || !s.take(':') || !visit(key) {
			return false
		}
		if !s.take(',') {
			return s.take('}')
		}
	}
}

// skip steps over the value that comes next.
func (s *scanner) skip() bool {
	s.space()
	switch {
	case s.at == len(s.text):
		return false
	case s.text[s.at] == '"':
		_, ok := s.quoted()
		return ok
	case s.text[s.at] == '{' || s.text[s.at] == '[':
		return s.skipNested()
	}
	start := s.at
	for s.at < len(s.text) && strings.IndexByte(",:{}[]\" \t\r\n", s.text[s.at]) < 0 {
		s.at++
	}
	return s.at > start
}

// skipNested steps over an object or an array.
func (s *scanner) skipNested() bool {
	depth := 0
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case '"':
			if _, ok := s.quoted(); !ok {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.at++
		if depth == 0 {
			return true
		}
	}
	return false
}

// quoted steps over the string that comes next and returns the text between its quotes, escapes and all.
func (s *scanner) quoted() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	start := s.at
	for {
		n := bytes.IndexByte(s.text[s.at:], '"')
		if n < 0 {
			return nil, false
		}
		s.at += n + 1
		if inside := s.text[start : s.at-1]; !endsEscaping(inside) {
			return inside, true
		}
	}
}

// endsEscaping reports whether text ends in a backslash that escapes the next character.
func endsEscaping(text []byte) bool {
	backslashes := len(text) - len(bytes.TrimRight(text, `\`))
	return backslashes%2 == 1
}

// take steps over c if it comes next.
func (s *scanner) take(c byte) bool {
	if !s.sees(c) {
		return false
	}
	s.at++
	return true
}

// sees reports whether c comes next.
func (s *scanner) sees(c byte) bool {
	s.space()
	return s.at < len(s.text) && s.text[s.at] == c
}

// end reports whether nothing comes next.
func (s *scanner) end() bool {
	s.space()
	return s.at == len(s.text)
}

func (s *scanner) space() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
}

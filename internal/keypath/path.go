// Package keypath parses the notation of pipeline files for one value in a file of mappings and lists: `image.tag`,
// `args[0]`, `containers[name=app].image`. It does not depend on the file's format, YAML or JSON.
package keypath

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Path names one value of a file, step by step from the root.
type Path []Step

// Step goes from a value to one inside it.
type Step struct {
	Kind  Kind
	Key   string   // of a mapping
	Index int      // of a list
	Where []string // the keys that lead, in an element of a list, to the value that identifies it
	Is    string   // the value there
}

// Kind is the kind of a step.
type Kind int

// ByKey goes to the value of a key, ByIndex to an element of a list, and ByMatch to the one element that has the given
// value.
const (
	ByKey Kind = iota
	ByIndex
	ByMatch
)

// Parse parses a path such as `image.tag`, `args[0]`, `containers[name=app].image`, `[metadata.name=api].spec.replicas`
// or `annotations."example.com/rev"`. Keys, and both sides of the =, may be in double quotes, in which \ escapes the
// next character. They must be quoted if they contain one of . [ ] = " literally. (The right side of the = may have
// dots and = without quotes, as image names do.)
func Parse(s string) (Path, error) {
	p := pathParser{rest: s}
	var path Path
	for p.rest != "" || len(path) == 0 {
		next, err := p.step(len(path) == 0)
		if err != nil {
			return nil, err
		}
		path = append(path, next)
		if match, undoes := path.undoes(); undoes {
			return nil, fmt.Errorf("the path finds an element by its key %q and would change that, so that it is not found "+
				"again: find it by another key", match)
		}
	}
	return path, nil
}

// undoes reports whether a path leads to the value by which one of its steps finds an element.
func (p Path) undoes() (match string, undoes bool) {
	for i, s := range p {
		if s.Kind == ByMatch && slices.EqualFunc(s.Where, p[i+1:], func(key string, next Step) bool {
			return next.Kind == ByKey && next.Key == key
		}) {
			return s.where(), true
		}
	}
	return "", false
}

// String returns the path as Parse reads it.
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		if s.Kind == ByKey && i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s.String())
	}
	return b.String()
}

// String returns the step in the notation of Parse.
func (s Step) String() string {
	switch s.Kind {
	case ByIndex:
		return fmt.Sprintf("[%d]", s.Index)
	case ByMatch:
		return fmt.Sprintf("[%s=%s]", s.where(), quoteUnless(s.Is, endOfValue))
	}
	return quoteUnless(s.Key, special)
}

// where returns the left side of a match.
func (s Step) where() string {
	words := make([]string, len(s.Where))
	for i, key := range s.Where {
		words[i] = quoteUnless(key, special)
	}
	return strings.Join(words, ".")
}

// quoteUnless quotes a word that Parse could not read back otherwise: it is empty, begins with a quote, or has one of
// the characters ends.
func quoteUnless(word, ends string) string {
	if word != "" && word[0] != '"' && !strings.ContainsAny(word, ends) {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}

// special are the characters that end a word, and the quote that begins a quoted one.
const special = `.[]="`

// endOfValue are the characters that end the right side of a match.
const endOfValue = "[]"

// pathParser parses a path from left to right.
type pathParser struct{ rest string }

func (p *pathParser) step(first bool) (Step, error) {
	if p.take("[") {
		return p.brackets()
	}
	if !first && !p.take(".") {
		return Step{}, fmt.Errorf("the path cannot go on with %q here", p.rest)
	}
	key, err := p.word("a key")
	return Step{Kind: ByKey, Key: key}, err
}

// brackets parses the text after an opening bracket: an index, or key=value.
func (p *pathParser) brackets() (Step, error) {
	words, err := p.words()
	if err != nil {
		return Step{}, err
	}
	s := Step{Kind: ByMatch, Where: words}
	switch {
	case p.take("="):
		s.Is, err = p.value()
	case len(words) > 1:
		err = errors.New("the path has no = behind the key in brackets")
	default:
		s.Kind, s.Where = ByIndex, nil
		s.Index, err = parseIndex(words[0])
	}
	if err == nil && !p.take("]") {
		err = errors.New("the path has a [ that is not closed by ]")
	}
	return s, err
}

// words parses keys separated by dots.
func (p *pathParser) words() ([]string, error) {
	word, err := p.word("an index or key=value")
	words := []string{word}
	for err == nil && p.take(".") {
		word, err = p.word("a key")
		words = append(words, word)
	}
	return words, err
}

func parseIndex(word string) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 || strconv.Itoa(n) != word {
		return 0, fmt.Errorf("%q in brackets is neither an index such as [0] nor a match such as [name=app]", word)
	}
	return n, nil
}

// value parses the right side of a match. Unlike a key it may have dots, as image names and versions do.
func (p *pathParser) value() (string, error) {
	if strings.HasPrefix(p.rest, `"`) {
		return p.quoted()
	}
	end := strings.IndexAny(p.rest, endOfValue)
	if end <= 0 {
		return "", errors.New("the path has no value after = in brackets")
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word, nil
}

func (p *pathParser) word(what string) (string, error) {
	if strings.HasPrefix(p.rest, `"`) {
		return p.quoted()
	}
	end := strings.IndexAny(p.rest, special)
	if end < 0 {
		end = len(p.rest)
	}
	if end == 0 {
		return "", fmt.Errorf("the path lacks %s before %q", what, p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word, nil
}

func (p *pathParser) quoted() (string, error) {
	var word strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '"':
			p.rest = p.rest[i+1:]
			return word.String(), nil
		case '\\':
			i++
			if i == len(p.rest) {
				continue
			}
		}
		word.WriteByte(p.rest[i])
	}
	return "", errors.New(`the path has a " that is not closed`)
}

func (p *pathParser) take(token string) bool {
	rest, found := strings.CutPrefix(p.rest, token)
	if found {
		p.rest = rest
	}
	return found
}

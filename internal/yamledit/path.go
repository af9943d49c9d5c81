package yamledit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Path names one value of a YAML file, step by step from the root.
type Path []step

// step goes from a value to one inside it: by key, by index, or to the one element that has a key with a value.
type step struct {
	kind       stepKind
	key, value string
	index      int
}

type stepKind int

const (
	byKey stepKind = iota
	byIndex
	byMatch
)

// ParsePath reads a path such as `image.tag`, `args[0]`, `containers[name=app].image` or `annotations."example.com/rev"`.
// Keys, and both sides of the =, may stand in double quotes, in which \ makes the next character an ordinary one;
// they must where they hold one of . [ ] = " and mean it literally.
func ParsePath(s string) (Path, error) {
	p := pathParser{rest: s}
	var path Path
	for p.rest != "" || len(path) == 0 {
		next, err := p.step(len(path) == 0)
		if err != nil {
			return nil, err
		}
		if next.undoes(path) {
			return nil, fmt.Errorf("the path finds an element by its key %q and would change that, so that it is not found again: find it by another key", next.key)
		}
		path = append(path, next)
	}
	return path, nil
}

// undoes reports whether a step leads to what the step before it has found the element by.
func (s step) undoes(path Path) bool {
	if len(path) == 0 || s.kind != byKey {
		return false
	}
	before := path[len(path)-1]
	return before.kind == byMatch && before.key == s.key
}

// String returns the path as ParsePath reads it.
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		if s.kind == byKey && i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s.String())
	}
	return b.String()
}

func (s step) String() string {
	switch s.kind {
	case byIndex:
		return fmt.Sprintf("[%d]", s.index)
	case byMatch:
		return fmt.Sprintf("[%s=%s]", quoteWord(s.key), quoteWord(s.value))
	}
	return quoteWord(s.key)
}

// quoteWord puts a word in quotes when it could not be read back without them.
func quoteWord(word string) string {
	if word != "" && !strings.ContainsAny(word, special) {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}

// special are the characters that end a word, and the one that begins a quoted one.
const special = `.[]="`

// pathParser reads a path from the left.
type pathParser struct{ rest string }

func (p *pathParser) step(first bool) (step, error) {
	if p.take("[") {
		return p.brackets()
	}
	if !first && !p.take(".") {
		return step{}, fmt.Errorf("the path cannot go on with %q here", p.rest)
	}
	key, err := p.word("a key")
	return step{kind: byKey, key: key}, err
}

// brackets reads what follows an opening bracket: an index, or key=value.
func (p *pathParser) brackets() (step, error) {
	word, err := p.word("an index or key=value")
	if err != nil {
		return step{}, err
	}
	s := step{kind: byMatch, key: word}
	if p.take("=") {
		s.value, err = p.value()
	} else {
		s.kind, s.key = byIndex, ""
		s.index, err = parseIndex(word)
	}
	if err == nil && !p.take("]") {
		err = errors.New("the path has a [ that is not closed by ]")
	}
	return s, err
}

func parseIndex(word string) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 || strconv.Itoa(n) != word {
		return 0, fmt.Errorf("%q in brackets is neither an index such as [0] nor a match such as [name=app]", word)
	}
	return n, nil
}

// value reads what an element is matched with. Unlike a key it may hold dots: image names and versions do.
func (p *pathParser) value() (string, error) {
	if strings.HasPrefix(p.rest, `"`) {
		return p.quoted()
	}
	end := strings.IndexAny(p.rest, "[]")
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

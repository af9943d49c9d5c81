package config

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// form describes the possible values of a key. Reading it and describing it in the JSON Schema both come from here.
type form[V any] struct {
	schema func() schema // made when it is asked for, which a server does not do
	// read returns the value of n, and reports the mistakes in it. It is never given an alias.
	read func(r *reader, n *yaml.Node) V
}

// found is a value and where it was found. The zero value was not found.
type found[V any] struct {
	value V
	key   pos  // of the key that has the value, or of the element of a list
	at    pos  // of the value
	bad   bool // something about it has been reported, and value is not to be trusted
	slip  bool // its key is misspelt: the value only keeps what follows from that from being told, too
}

func (f found[V]) given() bool { return f.key.line > 0 }

// good reports whether there is a value, and nothing is wrong with it.
func (f found[V]) good() bool { return f.given() && !f.bad }

// legible reports whether there is a value, and it can be read, although its key may be misspelt.
func (f found[V]) legible() bool { return f.good() || f.slip }

// or returns the value, or another one if there is none.
func (f found[V]) or(otherwise V) V {
	if f.good() {
		return f.value
	}
	return otherwise
}

// take reads the value n, whose key stands at key.
func take[V any](r *reader, f form[V], key pos, n *yaml.Node) found[V] {
	before := r.report.errors
	v := found[V]{key: key, at: posOf(n)}
	if n = r.follow(n); n != nil {
		v.value = f.read(r, n)
	}
	v.bad = n == nil || r.report.errors > before
	return v
}

// convert makes a form for another type out of one.
func convert[A, B any](f form[A], to func(found[A]) B) form[B] {
	return form[B]{f.schema, func(r *reader, n *yaml.Node) B { return to(take(r, f, posOf(n), n)) }}
}

// either is a short form, a single value, or a long one.
func either[V any](short, long form[V]) form[V] {
	described := func() schema { return schema{"anyOf": []schema{short.schema(), long.schema()}} }
	return form[V]{described, func(r *reader, n *yaml.Node) V {
		if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
			return short.read(r, n)
		}
		return long.read(r, n)
	}}
}

// text is any text that is not blank. what describes it, with an article.
func text(what string) form[string] { return matching(what, `\S`) }

// matching is text that is not empty and matches a regular expression of the kind that JSON Schema shares with Go.
func matching(what, pattern string) form[string] {
	expected := expressed(pattern)
	described := func() schema { return schema{"type": "string", "minLength": 1, "pattern": pattern} }
	return form[string]{described, func(r *reader, n *yaml.Node) string {
		switch isText := n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str"; {
		case isText && n.Value != "" && expected.MatchString(n.Value):
			return n.Value
		case isText || n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null":
			r.wrong(n, what)
		default:
			r.errorf(posOf(n), "must be text, %s, not %s; put it in quotes", what, describe(n))
		}
		return ""
	}}
}

// scalar is a text, a number or a truth value, and stands for the characters that it is written with.
func scalar(what string) form[string] {
	described := func() schema { return schema{"type": []string{"string", "number", "boolean"}} }
	return form[string]{described, func(r *reader, n *yaml.Node) string {
		if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
			r.wrong(n, what)
			return ""
		}
		return n.Value
	}}
}

// one is the number n and no other. other completes the sentence about any other number.
func one(n int, other string) form[int] {
	return form[int]{func() schema { return schema{"const": n} }, func(r *reader, node *yaml.Node) int {
		if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" {
			r.wrong(node, fmt.Sprintf("the number %d", n))
		} else if node.Value != strconv.Itoa(n) {
			r.errorf(posOf(node), "%s %s; write %d", shorten(node.Value), other, n)
		}
		return n
	}}
}

// word is one of a few words.
func word[W ~string](words ...W) form[W] {
	known := make([]string, len(words))
	for i, w := range words {
		known[i] = string(w)
	}
	return form[W]{func() schema { return schema{"enum": known} }, func(r *reader, n *yaml.Node) W {
		if n.Kind != yaml.ScalarNode {
			r.wrong(n, "one of "+strings.Join(known, ", "))
			return ""
		}
		for _, w := range words {
			if string(w) == n.Value {
				return w
			}
		}
		r.errorf(posOf(n), "must be one of %s, not %s%s", strings.Join(known, ", "), describe(n), r.slip(n.Value, known))
		return ""
	}}
}

// slip returns the end of a message that has named the known words already.
func (r *reader) slip(word string, known []string) string {
	if best := Nearest(word, known); best != "" {
		return "; did you mean " + quote(best) + "?"
	}
	return ""
}

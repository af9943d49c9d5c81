package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxNodes bounds how many values of a file are looked at, aliases followed, so that a small file cannot make much
// work; maxNodesInForce how many of the pipeline files that somebody with write access has pushed.
const (
	maxNodes        = 100_000
	maxNodesInForce = 400_000
)

// reader reads one file. It knows which part of it is being read, for messages.
type reader struct {
	report *report
	path   string // "stages.dev.verify[0]"
	of     string // the items of for-each that this part of the file is made of, in words; empty: none
	most   int    // how many values may be looked at
	nodes  *int   // that still may

	elsewhere bool // the file is not one of the repository's
}

func newReader(report *report) *reader {
	return newReaderOf(report, maxNodes)
}

// newReaderOf returns a reader of so many values.
func newReaderOf(report *report, most int) *reader {
	nodes := most
	return &reader{report: report, most: most, nodes: &nodes}
}

// quietly returns a reader that reports nothing.
func (r *reader) quietly() *reader {
	inner, to := *r, *r.report
	to.problems, to.quiet, to.known = nil, true, nil
	inner.report = &to
	return &inner
}

// wordLike are keys that can be told from the dots around them.
var wordLike = expressed(`^[A-Za-z0-9_-]{1,60}$`)

// key returns a reader for the value of a key.
func (r *reader) key(name string) *reader {
	inner := *r
	if r.path != "" {
		inner.path += "."
	}
	if wordLike.MatchString(name) {
		inner.path += name
	} else {
		inner.path += quote(name)
	}
	return inner.about(r.report.notes[inner.path])
}

// about returns a reader whose messages also say what that part of the file is made of, unless that is empty.
func (r reader) about(made string) *reader {
	if made != "" {
		r.of = strings.TrimPrefix(r.of+"; "+made, "; ")
	}
	return &r
}

// element returns a reader for an element of a list.
func (r *reader) element(i int) *reader {
	inner := *r
	inner.path += fmt.Sprintf("[%d]", i)
	return &inner
}

func (r *reader) errorf(at pos, format string, args ...any) {
	r.report.add(at, false, r.say(format, args...))
}

func (r *reader) warnf(at pos, format string, args ...any) {
	r.report.add(at, true, r.say(format, args...))
}

// say puts the part of the file before the message, so that it can be understood without the file.
func (r *reader) say(format string, args ...any) string {
	message := fmt.Sprintf(format, args...)
	if r.of != "" {
		message += " (" + r.of + ")"
	}
	if r.path == "" {
		return message
	}
	return r.path + ": " + message
}

// wrong reports a value of another kind than the key takes.
func (r *reader) wrong(n *yaml.Node, what string) {
	r.errorf(posOf(n), "must be %s, not %s", what, describe(n))
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!int", "!!float":
		return "the number " + shorten(n.Value)
	case "!!str":
		return quote(n.Value)
	}
	return shorten(n.Value)
}

// follow returns the node itself, or the one that an alias stands for. It returns nil when enough has been looked at.
func (r *reader) follow(n *yaml.Node) *yaml.Node {
	switch {
	case !r.count(n):
		return nil
	case n.Kind == yaml.AliasNode:
		return n.Alias
	}
	return n
}

// count counts a value, and reports whether it may still be looked at.
func (r *reader) count(n *yaml.Node) bool {
	*r.nodes--
	if *r.nodes == 0 {
		r.errorf(posOf(n), "the file says too much: at most %d values are read, counting aliases with what they stand for",
			r.most)
	}
	return *r.nodes > 0
}

// unknownKey reports a key that is none of those that are known here.
func (r *reader) unknownKey(p pair, known []string) {
	r.errorf(p.at, "unknown key %s%s", quote(p.name), r.didYouMean(p.name, known))
}

// pair is a key of a mapping with its value.
type pair struct {
	name  string
	at    pos
	value *yaml.Node
}

// pairs returns the keys of a mapping. Keys that are repeated or that are not words are reported and left out: they
// count as values here, and the others when their values are read.
func (r *reader) pairs(n *yaml.Node) []pair {
	var pairs []pair
	first := make(map[string]pos)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		at, repeated := first[k.Value]
		switch {
		case k.Kind == yaml.ScalarNode && k.Tag != "!!merge" && !repeated:
			first[k.Value] = posOf(k)
			pairs = append(pairs, pair{name: k.Value, at: posOf(k), value: n.Content[i+1]})
			continue
		case !r.count(k):
			return pairs
		case k.Kind != yaml.ScalarNode:
			r.errorf(posOf(k), "a key must be a word, not %s", describe(k))
		case k.Tag == "!!merge":
			r.errorf(posOf(k), "<< is not read here; write the keys out")
		default:
			r.errorf(posOf(k), "the key %s is there already, at %s; remove one of the two", quote(k.Value),
				r.report.seenFrom(posOf(k), at))
		}
	}
	return pairs
}

// quote puts a word of the file in quotes, and cuts it where it is too long for a message.
func quote(word string) string { return fmt.Sprintf("%q", shorten(word)) }

func shorten(word string) string {
	const longest = 80
	if runes := []rune(word); len(runes) > longest {
		return string(runes[:longest]) + "..."
	}
	return word
}

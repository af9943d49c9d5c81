package config

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// list is a list of at most so many values of one form.
func list[V any](what string, most int, of form[V]) form[[]found[V]] {
	described := func() schema { return schema{"type": "array", "items": of.schema(), "maxItems": most} }
	return form[[]found[V]]{described, func(r *reader, n *yaml.Node) []found[V] {
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
			r.errorf(posOf(n), "must be a list of %s; put %s in brackets", what, quote(n.Value))
			return nil
		} else if n.Kind != yaml.SequenceNode {
			r.wrong(n, "a list of "+what)
			return nil
		}
		if len(n.Content) > most {
			r.errorf(posOf(n), "lists %d %s; at most %d are read", len(n.Content), what, most)
			return nil
		}
		values := make([]found[V], len(n.Content))
		for i, element := range n.Content {
			values[i] = take(r.element(i), of, posOf(element), element)
		}
		return values
	}}
}

// some is a list that is not empty, because an empty one would be taken for another meaning.
func some[V any](what string, most int, of form[V]) form[[]found[V]] {
	f := list(what, most, of)
	described := func() schema { return f.schema().with("minItems", 1) }
	return form[[]found[V]]{described, func(r *reader, n *yaml.Node) []found[V] {
		values := f.read(r, n)
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			r.errorf(posOf(n), "must not be empty; name %s or remove it", what)
		}
		return values
	}}
}

// entry is a value under a name that the file chooses.
type entry[V any] struct {
	name string
	found[V]
}

// naming says how the names of a table look.
type naming struct {
	what    string // "a stage", for messages
	pattern expression
	rule    string // the pattern in words
	most    int    // how many there may be
}

// table is a mapping from names that the file chooses to values of one form, in the order of the file.
func table[V any](names naming, of form[V]) form[[]entry[V]] {
	described := func() schema {
		return schema{
			"type": "object", "minProperties": 1, "maxProperties": names.most,
			"propertyNames": schema{"pattern": names.pattern.text}, "additionalProperties": of.schema(),
		}
	}
	return form[[]entry[V]]{described, func(r *reader, n *yaml.Node) []entry[V] {
		if n.Kind != yaml.MappingNode {
			r.wrong(n, "a mapping with a key for each "+names.noun())
			return nil
		}
		var entries []entry[V]
		for _, p := range r.pairs(n) {
			e := entry[V]{p.name, take(r.key(p.name), of, p.at, p.value)}
			if !names.pattern.MatchString(p.name) {
				r.errorf(p.at, "%s cannot be the name of %s: %s", quote(p.name), names.what, names.rule)
				e.bad = true
			}
			entries = append(entries, e)
		}
		if len(n.Content) == 0 && !r.report.nothing {
			r.errorf(posOf(n), "must not be empty; name at least %s or remove it", names.what)
		}
		if len(entries) > names.most {
			r.errorf(posOf(n), "has %d entries; at most %d are read", len(entries), names.most)
			entries = entries[:names.most]
		}
		return entries
	}}
}

// repeatable is a table whose entries may stand for several, with the items of lists in their names. In the schema such
// an entry may be anything: the items decide what it is.
func repeatable[V any](names naming, of form[V]) form[[]entry[V]] {
	f := table(names, of)
	described := func() schema {
		const withItem = `\$\{`
		return f.schema().with("patternProperties", schema{withItem: schema{"type": "object"}}).
			with("propertyNames", schema{"anyOf": []schema{{"pattern": names.pattern.text}, {"pattern": withItem}}})
	}
	return form[[]entry[V]]{described, f.read}
}

// noun returns the noun of a name, without its article.
func (n naming) noun() string {
	_, noun, _ := strings.Cut(n.what, " ")
	return noun
}

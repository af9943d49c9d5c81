package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// field is a key that a mapping may have.
type field[T any] struct {
	name     string
	doc      string // a sentence, for people
	fallback string // the default, for people
	required bool
	schema   func() schema
	read     func(r *reader, p pair, into *T)
	guess    func(r *reader, p pair, into *T) // the same of a key that is misspelt: the value is not to be trusted
}

// key defines a key with the form of its value and where that is kept.
func key[T, V any](name string, f form[V], into func(*T) *found[V], doc string) field[T] {
	return field[T]{
		name:   name,
		doc:    doc,
		schema: f.schema,
		read:   func(r *reader, p pair, v *T) { *into(v) = take(r.key(name), f, p.at, p.value) },
		guess: func(r *reader, p pair, v *T) {
			if of := into(v); !of.given() {
				*of = take(r.quietly().key(name), f, p.at, p.value)
				if of.bad {
					of.value = *new(V)
				}
				of.bad, of.slip = true, true
			}
		},
	}
}

// needed returns the field as one that must be there.
func (f field[T]) needed() field[T] { f.required = true; return f }

// otherwise returns the field with its default.
func (f field[T]) otherwise(fallback string) field[T] { f.fallback = fallback; return f }

// object is a mapping with known keys. what describes it, with an article.
type object[T any] struct {
	what     string
	fields   []field[T]
	oneOf    []string   // exactly one of these keys must be there
	anyOf    []string   // at least one of these keys must be there
	together [][]string // either all or none of these keys must be there
	nothing  bool       // nothing at all is as good as a mapping without keys
}

func (o object[T]) form() form[T] { return form[T]{o.schema, o.read} }

func (o object[T]) read(r *reader, n *yaml.Node) T {
	var v T
	if o.nothing && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return v
	}
	if n.Kind != yaml.MappingNode {
		r.wrong(n, o.what+": a mapping with keys such as "+o.example())
		return v
	}
	var given []string
	for _, p := range r.pairs(n) {
		if f := o.field(p.name); f != nil {
			given = append(given, f.name)
			f.read(r, p, &v)
			continue
		}
		if !r.count(p.value) {
			break
		}
		r.unknownKey(p, o.names())
		if r.report.full() {
			continue
		}
		if meant := o.field(Nearest(p.name, o.names())); meant != nil {
			given = append(given, meant.name)
			meant.guess(r, p, &v)
		}
	}
	o.lacks(r, posOf(n), given)
	return v
}

func (o object[T]) field(name string) *field[T] {
	i := slices.IndexFunc(o.fields, func(f field[T]) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &o.fields[i]
}

// lacks reports the keys that must be there and are not.
func (o object[T]) lacks(r *reader, at pos, given []string) {
	for _, f := range o.fields {
		if f.required && !slices.Contains(given, f.name) {
			r.errorf(at, "`%s` is missing: %s", f.name, f.doc)
		}
	}
	here := func(keys []string) (some []string) {
		for _, k := range keys {
			if slices.Contains(given, k) {
				some = append(some, k)
			}
		}
		return some
	}
	if some := here(o.oneOf); len(some) > 1 {
		r.errorf(at, "has %s; keep one of them", listed(some))
	} else if len(o.oneOf) > 0 && len(some) == 0 {
		r.errorf(at, "lacks one of %s", listed(o.oneOf))
	}
	if len(o.anyOf) > 0 && len(here(o.anyOf)) == 0 {
		r.errorf(at, "lacks %s; at least one of them must be there", listed(o.anyOf))
	}
	for _, keys := range o.together {
		if some := here(keys); len(some) > 0 && len(some) < len(keys) {
			missing := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return slices.Contains(some, k) })
			r.errorf(at, "has %s but not %s; they belong together", listed(some), listed(missing))
		}
	}
}

// names returns the keys that can be used.
func (o object[T]) names() []string {
	var names []string
	for _, f := range o.fields {
		names = append(names, f.name)
	}
	return names
}

func (o object[T]) example() string {
	names := o.names()
	return strings.Join(names[:min(3, len(names))], ", ")
}

func listed(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

func (o object[T]) schema() schema {
	properties := schema{}
	var required []string
	for _, f := range o.fields {
		properties[f.name] = f.describe()
		if f.required {
			required = append(required, f.name)
		}
	}
	s := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if o.nothing {
		s["type"] = []string{"object", "null"}
	}
	if len(required) > 0 {
		s["required"] = required
	}
	if len(o.oneOf) > 0 {
		s["oneOf"] = requiring(o.oneOf)
	}
	if len(o.anyOf) > 0 {
		s["anyOf"] = requiring(o.anyOf)
	}
	if len(o.together) > 0 {
		s["dependentRequired"] = dependent(o.together)
	}
	return s
}

// describe returns the schema of a key's value with its explanation for people.
func (f field[T]) describe() schema {
	doc, described := f.doc, f.schema()
	if more, ok := described["description"].(string); ok {
		doc += " " + more
	}
	if f.fallback != "" {
		doc += " Default: " + f.fallback + "."
	}
	return described.with("description", doc)
}

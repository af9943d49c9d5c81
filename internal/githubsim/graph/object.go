// Package graph executes GraphQL documents for the GitHub simulator. It knows nothing of GitHub: objects bring their
// own fields. Whether a document suits GitHub's schema is checked elsewhere (package contract); this package does what
// a document says, top-level mutations one after the other, and lets one failed field leave the others done.
package graph

import (
	"fmt"
	"slices"
)

// Object is something a selection can be made on.
type Object struct {
	Type   string
	Is     []string // interfaces and unions it belongs to
	Fields Fields
}

// Fields are resolvers by the name of the field.
type Fields map[string]Resolver

// Resolver answers a field: nil, a scalar, an *Object, or a slice of either.
type Resolver func(Args) (any, error)

// Value is the resolver of a field that is known already.
func Value(value any) Resolver { return func(Args) (any, error) { return value, nil } }

// matches reports whether a fragment on a type applies.
func (o *Object) matches(condition string) bool {
	return condition == "" || condition == o.Type || slices.Contains(o.Is, condition)
}

// Error is a field's refusal, as GitHub types it (NOT_FOUND, FORBIDDEN, UNPROCESSABLE).
type Error struct {
	Type    string
	Message string
}

func (e *Error) Error() string { return e.Message }

// Unsupported is a field that the objects here do not have although the document asks for it.
type Unsupported struct {
	Object, Field string
}

func (e *Unsupported) Error() string { return fmt.Sprintf("no field %s on %s", e.Field, e.Object) }

// Args are the arguments of a field, variables put in.
type Args map[string]any

// Text reads a string, ID or enum; empty when it is absent or null.
func (a Args) Text(name string) string {
	text, _ := a[name].(string)
	return text
}

// Optional reads a string that may be absent or null.
func (a Args) Optional(name string) *string {
	text, isText := a[name].(string)
	if !isText {
		return nil
	}
	return &text
}

// Int reads a number; otherwise is taken when it is absent or null.
func (a Args) Int(name string, otherwise int) int {
	switch n := a[name].(type) {
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return otherwise
}

// Bool reads a boolean; false when it is absent or null.
func (a Args) Bool(name string) bool {
	yes, _ := a[name].(bool)
	return yes
}

// Object reads an input object; empty when it is absent or null.
func (a Args) Object(name string) Args {
	fields, _ := a[name].(map[string]any)
	return fields
}

// Objects reads a list of input objects.
func (a Args) Objects(name string) []Args {
	items, _ := a[name].([]any)
	var objects []Args
	for _, item := range items {
		if fields, isObject := item.(map[string]any); isObject {
			objects = append(objects, fields)
		}
	}
	return objects
}

// Texts reads a list of strings or enums; a single one counts as a list, as GraphQL has it.
func (a Args) Texts(name string) []string {
	if one, isText := a[name].(string); isText {
		return []string{one}
	}
	items, _ := a[name].([]any)
	var texts []string
	for _, item := range items {
		if text, isText := item.(string); isText {
			texts = append(texts, text)
		}
	}
	return texts
}

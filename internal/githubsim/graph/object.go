// Package graph executes GraphQL documents for the GitHub simulator. It does not depend on GitHub's schema: objects
// define their own fields, and package contract checks documents against the schema. Top-level mutations run one after
// the other, and the failure of one does not undo the others.
package graph

import (
	"fmt"
	"slices"
)

// Object is a value with fields that a document can select.
type Object struct {
	Type   string
	Is     []string // its interfaces and unions
	Fields Fields
	// Sure are fields that the schema says are never null: where one fails, the whole object is null.
	Sure []string
}

// Fields maps names of fields to resolvers.
type Fields map[string]Resolver

// Resolver returns the value of a field: nil, a scalar, an *Object, or a slice of either.
type Resolver func(Args) (any, error)

// Value returns the resolver of a constant value.
func Value(value any) Resolver { return func(Args) (any, error) { return value, nil } }

// matches reports whether a fragment on a type applies.
func (o *Object) matches(condition string) bool {
	return condition == "" || condition == o.Type || slices.Contains(o.Is, condition)
}

// Error is the error of a field, with GitHub's type (NOT_FOUND, FORBIDDEN, UNPROCESSABLE).
type Error struct {
	Type    string
	Message string
}

func (e *Error) Error() string { return e.Message }

// Unsupported is a field that a document selects but an object does not have.
type Unsupported struct {
	Object, Field string
}

func (e *Unsupported) Error() string { return fmt.Sprintf("no field %s on %s", e.Field, e.Object) }

// Args are the arguments of a field, with variables substituted.
type Args map[string]any

// Text returns a string, ID or enum; empty if it is absent or null.
func (a Args) Text(name string) string {
	text, _ := a[name].(string)
	return text
}

// Optional returns a string, or nil if it is absent or null.
func (a Args) Optional(name string) *string {
	text, isText := a[name].(string)
	if !isText {
		return nil
	}
	return &text
}

// Int returns a number, or otherwise if it is absent or null.
func (a Args) Int(name string, otherwise int) int {
	switch n := a[name].(type) {
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return otherwise
}

// Bool returns a boolean; false if it is absent or null.
func (a Args) Bool(name string) bool {
	yes, _ := a[name].(bool)
	return yes
}

// Object returns an input object; empty if it is absent or null.
func (a Args) Object(name string) Args {
	fields, _ := a[name].(map[string]any)
	return fields
}

// Objects returns a list of input objects.
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

// Texts returns a list of strings or enums. A single value counts as a list, as in GraphQL.
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

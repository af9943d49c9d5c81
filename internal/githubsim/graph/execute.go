package graph

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// Request is the body of a GraphQL request.
type Request struct {
	Query         string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
}

// Response is the body of an answer.
type Response struct {
	Data        *Result `json:"data,omitempty"`
	Errors      []Entry `json:"errors,omitempty"`
	Unsupported []error `json:"-"` // fields that the objects do not have
}

// Entry is one of an answer's errors.
type Entry struct {
	Type      string     `json:"type,omitempty"`
	Path      []any      `json:"path,omitempty"`
	Locations []Location `json:"locations,omitempty"`
	Message   string     `json:"message"`
}

// Location is a place in the document.
type Location struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Roots are the objects that queries and mutations start from.
type Roots struct {
	Query, Mutation *Object
	// Fails, if set, is called with each field of a query before it is resolved, and may make it fail.
	Fails func(object, field string) error
}

// Execute executes a request.
func Execute(request Request, roots Roots) Response {
	document, err := parser.ParseQuery(&ast.Source{Input: request.Query})
	if err != nil {
		return Response{Errors: []Entry{{Message: "Parse error: " + err.Error()}}}
	}
	operation := document.Operations.ForName(request.OperationName)
	if operation == nil {
		return Response{Errors: []Entry{{Message: fmt.Sprintf("No operation named %q", request.OperationName)}}}
	}
	e := &execution{document: document, variables: map[string]any{}, fails: roots.Fails}
	root := roots.Query
	if operation.Operation == ast.Mutation {
		root, e.fails = roots.Mutation, nil
	}
	for _, definition := range operation.VariableDefinitions {
		if value, given := request.Variables[definition.Variable]; given {
			e.variables[definition.Variable] = value
			continue
		}
		if definition.DefaultValue != nil {
			e.variables[definition.Variable], _ = definition.DefaultValue.Value(nil)
		}
	}
	data, _ := e.object(root, operation.SelectionSet, nil).(*Result)
	return Response{Data: data, Errors: e.errors, Unsupported: e.unsupported}
}

type execution struct {
	document    *ast.QueryDocument
	variables   map[string]any
	errors      []Entry
	unsupported []error
	fails       func(object, field string) error
}

// object resolves a selection on one object, in the order of the document. It returns a *Result, or nil.
func (e *execution) object(o *Object, selections ast.SelectionSet, path []any) any {
	result := &Result{}
	for _, field := range e.collect(o, selections) {
		at := append(slices.Clone(path), field[0].Alias)
		value := e.field(o, field, at)
		if value == nil && slices.Contains(o.Sure, field[0].Name) {
			return nil
		}
		result.set(field[0].Alias, value)
	}
	return result
}

// collect returns the fields that apply to an object, by their response names. A field that is selected twice is
// answered once, with the selections of both.
func (e *execution) collect(o *Object, selections ast.SelectionSet) [][]*ast.Field {
	var order [][]*ast.Field
	var gather func(ast.SelectionSet)
	gather = func(selections ast.SelectionSet) {
		for _, selection := range selections {
			switch one := selection.(type) {
			case *ast.Field:
				if !e.included(one.Directives) {
					continue
				}
				at := slices.IndexFunc(order, func(fields []*ast.Field) bool { return fields[0].Alias == one.Alias })
				if at < 0 {
					order = append(order, []*ast.Field{one})
				} else {
					order[at] = append(order[at], one)
				}
			case *ast.InlineFragment:
				if e.included(one.Directives) && o.matches(one.TypeCondition) {
					gather(one.SelectionSet)
				}
			case *ast.FragmentSpread:
				fragment := e.document.Fragments.ForName(one.Name)
				if fragment != nil && e.included(one.Directives) && o.matches(fragment.TypeCondition) {
					gather(fragment.SelectionSet)
				}
			}
		}
	}
	gather(selections)
	return order
}

// included evaluates @include and @skip.
func (e *execution) included(directives ast.DirectiveList) bool {
	for _, directive := range directives {
		argument := directive.Arguments.ForName("if")
		if argument == nil {
			continue
		}
		value, _ := argument.Value.Value(e.variables)
		yes, _ := value.(bool)
		if (directive.Name == "include" && !yes) || (directive.Name == "skip" && yes) {
			return false
		}
	}
	return true
}

func (e *execution) field(o *Object, fields []*ast.Field, path []any) any {
	field := fields[0]
	if field.Name == "__typename" {
		return o.Type
	}
	resolve, known := o.Fields[field.Name]
	if !known {
		err := &Unsupported{Object: o.Type, Field: field.Name}
		e.unsupported = append(e.unsupported, err)
		return e.fail(err, field, path)
	}
	args := Args{}
	for _, argument := range field.Arguments {
		value, err := argument.Value.Value(e.variables)
		if err != nil {
			return e.fail(err, field, path)
		}
		args[argument.Name] = value
	}
	if e.fails != nil {
		if err := e.fails(o.Type, field.Name); err != nil {
			return e.fail(err, field, path)
		}
	}
	value, err := resolve(args)
	if err != nil {
		e.fail(err, field, path)
	}
	var selections ast.SelectionSet
	for _, one := range fields {
		selections = append(selections, one.SelectionSet...)
	}
	return e.value(value, selections, path)
}

// value applies a selection to the result of a resolver.
func (e *execution) value(value any, selections ast.SelectionSet, path []any) any {
	switch v := value.(type) {
	case nil:
		return nil
	case *Object:
		if v == nil {
			return nil
		}
		return e.object(v, selections, path)
	}
	list := reflect.ValueOf(value)
	if list.Kind() != reflect.Slice || list.Type().Elem().Kind() == reflect.Uint8 {
		return value
	}
	items := make([]any, list.Len())
	for i := range items {
		items[i] = e.value(list.Index(i).Interface(), selections, append(slices.Clone(path), i))
	}
	return items
}

func (e *execution) fail(err error, field *ast.Field, path []any) any {
	entry := Entry{Path: path, Message: err.Error()}
	var typed *Error
	if errors.As(err, &typed) {
		entry.Type = typed.Type
	}
	if field.Position != nil {
		entry.Locations = []Location{{Line: field.Position.Line, Column: field.Position.Column}}
	}
	e.errors = append(e.errors, entry)
	return nil
}

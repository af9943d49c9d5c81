package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Part is the half of an exchange that violates the contract, and so identifies the culprit: the client or the server.
type Part string

// The parts of an exchange. A webhook delivery has only a request.
const (
	Route    Part = "route"
	Request  Part = "request"
	Response Part = "response"
)

// Violation is one way in which an exchange violates the contract.
type Violation struct {
	Operation string // "POST /repos/{owner}/{repo}/check-runs"
	Part      Part
	Detail    string // `body: /head_sha: property "head_sha" is missing`
}

// Error returns the violation as one line.
func (v Violation) Error() string {
	return fmt.Sprintf("%s: %s: %s", v.Operation, v.Part, v.Detail)
}

// Violations is the error that every check of this package returns. Callers find the culprit with errors.As.
type Violations []Violation

// Error returns one line for each violation.
func (vs Violations) Error() string {
	lines := make([]string, len(vs))
	for i, v := range vs {
		lines[i] = v.Error()
	}
	return strings.Join(lines, "\n")
}

// findings collects the violations of one operation.
type findings struct {
	operation string
	found     Violations
}

// add records a violation unless it is recorded already.
func (f *findings) add(part Part, format string, args ...any) {
	v := Violation{Operation: f.operation, Part: part, Detail: fmt.Sprintf(format, args...)}
	if !slices.Contains(f.found, v) {
		f.found = append(f.found, v)
	}
}

// addBody records the violations in a body: where it does not match the schema, and which fields the schema does not
// describe.
func (f *findings) addBody(part Part, schema *openapi3.Schema, body any) {
	for _, sentence := range breaches(schema, body) {
		f.add(part, "body: %s", sentence)
	}
	for _, field := range unknownFields(body, schema) {
		f.add(part, "body: %s: GitHub has no such field", field)
	}
}

// err returns the violations as an error, nil if there are none.
func (f *findings) err() error {
	if len(f.found) == 0 {
		return nil
	}
	return f.found
}

// breaches describes how a value violates a schema.
func breaches(schema *openapi3.Schema, value any) []string {
	return sentences(schema.VisitJSON(value, openapi3.MultiErrors(), openapi3.DisableSchemaErrorDetails()))
}

// sentences flattens the nested errors of kin-openapi.
func sentences(err error) []string {
	switch e := err.(type) {
	case nil:
		return nil
	case openapi3.MultiError:
		var all []string
		for _, each := range e {
			all = append(all, sentences(each)...)
		}
		return all
	case *openapi3.SchemaError:
		at := "/" + strings.Join(e.JSONPointer(), "/")
		var alternatives openapi3.MultiError
		if errors.As(e.Origin, &alternatives) {
			return []string{fmt.Sprintf("%s: %s (%s)", at, e.Reason, strings.Join(sentences(alternatives), "; "))}
		}
		return []string{at + ": " + e.Reason}
	default:
		return []string{err.Error()}
	}
}

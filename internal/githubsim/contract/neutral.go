package contract

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Neutral values of formatted strings. The host is reserved and never resolves, so that a client that follows such a
// link fails at once.
const (
	neutralTime  = "2020-01-01T00:00:00Z"
	neutralDate  = "2020-01-01"
	neutralHost  = "https://github.invalid/"
	neutralEmail = "nobody@github.invalid"
	neutralSHA   = "0000000000000000000000000000000000000000"
)

// neutral returns a value for a required property that was not given: null if allowed, else the default, else the first
// of an enumeration, else the zero or empty value of its type. Equal schemas give equal values.
func neutral(schema *openapi3.Schema, name string) any {
	switch {
	case schema.Nullable:
		return nil
	case schema.Default != nil:
		return schema.Default
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	case schema.Type.Is("string"):
		return firstAccepted(schema, neutralStrings(schema, name))
	case schema.Type.Is("boolean"):
		return false
	case schema.Type.Is("integer"), schema.Type.Is("number"):
		return firstAccepted(schema, []any{0.0, 1.0})
	case schema.Type.Is("array"):
		return neutralArray(schema, name)
	}
	return neutralUntyped(schema, name)
}

// neutralStrings lists candidates for a string, the most likely first.
func neutralStrings(schema *openapi3.Schema, name string) []any {
	var likely string
	switch schema.Format {
	case "date-time":
		likely = neutralTime
	case "date":
		likely = neutralDate
	case "email":
		likely = neutralEmail
	case "uri", "uri-template", "url":
		likely = neutralHost + name
	default:
		likely = neutralByName(name)
	}
	return []any{likely, "", "0", neutralSHA, neutralTime}
}

// neutralByName guesses a value from the property's name if GitHub's description has no format.
func neutralByName(name string) string {
	switch {
	case name == "url", name == "href", strings.HasSuffix(name, "_url"):
		return neutralHost + name
	case name == "sha", name == "oid", strings.HasSuffix(name, "_sha"), strings.HasSuffix(name, "_oid"):
		return neutralSHA
	case strings.HasSuffix(name, "_at"):
		return neutralTime
	}
	return ""
}

// neutralArray returns an empty array, or one of the required length.
func neutralArray(schema *openapi3.Schema, name string) any {
	array := make([]any, schema.MinItems)
	for i := range array {
		array[i] = neutral(schema.Items.Value, name)
	}
	return array
}

// neutralUntyped returns a value for a schema without a type: an object, or a schema composed of others.
func neutralUntyped(schema *openapi3.Schema, name string) any {
	var candidates []any
	if len(schema.Properties) == 0 {
		for _, part := range slices.Concat(schema.OneOf, schema.AnyOf, schema.AllOf) {
			candidates = append(candidates, neutral(part.Value, name))
		}
	}
	candidates = append(candidates, completeObject(schema, map[string]any{}))
	return firstAccepted(schema, candidates)
}

// firstAccepted returns the first candidate that the schema accepts, or the
// first of all if it accepts none.
func firstAccepted(schema *openapi3.Schema, candidates []any) any {
	for _, candidate := range candidates {
		if schema.VisitJSON(candidate, openapi3.FailFast()) == nil {
			return candidate
		}
	}
	return candidates[0]
}

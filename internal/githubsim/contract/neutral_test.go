package contract

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
)

func TestANeutralValueIsTheEmptiestThatTheSchemaAccepts(t *testing.T) {
	for name, test := range map[string]struct {
		schema *openapi3.Schema
		want   any
	}{
		"null if allowed":                  {openapi3.NewStringSchema().WithNullable(), nil},
		"else the default":                 {openapi3.NewStringSchema().WithDefault("b"), "b"},
		"else the first of an enumeration": {openapi3.NewStringSchema().WithEnum("x", "y"), "x"},
		"else empty":                       {openapi3.NewStringSchema(), ""},
		"a time":                           {openapi3.NewDateTimeSchema(), "2020-01-01T00:00:00Z"},
		"a date":                           {openapi3.NewStringSchema().WithFormat("date"), "2020-01-01"},
		"an address":                       {openapi3.NewStringSchema().WithFormat("email"), "nobody@github.invalid"},
		"a link": {
			openapi3.NewStringSchema().WithFormat("uri"), "https://github.invalid/a link",
		},
		"a string that is not empty": {openapi3.NewStringSchema().WithMinLength(1), "0"},
		"a string of a pattern":      {openapi3.NewStringSchema().WithPattern("^[0-9a-f]{40}$"), neutralSHA},
		"false":                      {openapi3.NewBoolSchema(), false},
		"zero":                       {openapi3.NewIntegerSchema(), 0.0},
		"a number above zero":        {openapi3.NewIntegerSchema().WithMin(1), 1.0},
		"an empty array":             {openapi3.NewArraySchema().WithItems(openapi3.NewBoolSchema()), []any{}},
		"an array as long as it has to be": {
			openapi3.NewArraySchema().WithItems(openapi3.NewBoolSchema()).WithMinItems(2), []any{false, false},
		},
		"an object of its required members": {openapi3.NewObjectSchema().WithProperty("a",
			openapi3.NewBoolSchema()).WithProperty("b", openapi3.NewBoolSchema()).WithRequired([]string{"a"}),
			map[string]any{"a": false}},
		"the first alternative that fits": {openapi3.NewOneOfSchema(openapi3.NewBoolSchema(),
			openapi3.NewStringSchema()), false},
		"what meets every part": {openapi3.NewAllOfSchema(openapi3.NewStringSchema(),
			openapi3.NewStringSchema().WithFormat("date")), "2020-01-01"},
		"null only if every part allows that": {openapi3.NewAllOfSchema(openapi3.NewStringSchema().WithNullable(),
			openapi3.NewStringSchema()), ""},
	} {
		require.Equal(t, test.want, neutral(test.schema, name), name)
	}
}

func TestANeutralStringFitsItsName(t *testing.T) {
	for name, want := range map[string]string{
		"url":       "https://github.invalid/url",
		"href":      "https://github.invalid/href",
		"html_url":  "https://github.invalid/html_url",
		"sha":       neutralSHA,
		"oid":       neutralSHA,
		"head_sha":  neutralSHA,
		"blob_oid":  neutralSHA,
		"pushed_at": neutralTime,
		"curl":      "",
		"title":     "",
	} {
		require.Equal(t, want, neutral(openapi3.NewStringSchema(), name), name)
	}
}

func TestAnObjectThatFitsNoAlternativeIsLeftAsStated(t *testing.T) {
	number := openapi3.NewObjectSchema().WithProperty("n", openapi3.NewIntegerSchema()).WithRequired([]string{"n"})
	word := openapi3.NewObjectSchema().WithProperty("w", openapi3.NewIntegerSchema()).WithRequired([]string{"w"})
	stated := map[string]any{"n": "seven", "w": "eight"}
	require.Equal(t, stated, completeObject(openapi3.NewOneOfSchema(number, word), stated))
}

func TestTheFirstAlternativeStandsIfNoneKnowsAField(t *testing.T) {
	first := openapi3.NewObjectSchema().WithProperty("a", openapi3.NewBoolSchema()).WithRequired([]string{"a"})
	second := openapi3.NewObjectSchema().WithProperty("b", openapi3.NewBoolSchema()).WithRequired([]string{"b"})
	filled := completeObject(openapi3.NewAnyOfSchema(first, second), map[string]any{"odd": "one"})
	require.Equal(t, map[string]any{"a": false, "odd": "one"}, filled)
}

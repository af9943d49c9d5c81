package contract

import (
	"encoding/json"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
)

func TestAFieldIsUnknownIfNoSchemaThatAppliesDescribesIt(t *testing.T) {
	for name, test := range map[string]struct {
		schema, value string
		want          []string
	}{
		"every unknown field is named": {
			`{"properties": {"m": {}}}`, `{"a": 1, "m": 2, "z": 3}`, []string{"/a", "/z"}},
		"also in arrays": {
			`{"type": "array", "items": {"properties": {"m": {}}}}`, `[{"m": 1}, {"n": 1}]`, []string{"/1/n"}},
		"an object without properties is free-form": {
			`{"type": "object"}`, `{"a": {"b": 1}}`, nil},
		"and so is one that says so": {
			`{"oneOf": [{"type": "object", "additionalProperties": true}, {"type": "string"}], "properties": {"m": {}}}`,
			`{"a": 1}`, nil},
		"next to properties it is no licence": {
			`{"properties": {"m": {}}, "anyOf": [{"properties": {"n": {"enum": [1]}}, "additionalProperties": true}]}`,
			`{"m": 1, "n": 1, "a": 1}`, []string{"/a"}},
		"other names may be described together": {
			`{"properties": {"m": {}}, "additionalProperties": {"properties": {"x": {}}}}`,
			`{"m": 1, "a": {"x": 1, "y": 1}}`, []string{"/a/y"}},
		"also without any by name": {
			`{"additionalProperties": {"properties": {"x": {}}}}`, `{"a": {"y": 1}}`, []string{"/a/y"}},
		"every part describes": {
			`{"allOf": [{"properties": {"a": {"properties": {"x": {}}}}}, {"properties": {"a": {"properties": {"y": {}}}}}]}`,
			`{"a": {"x": 1, "y": 1, "z": 1}}`, []string{"/a/z"}},
		"of alternatives the one that fits": {
			`{"oneOf": [{"required": ["a"], "properties": {"a": {}}}, {"required": ["b"], "properties": {"b": {}, "c": {}}}]}`,
			`{"a": 1, "c": 1}`, []string{"/c"}},
		"or all if none fits": {
			`{"oneOf": [{"required": ["a"], "properties": {"a": {}}}, {"required": ["b"], "properties": {"b": {}, "c": {}}}]}`,
			`{"c": 1, "d": 1}`, []string{"/d"}},
	} {
		t.Run(name, func(t *testing.T) {
			var schema openapi3.Schema
			require.NoError(t, json.Unmarshal([]byte(test.schema), &schema))
			var value any
			require.NoError(t, json.Unmarshal([]byte(test.value), &value))
			require.Equal(t, test.want, unknownFields(value, &schema))
		})
	}
}

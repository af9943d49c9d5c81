package config

import (
	"encoding/json"
	"maps"
)

// schema is a part of a JSON Schema (draft 2020-12).
type schema map[string]any

// with returns a copy of the schema that says one thing more.
func (s schema) with(keyword string, value any) schema {
	more := maps.Clone(s)
	more[keyword] = value
	return more
}

// requiring returns a schema for each key that asks for the key.
func requiring(keys []string) []schema {
	each := make([]schema, len(keys))
	for i, k := range keys {
		each[i] = schema{"required": []string{k}}
	}
	return each
}

// dependent says for groups of keys that each asks for the others.
func dependent(groups [][]string) schema {
	s := schema{}
	for _, group := range groups {
		for _, k := range group {
			s[k] = group
		}
	}
	return s
}

// PipelineSchema returns the JSON Schema of the pipeline file. It describes the possible values of each key; keys that
// depend on each other, such as the names of stages, only Load can judge.
func PipelineSchema() ([]byte, error) {
	return document("Waybill pipeline file", pipelineForm.schema())
}

// PolicySchema returns the JSON Schema of the policy file.
func PolicySchema() ([]byte, error) { return document("Waybill policy file", policyForm.schema()) }

func document(title string, s schema) ([]byte, error) {
	s = s.with("title", title).with("$schema", "https://json-schema.org/draft/2020-12/schema")
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

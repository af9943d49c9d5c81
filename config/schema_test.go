package config_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/txtar"

	"waybill/config"
)

func compileSchema(t testing.TB, text []byte, err error) *jsonschema.Schema {
	t.Helper()
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("schema.json", document))
	compiled, err := compiler.Compile("schema.json")
	require.NoError(t, err)
	return compiled
}

// validate returns the schema's error about a YAML file.
func validate(t *testing.T, schema *jsonschema.Schema, file string) error {
	t.Helper()
	var tree any
	require.NoError(t, yaml.Unmarshal([]byte(file), &tree))
	text, err := json.Marshal(tree)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	return schema.Validate(document)
}

func TestTheSchemasAcceptTheExamples(t *testing.T) {
	text, err := config.PipelineSchema()
	pipeline := compileSchema(t, text, err)
	for _, file := range []string{
		pipelineOfDesign,
		"version: 1\nallow: [acme/deploy]\n",
		`
version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  a: {from: api, set: {a.yaml: {tag: "${api.short}"}}, verify: [e2e-a]}
  b: {from: api, set: {b.yaml: {tag: "${api.short}"}}, verify: [e2e-b]}
  prod: {from: api, after: {all: [a, b], soak: 1h}, set: {prod.yaml: {tag: "${api.short}"}}, verify: [smoke]}
`,
	} {
		require.NoError(t, validate(t, pipeline, file))
	}

	text, err = config.PolicySchema()
	policy := compileSchema(t, text, err)
	require.NoError(t, validate(t, policy, automaticEverywhere))
	require.NoError(t, validate(t, policy, `
version: 1
automatic: [dev, "staging-*"]
stages:
  prod: {merge: manual}
may:
  promote: [{stages: [prod], permission: write, teams: [sre]}, {permission: write}]
  approve: [{stages: [prod], teams: [sre], not: [author, requester]}]
  admit:   []
  force:   [{teams: [sre-leads]}]
`))
}

// TestTheSchemaRejectsWhatIsWrongInItself breaks a valid file in one place at a time.
func TestTheSchemaRejectsWhatIsWrongInItself(t *testing.T) {
	text, err := config.PipelineSchema()
	schema := compileSchema(t, text, err)
	const good = `
version: 1
resync: 1h
warehouses:
  api: {pull-requests: {repo: acme/api, paths: [src/**]}}
stages:
  dev: {from: api, set: {a.yaml: {tag: v}}}
  prod: {from: {api: {after: {at-least: 60%, of: [dev], soak: 1h}}}, set: {b.yaml: {tag: 1}},
    verify: [{check: e2e, appear: 5m}]}
`
	require.NoError(t, validate(t, schema, good))
	for _, change := range []struct{ old, new string }{
		{"version: 1\n", ""},
		{"version: 1\n", "version: 2\n"},
		{"resync: 1h", "resync: 0"}, // R4
		{"resync: 1h", "resync: -1h"},
		{"resync: 1h", "resync: soon"},
		{"resync: 1h", `resync: ""`},
		{"resync", "resinc"},
		{"pull-requests", "image"},
		{"acme/api", "acme"},
		{"[src/**]", "src/**"},
		{"[src/**]", "[]"},
		{"from: api", "after: dev"},
		{"from: api", "from: [api]"},
		{"dev: {", "-dev: {"},
		{"{tag: v}", "{}"},
		{"{tag: v}", "{tag: }"},
		{"{tag: v}", "[tag]"},
		{"60%", "0"},
		{"60%", "0%"},
		{"60%", "101%"},
		{"at-least: 60%, ", ""},
		{"of: [dev]", "any: [dev]"},
		{"at-least: 60%, of: [dev]", "all: dev"},
		{"at-least: 60%, of: [dev]", "all: []"},
		{"check: e2e", "chek: e2e"},
		{"check: e2e", "check: e2e, status: e2e"},
		{"check: e2e, ", ""},
		{"appear: 5m", "appear: 5"},
		{"from: api, ", "from: api, merge: maybe, "},
		{"from: api, ", "from: api, rollout: outside, "},
	} {
		require.Contains(t, good, change.old)
		require.Error(t, validate(t, schema, strings.Replace(good, change.old, change.new, 1)), "%s instead of %s",
			change.new, change.old)
	}
}

// TestTheSchemaIsNeverStricterThanTheReader: the schema must accept each file of the archives that Load accepts.
func TestTheSchemaIsNeverStricterThanTheReader(t *testing.T) {
	text, err := config.PipelineSchema()
	pipelines := compileSchema(t, text, err)
	text, err = config.PolicySchema()
	policies := compileSchema(t, text, err)
	names, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	accepted := 0
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		require.NoError(t, err)
		for _, f := range archive.Files {
			switch {
			case strings.HasSuffix(f.Name, ".policy.yml"):
				if config.CheckPolicy(f.Name, f.Data).Err() == nil {
					require.NoError(t, validate(t, policies, string(f.Data)), f.Name)
					accepted++
				}
			case strings.HasSuffix(f.Name, ".yml"):
				if _, problems := config.Load(config.Sources{Pipeline: f.Data}); problems.Err() == nil {
					require.NoError(t, validate(t, pipelines, string(f.Data)), f.Name)
					accepted++
				}
			}
		}
	}
	require.Greater(t, accepted, 5)
}

func TestEveryKeyOfTheSchemasIsExplained(t *testing.T) {
	for _, schema := range []func() ([]byte, error){config.PipelineSchema, config.PolicySchema} {
		text, err := schema()
		require.NoError(t, err)
		var tree any
		require.NoError(t, json.Unmarshal(text, &tree))
		require.Positive(t, explained(t, "", tree))
	}
}

// explained counts the keys of mappings, and fails on a key without a description.
func explained(t *testing.T, path string, tree any) int {
	count := 0
	switch tree := tree.(type) {
	case []any:
		for _, element := range tree {
			count += explained(t, path, element)
		}
	case map[string]any:
		if properties, ok := tree["properties"].(map[string]any); ok {
			for name, property := range properties {
				doc, _ := property.(map[string]any)["description"].(string)
				require.Regexp(t, `^[A-Z{].*\.$`, doc, path+"."+name)
				count++
			}
		}
		for name, value := range tree {
			count += explained(t, path+"."+name, value)
		}
	}
	return count
}

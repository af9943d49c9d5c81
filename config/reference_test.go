package config_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/txtar"

	"waybill/config"
)

// TestTheReferenceOfThePipelineFileIsUpToDate compares docs/pipeline-file.md with the JSON Schema; -update rewrites it.
func TestTheReferenceOfThePipelineFileIsUpToDate(t *testing.T) {
	text, err := config.PipelineSchema()
	require.NoError(t, err)
	var schema described
	require.NoError(t, json.Unmarshal(text, &schema))
	r := reference{known: make(map[string]string), examples: make(map[string]string)}
	examples := exampleFiles(t)
	for _, f := range examples {
		if !strings.HasSuffix(f.Name, ".yml") {
			continue
		}
		_, problems := config.Load(config.Sources{Home: "acme/deploy", Branch: "main", PipelineName: f.Name,
			Pipeline: f.Data, Found: config.Found{Inventories: inventoriesOf(examples), Globs: map[string][]string{
				"clusters/*/values.yaml": {"clusters/eu-1/values.yaml", "clusters/us-1/values.yaml"},
			}}})
		require.Empty(t, problems, f.Name)
		var file yaml.Node
		require.NoError(t, yaml.Unmarshal(f.Data, &file))
		r.collect("", &schema, file.Content[0])
	}
	r.section("", &schema)
	require.Empty(t, r.lacking, "every key has an example: add them to a file of testdata/examples/pipelines.txtar")
	const name = "../docs/pipeline-file.md"
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(preface+r.text.String()), 0o644))
	}
	is, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, preface+r.text.String(), string(is), "run `make docs`")
}

const preface = `# The keys of the pipeline file

For authors of a pipeline file: every key of ` + "`.github/waybill.yml`" +
	`, with its type, default and an example. The file is
on the default branch of the home repository.

- ` + "`waybill validate FILE`" + ` reports mistakes with line, column and remedy; ` + "`waybill validate " +
	"--schema`" + ` prints the JSON
  Schema for editors.
- [changes.md](changes.md), [warehouses.md](warehouses.md) and [rollouts.md](rollouts.md) explain the keys in context.
- A file in ` + "`.github/waybill/`" + ` has ` + "`version`, `for-each`, `warehouses` and `stages`" + `
  ([a pipeline file for each team](recipes/several-files.md)).
- NAME stands for a name that the file chooses, [] for the elements of a list.
- A duration is written as ` + "`90s`, `1h30m` or `2d`" + `.


` + "`make docs`" + ` makes this page from the JSON Schema and from
[files that are tested](../config/testdata/examples/pipelines.txtar).
`

// described is the part of a JSON Schema that the reference shows.
type described struct {
	Description          string
	Type                 any
	Const                any
	Enum                 []string
	Items                *described
	AdditionalProperties any
	Properties           map[string]*described
	Required             []string
	AnyOf                []*described
}

// reference writes a section for each mapping, once.
type reference struct {
	text  strings.Builder
	known map[string]string // the heading of each mapping described so far, by its properties as JSON

	examples map[string]string // the shortest example, by heading and key
	lacking  []string          // keys without an example
}

func (r *reference) section(path string, s *described) {
	if len(s.Properties) > 0 {
		if !r.first(path, s) {
			return
		}
		r.table(path, s)
	}
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		r.section(strings.TrimPrefix(path+"."+key, "."), s.Properties[key])
	}
	if s.Items != nil {
		r.section(path+"[]", s.Items)
	}
	if inside := s.named(); inside != nil {
		r.section(path+".NAME", inside)
	}
	for _, one := range s.AnyOf {
		r.section(path, one)
	}
}

// first reports whether a mapping has not been described yet; otherwise it writes a reference to the description.
func (r *reference) first(path string, s *described) bool {
	text, _ := json.Marshal(s.Properties)
	other, known := r.known[string(text)]
	if known {
		fmt.Fprintf(&r.text, "\n## `%s`\n\nAs `%s`.\n", path, other)
		return false
	}
	r.known[string(text)] = path
	return true
}

func (r *reference) table(path string, s *described) {
	heading := "The file"
	if path != "" {
		heading = "`" + path + "`"
	}
	fmt.Fprintf(&r.text, "\n## %s\n\n| key | takes | default | example | meaning |\n|---|---|---|---|---|\n", heading)
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[key]
		says, fallback, _ := strings.Cut(p.Description, " Default: ")
		if slices.Contains(s.Required, key) {
			fallback = "required"
		} else if fallback == "" {
			fallback = "none"
		}
		fmt.Fprintf(&r.text, "| `%s` | %s | %s | %s | %s |\n", key, p.takes(), strings.TrimSuffix(fallback, "."),
			r.example(path, key, p), strings.ReplaceAll(says, "|", `\|`))
	}
}

// example returns an example of a key.
func (r *reference) example(path, key string, s *described) string {
	text := r.examples[path+" "+key]
	if text == "" {
		r.lacking = append(r.lacking, strings.TrimPrefix(path+"."+key, "."))
	}
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}

// collect collects examples of the keys of a mapping and of the mappings in it.
func (r *reference) collect(path string, s *described, at *yaml.Node) {
	for _, one := range s.AnyOf {
		r.collect(path, one, at)
	}
	switch at.Kind {
	case yaml.SequenceNode:
		for _, element := range at.Content {
			if s.Items != nil {
				r.collect(path+"[]", s.Items, element)
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(at.Content); i += 2 {
			r.found(path, s, at.Content[i].Value, at.Content[i+1])
		}
	}
}

// found keeps an example of a key if it is shorter than the known one.
func (r *reference) found(path string, s *described, key string, value *yaml.Node) {
	inside := s.Properties[key]
	if inside == nil {
		if inside = s.named(); inside != nil {
			r.collect(path+".NAME", inside, value)
		}
		return
	}
	if known := r.examples[path+" "+key]; known == "" || len(flow(key, value)) < len(known) {
		r.examples[path+" "+key] = flow(key, value)
	}
	r.collect(strings.TrimPrefix(path+"."+key, "."), inside, value)
}

// flow writes a key and its value on one line.
func flow(key string, value *yaml.Node) string {
	line := *value
	line.Style |= yaml.FlowStyle
	text, err := yaml.Marshal(&yaml.Node{
		Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: key}, &line},
	})
	if err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// exampleFiles returns pipeline files that together use every key.
func exampleFiles(t *testing.T) []txtar.File {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/examples/pipelines.txtar")
	require.NoError(t, err)
	return archive.Files
}

// named returns the schema of the values of a mapping whose keys the file chooses.
func (s *described) named() *described {
	if _, is := s.AdditionalProperties.(map[string]any); !is {
		return nil
	}
	text, _ := json.Marshal(s.AdditionalProperties)
	var inside described
	if json.Unmarshal(text, &inside) != nil {
		return nil
	}
	return &inside
}

// takes describes the allowed values in a few words.
func (s *described) takes() string {
	switch {
	case s.Const != nil:
		return fmt.Sprintf("`%v`", s.Const)
	case len(s.Enum) > 0:
		return "`" + strings.Join(s.Enum, "`, `") + "`"
	case s.Items != nil:
		return "a list: " + s.Items.takes()
	case s.named() != nil:
		return "for each name: " + s.named().takes()
	case len(s.Properties) > 0:
		return "a mapping, see below"
	case len(s.AnyOf) > 0:
		var ways []string
		for _, one := range s.AnyOf {
			if way := one.takes(); !slices.Contains(ways, way) {
				ways = append(ways, way)
			}
		}
		return strings.Join(ways, ", or ")
	}
	return s.scalar()
}

func (s *described) scalar() string {
	words := map[string]string{"string": "text", "integer": "a whole number", "number": "a number",
		"boolean": "`true` or `false`", "null": "nothing"}
	types, several := s.Type.([]any)
	if !several {
		types = []any{s.Type}
	}
	var all []string
	for _, one := range types {
		all = append(all, words[fmt.Sprint(one)])
	}
	return strings.Join(all, ", ")
}

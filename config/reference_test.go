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

	"waybill/config"
)

// TestTheReferenceOfThePipelineFileIsUpToDate keeps docs/pipeline-file.md what the JSON Schema says; -update writes it anew.
func TestTheReferenceOfThePipelineFileIsUpToDate(t *testing.T) {
	text, err := config.PipelineSchema()
	require.NoError(t, err)
	var schema described
	require.NoError(t, json.Unmarshal(text, &schema))
	r := reference{known: make(map[string]string)}
	r.section("", &schema)
	const name = "../docs/pipeline-file.md"
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(preface+r.text.String()), 0o644))
	}
	is, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, preface+r.text.String(), string(is), "run `make docs`")
}

const preface = `# The keys of the pipeline file

` + "`.github/waybill.yml`" + ` on the default branch of the home repository. This page is made of the JSON Schema (` + "`make docs`" + `), which ` +
	"`waybill validate --schema`" + `
prints for editors; ` + "`waybill validate FILE`" + ` tells of mistakes with line, column and remedy. What promotions change is told with examples in
[changes.md](changes.md), what becomes freight in [warehouses.md](warehouses.md). NAME stands for a name that the file chooses, [] for the elements of a list.
`

// described is the part of a JSON Schema that people want to know.
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
	Not                  any
}

// reference writes a section for each mapping, once.
type reference struct {
	text  strings.Builder
	known map[string]string // the headings of mappings that have been described, by what they are
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

// first reports whether a mapping has not been described yet; else it says where it has.
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
	fmt.Fprintf(&r.text, "\n## %s\n\n| key | takes | |\n|---|---|---|\n", heading)
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[key]
		need := ""
		if slices.Contains(s.Required, key) {
			need = " Has to be there."
		}
		fmt.Fprintf(&r.text, "| `%s` | %s | %s%s |\n", key, p.takes(), strings.ReplaceAll(p.Description, "|", `\|`), need)
	}
}

// named is what stands under the names of a mapping whose keys the file chooses.
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

// takes says in a few words what a value may be.
func (s *described) takes() string {
	switch {
	case s.Not != nil:
		return "-"
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
	words := map[string]string{"string": "text", "integer": "a whole number", "number": "a number", "boolean": "`true` or `false`", "null": "nothing"}
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

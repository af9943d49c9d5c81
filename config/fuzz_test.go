package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/txtar"

	"waybill/config"
	"waybill/internal/spent"
	"waybill/promotion"
)

// fuzzed are paths in which globs may find targets.
var fuzzed = []string{
	"c/t1/v", "c/t2/v", "c/t3/v", "clusters/a/values.yaml", "clusters/b-b/values.yaml", "aaaaaaaaaaaaaaab",
}

// FuzzLoad loads arbitrary bytes, a part and each inventory of the pipeline among them: Load never panics, stops when
// the budget is spent, returns a pipeline exactly if there is no error, and every problem has a place in its file.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(pipelineOfDesign), []byte(automaticEverywhere), []byte("[]"))
	f.Add([]byte("version: 1\nallow: &a [*a]\n"), []byte("version: 1\nmay: {admit: [{teams: [x], stages: ['*']}]}"),
		[]byte(""))
	f.Add([]byte(ofInventories), []byte(automaticEverywhere),
		[]byte("- &a {name: a, path: b, ring: 0}\n- {<<: *a, name: b}\n"))
	for _, file := range sharing("targets: *clusters") {
		f.Add([]byte(file), []byte(automaticEverywhere), []byte(""))
	}
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(text).Files {
			f.Add(file.Data, file.Data, file.Data)
			f.Add([]byte(ofInventories), []byte(automaticEverywhere), file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, pipeline, policy, other []byte) {
		meter := &config.Meter{Budget: config.Proposed}
		var p *promotion.Pipeline
		var problems config.Problems
		load := func() {
			found := config.Found{
				Inventories: map[string]string{}, Parts: map[string]string{config.PartsPath + "/p.yml": string(other)},
			}
			for _, path := range config.Inventories(pipeline, found.Parts) {
				found.Inventories[path] = string(other)
			}
			found.Globs, _ = config.Find(meter, config.Globs(&config.Meter{}, pipeline, found), fuzzed, fuzzed)
			p, problems = config.Load(config.Sources{
				Home: "acme/deploy", Branch: "main", Pipeline: pipeline, Policy: policy, Found: found, Meter: meter,
			})
		}
		spent.Bound{Base: 64 << 20, PerByte: 4 << 10}.Check(t, len(pipeline)+len(policy)+len(other), load)
		if meter.Spent.Values > 2*config.Proposed.Values || meter.Spent.Steps > 2*config.Proposed.Steps {
			t.Fatalf("it went on after the budget was spent: %+v", meter.Spent)
		}
		if (p == nil) != (len(problems.Errors()) > 0) {
			t.Fatalf("a pipeline is there: %v, but the problems are\n%s", p != nil, problems)
		}
		for _, one := range problems {
			file, own := map[string][]byte{config.PipelinePath: pipeline, config.PolicyPath: policy}[one.File]
			if !own {
				file = other
			}
			within(t, one, file)
		}
		for _, one := range config.CheckPolicy("policy", policy) {
			within(t, one, policy)
		}
		repos, _ := config.Allowed("pipeline", pipeline)
		for repo := range repos {
			if strings.Count(string(repo), "/") != 1 {
				t.Fatalf("%q is allowed, which is no repository", repo)
			}
		}
	})
}

// within requires that a problem has a message and a place in its file or just after its end.
func within(t *testing.T, one config.Problem, file []byte) {
	text := strings.ReplaceAll(string(file), "\r\n", "\n")
	lines := strings.Split(text, "\n")
	if strings.ContainsAny(text, "\r\u0085\u2028\u2029") { // the parser sometimes reads these as new lines, editors do not
		return
	}
	if one.Message == "" || one.Line < 1 || one.Col < 1 || one.Line > len(lines)+1 {
		t.Fatalf("%+v has no message, or no place in %d lines", one, len(lines))
	}
	if one.Line <= len(lines) && one.Col > utf8.RuneCountInString(lines[one.Line-1])+1 {
		t.Fatalf("%+v is behind the end of its line", one)
	}
}

// FuzzSchema: every file that Load accepts is valid under the schema, so that editors accept each file in force.
func FuzzSchema(f *testing.F) {
	text, err := config.PipelineSchema()
	pipelines := compileSchema(f, text, err)
	text, err = config.PolicySchema()
	policies := compileSchema(f, text, err)
	f.Add([]byte(pipelineOfDesign))
	f.Add([]byte(automaticEverywhere))
	f.Add([]byte("version: 1\nmay: {admit: [{teams: [x], stages: ['*']}]}"))
	f.Add([]byte("version: 1\nresync: 2h\nallow: [a/b]\nwarehouses: {w: {pull-requests: {branch: main, paths: [x]}}}\n" +
		"stages: {a: {from: w, set: {a.yaml: {\"x[0]\": \"${w.short}\"}}}}"))
	f.Fuzz(func(t *testing.T, file []byte) {
		var tree any
		if yaml.Unmarshal(file, &tree) != nil {
			return
		}
		if _, err := json.Marshal(tree); err != nil {
			return // keys other than text, and numbers that JSON lacks
		}
		if p, _ := config.Load(config.Sources{Pipeline: file}); p != nil {
			require.NoError(t, validate(t, pipelines, string(file)))
		}
		if config.CheckPolicy("policy", file).Err() == nil {
			require.NoError(t, validate(t, policies, string(file)))
		}
	})
}

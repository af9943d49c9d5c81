package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
)

// services is a pipeline file of as many services with five stages each.
func services(n int) []byte {
	var b strings.Builder
	b.WriteString("version: 1\nfor-each:\n  service: [")
	for i := range n {
		fmt.Fprintf(&b, "%ss%d", strings.Repeat(", ", min(i, 1)), i)
	}
	b.WriteString(`]
warehouses:
  "${service}": {pull-requests: {paths: ["services/${service}/**"]}}
stages:
`)
	after := ""
	for _, stage := range []string{"dev", "test", "staging", "canary", "prod"} {
		fmt.Fprintf(&b, "  \"${service}-%s\":\n    from: \"${service}\"\n%s"+
			"    set: {\"deploy/${service}/%s.yaml\": {tag: \"${${service}.short}\"}}\n    verify: [\"%s-${service}\"]\n",
			stage, after, stage, stage)
		after = fmt.Sprintf("    after: \"${service}-%s\"\n", stage)
	}
	return []byte(b.String())
}

// TestWhatAnItemStandsForIsReadAsIfItWereWrittenOut compares a file with its expansion.
func TestWhatAnItemStandsForIsReadAsIfItWereWrittenOut(t *testing.T) {
	file := services(100)
	require.LessOrEqual(t, strings.Count(string(file), "\n"), 30, "a hundred services are a short file")
	p, problems := config.Load(config.Sources{Pipeline: file})
	require.Empty(t, problems)
	require.Len(t, p.Warehouses, 100)
	require.Len(t, p.Stages, 500)
	text, problems := config.Expand("waybill.yml", file, nil)
	require.Empty(t, problems)
	require.NotContains(t, string(text), "for-each")
	written, problems := config.Load(config.Sources{Pipeline: text})
	require.Empty(t, problems)
	require.Equal(t, written, p)
	again, problems := config.Expand("waybill.yml", text, nil)
	require.Empty(t, problems)
	require.Equal(t, string(text), string(again))
}

// sharing is a pipeline file whose items are also what the stage prod says, in both orders.
func sharing(prod string) []string {
	head := "version: 1\nwarehouses: {api: {pushes: {}}}\n"
	lists := "for-each: {cluster: %s}\n"
	stages := "stages:\n" +
		"  \"smoke-${cluster}\": {from: api, set: {\"s/${cluster}.yaml\": {tag: \"${api.short}\"}}}\n" +
		"  prod: {from: api, " + prod + ", set: {\"c/${target.name}.yaml\": {tag: \"${api.short}\"}}}\n"
	const clusters = "&clusters [eu-1, {name: us-1, path: c/us-1}]"
	return []string{
		head + fmt.Sprintf(lists, clusters) + stages,
		head + strings.Replace(stages, "*clusters", clusters, 1) + fmt.Sprintf(lists, "*clusters"),
	}
}

// TestAListMayBeOneOfItemsAndOfTargets shares it by an alias. Each place takes from an item what it has a key for.
func TestAListMayBeOneOfItemsAndOfTargets(t *testing.T) {
	for _, file := range sharing("targets: *clusters") {
		p, problems := config.Load(config.Sources{Pipeline: []byte(file)})
		require.Empty(t, problems, file)
		require.Len(t, p.Stages, 3)
		require.Equal(t, "s/us-1.yaml", p.Stage("smoke-us-1").Changes()[0].Path)
		prod := p.Stage("prod")
		require.Len(t, prod.Targets, 2)
		require.Equal(t, "c/us-1.yaml", prod.Targets[1].Changes[0].Path)
	}
	const labels = "targets: {find: \"c/*.yaml\", labels: *clusters}"
	const found = "  found: {from: api, " + labels + ", set: {\"${target.path}\": {n: \"${api.short}\"}}}\n"
	for _, file := range append(sharing(labels), sharing("targets: *clusters")[0]+found) {
		_, problems := config.Load(config.Sources{Pipeline: []byte(file), Found: config.Found{
			Globs: map[string][]string{"c/*.yaml": {"c/eu-1.yaml", "c/us-1.yaml"}},
		}})
		require.ErrorContains(t, problems.Err(), `targets.labels[1]: unknown key "path"; known are name, labels`, file)
	}
}

// TestItemsMakeNoMoreThanAFileMayHave gives a few lines that would make much.
func TestItemsMakeNoMoreThanAFileMayHave(t *testing.T) {
	items := func(n int) string { return "[" + strings.Repeat("x, ", n-1) + "x]" }
	laughs := "a: &a [x, x, x, x, x, x, x, x, x, x]"
	for i := 'b'; i <= 'f'; i++ {
		laughs += fmt.Sprintf(", %c: &%c [%s*%c]", i, i, strings.Repeat(fmt.Sprintf("*%c, ", i-1), 9), i-1)
	}
	for name, c := range map[string]struct{ file, says string }{
		"stages": {
			string(services(1001)), "for-each: what is made of the items has more than 5000 entries",
		},
		"items of several lists": {
			"version: 1\nfor-each: {a: " + items(400) + ", b: " + items(400) + ", c: " + items(400) + "}\n" +
				"stages: {\"${a}${b}${c}\": {from: api}}\n", "for-each: what is made of the items has more than 5000 entries",
		},
		"aliases": {
			"version: 1\nfor-each: {a: [x]}\nstages: {\"${a}\": {" + laughs + "}}\n",
			"for-each: what is made of the items has too many values",
		},
		"a long text": {
			"version: 1\nfor-each: {a: " + items(400) + "}\nstages: {\"${a}\": {from: " + strings.Repeat("y", 20_000) + "}}\n",
			"texts that are too long",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := config.Load(config.Sources{Pipeline: []byte(c.file)})
			require.Contains(t, problems.String(), c.says)
		})
	}
}

// BenchmarkLoadForEach compiles 500 stages of a hundred services.
func BenchmarkLoadForEach(b *testing.B) {
	file := services(100)
	b.ReportAllocs()
	for b.Loop() {
		p, problems := config.Load(config.Sources{Pipeline: file})
		if len(problems) > 0 || len(p.Stages) != 500 {
			b.Fatal(problems)
		}
	}
}

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

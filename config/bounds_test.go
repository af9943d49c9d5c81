package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
)

func errorsOf(file string) string {
	_, problems := config.Load(config.Sources{PipelineName: "f", Pipeline: []byte(file)})
	return problems.Errors().String()
}

// many returns the lines of a mapping or list with n entries.
func many(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

const oneWarehouse = "version: 1\nwarehouses: {api: {pull-requests: {repo: acme/api}}}\n"

func TestAFileIsReadUpToItsBounds(t *testing.T) {
	require.Empty(t, errorsOf(oneWarehouse+"stages:\n"+many(5000, "  s%d: {from: api}\n")))
	require.Equal(t, "f:4:3: stages: has 5001 entries; at most 5000 are read",
		errorsOf(oneWarehouse+"stages:\n"+many(5001, "  s%d: {from: api}\n")))
	require.Equal(t, "f:3:33: stages.a.verify: lists 21 matchers; at most 20 are read",
		errorsOf(oneWarehouse+"stages: {a: {from: api, verify: ["+many(21, "c%d, ")+"], set: {a.yaml: {a: b}}}}"))
	require.Equal(t, "f:1:1: the file has 524289 bytes; at most 524288 are read", errorsOf(strings.Repeat("#", 512<<10+1)))
}

func TestAliasesCannotMakeASmallFileLarge(t *testing.T) {
	bomb := oneWarehouse + "stages:\n  s0:\n    from: api\n    set: &f\n" +
		many(150, "      f%d.yaml: {a: 1, b: 2, c: 3}\n") + many(1000, "  t%d: {from: api, set: *f}\n")
	require.Contains(t, errorsOf(bomb),
		"the file says too much: at most 400000 values are read, counting aliases with what they stand for")

	itself := "version: 1\nallow: &a [*a]\n"
	require.Equal(t, "f:2:8: allow[0]: must be a repository such as acme/deploy or acme/deploy:42, not a list",
		errorsOf(itself))
}

func TestKeysThatAreNotReadCountAsValues(t *testing.T) {
	for name, keys := range map[string]string{
		"unknown": many(1_000, "k%d: 1, "), "repeated": strings.Repeat("a: 1, ", 1_000),
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := config.Load(config.Sources{
				Pipeline: []byte("stages:\n  s: &x {" + keys + "}\n" + many(1_000, "  s%d: *x\n")),
			})
			var more int
			_, err := fmt.Sscanf(problems[len(problems)-1].Message, "%d more problems are not listed", &more)
			require.NoError(t, err)
			require.Less(t, more, 400_000, "of a million keys the first are looked at")
		})
	}
}

func TestOfVeryManyProblemsTheFirstAreListed(t *testing.T) {
	_, problems := config.Load(config.Sources{
		PipelineName: "f", Pipeline: []byte("version: 1\nallow: []\n" + many(2000, "k%d: x\n")),
	})
	require.Len(t, problems, 501)
	require.Equal(t, "1500 more problems are not listed", problems[500].Message)
	require.Less(t, len(problems.String()), 1<<16)
}

func TestAMessageDoesNotRepeatALongWord(t *testing.T) {
	require.Less(t,
		len(errorsOf("version: 1\n"+strings.Repeat("k", 5000)+": 1\nallow: ["+strings.Repeat("a", 5000)+"]\n")), 1000)
}

func TestGlobsAndFilesTogetherAreBounded(t *testing.T) {
	file := "version: 1\nwarehouses:\n" + many(60, "  w%d: {pull-requests: {paths: ["+many(100, "src/%d, ")+"]}}\n") +
		"stages: {dev: {from: w0, set: {" + many(200, "f%d.yaml: {a: b}, ") + "}}}\n"
	require.Equal(t, "f:53:32: warehouses: there are too many globs of paths for the 200 files that the "+
		"stages change; use fewer", errorsOf(file))
}

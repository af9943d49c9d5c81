package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
)

const pulls = "version: 1\nwarehouses: {w: {pull-requests: {paths: [src/**]}}}\n"

// product is a pipeline file whose stages all set some values of every target that a glob finds.
func product(stages, values int) string {
	var b strings.Builder
	b.WriteString(pulls + "stages:\n")
	for s := range stages {
		fmt.Fprintf(&b, "  s%d:\n    from: w\n    targets: c/*/v\n    set:\n      s%d/${target.name}.yaml:\n", s, s)
		b.WriteString(many(values, "        a%d: x\n"))
	}
	return b.String()
}

func paths(n int, line string) []string {
	return strings.Split(strings.TrimSpace(many(n, line)), "\n")
}

// cost loads a file with what its globs find, and returns what it has cost and its errors.
func cost(file string, files []string, budget config.Budget) (config.Budget, string) {
	m := &config.Meter{Budget: budget}
	found, trouble := config.Find(m, config.Globs(&config.Meter{}, []byte(file), config.Found{}), files, nil)
	if trouble != "" {
		return m.Spent, trouble
	}
	_, problems := config.Load(config.Sources{
		PipelineName: "f", Pipeline: []byte(file), Found: config.Found{Globs: found}, Meter: m,
	})
	return m.Spent, problems.Errors().String()
}

// little is a budget that ordinary files have no trouble with, and that shows with small files where it ends.
var little = config.Budget{Values: 5000, Steps: 60_000, Bytes: 200_000, Nodes: 100_000}

// TestWhatASmallFileCanMultiplyIsCounted has files that are small, and whose parts multiply. Each stops at the budget,
// and says what there is too much of.
func TestWhatASmallFileCanMultiplyIsCounted(t *testing.T) {
	const values, steps, bytes = "more than 5000 values, paths and names of checks",
		"takes more than 60000 steps", "have more than 200000 bytes"
	long := strings.Repeat("k", 1000)
	for name, c := range map[string]struct{ file, files, want string }{
		"stages x values x targets": {product(20, 20), "c/t%d/v\n", values},
		"stages x targets": {pulls + "stages:\n" + many(100, "  s%d: {from: w, targets: c/*/v}\n"),
			"c/t%d/v\n", values},
		"matchers x targets": {pulls + "stages:\n  a: {from: w, targets: c/*/v, " +
			"set: {\"${target.name}\": {a: b}}, verify: [" +
			many(20, "\"c%d-${target.name}\", ") + "]}\n", "c/t%d/v\n", values},
		"copies x targets": {pulls + "stages:\n  a:\n    from: w\n    targets: c/*/v\n    copy:\n" +
			many(20, "      \"to/${target.name}/%d\": {from: src, warehouse: w}\n"), "c/t%d/v\n", values},
		"globs x paths": {pulls + "stages:\n" +
			many(200, "  s%[1]d: {from: w, targets: \"c/*a*a*a*a/v%[1]d\"}\n"), "c/aaaaaaaa%d/v\n",
			steps},
		"batches x patterns x targets": {pulls + "stages:\n  a:\n    from: w\n    targets: c/*/v\n" +
			"    set: {\"${target.name}\": {a: b}}\n    rollout:\n" +
			many(20, "    - {name: b%d, targets: [x, y, z*]}\n"), "c/t%d/v\n", steps},
		"long keys x targets": {pulls + "stages:\n  a: {from: w, targets: c/*/v, set: {\"${target.name}\": {" + long +
			": b}}}\n", "c/t%d/v\n", bytes},
		"long names x references": {pulls + "stages:\n  a:\n    from: w\n    targets: [{name: t, path: " + long + "}]\n" +
			"    set: {f.yaml: {a: \"" + strings.Repeat("${target.path}", 1000) + "\"}}\n", "", bytes},
		"aliases x stages": {pulls + "stages:\n" +
			"  s0: {from: w, set: &x {\"${stage}\": {a: &y " + long + ", b: *y, c: *y}}}\n" +
			many(100, "  t%d: {from: w, set: *x}\n"), "", bytes},
	} {
		t.Run(name, func(t *testing.T) {
			var files []string
			if c.files != "" {
				files = paths(400, c.files)
			}
			spent, errors := cost(c.file, files, little)
			require.Contains(t, errors, c.want)
			require.Contains(t, errors, "use fewer stages, targets, values or globs")
			require.Less(t, spent.Values, 2*little.Values, "it stops there")
			require.Less(t, spent.Steps, 2*little.Steps)
			require.Less(t, spent.Bytes, 12*little.Bytes, "one text is counted before it is made")
		})
	}
}

// TestTheProductOfStagesValuesAndTargetsIsRefused has 480 stages with 50 values for each of 10,000 targets: 240 million
// values of a file with half a megabyte.
func TestTheProductOfStagesValuesAndTargetsIsRefused(t *testing.T) {
	_, errors := cost(product(480, 50), paths(10_000, "c/t%d/v\n"), config.Proposed)
	require.Regexp(t, `^f:\d+:\d+: stages.s\d+.*: the targets of all stages together have more than 20000 values`, errors)
}

// TestThePatternsOfAPolicyAreCounted has a policy whose patterns multiply with the stages.
func TestThePatternsOfAPolicyAreCounted(t *testing.T) {
	pipeline := pulls + "stages:\n" + many(200, "  s%[1]d: {from: w, set: {f%[1]d: {a: b}}}\n")
	list := "stages: [" + strings.Join(paths(100, "p%d*\n"), ", ") + "]"
	for name, policy := range map[string]string{
		"automatic":   "version: 1\nautomatic: [" + strings.Join(paths(100, "p%d*\n"), ", ") + "]\n",
		"may":         "version: 1\nmay: {approve: [{permission: write, " + list + "}]}\n",
		"sign-offs":   "version: 1\nstages:\n" + many(100, "  p%d*: {approvals: 1}\n"),
		"all of them": "version: 1\nmay:\n  approve:\n" + many(20, "  - {permission: write, teams: [t%d], "+list+"}\n"),
	} {
		m := &config.Meter{Budget: little}
		_, problems := config.Load(config.Sources{
			PipelineName: "f", Pipeline: []byte(pipeline), PolicyName: "policy", Policy: []byte(policy), Meter: m,
		})
		require.Contains(t, problems.Errors().String(), "more than 60000 steps", name)
		require.Regexp(t, `^policy:\d+:\d+: `, problems.Errors().String(), name)
		require.Less(t, m.Spent.Steps, 2*little.Steps, name)
	}
}

// TestAnErrorIsListedBeforeWarnings has more warnings than are listed before the only error, which is the budget.
func TestAnErrorIsListedBeforeWarnings(t *testing.T) {
	_, problems := config.Load(config.Sources{
		Pipeline:   []byte(pulls + "stages: {a: {from: w, set: {f: {a: b}}}}\n"),
		PolicyName: "policy", Policy: []byte("version: 1\nmay:\n  approve:\n" +
			many(2, "  - {teams: [t%d], stages: ["+strings.Join(paths(400, "p%d\n"), ", ")+"]}\n")),
		Meter: &config.Meter{Budget: config.Budget{Values: 5000, Steps: 3000, Bytes: 200_000, Nodes: 100_000}},
	})
	require.Contains(t, problems.Errors().String(), "more than 3000 steps")
	require.Contains(t, problems.String(), "more problems are not listed")
}

func TestOrdinaryFilesCostLittle(t *testing.T) {
	spent, errors := cost(product(20, 5), paths(50, "c/t%d/v\n"), config.Proposed)
	require.Empty(t, errors)
	require.Less(t, spent.Values, config.Proposed.Values)
	require.Positive(t, spent.Steps)
	require.Positive(t, spent.Bytes)
}

// TestAGlobLooksAtAPathOnce counts the steps of a match. With a search that goes back they would be a power of the
// length.
func TestAGlobLooksAtAPathOnce(t *testing.T) {
	for _, glob := range []string{"*a*a*a*a*a*a*a*a*a*b/v", "*/*/*/v", "*aaaa*aaaa*aaab", "x*"} {
		file := pulls + "stages: {a: {from: w, targets: \"" + glob + "\", set: {x: {a: b}}}}"
		globs := config.Globs(&config.Meter{}, []byte(file), config.Found{})
		require.Len(t, globs, 1)
		for _, n := range []int{100, 1000, 10_000} {
			for _, path := range []string{strings.Repeat("a", n) + "/v", strings.Repeat("a/", n) + "v"} {
				m := &config.Meter{}
				_, trouble := config.Find(m, globs, []string{path}, nil)
				require.Empty(t, trouble)
				require.LessOrEqual(t, m.Spent.Steps, 2*len(path)+20, "%s and %d", glob, n)
			}
		}
	}
}

func TestAGlobHasBounds(t *testing.T) {
	file := func(glob string) string {
		return pulls + "stages: {a: {from: w, targets: \"" + glob + "\", set: {\"${target.name}\": {a: b}}}}"
	}
	require.Contains(t, errorsOf(file(strings.Repeat("*a", 21))), "it has 21 stars; at most 20 are read")
	require.Contains(t, errorsOf(file("*"+strings.Repeat("a", 1000))), "it has 1001 bytes; at most 1000 are read")
	none := config.Globs(&config.Meter{}, []byte(file(strings.Repeat("*a", 100))), config.Found{})
	require.Empty(t, none, "it is not looked for")
}

// BenchmarkBudget shows what reading files costs at worst that use up a budget.
func BenchmarkBudget(b *testing.B) {
	file, tenThousand := product(400, 5), paths(10_000, "c/t%d/v\n")
	bad := pulls + "stages:\n"
	for s := range 480 {
		bad += fmt.Sprintf("  s%d: {from: w, targets: \"%sa%d\"}\n", s, strings.Repeat("*a", 19), s)
	}
	names := paths(10_000, strings.Repeat("a", 230)+"%d\n")
	plain := pulls + "stages:\n" + many(900, "  s%d: {x: 1}\n")
	b.Run("stages/quick", func(b *testing.B) {
		for b.Loop() {
			cost(plain, tenThousand, config.Quick)
		}
	})
	for name, budget := range map[string]config.Budget{
		"quick": config.Quick, "proposed": config.Proposed, "in force": config.InForce,
	} {
		b.Run("values/"+name, func(b *testing.B) {
			for b.Loop() {
				cost(file, tenThousand, budget)
			}
		})
		b.Run("steps/"+name, func(b *testing.B) {
			globs := config.Globs(&config.Meter{}, []byte(bad), config.Found{})
			for b.Loop() {
				config.Find(&config.Meter{Budget: budget}, globs, names, nil)
			}
		})
	}
}

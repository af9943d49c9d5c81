package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/promotion"
)

// clusters is a pipeline whose stage prod has n targets, t1 to tn, and a rollout.
func clusters(n int, rollout string) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("t%d", i+1))
	}
	return fmt.Sprintf(`version: 1
warehouses: {api: {pull-requests: {repo: acme/api}}}
stages:
  prod:
    from: api
    targets: [%s]
    set: {"clusters/${target.name}.yaml": {tag: "${api.short}"}}
    rollout: %s
`, strings.Join(names, ", "), rollout)
}

func TestPercentagesOfTargetsAreRoundedDownF37(t *testing.T) {
	for _, c := range []struct {
		targets int
		percent string
		want    int
	}{{10, "25%", 2}, {4, "10%", 1}, {7, "100%", 7}, {1, "1%", 1}, {40, "50%", 20}} {
		p := load(t, clusters(c.targets, fmt.Sprintf("[{name: all, at-once: %s}]", c.percent)), "")
		require.Equal(t, c.want, p.Stages[0].Strategy.Batches[0].AtOnce, "%s of %d", c.percent, c.targets)
	}
	_, problems := config.Load(config.Sources{
		PipelineName: "f", Pipeline: []byte(clusters(4, "[{name: all, at-once: 0%}]")),
	})
	require.Contains(t, problems.String(), `at least 1, not "0%"`)
}

func TestSignalsOfTargetsThatAreUpdatedTogetherCanBeToldApart(t *testing.T) { // semantics 5.4
	for matcher, trouble := range map[string]string{
		"e2e-${target.name}":   "",
		"smoke":                `"smoke" of t2 is waited for by another target`,
		"e2e-${target.name}*":  `"e2e-t10*" of t10 is waited for by another target`, // e2e-t1* matches it as well
		"${target.name} / e2e": "",
	} {
		file := clusters(11, "[{name: all, at-once: 2}]") + fmt.Sprintf("    verify: [%q]\n", matcher)
		_, problems := config.Load(config.Sources{PipelineName: "f", Pipeline: []byte(file)})
		if trouble == "" {
			require.NoError(t, problems.Err(), matcher)
		} else {
			require.Contains(t, problems.String(), trouble, matcher)
		}
		_, problems = config.Load(config.Sources{
			PipelineName: "f", Pipeline: []byte(strings.Replace(file, "at-once: 2", "at-once: 1", 1)),
		})
		require.NoError(t, problems.Err(), "one at a time: %s", matcher)
	}
}

func TestEveryTargetIsInExactlyOneBatchF36(t *testing.T) {
	for rollout, want := range map[string]string{
		"[{name: a, targets: [t1]}]":                                     "the target t2 is in no batch",
		`[{name: a, targets: [t1, t2]}, {name: b, targets: ["t*"]}]`:     "the target t1 is in batch a already",
		"[{name: a, targets: [t1]}, {name: b}, {name: c}]":               "only one batch can take what no other names",
		"[{name: a, targets: [t1]}, {name: b, targets: {ring: canary}}]": "the target t2 is in no batch",
	} {
		_, problems := config.Load(config.Sources{PipelineName: "f", Pipeline: []byte(clusters(2, rollout))})
		require.Contains(t, problems.String(), want, rollout)
	}
	p := load(t, clusters(5, `[{name: a, targets: [t4]}, {name: b, targets: ["t1", "t2"]}, {name: rest}]`), "")
	require.Len(t, p.Stages[0].Strategy.Batches, 3)
	require.Equal(t, "[t4] [t1 t2] [t3 t5]", fmt.Sprint(p.Stages[0].Strategy.Batches[0].Targets,
		p.Stages[0].Strategy.Batches[1].Targets, p.Stages[0].Strategy.Batches[2].Targets))
}

func TestEachTargetHasAnEnvironmentOfItsOwnWhereTheNameSaysSo(t *testing.T) {
	p := load(t, clusters(2, "[{name: all}]")+"    environment: {name: \"${stage}-${target.name}\", url: "+
		"\"https://${target.name}.example\"}\n", "")
	require.False(t, p.Stages[0].Strategy.OneDeployment)
	require.Equal(t, "prod-t2", p.Stages[0].Targets[1].Environment)
	require.Equal(t, "https://t2.example", p.Stages[0].Targets[1].EnvironmentURL)
	p = load(t, clusters(2, "[{name: all}]")+"    environment: production\n", "")
	require.True(t, p.Stages[0].Strategy.OneDeployment)
	require.Equal(t, "production", p.Stages[0].Targets[0].Environment)
	require.Equal(t, "production", p.Stages[0].Targets[1].Environment)
	for file, want := range map[string]string{
		clusters(
			1, "[{name: all}]",
		) + "    environment: \"${target.labels.x}\"\n": "stages.prod.environment: ${target.labels.x} has no " +
			"value for the target t1",
		strings.Replace(clusters(1, "[{name: all}]"), "targets: [t1]", "environment: \"${target.name}\"",
			1): "${target.name} has no value here: the stage has no targets",
	} {
		_, problems := config.Load(config.Sources{PipelineName: "f", Pipeline: []byte(file)})
		require.ErrorContains(t, problems.Err(), want)
	}
	long := clusters(1, "[{name: all}]") + "    environment: \"" + strings.Repeat("x", 230) + "${target.name}\"\n"
	_, problems := config.Load(config.Sources{
		PipelineName: "f",
		Pipeline:     []byte(strings.Replace(long, "targets: [t1]", "targets: ["+strings.Repeat("t", 60)+"]", 1)),
	})
	require.ErrorContains(t, problems.Err(), "cannot be the name of an environment")
}

func TestARolloutMayBeDrivenFromOutside(t *testing.T) { // semantics 5.10
	p := load(t, clusters(3, "external")+"    on-failure: rollback\n", "version: 1\nautomatic: [prod]\n")
	s := p.Stages[0]
	require.True(t, s.Strategy.External)
	require.False(t, s.Policy.Automatic, "nothing starts by itself, whatever the policy says")
	require.Equal(t, []promotion.Batch{{Name: "all", Targets: []promotion.TargetName{"t1", "t2", "t3"}, AtOnce: 1}},
		s.Strategy.Batches)
	require.Equal(t, promotion.BeyondRollsBack, s.Strategy.Beyond)
}

func TestABatchMayAskForSignOffs(t *testing.T) { // semantics 4.5
	p := load(t, clusters(3, "[{name: canary, targets: [t1]}, {name: rest, approvals: 2}]"), "")
	require.Equal(t, 0, p.Stages[0].Strategy.Batches[0].Approvals)
	require.Equal(t, 2, p.Stages[0].Strategy.Batches[1].Approvals)
}

func TestTargetsWithAPullRequestEachMayShareTheNamesOfTheirSignals(t *testing.T) { // semantics 5.3, 5.4
	file := clusters(3, "[{name: all, at-once: 2}]") + "    verify: [smoke]\n"
	_, problems := config.Load(config.Sources{PipelineName: "f", Pipeline: []byte(file)})
	require.Contains(t, problems.String(), `"smoke" of t2 is waited for by another target`)
	p := load(t, file+"    pull-requests: target\n", "")
	require.True(t, p.Stages[0].Strategy.PerTarget)
}

package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/promotion"
)

var stagesOfEach = []string{"dev", "test", "staging", "canary", "prod"}

// hundred is a pipeline file of services with five stages each.
func hundred(services []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nfor-each:\n  service: [%s]\n", strings.Join(services, ", "))
	b.WriteString("warehouses:\n" +
		"  \"${service}\": {pull-requests: {branch: main, paths: [\"services/${service}/**\"]}}\nstages:\n")
	after := ""
	for _, stage := range stagesOfEach {
		fmt.Fprintf(&b, "  \"${service}-%s\": {from: \"${service}\", verify: [\"%[1]s-${service}\"]%s, "+
			"set: {\"deploy/${service}-%[1]s.yaml\": {tag: \"${${service}.short}\"}}}\n", stage, after)
		after = fmt.Sprintf(", after: \"${service}-%s\"", stage)
	}
	return b.String()
}

// TestAServiceOfAHundredGoesThroughItsFiveStages has one service be promoted, and proposes another.
func TestAServiceOfAHundredGoesThroughItsFiveStages(t *testing.T) {
	t.Parallel()
	services := make([]string, 99)
	for i := range services {
		services[i] = fmt.Sprintf("s%02d", i)
	}
	s := newSite(t, hundred(services))
	number, err := s.github.OpenPull(home, githubsim.PullSpec{
		Title: "A change", Head: "change", Author: "ann", Files: map[string]*string{"services/s42/a": githubsim.Text("a\n")},
	})
	require.NoError(t, err)
	_, err = s.github.MergePull(home, number, "ann", "squash")
	require.NoError(t, err)
	s.quiet()
	for _, stage := range stagesOfEach {
		s.do(fmt.Sprintf("check %s-s42 success on s42-%s", stage, stage))
	}
	require.Equal(t, []string{
		"p1 s42#100001 s42-dev succeeded", "p2 s42#100001 s42-test succeeded", "p3 s42#100001 s42-staging succeeded",
		"p4 s42#100001 s42-canary succeeded", "p5 s42#100001 s42-prod succeeded",
	}, s.states("s42-dev", "s42-test", "s42-staging", "s42-canary", "s42-prod"))
	for _, other := range []promotion.StageName{"s41-dev", "s43-dev"} {
		require.Empty(t, s.states(other))
	}

	more := map[string]*string{config.PipelinePath: githubsim.Text(hundred(append(services, "new")))}
	for _, stage := range stagesOfEach {
		more["deploy/new-"+stage+".yaml"] = githubsim.Text("tag: none\n")
	}
	number, err = s.github.OpenPull(home, githubsim.PullSpec{Title: "More", Head: "more", Author: "ann", Files: more})
	require.NoError(t, err)
	s.quiet()
	proposed, _ := s.github.Pull(home, number)
	check := s.configCheck(proposed.HeadSHA)
	require.Equal(t, "Good; of the stages, 5 would be new, 0 changed, 0 removed", check.Title, check.Summary)
	require.Contains(t, check.Summary, "- `new-prod` is **new**: takes `new` after `new-canary`")
}

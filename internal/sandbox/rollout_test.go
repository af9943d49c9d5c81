package sandbox

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
)

const rolling = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  prod:
    from: api
    targets: [eu-1, us-1, us-2]
    set: {"clusters/${target.name}.yaml": {tag: "${api.number}"}}
    rollout: [{name: canary, targets: [eu-1]}, {name: rest, at-once: 2}]
    verify: ["e2e-${target.name}"]
`

func TestARolloutOpensAPullRequestForEachStep(t *testing.T) { // semantics 5.3
	t.Parallel()
	s := newSite(t, rolling)
	s.do("merge #1 by ann")
	require.Equal(t, []string{"Promote api#1 to prod (canary: eu-1): merged"}, s.ours())
	require.Equal(t, "Merged, verifying (0/3 verified, 1 updating, 2 to come): waiting for e2e-eu-1",
		s.run(1, "prod").Title)
	s.do("check e2e-eu-1 success on prod")
	s.do("check e2e-us-1 success on prod")
	require.Equal(t, []string{"p1 api#1 prod verifying"}, s.states("prod"))
	s.do("check e2e-us-2 success on prod/us-2")
	require.Equal(t, []string{"p1 api#1 prod succeeded"}, s.states("prod"))
	require.Equal(
		t, []string{"Promote api#1 to prod (canary: eu-1): merged", "Promote api#1 to prod (rest: us-1, us-2): merged"},
		s.ours(),
	)
	for _, target := range []string{"eu-1", "us-1", "us-2"} {
		is, _ := s.github.File(home, "main", "clusters/"+target+".yaml")
		require.Equal(t, "tag: \"1\"\n", is)
	}
}

func TestARolloutSurvivesARestartBetweenItsSteps(t *testing.T) { // semantics 5.1
	t.Parallel()
	s := newSite(t, rolling)
	s.do("merge #1 by ann")
	s.do("restart")
	s.do("check e2e-eu-1 success on prod")
	s.do("restart")
	s.do("check e2e-us-2 failure on prod")
	require.Equal(t, []string{"p1 api#1 prod verification-failed"}, s.states("prod"))
	require.Equal(t, "Verification failed (1/3 verified, 1 updating, 1 failed): e2e-us-2 failed", s.run(1, "prod").Title)
	s.do("check e2e-us-1 success on prod")
	s.do("check e2e-us-2 success on prod")
	require.Equal(t, "Verified after it had failed (3/3 verified)", s.run(1, "prod").Title)
}

func TestTheAPITellsHowTargetsStand(t *testing.T) { // semantics 5.8
	t.Parallel()
	s := newSite(t, rolling)
	token := s.withTokens(api.Token{Name: "reader"})[0]
	s.do("merge #1 by ann")
	s.do("check e2e-eu-1 success on prod")
	want := api.Rollout{Summary: "1/3 verified, 2 updating", Step: 2, Batch: "rest", Targets: []api.Target{
		{Name: "eu-1", Batch: "canary", State: "verified"}, {Name: "us-1", Batch: "rest", State: "updating"},
		{Name: "us-2", Batch: "rest", State: "updating"},
	}}
	var stage api.StageDetail
	s.get(token, "/api/v1/pipelines/acme/deploy/stages/prod", &stage)
	require.Equal(t, want, *stage.Active.Rollout)
	s.do("check e2e-us-1 success on prod")
	s.do("check e2e-us-2 success on prod")
	var done api.PromotionDetail
	s.get(token, "/api/v1/pipelines/acme/deploy/promotions/1", &done)
	require.Equal(t, "3/3 verified", done.Rollout.Summary)
	require.Len(t, done.Steps, 1)
	require.NotEqual(t, done.Pull, done.Steps[0])
}

func TestATargetThatLeavesThePipelineFileTakesItsPullRequestAlongF35(t *testing.T) { // semantics 5.1
	t.Parallel()
	file := strings.ReplaceAll(rolling, "at-once: 2", "at-once: 3") + "    merge: manual\n"
	file = strings.ReplaceAll(file, "{name: canary, targets: [eu-1]}, ", "")
	s := newSite(t, file)
	s.do("merge #1 by ann")
	require.Equal(t, []string{"Promote api#1 to prod (rest: eu-1, us-1, us-2): open"}, s.ours())
	s.pushConfig(strings.ReplaceAll(file, "[eu-1, us-1, us-2]", "[eu-1, us-2, us-3]"))
	s.quiet()
	require.Equal(t, []string{
		"Promote api#1 to prod (rest: eu-1, us-1, us-2): closed", "Promote api#1 to prod (rest: eu-1, us-2): open",
	}, s.ours())
	require.Equal(t, []string{"p1 api#1 prod waiting-for-merge"}, s.states("prod"))
	require.Contains(t, s.run(1, "prod").Title, "(0/3 verified, 2 updating, 1 removed)")
}

func TestTargetsThatCannotBeReadDecideNothingF8R6(t *testing.T) {
	t.Parallel()
	s := newSite(t, rolling)
	s.do("merge #1 by ann")
	s.github.Faults().FailNext(githubsim.Route{Field: "repository"},
		githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
	s.do("check e2e-eu-1 success on prod", "wait 11h") // includes a resync
	require.Equal(t, []string{"p1 api#1 prod running"}, s.states("prod"))
	s.github.Faults().Clear()
	s.do("wait 5m", "check e2e-us-1 success on prod", "check e2e-us-2 success on prod")
	require.Equal(t, []string{"p1 api#1 prod succeeded"}, s.states("prod"))
	require.Equal(t, "Verified (3/3 verified)", s.run(1, "prod").Title, "none was left out, none has failed")
}

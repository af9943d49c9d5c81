package sandbox

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

const deployed = `version: 1
warehouses:
  api: {pull-requests: {}}
stages:
  dev:
    from: api
    set: {deploy/dev.yaml: {tag: "${api.commit}"}}
    environment: Development
    verify: [smoke]
`

// TestTheJobsOfARunThatWaitBeforeSeveralEnvironmentsAreAllAnswered has two jobs of one run wait before environments of
// two targets of one stage.
func TestTheJobsOfARunThatWaitBeforeSeveralEnvironmentsAreAllAnswered(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
warehouses:
  api: {pull-requests: {}}
stages:
  prod:
    from: api
    targets: [eu, us]
    set: {"deploy/${target.name}.yaml": {tag: "${api.commit}"}}
    environment: "Prod-${target.name}"
    verify: [smoke]
`)
	s.do("comment #1 by ann: /hold prod")
	run := s.wantsToDeploy("Prod-eu")
	require.NoError(t, s.github.AskToDeploy(home, run, "Prod-us"))
	s.quiet()
	for _, environment := range []string{"Prod-eu", "Prod-us"} {
		require.Empty(t, s.github.DeploymentRule(home, run, environment).State)
		require.Len(t, s.github.DeploymentRule(home, run, environment).Reports, 1, environment)
	}
	s.do("comment #1 by ann: /unhold prod")
	for _, environment := range []string{"Prod-eu", "Prod-us"} {
		require.Equal(t, "approved", s.github.DeploymentRule(home, run, environment).State, environment)
	}
}

// wantsToDeploy starts a job that waits for an environment, and returns its run.
func (s *site) wantsToDeploy(environment string) int64 {
	s.t.Helper()
	run, err := s.github.StartWorkflow(home, "deploy", "main", "push", "ann")
	require.NoError(s.t, err)
	require.NoError(s.t, s.github.AskToDeploy(home, run, environment))
	s.quiet()
	return run
}

func TestAJobWaitsBeforeAnEnvironmentWhileItsStageIsHeld(t *testing.T) {
	t.Parallel()
	s := newSite(t, deployed)
	s.do("merge #1 by ann")
	run := s.wantsToDeploy("development")
	require.Equal(t, githubsim.DeploymentRule{
		State: "approved", Reports: []string{"Nothing stops dev: it is neither held nor frozen."},
	}, s.github.DeploymentRule(home, run, "development"))

	s.do("comment #1 by ann: /hold dev the database is slow")
	run = s.wantsToDeploy("Development")
	waits := s.github.DeploymentRule(home, run, "Development")
	require.Empty(t, waits.State)
	require.Len(t, waits.Reports, 1)
	require.Contains(t, waits.Reports[0], "Waits: dev is held by ann")
	require.Contains(t, waits.Reports[0], "the database is slow")
	s.do("wait 9h", "restart")
	require.Equal(t, waits, s.github.DeploymentRule(home, run, "Development"), "one report is enough")
	s.do("comment #1 by ann: /unhold dev")
	require.Equal(t, "approved", s.github.DeploymentRule(home, run, "Development").State)

	require.NoError(t, s.github.AskToDeploy(home, run, "Development"))
	s.quiet()
	require.Equal(t, "approved", s.github.DeploymentRule(home, run, "Development").State,
		"a run that is started again asks again")
}

func TestAJobWhoseEnvironmentNoStageHasIsTurnedAway(t *testing.T) {
	t.Parallel()
	s := newSite(t, deployed)
	s.do("merge #1 by ann")
	run := s.wantsToDeploy("production")
	turned := s.github.DeploymentRule(home, run, "production")
	require.Equal(t, "rejected", turned.State)
	require.Contains(t, turned.Reports[0], "No stage of acme/deploy has the environment production")

	s.do("comment #1 by ann: /hold dev")
	run = s.wantsToDeploy("Development")
	_, err := s.github.PushFiles(home, "main", "ann", "Elsewhere", map[string]*string{
		".github/waybill.yml": githubsim.Text(strings.Replace(deployed, "Development", "testing", 1)),
	})
	require.NoError(t, err)
	s.quiet()
	turned = s.github.DeploymentRule(home, run, "Development")
	require.Equal(t, "rejected", turned.State)
	require.Contains(t, turned.Reports[1], "does not have the environment Development any more")
}

// TestAJobIsAnsweredThoughGitHubLosesTheReply checks that Waybill stops when GitHub takes no second answer.
func TestAJobIsAnsweredThoughGitHubLosesTheReply(t *testing.T) {
	t.Parallel()
	s := newSite(t, deployed)
	s.do("merge #1 by ann")
	answers := githubsim.Route{
		Method: http.MethodPost, Path: "/repos/{owner}/{repo}/actions/runs/{run_id}/deployment_protection_rule",
	}
	s.github.Faults().FailNext(answers, githubsim.Fault{LoseReply: true})
	run := s.wantsToDeploy("Development")
	s.do("wait 10m")
	require.Equal(t, githubsim.DeploymentRule{
		State: "approved", Reports: []string{"Nothing stops dev: it is neither held nor frozen."},
	}, s.github.DeploymentRule(home, run, "Development"))
	s.github.ForgetRequests()
	s.do("wait 2h")
	for _, r := range s.github.Requests() {
		require.NotContains(t, r.Path, "deployment_protection_rule")
	}
}

// TestAJobThatAsksWhileTheAppIsAwayIsAnsweredWhenItIsBackF34 has GitHub take no answer meanwhile.
func TestAJobThatAsksWhileTheAppIsAwayIsAnsweredWhenItIsBackF34(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(s *site, is bool) error{
		"suspended":    func(s *site, is bool) error { return s.github.SuspendApp("acme", is) },
		"out of reach": func(s *site, is bool) error { return s.github.ReachRepo(home, !is) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, deployed)
			s.do("merge #1 by ann")
			run, err := s.github.StartWorkflow(home, "deploy", "main", "push", "ann")
			require.NoError(t, err)
			require.NoError(t, s.github.AskToDeploy(home, run, "Development"))
			require.NoError(t, away(s, true))
			s.do("wait 10m")
			require.Empty(t, s.github.DeploymentRule(home, run, "Development").State)
			require.NoError(t, away(s, false))
			s.do("wait 20m")
			require.Equal(t, "approved", s.github.DeploymentRule(home, run, "Development").State)
		})
	}
}

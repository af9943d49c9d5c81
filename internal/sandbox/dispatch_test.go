package sandbox

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/promotion/say"

	"github.com/stretchr/testify/require"
)

// dispatching is a pipeline of one stage that starts a workflow.
const dispatching = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, dispatch: {workflow: deploy.yml, inputs: {version: "${api.short}"}}}
-- .github/workflows/deploy.yml --
name: Deploy
run-name: "Deploy ${{ inputs.version }} (${{ inputs.waybill }})"
on:
  workflow_dispatch:
    inputs:
      waybill: {required: true}
      version: {required: true}
`

var (
	startWorkflow = githubsim.Route{
		Method: http.MethodPost, Path: "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches",
	}
	listRuns = githubsim.Route{Method: http.MethodGet, Path: "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs"}
)

// started lists the titles of the dispatched runs.
func (s *site) started() []string {
	var all []string
	for _, run := range s.github.DispatchedRuns(home) {
		all = append(all, run.Title)
	}
	return all
}

// TestAWorkflowIsStartedOnceWhateverIsLostF2F19F20 kills the process before and after each request, loses the answers,
// and has GitHub fail.
func TestAWorkflowIsStartedOnceWhateverIsLostF2F19F20(t *testing.T) {
	t.Parallel()
	for name, route := range map[string]githubsim.Route{"start": startWorkflow, "list": listRuns} {
		for what, fault := range map[string]func(s *site) githubsim.Fault{
			"killed before": func(s *site) githubsim.Fault { return s.crash("before") },
			"killed after":  func(s *site) githubsim.Fault { return s.crash("after") },
			"lost":          func(*site) githubsim.Fault { return githubsim.Fault{LoseReply: true} },
			"an error":      func(*site) githubsim.Fault { return githubsim.Fault{Status: http.StatusBadGateway} },
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				s := newSite(t, dispatching)
				s.github.Faults().FailNext(route, fault(s))
				s.do("merge #1 by ann", retry)
				require.Zero(t, s.github.Faults().Pending())
				require.Equal(t, []string{"Deploy " + s.source(1) + " (waybill/dev/1)"}, s.started())
				s.do("run success on dev")
				require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
				require.Empty(t, s.ours())
			})
		}
	}
}

// TestARunThatGitHubHasPromisedIsNeverStartedAgainF2 has GitHub list the run more than 15 minutes late.
func TestARunThatGitHubHasPromisedIsNeverStartedAgainF2(t *testing.T) {
	t.Parallel()
	s := newSite(t, dispatching)
	empty := githubsim.Fault{Status: http.StatusOK, Body: `{"total_count":0,"workflow_runs":[]}`, Times: 10}
	s.github.Faults().FailNext(listRuns, empty)
	s.do("merge #1 by ann", "wait 15m")
	require.Equal(t, []string{"p1 api#1 dev running"}, s.states("dev"))
	s.do("wait 10m")
	require.Equal(t, 1, s.github.CountRequests(startWorkflow))
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
}

// TestARunIsFoundThoughOurClockWasAnHourFast has GitHub date the run before the request that started it.
func TestARunIsFoundThoughOurClockWasAnHourFast(t *testing.T) {
	t.Parallel()
	s := newSite(t, dispatching)
	s.github.Faults().FailNext(startWorkflow, githubsim.Fault{Before: func() { s.clock.set(s.Now().Add(-time.Hour)) }})
	s.do("merge #1 by ann", retry)
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	require.Len(t, s.started(), 1)
}

// TestNothingEndsAWorkflowThatMayRunF2T31 checks that a command that would end the promotion waits until Waybill finds
// the run.
func TestNothingEndsAWorkflowThatMayRunF2T31(t *testing.T) {
	t.Parallel()
	s := newSite(t, dispatching)
	s.github.Faults().FailNext(startWorkflow, githubsim.Fault{LoseReply: true})
	s.github.Faults().FailNext(listRuns, githubsim.Fault{Status: http.StatusBadGateway, Times: 2})
	s.do("merge #1 by ann", "comment #1 by ann: /hold dev", "comment #1 by ann: /cancel dev")
	require.Equal(t, []string{"p1 api#1 dev running"}, s.states("dev"))
	s.do(retry)
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	require.Len(t, s.started(), 1)
}

// TestARunOfSomebodyElseDecidesNothing has ann start a run with the name of a promotion.
func TestARunOfSomebodyElseDecidesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, dispatching)
	s.do("merge #1 by ann")
	id, err := s.github.StartWorkflow(home, "waybill/dev/1", "main", "workflow_dispatch", "ann")
	require.NoError(t, err)
	require.NoError(t, s.github.FinishWorkflow(home, id, "success"))
	s.do("resync")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	s.do("run failure on dev")
	require.Equal(t, []string{"p1 api#1 dev verification-failed"}, s.states("dev"))
}

// TestARunIsFoundWithoutWebhooks has a resync find one run, and the look-up at the timeout another.
func TestARunIsFoundWithoutWebhooks(t *testing.T) {
	t.Parallel()
	s := newSite(t, dispatching)
	s.do("merge #1 by ann", "lose webhooks", "run success on dev", "resync")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	s.do("deliver webhooks", "merge #2 by ann", "lose webhooks", "run success on dev", "wait 61m")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev succeeded"}, s.states("dev"))
}

// TestAWorkflowThatCannotBeStartedIsToldWithTheRemedy covers mistakes in its file, for whose end the promotion waits,
// and missing permissions of the App.
func TestAWorkflowThatCannotBeStartedIsToldWithTheRemedy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, new, why string }{
		"no file":       {"deploy.yml --", "other.yml --", "it is not there"},
		"no trigger":    {"workflow_dispatch:", "workflow_call:", "it does not run on workflow_dispatch"},
		"no number":     {"      waybill: {required: true}\n", "", "it has no input `waybill`"},
		"no name":       {"run-name:", "x-name:", "its run-name does not show which promotion"},
		"unknown input": {"      version: {required: true}\n", "", "it has no input `version`"},
		"one is missing": {"version: {required: true}", "version: {required: true}\n      region: {required: true}",
			"it requires the inputs region"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, strings.Replace(dispatching, c.old, c.new, 1))
			s.do("merge #1 by ann")
			require.Equal(t, promotion.Queued, s.promoted(1).State)
			require.Contains(t, say.Sentence(s.problem(1)), c.why)
			require.Empty(t, s.started())
		})
	}
	t.Run("refused", func(t *testing.T) {
		s := newSite(t, dispatching)
		for range 2 { // the second time to a new token, which has the permission
			s.github.Faults().FailNext(startWorkflow,
				githubsim.Fault{Status: http.StatusForbidden, Body: `{"message":"Resource not accessible by integration"}`})
		}
		s.do("merge #1 by ann", retry)
		require.Equal(t, promotion.Failed, s.promoted(1).State)
		require.Contains(t, s.promoted(1).Reason.Detail, "Resource not accessible by integration")
	})
	t.Run("not granted", func(t *testing.T) {
		s := newSite(t, dispatching)
		require.NoError(t, s.github.Permit("actions", "read"))
		require.NoError(t, s.restart(s.ctx)) // tokens keep what they have
		s.do("merge #1 by ann", "wait 10m")
		require.False(t, s.promoted(1).State.Ended(), "it waits until the account grants it")
		require.Empty(t, s.started())
		require.NoError(t, s.github.Permit("actions", "write"))
		s.do("wait 10m", "run success on dev")
		require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	})
}

// TestWhatShowsAWorkflowLinksItsRun checks that the check run and the comment name the run and link it.
func TestWhatShowsAWorkflowLinksItsRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, dispatching)
	s.do("merge #1 by ann", "wait 1m")
	source, _ := s.github.Pull(home, 1)
	runs := s.github.CheckRuns(home, source.MergeSHA)
	require.Len(t, runs, 1)
	require.Equal(t, "Its workflow runs: waiting for workflow of dev", runs[0].Title)
	require.Contains(t, runs[0].Summary, "Run: "+s.github.URL()+"/"+home+"/actions/runs/")
	require.Contains(t, s.sticky(1).Body, "[run]("+s.github.URL())
}

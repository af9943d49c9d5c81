package sandbox

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// asked holds the requests of a promotion, from the list of its source's files to the comment about it.
var asked = map[string]githubsim.Route{
	"token":      {Method: http.MethodPost, Path: "/app/installations/{installation_id}/access_tokens"},
	"files":      {Method: http.MethodGet, Path: "/repos/{owner}/{repo}/pulls/{pull_number}/files"},
	"read":       {Field: "repository"},
	"tree":       {Method: http.MethodPost, Path: "/repos/{owner}/{repo}/git/trees"},
	"commit":     {Method: http.MethodPost, Path: "/repos/{owner}/{repo}/git/commits"},
	"open":       {Field: "createPullRequest"},
	"merge":      {Method: http.MethodPut, Path: "/repos/{owner}/{repo}/pulls/{pull_number}/merge"},
	"check":      {Field: "createCheckRun"},
	"check-anew": {Field: "updateCheckRun"},
	"comment":    {Method: http.MethodPost, Path: "/repos/{owner}/{repo}/issues/{issue_number}/comments"},
}

// TestALostReplyChangesNothingF2F19F20 loses the answer to each request of a promotion after GitHub has carried it out,
// and then the answers to all of them.
func TestALostReplyChangesNothingF2F19F20(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		t.Run(name, func(t *testing.T) { disturbed(t, githubsim.Fault{LoseReply: true}, asked[name]) })
	}
	t.Run("all", func(t *testing.T) {
		disturbed(t, githubsim.Fault{LoseReply: true}, slices.Collect(maps.Values(asked))...)
	})
}

// TestARequestThatGitHubDidNotHearIsMadeAgainF20 has GitHub answer each of them with 502 and do nothing.
func TestARequestThatGitHubDidNotHearIsMadeAgainF20(t *testing.T) {
	t.Parallel()
	disturbed(t, githubsim.Fault{Status: http.StatusBadGateway}, slices.Collect(maps.Values(asked))...)
}

// TestACommentThatGitHubDoesNotTakeIsWrittenLaterOnceT35 has GitHub take no comment for a while: once with trouble of
// its own, once with a limit. What the comment is about is so at once.
func TestACommentThatGitHubDoesNotTakeIsWrittenLaterOnceT35(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]githubsim.Fault{
		"trouble": {Status: http.StatusBadGateway},
		"a limit": {Status: http.StatusForbidden, Header: http.Header{"Retry-After": {"60"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, oneStage)
			s.do("merge #1 by ann", "wait 1m")
			for range 3 {
				s.github.Faults().FailNext(asked["comment"], fault)
			}
			s.do("check smoke failure on dev")
			require.Equal(t, []string{"p1 api#1 dev verification-failed"}, s.states("dev"))
			require.Empty(t, s.told(1))
			s.do("wait 10m")
			require.Zero(t, s.github.Faults().Pending())
			require.Len(t, s.told(1), 1)
			s.do("wait 10m")
			require.Len(t, s.told(1), 1)
		})
	}
}

// disturbed lets one freight succeed and one fail its verification while requests fail. It requires the result of an
// undisturbed run: one pull request and one branch for each promotion, one check run for each freight, and one comment
// about the failure.
func disturbed(t *testing.T, fault githubsim.Fault, routes ...githubsim.Route) {
	s := newSite(t, oneStage)
	for _, r := range routes {
		s.github.Faults().FailNext(r, fault)
	}
	s.do("restart") // drop the cached token
	s.do("merge #1 by ann", retry, "check smoke success on dev", retry)
	s.do("merge #2 by ann", retry, "check smoke failure on dev", retry)
	require.Zero(t, s.github.Faults().Pending(), "every request was disturbed")
	s.complete()
}

// complete requires that #1 has succeeded and #2 has failed its verification, with each effect once.
func (s *site) complete() {
	s.t.Helper()
	require.Equal(s.t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev verification-failed"}, s.states("dev"))
	require.Equal(s.t, []string{"Promote api#1 to dev: merged", "Promote api#2 to dev: merged"}, s.ours())
	require.Equal(s.t, s.source(2), s.hosts("dev.yaml"))
	for _, branch := range s.branches() {
		require.Contains(s.t, []string{s.pull(1).HeadBranch, s.pull(2).HeadBranch}, branch)
	}
	require.Empty(s.t, s.told(1))
	require.Len(s.t, s.told(2), 1)
	for n, conclusion := range map[int]string{1: "success", 2: "failure"} {
		source, _ := s.github.Pull(home, n)
		runs := s.github.LatestCheckRuns(home, source.MergeSHA)
		require.Len(s.t, runs, 1)
		require.Equal(s.t, conclusion, runs[0].Conclusion)
	}
}

// TestTwoDecidersAndTwiceTheHandsDoEverythingOnceF1 runs two of every worker on one database.
func TestTwoDecidersAndTwiceTheHandsDoEverythingOnceF1(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	ended := make(chan error)
	go func() { ended <- s.program.Run(s.program.ctx) }()
	defer func() { s.program.cancel(); require.NoError(t, <-ended) }()
	s.do("merge #1 by ann", "check smoke success on dev", "merge #2 by ann", "check smoke failure on dev")
	s.complete()
}

// TestAPersonMergesAManualStageWhateverHappensF45 plays each happening that makes Waybill look at a stage. Waybill must
// not merge after any of them.
func TestAPersonMergesAManualStageWhateverHappensF45(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: [smoke], merge: manual}
`)
	s.do("merge #1 by ann", "resync", "restart", "redeliver 20", "push README.md by bob", "wait 24h")
	s.passCI(1)
	require.NoError(t, s.github.Review(home, s.pull(1).Number, "bob", "APPROVED", ""))
	s.quiet()
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	require.Zero(t, s.merges())
	s.do("merge p1 by bob")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	require.Equal(t, "bob", s.pull(1).MergedBy)
	require.Zero(t, s.merges())
}

// TestNoCommandMergesAManualStageF45 gives each command that could advance a promotion, in comments, over the API and
// by label.
func TestNoCommandMergesAManualStageF45(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, merge: manual, approvals: 1}
`)
	s.do("merge #1 by ann", "grant bob write")
	bob := s.withTokens(s.acting("bob"))[0]
	for _, command := range []string{
		"/promote dev api#1", "/approve dev", "/retry dev", "/verify dev", "/unhold dev", "/rollback dev",
	} {
		s.do("comment #1 by bob: " + command)
		require.Equal(t, http.StatusOK, s.command(bob, "", strings.TrimPrefix(command, "/")).status, command)
		s.quiet()
	}
	s.do("label #1 promote/dev by bob", "wait 1h", "resync")
	s.passCI(1)
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	require.Zero(t, s.merges())
	s.do("merge p1 by bob")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// passCI reports success of the check ci on the head of a promotion's pull request.
func (s *site) passCI(n promotion.Number) {
	s.t.Helper()
	p := s.pull(n)
	_, err := s.github.CreateCheckRun(home,
		githubsim.CheckSpec{Name: "ci", SHA: p.HeadSHA, Suite: "ci", Branch: p.HeadBranch, Conclusion: "success"})
	require.NoError(s.t, err)
	s.quiet()
}

package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// guardedStage is a pipeline of one stage that guards its files.
const guardedStage = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, guard: true, set: {dev.yaml: {tag: "${api.short}"}}, verify: [smoke]}
`

// byEve opens a pull request by eve that changes a file, and returns its number.
func (s *site) byEve(path string) int {
	s.t.Helper()
	require.NoError(s.t, s.meet("eve"))
	n, err := s.github.OpenPull(home, githubsim.PullSpec{
		Title: "By hand", Author: "eve", Head: "by-hand-" + strings.ReplaceAll(path, "/", "-"),
		Files: map[string]*string{path: githubsim.Text("tag: mine\n")},
	})
	require.NoError(s.t, err)
	s.quiet()
	return n
}

// ruling returns the result of a guard check on the head of a pull request: "in_progress: Not now: ...", or "" without
// a check.
func (s *site) ruling(n int, stage string) string {
	s.t.Helper()
	p, _ := s.github.Pull(home, n)
	return s.rulingAt(p.HeadSHA, stage)
}

func (s *site) rulingAt(sha, stage string) string {
	var found githubsim.CheckRun
	for _, run := range s.github.CheckRuns(home, sha) {
		if run.App == "waybill" && run.Name == "waybill / "+stage && run.ID > found.ID {
			found = run
		}
	}
	if found.ID == 0 {
		return ""
	}
	if found.Status != "completed" {
		return fmt.Sprintf("%s: %s", found.Status, found.Title)
	}
	return fmt.Sprintf("%s: %s", found.Conclusion, found.Title)
}

const (
	passes    = "success: Nothing is under way in dev"
	verifies1 = "in_progress: Not now: promotion 1 of api#1 is being verified in dev"
)

// TestAPullRequestThatTouchesAGuardedFileWaitsWhileTheStageVerifiesOrIsHeld plays a promotion and a hold.
func TestAPullRequestThatTouchesAGuardedFileWaitsWhileTheStageVerifiesOrIsHeld(t *testing.T) {
	t.Parallel()
	s := newSite(t, guardedStage)
	n, other := s.byEve("dev.yaml"), s.byEve("docs/a.md")
	require.Equal(t, passes, s.ruling(n, "dev"))
	require.Equal(t, "success: Changes no file of dev", s.ruling(other, "dev"))
	s.do("merge #101 by ann")
	require.Equal(t, "in_progress: Not now: promotion 1 of api#101 is being verified in dev", s.ruling(n, "dev"))
	require.Equal(t, "success: Changes no file of dev", s.ruling(other, "dev"))
	require.Empty(t, s.ruling(s.pull(1).Number, "dev"), "a promotion that GitHub merges at once needs no check")
	s.do("check smoke success on dev")
	require.Equal(t, passes, s.ruling(n, "dev"))

	s.do("comment #101 by ann: /hold dev a migration --for 2h")
	require.Regexp(t, `^in_progress: Not now: dev is held by ann since .*\(until .*\)$`, s.ruling(n, "dev"))
	s.do("wait 3h")
	require.Equal(t, passes, s.ruling(n, "dev"))
}

// TestAGuardFollowsItsPullRequest pushes to a waiting pull request, changes its base, and closes it.
func TestAGuardFollowsItsPullRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, guardedStage)
	n := s.byEve("dev.yaml")
	s.do("merge #101 by ann")
	before, _ := s.github.Pull(home, n)
	_, err := s.github.PushFiles(home, before.HeadBranch, "eve", "More", map[string]*string{"a.md": githubsim.Text("a\n")})
	require.NoError(t, err)
	s.quiet()
	const waits = "in_progress: Not now: promotion 1 of api#101 is being verified in dev"
	require.Equal(t, waits, s.ruling(n, "dev"))
	require.Equal(t, "neutral: Not guarded any more", s.rulingAt(before.HeadSHA, "dev"))

	_, err = s.github.PushFiles(home, "other", "ann", "Begin", map[string]*string{"b.md": githubsim.Text("b\n")})
	require.NoError(t, err)
	require.NoError(t, s.github.RetargetPull(home, n, "eve", "other"))
	s.quiet()
	require.Equal(t, "neutral: Not guarded any more", s.ruling(n, "dev"))
	require.NoError(t, s.github.RetargetPull(home, n, "eve", "main"))
	s.quiet()
	require.Equal(t, waits, s.ruling(n, "dev"))
	require.NoError(t, s.github.ClosePull(home, n, "eve"))
	s.quiet()
	require.Equal(t, "neutral: Not guarded any more", s.ruling(n, "dev"))
}

// TestAGuardIsPutUpAndTakenDownWithThePipelineFile adds a guard while pull requests are open and removes it while one
// waits.
func TestAGuardIsPutUpAndTakenDownWithThePipelineFile(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(guardedStage, "guard: true", "guard: false", 1))
	s.github.ForgetRequests()
	n := s.byEve("dev.yaml")
	require.Empty(t, s.ruling(n, "dev"))
	s.pushConfig(guardedStage)
	s.do("wait 1m")
	require.Equal(t, passes, s.ruling(n, "dev"))
	s.do("merge #101 by ann")
	require.NotEqual(t, passes, s.ruling(n, "dev"))
	s.pushConfig(strings.Replace(guardedStage, "guard: true", "guard: false", 1))
	require.Equal(t, "neutral: Not guarded any more", s.ruling(n, "dev"))
}

// TestALostWebhookOfAGuardedPullRequestIsMadeUpForByAResync loses every webhook.
func TestALostWebhookOfAGuardedPullRequestIsMadeUpForByAResync(t *testing.T) {
	t.Parallel()
	s := newSite(t, guardedStage)
	closed := s.byEve("dev.yaml")
	s.do("merge #101 by ann")
	s.do("lose webhooks")
	require.NoError(t, s.github.ClosePull(home, closed, "eve"))
	n, err := s.github.OpenPull(home, githubsim.PullSpec{
		Title: "Another", Author: "eve", Head: "another",
		Files: map[string]*string{"dev.yaml": githubsim.Text("tag: other\n")},
	})
	require.NoError(t, err)
	s.quiet()
	require.Empty(t, s.ruling(n, "dev"))
	s.do("resync")
	require.Equal(t, "in_progress: Not now: promotion 1 of api#101 is being verified in dev", s.ruling(n, "dev"))
	require.Equal(t, "neutral: Not guarded any more", s.ruling(closed, "dev"))
}

// TestAGuardCostsARequestForTheFilesAndOneForTheCheck counts the requests with a guard and without one.
func TestAGuardCostsARequestForTheFilesAndOneForTheCheck(t *testing.T) {
	t.Parallel()
	// One request finds out whether the pull request changes the pipeline file.
	for pipeline, most := range map[string]int{oneStage: 1, guardedStage: 3} {
		s := newSite(t, pipeline)
		s.byEve("a.md")
		s.github.ForgetRequests()
		n := s.byEve("dev.yaml")
		s.atMost(most)
		require.NoError(t, s.github.AddLabel(home, n, "eve", "urgent"))
		s.quiet()
		s.atMost(most)
	}
}

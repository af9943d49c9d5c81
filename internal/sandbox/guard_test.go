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
	left      = "cancelled: Not looked at any more"
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
	require.Equal(t, left, s.rulingAt(before.HeadSHA, "dev"))

	_, err = s.github.PushFiles(home, "other", "ann", "Begin", map[string]*string{"b.md": githubsim.Text("b\n")})
	require.NoError(t, err)
	require.NoError(t, s.github.RetargetPull(home, n, "eve", "other"))
	s.quiet()
	require.Equal(t, left, s.ruling(n, "dev"))
	require.NoError(t, s.github.RetargetPull(home, n, "eve", "main"))
	s.quiet()
	require.Equal(t, waits, s.ruling(n, "dev"))
	require.NoError(t, s.github.ClosePull(home, n, "eve"))
	s.quiet()
	require.Equal(t, left, s.ruling(n, "dev"))
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
	require.Equal(t, left, s.ruling(closed, "dev"))
}

// TestAGuardCostsTwoRequestsForTheFilesAndOneForTheCheck counts the requests with a guard and without one.
func TestAGuardCostsTwoRequestsForTheFilesAndOneForTheCheck(t *testing.T) {
	t.Parallel()
	// One request finds out whether the pull request changes the pipeline file.
	for pipeline, most := range map[string]int{oneStage: 1, guardedStage: 4} {
		s := newSite(t, pipeline)
		s.hearsOnce()
		s.byEve("a.md")
		s.github.ForgetRequests()
		n := s.byEve("dev.yaml")
		s.atMost(most)
		require.NoError(t, s.github.AddLabel(home, n, "eve", "urgent"))
		s.quiet()
		s.atMost(most)
	}
}

// TestNoOtherPullRequestMakesAGuardPass opens pull requests with the commit of one that waits for a hold, into the same
// branch and into another, and closes them: GitHub shows one check on all of them.
func TestNoOtherPullRequestMakesAGuardPass(t *testing.T) {
	t.Parallel()
	for name, twin := range map[string]githubsim.PullSpec{
		"of the same repository": {Head: "twin"},
		"a draft":                {Head: "twin", Draft: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, guardedStage)
			n := s.byEve("dev.yaml")
			s.do("comment #101 by ann: /hold dev incident")
			held := s.ruling(n, "dev")
			require.Contains(t, held, "in_progress: Not now: dev is held")
			p, _ := s.github.Pull(home, n)
			require.NoError(t, s.github.CreateBranch(home, twin.Head, "eve", p.HeadSHA))
			twin.Title, twin.Author = "Twin", "eve"
			other, err := s.github.OpenPull(home, twin)
			require.NoError(t, err)
			s.quiet()
			for _, ends := range []func() error{
				func() error { return s.github.ClosePull(home, other, "eve") },
				func() error { return s.github.ReopenPull(home, other, "eve") },
				func() error { return s.github.RetargetPull(home, other, "eve", p.HeadBranch) },
			} {
				if err := ends(); err != nil {
					t.Log(err) // GitHub may refuse a pull request without changes
				}
				s.quiet()
				require.Equal(t, held, s.ruling(n, "dev"))
			}
		})
	}
}

// TestACommitThatLeavesItsPullRequestDoesNotPassAGuardLater closes a pull request whose check has passed, retargets it
// and pushes to it: GitHub lets it be merged by the check of the commit as soon as it is back, before it has said so.
func TestACommitThatLeavesItsPullRequestDoesNotPassAGuardLater(t *testing.T) {
	t.Parallel()
	s := newSite(t, guardedStage)
	s.do("comment #101 by ann: /status dev")
	_, err := s.github.PushFiles(home, "other", "ann", "Begin", map[string]*string{"b.md": githubsim.Text("b\n")})
	require.NoError(t, err)
	n := s.byEve("dev.yaml")
	for _, move := range []struct{ away, back func() error }{
		{func() error { return s.github.ClosePull(home, n, "eve") },
			func() error { return s.github.ReopenPull(home, n, "eve") }},
		{func() error { return s.github.RetargetPull(home, n, "eve", "other") },
			func() error { return s.github.RetargetPull(home, n, "eve", "main") }},
	} {
		require.Equal(t, passes, s.ruling(n, "dev"))
		require.NoError(t, move.away())
		s.quiet()
		s.says101("/hold dev incident")
		s.github.HoldWebhooks()
		require.NoError(t, move.back())
		require.Equal(t, left, s.ruling(n, "dev"))
		s.github.ReleaseWebhooks()
		s.quiet()
		require.Contains(t, s.ruling(n, "dev"), "in_progress: Not now: dev is held")
		s.says101("/unhold dev")
	}
}

// says101 has ann comment on the pull request that the steps before have opened.
func (s *site) says101(text string) {
	s.t.Helper()
	_, err := s.github.Comment(home, 101, "ann", text)
	require.NoError(s.t, err)
	s.quiet()
}

// TestStrangersDoNotCrowdAGuardedPullRequestOut opens a hundred pull requests of forks that change the guarded file.
// They take the places of each other only.
func TestStrangersDoNotCrowdAGuardedPullRequestOut(t *testing.T) {
	t.Parallel()
	for name, hears := range map[string]bool{"told by webhooks": true, "found by a resync": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, guardedStage)
			n := s.byEve("dev.yaml")
			require.Equal(t, passes, s.ruling(n, "dev"))
			s.do("wait 1m") // it is the oldest
			require.NoError(t, s.meet("dan"))
			s.quiet()
			s.github.LoseWebhooks(!hears)
			for i := range 101 {
				_, err := s.github.OpenPull(home, githubsim.PullSpec{Title: "x", Author: "dan", Fork: true,
					Head: fmt.Sprintf("x%d", i), Files: map[string]*string{"dev.yaml": githubsim.Text("tag: x\n")}})
				require.NoError(t, err)
			}
			s.quiet()
			s.github.LoseWebhooks(false)
			require.NoError(t, s.program.Resync(s.ctx))
			s.quiet()
			require.Equal(t, passes, s.ruling(n, "dev"))
			s.do("comment #300 by ann: /hold dev incident")
			require.Contains(t, s.ruling(n, "dev"), "in_progress: Not now: dev is held", "it is still followed")
		})
	}
}

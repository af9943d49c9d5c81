package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// newQueued returns a site whose main branch has a merge queue that requires the check ci, with the pull request of p1
// in the queue.
func newQueued(t *testing.T) *site {
	t.Helper()
	s := newGuarded(t)
	require.NoError(t,
		s.github.Protect(home, "main", githubsim.Protection{RequiredChecks: []string{"ci"}, MergeQueue: true}))
	s.passCI(1)
	require.NotEmpty(t, s.group())
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	return s
}

// group returns the commit that the merge queue tests, or "" if the queue is empty.
func (s *site) group() string {
	for _, branch := range s.github.Branches(home) {
		if strings.HasPrefix(branch, "gh-readonly-queue/") {
			return s.github.Head(home, branch)
		}
	}
	return ""
}

// tryOut completes the check ci on the merge queue's commit.
func (s *site) tryOut(conclusion string) {
	s.t.Helper()
	_, err := s.github.CreateCheckRun(home,
		githubsim.CheckSpec{Name: "ci", SHA: s.group(), Suite: "ci", Conclusion: conclusion})
	require.NoError(s.t, err)
	s.quiet()
}

func TestAPromotionGoesThroughTheMergeQueueT38(t *testing.T) {
	t.Parallel()
	s := newQueued(t)
	s.github.ForgetRequests()
	s.do("wait 1h")
	require.Zero(t, s.merges(), "it is GitHub's turn")
	tried := s.group()
	s.tryOut("success")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	require.Equal(t, tried, string(s.promoted(1).MergeSHA))
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
	s.do("check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// TestWhatTheMergeQueueThrowsOutWaitsAndIsTriedAgainWhenSomethingHappensT38 checks that the promotion shows the reason,
// and that Waybill does not retry until the next event.
func TestWhatTheMergeQueueThrowsOutWaitsAndIsTriedAgainWhenSomethingHappensT38(t *testing.T) {
	t.Parallel()
	s := newQueued(t)
	s.github.ForgetRequests()
	s.tryOut("failure")
	require.Empty(t, s.group())
	s.do("wait 9h")
	require.Empty(t, s.group())
	require.Zero(t, s.merges())
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	require.Contains(t, s.run(1, "dev").Title, "it was taken out of the merge queue: its checks failed there")
	s.passCI(1)
	s.tryOut("success")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
}

func TestAHoldTakesAPromotionOutOfTheMergeQueueT31(t *testing.T) {
	t.Parallel()
	s := newQueued(t)
	s.do("comment #1 by ann: /hold dev")
	require.Empty(t, s.group())
	s.do("wait 1h")
	require.Empty(t, s.group())
	s.do("comment #1 by ann: /unhold dev")
	require.NotEmpty(t, s.group())
	s.tryOut("success")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
}

// TestThatAPullRequestIsNoLongerInTheMergeQueueIsFoundByAResyncT38 loses the webhook about it.
func TestThatAPullRequestIsNoLongerInTheMergeQueueIsFoundByAResyncT38(t *testing.T) {
	t.Parallel()
	s := newQueued(t)
	s.github.FailWebhooks(100, 502)
	require.NoError(t, s.github.Dequeue(home, s.pull(1).Number, "ann"))
	require.Error(t, s.github.Settle(s.ctx))
	s.github.HearWebhooks()
	require.Empty(t, s.group())
	s.do("resync")
	require.NotEmpty(t, s.group())
}

// newRequired returns a site whose main branch has a merge queue and requires the checks of two guarded stages.
func newRequired(t *testing.T) *site {
	t.Helper()
	s := newSite(t,
		guardedStage+`  prod: {from: api, after: dev, guard: true, set: {prod.yaml: {tag: "${api.short}"}}, verify: [e2e]}
`)
	s.do("merge #101 by ann", "check smoke success on dev", "check e2e success on prod")
	require.NoError(t, s.github.Protect(home, "main",
		githubsim.Protection{RequiredChecks: []string{"waybill / dev", "waybill / prod"}, MergeQueue: true}))
	return s
}

// TestAPromotionPassesTheGuardsThatAreRequiredOfTheMergeQueueT38 checks that no promotion waits for its own guard.
func TestAPromotionPassesTheGuardsThatAreRequiredOfTheMergeQueueT38(t *testing.T) {
	t.Parallel()
	s := newRequired(t)
	require.NoError(t, s.meet("eve"))
	n, err := s.github.OpenPull(home, githubsim.PullSpec{
		Title: "Faster", Author: "eve", Head: "faster", Files: map[string]*string{"src/b.go": githubsim.Text("package b\n")},
	})
	require.NoError(t, err)
	s.quiet()
	require.NoError(t, s.github.Enqueue(home, n, "eve"))
	s.quiet()
	p, _ := s.github.Pull(home, n)
	require.Equal(t, "merged", p.State, "it leaves the guarded files alone")
	require.Equal(t, "success: A promotion of Waybill's own", s.ruling(s.pull(3).Number, "prod"))
	require.Equal(t, []string{"p1 api#101 dev succeeded", fmt.Sprintf("p3 api#%d dev verifying", n)}, s.states("dev"))
	s.do("check smoke success on dev")
	require.Equal(t, fmt.Sprintf("p4 api#%d prod verifying", n), s.states("prod")[1])
}

// TestWhatPeopleMergeThroughTheQueueWaitsThereForAHoldT38 holds the stage while the queue tests eve's commit.
func TestWhatPeopleMergeThroughTheQueueWaitsThereForAHoldT38(t *testing.T) {
	t.Parallel()
	s := newRequired(t)
	require.NoError(t, s.github.Protect(home, "main",
		githubsim.Protection{RequiredChecks: []string{"waybill / dev", "ci"}, MergeQueue: true}))
	n := s.byEve("dev.yaml")
	p, _ := s.github.Pull(home, n)
	_, err := s.github.CreateCheckRun(home,
		githubsim.CheckSpec{Name: "ci", SHA: p.HeadSHA, Suite: "ci", Conclusion: "success"})
	require.NoError(t, err)
	s.quiet()
	require.NoError(t, s.github.Enqueue(home, n, "eve"))
	s.quiet()
	require.Equal(t, passes, s.rulingAt(s.group(), "dev"))
	require.Equal(t, "success: Changes no file of prod", s.rulingAt(s.group(), "prod"))
	s.do("comment #101 by ann: /hold dev --for 10m")
	require.Contains(t, s.rulingAt(s.group(), "dev"), "in_progress: Not now: dev is held by ann")
	s.tryOut("success")
	require.NotEmpty(t, s.group(), "it waits")
	s.do("wait 11m")
	require.Empty(t, s.group())
	p, _ = s.github.Pull(home, n)
	require.Equal(t, "merged", p.State)
}

// TestAGroupThatNobodyToldOfIsFoundByAResyncT38 loses the webhooks about it.
func TestAGroupThatNobodyToldOfIsFoundByAResyncT38(t *testing.T) {
	t.Parallel()
	s := newRequired(t)
	n := s.byEve("dev.yaml")
	s.github.FailWebhooks(100, 502)
	require.NoError(t, s.github.Enqueue(home, n, "eve"))
	require.Error(t, s.github.Settle(s.ctx))
	s.github.HearWebhooks()
	require.Empty(t, s.rulingAt(s.group(), "dev"))
	s.do("resync")
	p, _ := s.github.Pull(home, n)
	require.Equal(t, "merged", p.State)
}

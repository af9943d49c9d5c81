package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// newQueued starts a site whose main branch has a merge queue that demands the check ci, with the pull request of p1 in it.
func newQueued(t *testing.T) *site {
	t.Helper()
	s := newGuarded(t)
	require.NoError(t, s.github.Protect(home, "main", githubsim.Protection{RequiredChecks: []string{"ci"}, MergeQueue: true}))
	s.passCI(1)
	require.NotEmpty(t, s.group())
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	return s
}

// group is the commit that the merge queue tries out; "" if it is empty.
func (s *site) group() string {
	for _, branch := range s.github.Branches(home) {
		if strings.HasPrefix(branch, "gh-readonly-queue/") {
			return s.github.Head(home, branch)
		}
	}
	return ""
}

// tryOut ends the check of the merge queue's commit.
func (s *site) tryOut(conclusion string) {
	s.t.Helper()
	_, err := s.github.CreateCheckRun(home, githubsim.CheckSpec{Name: "ci", SHA: s.group(), Suite: "ci", Conclusion: conclusion})
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

// TestWhatTheMergeQueueThrowsOutWaitsAndIsTriedAgainWhenSomethingHappensT38: it does not fail in silence, nor go round in
// circles.
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

// TestThatAPullRequestIsNoLongerInTheMergeQueueIsFoundByAResyncT38 has the webhook about it never come.
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

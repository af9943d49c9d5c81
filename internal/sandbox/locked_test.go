package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWherePeopleHaveLockedTheConversationAPullRequestIsClosedAllTheSame: why it is closed cannot be told there, but
// nobody may merge it any more.
func TestWherePeopleHaveLockedTheConversationAPullRequestIsClosedAllTheSame(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	require.NoError(t, s.github.LockPull(home, s.pull(1).Number, "ann"))
	s.do("comment #1 by ann: /cancel dev", "wait 10m")
	require.Equal(t, []string{"p1 api#1 dev cancelled"}, s.states("dev"))
	require.Equal(t, []string{"Promote api#1 to dev: closed"}, s.ours())
	require.Empty(t, s.branches())
}

// TestACommandInALockedConversationIsAnsweredByAReaction because GitHub takes no words there.
func TestACommandInALockedConversationIsAnsweredByAReaction(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	require.NoError(t, s.github.LockPull(home, 1, "ann"))
	for typed, reaction := range map[string]string{"/hold dev": "rocket", "/promote dev api#99": "-1"} {
		s.do("comment #1 by ann: "+typed, "wait 1m")
		reactions, text := s.answered(1)
		require.Equal(t, 1, reactions[reaction], typed)
		require.Empty(t, text)
	}
}

// TestWhatMayNotBeSaidInALockedConversationIsTriedRarely: only people can let it be said. Then it is said within hours.
func TestWhatMayNotBeSaidInALockedConversationIsTriedRarely(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	locked := refusal(403, "Unable to create comment because issue is locked.")
	locked.Times = -1
	s.github.Faults().FailNext(asked["comment"], locked)
	tried := func(wait string) int {
		before := s.github.CountRequests(asked["comment"])
		s.do(wait)
		return s.github.CountRequests(asked["comment"]) - before
	}
	s.do("merge #1 by ann")
	require.Positive(t, tried("wait 12h"))
	require.LessOrEqual(t, tried("wait 24h"), 8)
	s.github.Faults().Clear()
	s.do("wait 6h")
	require.NotEmpty(t, s.github.Comments(home, 1))
}

package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAPullRequestThatIsOpenedAgainIsClosedWithOneSentence reopens the pull request of a declined promotion, and
// promotes by what the comment says.
func TestAPullRequestThatIsOpenedAgainIsClosedWithOneSentence(t *testing.T) { // semantics 5.9
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "verify:", "merge: manual, verify:", 1))
	s.do("merge #1 by ann", "close p1 by bob", "wait 1m")
	number := s.pull(1).Number
	before := len(s.github.Comments(home, number))
	s.do("reopen p1 by bob")
	require.Equal(t, "Promote api#1 to dev: closed", strings.Join(s.ours(), "\n"))
	said := s.github.Comments(home, number)[before:]
	require.Len(t, said, 1)
	require.Contains(t, said[0].Body, "Closed: its promotion is over (declined), and opening it again promotes nothing; "+
		"to promote anew, say `/promote dev api#1`.")
	s.do("comment #1 by ann: /promote dev api#1")
	require.Len(t, s.ours(), 2)
}

package sandbox

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// where asks for the stages of a change with /where, and returns the answer.
func (s *site) where(what string) string {
	s.t.Helper()
	s.do("comment #1 by ann: /where " + what)
	_, text := s.answered(1)
	return text
}

// TestAPullRequestIsWhereNewerFreightIsThatContainsIt although newer freight has replaced it there.
func TestAPullRequestIsWhereNewerFreightIsThatContainsIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke success on dev", "merge #2 by ann")
	require.Contains(t, s.where("#1"), "| dev | there now, in api&#35;\u200b2, not verified yet |")
	s.do("check smoke success on dev")
	require.Contains(t, s.where("api#1"), "in api&#35;\u200b2, verified")
	require.Contains(t, s.where("#2"), "Verified, there now")
	s.do("comment #2 by ann: /rollback dev")
	require.NotContains(t, s.where("#2"), "there now", "what came before does not contain it")
}

// TestAPullRequestIsWhereARolloutHasBroughtIt names the number of targets that have it.
func TestAPullRequestIsWhereARolloutHasBroughtIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, demanding)
	s.do("target prod/eu-1 ready", "target prod/us-1 ready", "merge #1 by ann", "check e2e-eu-1 success on prod",
		"check e2e-us-1 success on prod")
	require.Contains(t, s.where("#1"), "| prod | Verified &#40;2/3 verified, 1 waiting&#41;, there now |")
	s.do("merge #2 by ann", "check e2e-eu-1 success on prod")
	require.Contains(t, s.where("#1"),
		"| prod | there now, in api&#35;\u200b2, not verified yet&#58;\u200b 1/3 verified, 1 updating, 1 waiting |")
}

// TestAPullRequestThatIsNoFreightIsFoundInTheReleaseThatContainsIt by the commit graph, not by time.
func TestAPullRequestThatIsNoFreightIsFoundInTheReleaseThatContainsIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, released)
	require.NoError(t, s.meet("ann"))
	s.released("v1.4.2")
	s.do("check smoke success on dev")
	n, err := s.github.OpenPull(apiRepo, githubsim.PullSpec{
		Title: "A change", Head: "change", Author: "ann", Files: map[string]*string{"src/x": githubsim.Text("x\n")},
	})
	require.NoError(t, err)
	pull := fmt.Sprintf("%s#%d", apiRepo, n)
	require.Contains(t, s.where(pull), "I know no freight, merged pull request or commit", "it has not been merged")
	reactions, _ := s.answered(1)
	require.Equal(t, map[string]int{"-1": 1, "eyes": 1}, reactions)
	sha, err := s.github.MergePull(apiRepo, n, "ann", "squash")
	require.NoError(t, err)
	s.quiet()
	require.Contains(t, s.where(pull), "| dev | not there |")
	require.Contains(t, s.where(pull), "it has api&#64;\u200bv1.4.2")
	s.released("v1.5.0")
	require.Contains(t, s.where(pull), "there now, in api&#64;\u200bv1.5.0, not verified yet")
	require.Contains(t, s.where(sha), "Merged, verifying, there now", "the commit is that of the release")

	aside, err := s.github.PushFiles(apiRepo, "aside", "ann", "Aside", map[string]*string{"src/y": githubsim.Text("y\n")})
	require.NoError(t, err)
	s.quiet()
	require.Contains(t, s.where(aside), "| dev | not there |", "newer is not enough")
	require.Contains(t, s.where("4e8ae88b9b0a4a1c8f3e9f5d1b2c3d4e5f60718a"),
		"I know no freight, merged pull request or commit")
}

package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

const heldBefore = "in_progress: Not now: dev is held"

// mallorys is where mallory's forks are.
const mallorys = "mallory/deploy"

// heldSite is a besetSite whose stage is held, with a pull request of mallory's that changes another file.
func heldSite(t *testing.T) *site {
	s := besetSite(t)
	s.offersFromFork("mallory", map[string]*string{"docs/a.md": githubsim.Text("a\n")})
	s.do("comment #1 by ann: /hold dev incident")
	return s
}

// TestAStrangersChangeOfAGuardedFileWaits as that of anybody does.
func TestAStrangersChangeOfAGuardedFileWaits(t *testing.T) {
	t.Parallel()
	s := heldSite(t)
	n, err := s.github.OpenPull(home, githubsim.PullSpec{Title: "x", Author: "mallory", Fork: true, Head: "theirs",
		Files: map[string]*string{"dev.yaml": githubsim.Text("tag: mine\n")}})
	require.NoError(t, err)
	s.quiet()
	require.Contains(t, s.ruling(n, "dev"), heldBefore)
	require.Empty(t, s.github.Comments(home, n))
	s.do("comment #1 by ann: /unhold dev")
	require.Equal(t, passes, s.ruling(n, "dev"))
}

// TestNoCommitPassesAGuardByTheFilesOfAnother pushes to a pull request before Waybill has heard that it was opened: the
// list of its files is that of the second commit. Then its first commit is pushed again.
func TestNoCommitPassesAGuardByTheFilesOfAnother(t *testing.T) {
	t.Parallel()
	s := heldSite(t)
	s.hearsOnce() // so much is read for a stranger
	was, _ := s.github.File(home, "main", "dev.yaml")
	s.github.HoldWebhooks()
	n, err := s.github.OpenPull(home, githubsim.PullSpec{Title: "x", Author: "mallory", Fork: true, Head: "theirs",
		Files: map[string]*string{"dev.yaml": githubsim.Text("tag: mine\n")}})
	require.NoError(t, err)
	first, _ := s.github.Pull(home, n)
	_, err = s.github.PushFiles(mallorys, "theirs", "mallory", "x",
		map[string]*string{"dev.yaml": githubsim.Text(was), "docs/b.md": githubsim.Text("b\n")})
	require.NoError(t, err)
	s.github.ReleaseWebhooks()
	s.quiet()
	s.do("wait 1m")
	require.Equal(t, "success: Changes no file of dev", s.ruling(n, "dev"))
	require.Empty(t, s.rulingAt(first.HeadSHA, "dev"))
	require.NoError(t, s.github.CreateBranch(mallorys, "theirs", "mallory", first.HeadSHA))
	s.quiet()
	require.Contains(t, s.ruling(n, "dev"), heldBefore)
}

// TestAPullRequestThatIsTurnedToAndFroPassesNoGuardByThat turns one into the branch that it comes from, where it
// changes another file only, before Waybill has heard that it goes into the guarded one.
func TestAPullRequestThatIsTurnedToAndFroPassesNoGuardByThat(t *testing.T) {
	t.Parallel()
	s := heldSite(t)
	require.NoError(t, s.meet("eve"))
	push := func(branch, path string) {
		_, err := s.github.PushFiles(home, branch, "eve", "x", map[string]*string{path: githubsim.Text("tag: mine\n")})
		require.NoError(t, err)
	}
	push("begun", "dev.yaml")
	require.NoError(t, s.github.CreateBranch(home, "more", "eve", "begun"))
	push("more", "docs/c.md")
	n, err := s.github.OpenPull(home, githubsim.PullSpec{Title: "x", Author: "eve", Head: "more", Base: "begun"})
	require.NoError(t, err)
	s.quiet()
	s.github.HoldWebhooks()
	for _, base := range []string{"main", "begun"} {
		require.NoError(t, s.github.RetargetPull(home, n, "eve", base))
	}
	s.github.ReleaseWebhooks()
	s.quiet()
	s.do("wait 1m")
	require.Empty(t, s.ruling(n, "dev"))
	require.NoError(t, s.github.RetargetPull(home, n, "eve", "main"))
	s.quiet()
	require.Contains(t, s.ruling(n, "dev"), heldBefore)
}

// TestAPullRequestThatIsBackStaysFollowedWhateverIsToldFirst closes and reopens one. GitHub tells of it in the wrong
// order, also within a second.
func TestAPullRequestThatIsBackStaysFollowedWhateverIsToldFirst(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]string{"at once": "", "later": "wait 1m"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := heldSite(t)
			n := s.byEve("dev.yaml")
			s.do("wait 1m")
			s.github.HoldWebhooks()
			require.NoError(t, s.github.ClosePull(home, n, "eve"))
			if between != "" {
				s.do(between)
			}
			require.NoError(t, s.github.ReopenPull(home, n, "eve"))
			s.github.ReleaseReversed()
			s.quiet()
			require.Contains(t, s.ruling(n, "dev"), heldBefore)
			s.do("comment #1 by ann: /unhold dev")
			require.Equal(t, passes, s.ruling(n, "dev"), "it is still followed")
		})
	}
}

// TestAStrangersPullRequestThatIsBackIsFollowedThoughNobodyMayAsk closes and reopens one within a second, when all that
// is read for strangers has been read, and GitHub tells of it in the wrong order.
func TestAStrangersPullRequestThatIsBackIsFollowedThoughNobodyMayAsk(t *testing.T) {
	t.Parallel()
	s := besetSite(t)
	s.github.LeaveOfRateLimit(500)
	s.do("merge #2 by ann") // GitHub says how much is left
	n := s.offersFromFork("mallory", many(1))
	s.github.HoldWebhooks()
	require.NoError(t, s.github.ClosePull(home, n, "mallory"))
	require.NoError(t, s.github.ReopenPull(home, n, "mallory"))
	s.github.ReleaseReversed()
	s.quiet()
	s.do("wait 1h") // GitHub has been asked for as much as strangers may cost
	require.Equal(t, unread, s.ruling(n, "dev"))
	s.do("resync")
	require.Equal(t, "success: Changes no file of dev", s.ruling(n, "dev"))
}

// TestACopyOfAPromotionsCommitWaitsOnceThePromotionIsMerged offers the commit of a promotion that is being verified.
func TestACopyOfAPromotionsCommitWaitsOnceThePromotionIsMerged(t *testing.T) {
	t.Parallel()
	s := besetSite(t)
	s.offersFromFork("mallory", map[string]*string{"docs/a.md": githubsim.Text("a\n")})
	s.do("merge #2 by ann")
	require.NoError(t, s.github.CreateBranch(mallorys, "copied", "mallory", s.pull(2).HeadSHA))
	n, err := s.github.OpenPull(home, githubsim.PullSpec{Title: "x", Author: "mallory", Fork: true, Head: "copied"})
	require.NoError(t, err)
	s.quiet()
	require.Equal(t, "in_progress: Not now: promotion 2 of api#2 is being verified in dev", s.ruling(n, "dev"))
	s.do("check smoke success on dev")
	require.Equal(t, passes, s.ruling(n, "dev"))
	s.do("comment #1 by ann: /hold dev incident")
	require.Contains(t, s.ruling(n, "dev"), heldBefore)
}

// TestAResyncFindsWhatACrowdHasPushedDown: a hundred pull requests of a stranger are newer than one of somebody else,
// of which no webhook has told.
func TestAResyncFindsWhatACrowdHasPushedDown(t *testing.T) {
	t.Parallel()
	s := besetSite(t)
	s.github.LoseWebhooks(true)
	n := s.byEve("dev.yaml")
	s.do("wait 1m") // it is the oldest
	for i := range 100 {
		_, err := s.github.OpenPull(home, githubsim.PullSpec{Title: "x", Author: "mallory", Fork: true,
			Head: fmt.Sprintf("x%d", i), Files: map[string]*string{"docs/x.md": githubsim.Text("x\n")}})
		require.NoError(t, err)
	}
	s.quiet()
	s.github.ForgetLost()
	s.github.LoseWebhooks(false)
	require.Empty(t, s.ruling(n, "dev"))
	require.NoError(t, s.program.Resync(s.ctx))
	s.quiet()
	require.Equal(t, passes, s.ruling(n, "dev"))
}

// TestACopyOfAPromotionsCommitWaitsOnceThePromotionHasAnother has a person push to the branch of a promotion whose
// commit somebody else proposes, too. The check on that commit tells of the latter then.
func TestACopyOfAPromotionsCommitWaitsOnceThePromotionHasAnother(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(guardedStage, "verify: [smoke]", "merge: manual, verify: [smoke]", 1))
	s.do("merge #1 by ann", "comment #1 by ann: /hold dev incident")
	ours := s.pull(1)
	require.NoError(t, s.meet("mallory"))
	s.offersFromFork("mallory", map[string]*string{"docs/a.md": githubsim.Text("a\n")})
	require.NoError(t, s.github.CreateBranch(mallorys, "copied", "mallory", ours.HeadSHA))
	n, err := s.github.OpenPull(home, githubsim.PullSpec{Title: "x", Author: "mallory", Fork: true, Head: "copied"})
	require.NoError(t, err)
	s.quiet()
	require.Contains(t, s.ruling(n, "dev"), "success: Waiting for", "it tells of the promotion")
	more := map[string]*string{"docs/a.md": githubsim.Text("a\n")}
	_, err = s.github.PushFiles(home, ours.HeadBranch, "ann", "More", more)
	require.NoError(t, err)
	s.quiet()
	require.Contains(t, s.ruling(n, "dev"), heldBefore)
}

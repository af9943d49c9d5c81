package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
)

const unread = "in_progress: Not read yet: a person with write access must ask"

// besetSite is a public site that guards the files of its stage, with freight that runs there.
func besetSite(t *testing.T) *site {
	s := newSite(t, guardedStage)
	require.NoError(t, s.github.CreateUser("mallory"))
	require.NoError(t, s.github.CreateUser("trudy"))
	require.NoError(t, s.github.SetPublic(home, true))
	s.do("merge #1 by ann", "check smoke success on dev")
	s.github.ForgetRequests()
	return s
}

// many are so many files that each list of them has several pages, behind one that changes the pipeline file.
func many(n int) map[string]*string {
	files := map[string]*string{config.PipelinePath: githubsim.Text(guardedStage + "# mine\n")}
	for i := range n - 1 {
		files[fmt.Sprintf("docs/%d.md", i)] = githubsim.Text("")
	}
	return files
}

// offersFromFork has somebody open a pull request from their fork.
func (s *site) offersFromFork(by string, files map[string]*string) (pull int) {
	s.t.Helper()
	pull, err := s.github.OpenPull(home, githubsim.PullSpec{
		Title: "x", Author: by, Fork: true, Head: "mine", Files: files,
	})
	require.NoError(s.t, err)
	s.quiet()
	return pull
}

// pushesToFork has somebody change a letter of the pipeline file in their fork, n times.
func (s *site) pushesToFork(by string, n int) {
	s.t.Helper()
	for i := range n {
		_, err := s.github.PushFiles(by+strings.TrimPrefix(home, "acme"), "mine", by, "x", map[string]*string{
			config.PipelinePath: githubsim.Text(fmt.Sprintf("%s# mine %d\n", guardedStage, i)),
		})
		require.NoError(s.t, err)
		s.quiet()
	}
}

// rights counts the questions for what people may do.
func (s *site) rights() (n int) {
	for _, r := range s.github.Requests() {
		if strings.HasSuffix(r.Route, "/permission") {
			n++
		}
	}
	return n
}

// TestAStrangerWhoPushesALargeForkDelaysNoPromotionT12 has somebody push 200 times to a pull request of 3,000 files.
// A merge and a rollback of the same hour go through.
func TestAStrangerWhoPushesALargeForkDelaysNoPromotionT12(t *testing.T) {
	t.Parallel()
	s := besetSite(t)
	n := s.offersFromFork("mallory", many(3000))
	s.pushesToFork("mallory", 200)
	require.LessOrEqual(t, s.github.CountRequests(asked["files"]), 20)
	require.LessOrEqual(t, s.github.CountRequests(asked["read"]), 3*20)
	require.LessOrEqual(t, s.rights(), 2, "an answer is good for a while")
	require.Equal(t, unread, s.ruling(n, "dev"))
	pull, _ := s.github.Pull(home, n)
	require.Contains(t, s.configCheck(pull.HeadSHA).Summary, "Whether this changes pipeline files is not known")
	require.NotEmpty(t, s.metric(`waybill_readings_withheld_total{what="files"}`))
	s.do("merge #2 by ann", "check smoke success on dev", "comment #2 by ann: /rollback dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev succeeded", "p3 api#1 dev verifying"},
		s.states("dev"))
}

// TestStrangersTogetherHaveABoundT12: of eleven people with twenty readings each the last one has none.
func TestStrangersTogetherHaveABoundT12(t *testing.T) {
	t.Parallel()
	s := besetSite(t)
	files := many(2100)
	for i := range 10 {
		name := fmt.Sprintf("sock%d", i)
		require.NoError(t, s.github.CreateUser(name))
		s.offersFromFork(name, files)
	}
	require.Equal(t, 190, s.github.CountRequests(asked["files"]))
	n := s.offersFromFork("mallory", map[string]*string{"dev.yaml": githubsim.Text("tag: mine\n")})
	require.Equal(t, 190, s.github.CountRequests(asked["files"]))
	require.Equal(t, unread, s.ruling(n, "dev"))
}

// TestAListOfFilesIsReadOnceAndNoFurtherThanIsWanted: for the pipeline file as for the guard, and to the end only for
// that.
func TestAListOfFilesIsReadOnceAndNoFurtherThanIsWanted(t *testing.T) {
	t.Parallel()
	s := besetSite(t)
	s.offersFromFork("mallory", many(250))
	require.Equal(t, 3, s.github.CountRequests(asked["files"]))

	s = newSite(t, oneStage)
	s.hearsOnce()
	require.NoError(t, s.github.CreateUser("mallory"))
	s.do("merge #1 by ann")
	s.github.ForgetRequests()
	s.offersFromFork("mallory", many(250))
	require.Equal(t, 1, s.github.CountRequests(asked["files"]))
}

// TestWhatAStrangerMayNotHaveReadIsReadForWhoMayWriteT12: by *Re-run*, whatever has been read for others; and an hour
// later for the next push.
func TestWhatAStrangerMayNotHaveReadIsReadForWhoMayWriteT12(t *testing.T) {
	t.Parallel()
	s := besetSite(t)
	n := s.offersFromFork("mallory", many(2100))
	require.Equal(t, unread, s.ruling(n, "dev"))
	require.Equal(t, 19, s.github.CountRequests(asked["files"]), "and one reading of the pipeline files")
	pull, _ := s.github.Pull(home, n)
	again := func(login, check string) {
		require.NoError(t, s.github.Rerequest(home, s.runsOn(pull.HeadSHA)[check].ID, login))
		s.quiet()
	}
	s.do("comment #1 by ann: /hold dev")
	require.Equal(t, unread, s.ruling(n, "dev"))
	s.do("comment #1 by ann: /unhold dev")
	require.Equal(t, unread, s.ruling(n, "dev"))
	again("mallory", "waybill / dev")
	require.Equal(t, unread, s.ruling(n, "dev"))
	again("ann", "waybill / dev")
	require.Equal(t, "success: Changes no file of dev", s.ruling(n, "dev"))

	other := s.offersFromFork("trudy", map[string]*string{"dev.yaml": githubsim.Text("tag: theirs\n")})
	require.Equal(t, passes, s.ruling(other, "dev"), "mallory has used up what is hers alone")
	s.pushesToFork("mallory", 1)
	pull, _ = s.github.Pull(home, n)
	require.Contains(t, s.configCheck(pull.HeadSHA).Summary, "Whether this changes pipeline files is not known")
	again("ann", "waybill / config")
	require.Equal(t, "success", s.configCheck(pull.HeadSHA).Conclusion)
	s.do("wait 1h")
	s.pushesToFork("mallory", 1)
	pull, _ = s.github.Pull(home, n)
	require.Contains(t, s.configCheck(pull.HeadSHA).Summary, "valid by themselves")
}

// TestWhoMayWriteHasAllOfTheirForkReadT12: GitHub is asked for the right when the bound for others is reached.
func TestWhoMayWriteHasAllOfTheirForkReadT12(t *testing.T) {
	t.Parallel()
	s := besetSite(t)
	require.NoError(t, s.meet("cleo"))
	files := many(2501)
	delete(files, config.PipelinePath) // for which GitHub is asked for the right anyway
	n := s.offersFromFork("cleo", files)
	require.Equal(t, "success: Changes no file of dev", s.ruling(n, "dev"))
	require.Equal(t, 25, s.github.CountRequests(asked["files"]))
	require.Empty(t, s.metric(`waybill_readings_withheld_total{what="files"}`))
}

// TestNothingIsReadForAStrangerOfWhatIsLeftForPromotionsT12: their checks say so, and a resync of the next hour reads
// it.
func TestNothingIsReadForAStrangerOfWhatIsLeftForPromotionsT12(t *testing.T) {
	t.Parallel()
	s := besetSite(t)
	s.github.LeaveOfRateLimit(500)
	s.do("merge #2 by ann") // GitHub says how much is left
	s.github.ForgetRequests()
	n := s.offersFromFork("mallory", many(100))
	require.Zero(t, s.github.CountRequests(asked["files"]))
	s.do("check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev succeeded"}, s.states("dev"))
	s.do("wait 1h")
	require.Equal(t, unread, s.ruling(n, "dev"))
	s.do("resync")
	require.Equal(t, "success: Changes no file of dev", s.ruling(n, "dev"))
}

// TestAnUnreadForkKeepsNobodysCommitFromBeingMergedT12: somebody opens a pull request of the commit of somebody else.
func TestAnUnreadForkKeepsNobodysCommitFromBeingMergedT12(t *testing.T) {
	t.Parallel()
	s := besetSite(t)
	s.offersFromFork("mallory", many(2100))
	n := s.byEve("dev.yaml")
	pull, _ := s.github.Pull(home, n)
	require.NoError(t, s.github.CreateBranch("mallory/deploy", "theirs", "mallory", pull.HeadSHA))
	_, err := s.github.OpenPull(home, githubsim.PullSpec{Title: "x", Author: "mallory", Fork: true, Head: "theirs"})
	require.NoError(t, err)
	s.quiet()
	require.Equal(t, passes, s.ruling(n, "dev"))
}

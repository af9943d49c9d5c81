package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
)

// TestAStrangersFilesAreOnlyCheckedUntilSomebodyWhoMayWriteAsksT23: a stranger's own re-run changes nothing, that of a
// person with write access tells what the files would do.
func TestAStrangersFilesAreOnlyCheckedUntilSomebodyWhoMayWriteAsksT23(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "grant eve read")
	n, err := s.github.OpenPull(home, githubsim.PullSpec{
		Title: "Mine", Head: "mine", Author: "eve", Fork: true,
		Files: map[string]*string{config.PipelinePath: githubsim.Text(withQA)},
	})
	require.NoError(t, err)
	s.quiet()
	pull, _ := s.github.Pull(home, n)
	again := func(login string) {
		s.again(login, func(login string) error {
			return s.github.Rerequest(home, s.runsOn(pull.HeadSHA)["waybill / config"].ID, login)
		})
	}
	for range 2 {
		check := s.configCheck(pull.HeadSHA)
		require.Equal(t, "neutral", check.Conclusion)
		require.Contains(t, check.Summary, "A person with write access asks for it with *Re-run*")
		again("eve")
	}
	again("ann")
	check := s.configCheck(pull.HeadSHA)
	require.Equal(t, "success", check.Conclusion)
	require.Contains(t, check.Summary, "is **new**")
}

func TestLongFilesOfAStrangerAreNotEvenCheckedT23(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("grant eve read")
	long := "verfy: x\n" + strings.Repeat("# long\n", config.ProposedBytes/7)
	_, head := s.propose(long, githubsim.PullSpec{Head: "mine", Fork: true})
	check := s.configCheck(head)
	require.Equal(t, "neutral", check.Conclusion)
	require.Contains(t, check.Summary, "have more than 64 KiB together")
}

// TestLongPartsOfAStrangerAreNotEvenReadT23: the contents of a short one take a query more.
func TestLongPartsOfAStrangerAreNotEvenReadT23(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("grant eve read")
	proposed := func(name, text string) (queries int, check githubsim.CheckRun) {
		s.github.ForgetRequests()
		_, head := s.propose("", githubsim.PullSpec{
			Head: name, Fork: true, Files: map[string]*string{".github/waybill/mine.yml": &text},
		})
		return s.github.CountRequests(asked["read"]), s.configCheck(head)
	}
	proposed("first", "verfy: x\n") // whatever is asked once
	short, check := proposed("short", "verfy: x\n")
	require.Equal(t, "failure", check.Conclusion)
	require.Contains(t, check.Summary, ".github/waybill/mine.yml:1:1: ")
	long, check := proposed("long", "verfy: x\n"+strings.Repeat("# long\n", config.ProposedBytes/7))
	require.Equal(t, "neutral", check.Conclusion)
	require.Contains(t, check.Summary, "have more than 64 KiB together")
	require.Less(t, long, short)
}

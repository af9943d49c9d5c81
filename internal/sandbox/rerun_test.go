package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/promotion"
)

// runsOn returns our newest check run of each name on a commit.
func (s *site) runsOn(commit string) map[string]githubsim.CheckRun {
	newest := map[string]githubsim.CheckRun{}
	for _, run := range s.github.LatestCheckRuns(home, commit) {
		if run.App == "waybill" {
			newest[run.Name] = run
		}
	}
	return newest
}

// again has a person ask for check runs again, and waits for what follows.
func (s *site) again(login string, ask func(login string) error) {
	s.t.Helper()
	if !strings.HasSuffix(login, "[bot]") {
		require.NoError(s.t, s.meet(promotion.Login(login)))
	}
	require.NoError(s.t, ask(login))
	s.quiet()
}

// TestACheckRunThatIsAskedForAgainIsMadeAnewWhoeverAsks: its suite waits until then.
func TestACheckRunThatIsAskedForAgainIsMadeAnewWhoeverAsks(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("merge #1 by ann", "check smoke failure on dev", "grant eve read")
	p, _ := s.github.Pull(home, 1)
	one := func(login string) error { return s.github.Rerequest(home, s.run(1, "dev").ID, login) }
	all := func(login string) error { return s.github.RerequestSuite(home, p.MergeSHA, login) }
	for _, c := range []struct {
		login  string
		again  func(string) error
		answer string // of the run
		left   string // of its suite
	}{
		{"eve", one, "Refused: that needs write permission", "prod"},
		{"bob", one, "**bob**", "prod"},
		{"eve", all, "Refused: that needs write permission", ""},
		{"bob", all, "**bob**", ""},
		{"github-actions[bot]", one, "", "prod"},
		{"github-actions[bot]", all, "", ""},
	} {
		before := s.runsOn(p.MergeSHA)
		require.Len(t, before, 2)
		s.again(c.login, c.again)
		for name, run := range s.runsOn(p.MergeSHA) {
			if c.left != "" && strings.HasSuffix(name, c.left) {
				require.Equal(t, before[name].ID, run.ID, c)
				continue
			}
			require.Greater(t, run.ID, before[name].ID, c)
			require.Equal(t, before[name].Conclusion, run.Conclusion, c)
			require.Contains(t, run.Summary, c.answer, c)
		}
		require.Equal(t, "completed", s.github.OwnSuite(home, p.MergeSHA), c)
	}
}

func TestARunThatIsAskedForAgainIsMadeOnceAlthoughTheAnswerIsLost(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke failure on dev")
	p, _ := s.github.Pull(home, 1)
	before := len(s.github.CheckRuns(home, p.MergeSHA))
	s.github.Faults().FailNext(githubsim.Route{Field: "createCheckRun"}, githubsim.Fault{LoseReply: true})
	s.again("ann", func(login string) error { return s.github.Rerequest(home, s.run(1, "dev").ID, login) })
	s.do("wait 5m")
	require.Len(t, s.github.CheckRuns(home, p.MergeSHA), before+1)
	require.Contains(t, s.run(1, "dev").Summary, "**ann**")
}

// TestAPageThatShowsAnOldRunStillHasItsButtonAnswered: the run that replaced it says so.
func TestAPageThatShowsAnOldRunStillHasItsButtonAnswered(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke failure on dev")
	old := s.run(1, "dev")
	require.Contains(t, old.Buttons, "retry")
	s.again("ann", func(login string) error { return s.github.Rerequest(home, old.ID, login) })
	s.press(old.ID, "bob", "retry")
	require.Equal(t, []string{"p1 api#1 dev verification-failed", "p2 api#1 dev verification-failed"}, s.states("dev"))
	s.press(old.ID, "bob", "retry") // a press is known by its run and person: it counts once
	s.press(old.ID, "ann", "retry")
	require.Contains(t, s.run(1, "dev").Summary,
		"the check shows promotion 2 now, this button was for promotion 1; reload the page")
}

// TestAGuardThatIsAskedForAgainIsMadeAnew: GitHub would not let the pull request be merged before.
func TestAGuardThatIsAskedForAgainIsMadeAnew(t *testing.T) {
	t.Parallel()
	s := newSite(t, guardedStage)
	pull, _ := s.github.Pull(home, s.byEve("dev.yaml"))
	s.do("grant eve read")
	passed := s.runsOn(pull.HeadSHA)["waybill / dev"]
	require.Equal(t, "success", passed.Conclusion)
	s.again("eve", func(login string) error { return s.github.RerequestSuite(home, pull.HeadSHA, login) })
	again := s.runsOn(pull.HeadSHA)["waybill / dev"]
	require.Greater(t, again.ID, passed.ID)
	require.Equal(t, "success", again.Conclusion)

	s.do("merge #1 by ann")
	waits := s.runsOn(pull.HeadSHA)["waybill / dev"]
	require.Equal(t, "in_progress", waits.Status, "the completed run would have stayed green")
	require.Greater(t, waits.ID, again.ID)
	s.do("check smoke success on dev")
	require.Equal(t, "success", s.runsOn(pull.HeadSHA)["waybill / dev"].Conclusion)
	require.Equal(t, waits.ID, s.runsOn(pull.HeadSHA)["waybill / dev"].ID, "one that waits is completed in its place")
}

// TestProposedPipelineFilesAreReadAgainWhenTheirCheckIsAskedForAgain: also for one who may only read.
func TestProposedPipelineFilesAreReadAgainWhenTheirCheckIsAskedForAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "grant eve read")
	n, err := s.github.OpenPull(home, githubsim.PullSpec{
		Title: "Mine", Head: "mine", Author: "ann", Files: map[string]*string{config.PipelinePath: githubsim.Text(withQA)},
	})
	require.NoError(t, err)
	s.quiet()
	pull, _ := s.github.Pull(home, n)
	require.Equal(t, "completed", s.runsOn(pull.HeadSHA)["waybill / config"].Status)
	for _, again := range []func(login string) error{
		func(login string) error { return s.github.RerequestSuite(home, pull.HeadSHA, login) },
		func(login string) error {
			return s.github.Rerequest(home, s.runsOn(pull.HeadSHA)["waybill / config"].ID, login)
		},
	} {
		before := s.runsOn(pull.HeadSHA)["waybill / config"]
		s.again("eve", again)
		after := s.runsOn(pull.HeadSHA)["waybill / config"]
		require.Greater(t, after.ID, before.ID)
		require.Equal(t, "success", after.Conclusion)
	}
}

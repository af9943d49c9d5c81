package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// ran makes a check run of the suite ci on the merge commit of promotion 1 and returns its id.
func (s *site) ran(name, status, conclusion string) int64 {
	s.t.Helper()
	id, err := s.github.CreateCheckRun(home, githubsim.CheckSpec{
		Name: name, SHA: string(s.promoted(1).MergeSHA), Suite: "ci", Branch: "main", Status: status, Conclusion: conclusion,
	})
	require.NoError(s.t, err)
	s.quiet()
	return id
}

// TestFreightThatComesDuringAVerificationWaitsF9 merges a second pull request while the first is being verified.
func TestFreightThatComesDuringAVerificationWaitsF9(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	s.ran("smoke", "in_progress", "")
	s.do("merge #2 by ann")
	require.Equal(t, []string{"p1 api#1 dev verifying", "p2 api#2 dev queued"}, s.states("dev"))
	require.Equal(t, s.source(1), s.hosts("dev.yaml"))
	require.Len(t, s.ours(), 1)
}

// TestTheNewestRunOfACheckCountsF32 has one check fail and then pass on the same commit. The later run of the suite
// counts, even if its webhook arrives first.
func TestTheNewestRunOfACheckCountsF32(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	s.github.HoldWebhooks()
	s.ran("smoke", "completed", "failure")
	s.ran("smoke", "completed", "success")
	s.github.ReleaseReversed()
	s.quiet()
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// TestACheckThatRunsAgainRevokesNothingF33 reopens a check run that has passed.
func TestACheckThatRunsAgainRevokesNothingF33(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("merge #1 by ann")
	id := s.ran("smoke", "completed", "success")
	s.do("check e2e success on prod")
	require.NoError(t, s.github.UpdateCheckRun(home, id, githubsim.CheckSpec{Status: "in_progress"}))
	s.quiet()
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#1 prod succeeded"}, s.states("dev", "prod"))
}

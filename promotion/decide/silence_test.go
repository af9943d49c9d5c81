package decide

import (
	"testing"
	"time"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

// quiet is p1, merged some time ago, without any signal. asked is the time from the merge to the request to GitHub, if
// there was one.
func quiet(since, asked time.Duration) *promotion.Snapshot {
	s := inState(promotion.Verifying)
	silent(s, since, asked)
	return s
}

// smokeRunAt is a run of the check smoke that started at this time.
func smokeRunAt(started time.Time, state string) promotion.Signal {
	g := smokeRun(1, state)
	g.Started = started
	return g
}

func TestSilenceMeansNothingBeforeGitHubWasAsked(t *testing.T) { // semantics 7.5, Q6
	for _, c := range []struct {
		name         string
		since, asked time.Duration
		runs         bool
		want         string
	}{
		{"before a signal must be there", 15*time.Minute - 1, 0, false, ""},
		{"when a signal must be there", 15 * time.Minute, 0, false, "observe p1"},
		{"GitHub was asked too early", 15 * time.Minute, 15*time.Minute - 1, false, "observe p1"},
		{"GitHub was asked in time", 15 * time.Minute, 15 * time.Minute, false, "held, tell missing"},
		{"a signal is there, the verdict not yet due", time.Hour - 1, 0, true, ""},
		{"a signal is there, and the verdict due", time.Hour, 0, true, "observe p1"},
		{"a signal is there, GitHub was asked too early", time.Hour, time.Hour - 1, true, "observe p1"},
		{"a signal is there, GitHub was asked in time", time.Hour, time.Hour, true,
			"p1 verification-failed because timed-out smoke, tell verification-failed"},
	} {
		s := quiet(c.since, c.asked)
		if c.runs {
			hear(s, smokeRunAt(noon, "in_progress"))
		}
		require.Equal(t, c.want, told(Decide(s, noon)), c.name)
	}
}

func TestWhatSilenceMeansIsInTheFile(t *testing.T) { // semantics 7.5
	for lack, want := range map[promotion.Lack]string{
		promotion.LackHolds: "held, tell missing", promotion.LackPasses: "p1 succeeded",
		promotion.LackFails: "p1 verification-failed because missing smoke, tell verification-failed",
	} {
		s := quiet(15*time.Minute, 15*time.Minute)
		s.Stage.Targets[0].Verify[0].Missing = lack
		d := Decide(s, noon)
		require.Equal(t, want, told(d), lack)
		if lack == promotion.LackPasses {
			require.Equal(t, noon, d.Deployments[0].Judged, "it counts from when silence meant something")
		}
	}
}

func TestADecisionWakesAtEachDeadline(t *testing.T) {
	s := quiet(time.Minute, 0)
	require.Equal(t, noon.Add(14*time.Minute), Decide(s, noon).Wake)
	require.Equal(t, noon.Add(14*time.Minute), Waits(s, noon)[0].Until)
	hear(s, smokeRunAt(noon, "in_progress"))
	require.Equal(t, noon.Add(59*time.Minute), Decide(s, noon).Wake)
	hear(s, smokeRunAt(noon, "stale"))
	s = apply(s, Decide(s, noon))
	require.Zero(t, Decide(s, noon).Wake, "the clocks have stopped (Q5)")
	require.Equal(t, "inconclusive smoke", Waits(s, noon)[0].Reason.String())
}

func TestAfterAnInconclusiveVerdictNoClockRuns(t *testing.T) { // Q5
	s := inState(promotion.Verifying)
	hear(s, smokeRun(1, "cancelled"))
	s = apply(s, Decide(s, noon))
	require.True(t, Decide(s, noon.Add(10*time.Hour)).Nothing())
	require.Empty(t, Decide(s, noon.Add(10*time.Hour)).Wanted)
	hear(s, smokeRun(1, "cancelled"), smokeRun(2, "failure"))
	require.Equal(t, "p1 verification-failed because failed smoke, released, tell verification-failed",
		told(Decide(s, noon)))
}

func TestGitHubIsAskedOnceForEachDeadline(t *testing.T) {
	s := quiet(2*time.Hour, 0)
	first := Decide(s, noon).Wanted
	require.Len(t, first, 1)
	require.Equal(t, first, Decide(s, noon.Add(time.Hour)).Wanted, "the same effect, however long it takes")
	s.Attempts[0].Observed = s.Promotions[0].Merged.Add(16 * time.Minute)
	hear(s, smokeRunAt(noon, "in_progress"))
	second := Decide(s, noon).Wanted
	require.Len(t, second, 1)
	require.NotEqual(t, first[0].Key(), second[0].Key())
}

func TestTheFirstMatcherThatIsSilentIsAskedFor(t *testing.T) {
	s := quiet(20*time.Minute, 0)
	s.Stage.Targets[0].Verify = append(
		[]promotion.Matcher{{Kind: promotion.KindStatus, Pattern: "ci", Appear: time.Hour, Timeout: 2 * time.Hour}},
		s.Stage.Targets[0].Verify...,
	)
	d := Decide(s, noon)
	require.Equal(t, "observe p1", told(d))
	require.Equal(t, s.Promotions[0].Merged.Add(15*time.Minute).Unix(), d.Wanted[0].Round)
	require.Equal(t, noon.Add(40*time.Minute), d.Wake)
	require.Equal(t, "waiting ci smoke", Waits(s, noon)[0].Reason.String())
}

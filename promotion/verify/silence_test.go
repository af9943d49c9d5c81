package verify_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
	"waybill/promotion/verify"
)

// TestWhatSilenceMeans judges p1 at noon. It was merged a time ago and awaits the check smoke: a signal after 15
// minutes, a verdict after an hour.
func TestWhatSilenceMeans(t *testing.T) { // semantics 7.5, 1.5
	for _, c := range []struct {
		name           string
		since, asked   time.Duration // since: since the merge; asked: from the merge to the request to GitHub
		runs, noChange bool
		verdict        promotion.Verdict
		until, due     time.Duration // after the merge; 0: never
	}{
		{name: "nothing is due", since: 15*time.Minute - 1, until: 15 * time.Minute},
		{name: "a signal is due", since: 15 * time.Minute, until: time.Hour, due: 15 * time.Minute},
		{name: "GitHub was asked too early", since: 15 * time.Minute, asked: 15*time.Minute - 1, until: time.Hour,
			due: 15 * time.Minute},
		{name: "GitHub was asked", since: 15 * time.Minute, asked: 15 * time.Minute, verdict: promotion.Undecided},
		{name: "a verdict is not due", since: time.Hour - 1, runs: true, until: time.Hour},
		{name: "a verdict is due", since: time.Hour, asked: 15 * time.Minute, runs: true, due: time.Hour},
		{name: "GitHub was asked for it", since: time.Hour, asked: time.Hour, runs: true, verdict: promotion.Bad},
		{name: "where nothing changes, a signal is due at once", since: time.Second, noChange: true, asked: -1, due: 0},
		{name: "where nothing changes, GitHub was asked", since: time.Second, noChange: true, verdict: promotion.Undecided},
	} {
		s := fixture.InState(promotion.Verifying)
		p, deployment, merged := &s.Promotions[0], &s.Deployments[0], fixture.Noon.Add(-c.since)
		p.Merged, deployment.Entered, s.Attempts[0].Observed = merged, merged, merged.Add(c.asked)
		if c.runs {
			fixture.Hear(s, fixture.SmokeRun(1, "in_progress"))
		}
		if c.noChange {
			p.Reason = promotion.Because(promotion.NoChange)
		}
		var until time.Time
		if c.until != 0 {
			until = merged.Add(c.until)
		}
		o, again := judgeOf(s).Target(deployment, &deployment.Results[0], p, fixture.Noon)
		require.Equal(t, c.verdict, o.Verdict, c.name)
		require.Equal(t, until, again, c.name)
		matchers, again := judgeOf(s).Awaits(p, fixture.Noon)
		require.Equal(t, []string{"smoke"}, matchers, c.name)
		require.Equal(t, until, again, c.name)
		due, overdue := judgeOf(s).Overdue(p, fixture.Noon)
		require.Equal(t, c.due != 0 || c.asked < 0, overdue, c.name)
		if overdue {
			require.Equal(t, merged.Add(c.due), due, c.name)
		}
	}
}

func TestSilenceMeansNothingOnceThePromotionIsOverOrItsClockHasStopped(t *testing.T) { // Q5
	s := fixture.InState(promotion.Verifying)
	p, deployment, late := &s.Promotions[0], &s.Deployments[0], fixture.Noon.Add(10*time.Hour)
	s.Attempts[0].Observed = late
	o, until := judgeOf(s).Target(deployment, &deployment.Results[0], nil, late)
	require.Equal(t, promotion.Pending, o.Verdict)
	require.Zero(t, until)
	p.Reason, s.Attempts[0].Observed = promotion.Because(promotion.Missing, "smoke"), time.Time{}
	require.True(t, verify.ClockStopped(p))
	o, until = judgeOf(s).Target(deployment, &deployment.Results[0], p, late)
	require.Equal(t, promotion.Pending, o.Verdict)
	require.Zero(t, until)
	_, overdue := judgeOf(s).Overdue(p, late)
	require.False(t, overdue)
}

func TestAStayIsWhatItsTargetsSayTogether(t *testing.T) { // semantics 5.4
	since := func(minutes int) time.Time { return fixture.Noon.Add(time.Duration(minutes) * time.Minute) }
	passed := promotion.TargetResult{Target: "a", Verdict: promotion.Passed, Judged: since(5)}
	failed := promotion.TargetResult{
		Target: "b", Verdict: promotion.Bad, Cause: promotion.Because(promotion.FailedCheck, "smoke"),
	}
	for _, c := range []struct {
		parts []promotion.TargetResult
		want  verify.Opinion
	}{
		{nil, verify.Opinion{Verdict: promotion.Passed, At: since(1)}},
		{[]promotion.TargetResult{{Verdict: promotion.Passed}}, verify.Opinion{Verdict: promotion.Passed}},
		{[]promotion.TargetResult{passed}, verify.Opinion{Verdict: promotion.Passed, At: since(5)}},
		{[]promotion.TargetResult{passed, {Target: "b"}}, verify.Opinion{}},
		{[]promotion.TargetResult{failed, passed, {Target: "c"}},
			verify.Opinion{Verdict: promotion.Bad, Reason: failed.Cause}},
	} {
		require.Equal(t, c.want, verify.Sum(&promotion.Deployment{Entered: since(1), Results: c.parts}))
	}
}

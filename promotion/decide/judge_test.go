package decide

import (
	"slices"
	"testing"
	"time"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

// retried is dev hosting api#1 with a verdict, and p2, which promotes api#1 again and has nothing to change.
func retried(v promotion.Verdict, by promotion.Actor) *promotion.Snapshot {
	s := inState(map[promotion.Verdict]promotion.State{promotion.Passed: promotion.Succeeded,
		promotion.Bad: promotion.VerificationFailed}[v])
	s.Deployments[0].JudgedBy, s.Evidence = by, nil
	if v == promotion.Bad {
		s.Deployments[0].Cause = promotion.Because(promotion.FailedCheck, "smoke")
		s.Deployments[0].Results[0].Cause = s.Deployments[0].Cause
	}
	f := s.Freight[0]
	s.Promotions = append(s.Promotions,
		promotion.Promotion{Number: 2, Stage: "dev", Freight: promotion.FreightRef{Warehouse: "api", ID: f.ID, Name: f.Name},
			Class: promotion.Manual, State: promotion.Queued})
	s.Attempts = append(s.Attempts,
		promotion.Attempt{Promotion: 2, Plan: &promotion.Plan{Round: 1, Base: "b1", At: noon, Hash: "h1"}})
	s.Next = 3
	return s
}

func TestAPromotionWithoutChangeTakesOverTheVerdict(t *testing.T) { // semantics 1.5
	for _, by := range []promotion.Actor{{}, {ID: 3, Login: "ann"}} {
		d := Decide(retried(promotion.Passed, by), noon)
		require.Contains(t, told(d), "p2 verifying because no-change, p2 succeeded")
		d = Decide(retried(promotion.Bad, by), noon)
		require.Contains(t, told(d), "p2 verifying because no-change, p2 verification-failed because failed smoke")
		require.Equal(t, promotion.Bad, d.Deployments[1].Verdict)
		require.Equal(t, promotion.Because(promotion.FailedCheck, "smoke"), d.Deployments[1].Cause)
		require.Equal(t, by, d.Deployments[1].JudgedBy)
		require.Equal(t, noon, d.Deployments[0].Left, "what was there before has left")
		require.Equal(t, promotion.SHA("m1"), d.Deployments[1].Commit,
			"later signals are those of the commit that wrote the contents")
	}
}

func TestAPromotionWithoutChangeOfContentsThatNobodyWroteIsJudgedByTheBaseHead(t *testing.T) { // semantics 1.5
	s := inState(promotion.Queued)
	s.Attempts[0].Plan = &promotion.Plan{Round: 1, Base: "b0", At: noon, Hash: "h1"}
	s = apply(s, Decide(s, noon))
	run := smokeRun(1, "success")
	run.SHA, run.Started = "b0", noon.Add(-24*time.Hour)
	hear(s, run)
	require.Equal(t, "p1 succeeded", told(Decide(s, noon)))
}

func TestAPromotionWithoutChangeHasStartedAndMergedAtOnce(t *testing.T) {
	s := inState(promotion.Queued)
	s.Attempts[0].Plan = &promotion.Plan{Round: 1, Base: "b0", At: noon, Hash: "h1"}
	p := Decide(s, noon).Promotions[0]
	require.Equal(t, []time.Time{noon, noon}, []time.Time{p.Started, p.Merged})
	require.Equal(t, promotion.SHA("b0"), p.MergeSHA)
}

func TestABadVerdictIsFromNow(t *testing.T) {
	s := inState(promotion.Verifying)
	hear(s, smokeRun(1, "failure"))
	require.Equal(t, noon, Decide(s, noon).Deployments[0].Judged)
}

func TestAPromotionWithoutChangeAndWithoutSignalIsInconclusiveOnceGitHubWasAsked(t *testing.T) { // semantics 1.5
	s := inState(promotion.Queued)
	s.Attempts[0].Plan = &promotion.Plan{Round: 1, Base: "b0", At: noon, Hash: "h1"}
	s = apply(s, Decide(s, noon))
	require.Equal(t, "observe p1", told(Decide(s, noon)))
	s.Attempts[0].Observed = noon
	d := Decide(s, noon)
	require.Equal(t, "held, tell inconclusive", told(d))
	require.Equal(t, "inconclusive smoke", d.Promotions[0].Reason.String())
}

func TestOnlyTheSameContentsBringAVerdictAlong(t *testing.T) { // semantics 1.5
	s := retried(promotion.Passed, promotion.Actor{})
	s.Attempts[1].Plan.Hash = "h2"
	require.Equal(t, "p2 verifying because no-change, observe p2", told(Decide(s, noon)))
	s.Attempts[1].Plan.Hash, s.Deployments[0].Plan = "", ""
	require.Equal(t, "p2 verifying because no-change, observe p2", told(Decide(s, noon)),
		"nobody knows what the contents are")
}

func TestARollbackThatChangesNothingHoldsTheStageAsWell(t *testing.T) { // Q11
	s := retried(promotion.Passed, promotion.Actor{})
	s.Promotions[1].Class, s.Promotions[1].Pins, s.Promotions[1].By = promotion.Rollback, true,
		promotion.Actor{ID: 3, Login: "ann"}
	d := Decide(s, noon)
	require.Equal(t, "p2 verifying because no-change, held, p2 succeeded", told(d))
	require.Equal(t, "asked ann", d.Holds[0].Reason.String())
}

func TestTheVerdictOfAPersonStandsUntilSomebodyAsksToVerify(t *testing.T) {
	s := inState(promotion.Succeeded)
	s.Deployments[0].JudgedBy = promotion.Actor{ID: 3, Login: "ann"}
	hear(s, smokeRun(2, "failure"))
	require.Equal(t, "", told(Decide(s, noon)))
	ask(promotion.Command{Verb: promotion.CmdVerify, Stage: "dev"})(s)
	d := Decide(s, noon)
	require.Equal(t, "reply done", told(d))
	require.Equal(t, promotion.Bad, d.Deployments[0].Verdict)
	require.True(t, d.Deployments[0].JudgedBy.Bot())
}

func TestAVerdictConcernsWhatIsVerifiedBeforeWhatCameLast(t *testing.T) {
	s := inState(promotion.Verifying)
	s.Deployments = append(s.Deployments,
		promotion.Deployment{Promotion: 9, Stage: "dev", Warehouse: "web", Freight: "w", Entered: noon,
			Verdict: promotion.Passed})
	ask(promotion.Command{Verb: promotion.CmdVerdict, Stage: "dev", Pass: true, Text: "seen"})(s)
	require.Equal(t, "p1 succeeded because decided ann, reply done", told(Decide(s, noon)))
}

func TestAFailedVerificationOfWhatIsHostedCountsDownstreamOnly(t *testing.T) { // A14
	s := inState(promotion.Succeeded)
	hear(s, smokeRun(1, "success"), smokeRun(2, "failure"))
	d := Decide(s, noon)
	require.Equal(t, "", told(d))
	require.Equal(t, promotion.Bad, d.Deployments[0].Verdict)
	require.True(t, d.Ripples)
}

func TestAPendingVerificationRevokesNothing(t *testing.T) {
	for _, state := range []string{"in_progress", "cancelled", "skipped"} {
		s := inState(promotion.Succeeded)
		hear(s, smokeRun(1, "success"), smokeRun(2, state))
		require.True(t, Decide(s, noon).Nothing(), state)
	}
}

func TestAVerdictIsNeverFromTheFuture(t *testing.T) {
	s := inState(promotion.Verifying)
	run := smokeRun(1, "success")
	run.Ended = noon.Add(time.Hour) // GitHub's clock is ahead
	hear(s, run)
	require.Equal(t, noon, Decide(s, noon).Deployments[0].Judged)
}

func TestAPromotionWhoseStayIsGoneIsAnsweredAllTheSame(t *testing.T) {
	s := inState(promotion.Verifying)
	s.Deployments = nil
	require.NotPanics(t, func() { Decide(s, noon.Add(2*time.Hour)) })
	ask(promotion.Command{Verb: promotion.CmdVerdict, Stage: "dev", Pass: true, Text: "seen"})(s)
	require.Equal(t, "reply refused", told(Decide(s, noon)))
}

func TestWhatWaitsBehindAFailedVerification(t *testing.T) { // Q4
	for mode, want := range map[promotion.FailureMode]string{
		promotion.OnFailureCancel: "p1 verification-failed because failed smoke, p2 cancelled because before-failed 1 " +
			"smoke, held, tell verification-failed",
		promotion.OnFailureHold:     "p1 verification-failed because failed smoke, held, tell verification-failed",
		promotion.OnFailureContinue: "p1 verification-failed because failed smoke, tell verification-failed, plan p3",
		"": "p1 verification-failed because failed smoke, p2 cancelled because before-failed 1 " +
			"smoke, held, tell verification-failed",
	} {
		s := inState(promotion.Verifying)
		waiting(s, 2, promotion.Automatic)
		waiting(s, 3, promotion.Manual)
		s.Stage.OnFailedVerification = mode
		run := smokeRun(1, "failure")
		run.URL = "https://x"
		hear(s, run)
		d := Decide(s, noon)
		require.Equal(t, want, told(d), mode)
		if mode == promotion.OnFailureCancel {
			require.Equal(t, "https://x", d.Promotions[1].Reason.URL)
			s.Promotions = s.Promotions[:2]
			require.Equal(t,
				"p1 verification-failed because failed smoke, p2 cancelled because before-failed 1 smoke, tell verification-failed",
				told(Decide(s, noon)), "nobody is kept, so nothing is held")
		}
	}
}

// TestWhatComesBehindIsDatedBehind has GitHub's clock be ahead, or behind ours: a promotion that finds nothing to
// change is dated by ours, and takes back what came before it, merged by GitHub's.
func TestWhatComesBehindIsDatedBehind(t *testing.T) { // semantics 2.11, 7.11
	s := retried(promotion.Passed, promotion.Actor{})
	for _, ahead := range []time.Duration{-time.Minute, 0, time.Minute} {
		came := noon.Add(ahead)
		s.Promotions[0].Merged, s.Deployments[0].Entered = came, came
		s.Promotions[1].Number, s.Attempts[1].Promotion = 0, 0 // asked for before, and behind it in the queue
		d := Decide(s, noon)
		at := d.Promotions[0].Merged
		require.True(t, at.After(came), ahead)
		require.False(t, at.Before(noon), ahead)
		require.Equal(t, []time.Time{at, at}, []time.Time{d.Deployments[1].Entered, d.Deployments[0].Left}, ahead)
	}
}

// TestFreightThatCameAnewIsVerifiedByRunsSinceItsFilesWereRead dates that by GitHub's clock, whatever ours says.
func TestFreightThatCameAnewIsVerifiedByRunsSinceItsFilesWereRead(t *testing.T) { // semantics 2.11, 7.11
	for _, ahead := range []time.Duration{-time.Minute, time.Minute} {
		s := retried(promotion.Passed, promotion.Actor{})
		older := s.Freight[0]
		older.ID, older.Name, older.Number, older.Merged = "old", "api#0", 0, older.Merged.Add(-time.Hour)
		s.Freight = append([]promotion.Freight{older}, s.Freight...)
		s.Promotions = slices.Insert(s.Promotions, 1, promotion.Promotion{
			Number: 9, Stage: "dev", Freight: older.Ref(), Class: promotion.Rollback, State: promotion.Succeeded,
			Merged: noon.Add(-time.Minute),
		})
		s.Deployments[0].Left = noon.Add(-time.Minute)
		s.Attempts[1].Plan.Read = noon.Add(ahead)
		d := Decide(s, noon)
		require.Equal(t, noon.Add(ahead), d.Deployments[len(d.Deployments)-1].Since)
	}
}

// TestAVerdictAfterAnUnclearOneIsNotTheFirst though our clock is behind GitHub's, by which the promotion was merged.
func TestAVerdictAfterAnUnclearOneIsNotTheFirst(t *testing.T) { // Q5, 7.11
	s := inState(promotion.Verifying)
	s.Promotions[0].Merged = noon.Add(time.Minute) // by GitHub's clock
	hear(s, smokeRun(1, "cancelled"))
	s = apply(s, Decide(s, noon))
	hear(s, smokeRun(1, "cancelled"), smokeRun(2, "in_progress"))
	s = apply(s, Decide(s, noon))
	require.True(t, s.Promotions[0].Reason.IsZero(), "nothing is unclear any more")
	require.True(t, wasUnclear(&s.Promotions[0]))
	require.False(t, firstVerdict(&s.Promotions[0]))
}

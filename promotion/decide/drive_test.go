package decide

import (
	"slices"
	"strings"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/say"

	"github.com/stretchr/testify/require"
)

func TestAPausedRolloutMergesNothingAndBeginsNothing(t *testing.T) { // semantics 5.11
	r := newRide(t, clusters(t, [2]int{2, 1}))
	require.Equal(t, promotion.Refused, r.say("/pause dev").Outcome, "nothing is rolled out")
	r.results["t1"] = "none"
	r.on()
	require.Equal(t, promotion.Done, r.say("/pause dev").Outcome)
	require.Equal(t, promotion.Already, r.say("/pause dev").Outcome)
	delete(r.results, "t1")
	r.check("m1-1", "t1")
	r.on()
	require.Equal(t, "1/2 verified, 1 to come", r.summary())
	require.Equal(t, promotion.Because(promotion.Paused, "ann"), Waits(r.s, r.now)[0].Reason)
	require.Equal(t, promotion.Done, r.say("/resume dev").Outcome)
	require.Equal(t, promotion.Already, r.say("/resume dev").Outcome)
	r.on()
	require.Equal(t, "2/2 verified", r.summary())
}

func TestAPauseKeepsAnOpenPullRequestFromBeingMerged(t *testing.T) { // semantics 5.11
	r := newRide(t, clusters(t, [2]int{2, 1}))
	r.s.Stage.Policy.Approvals = 1
	r.on()
	r.say("/pause dev")
	r.signOff("bob")
	r.on()
	require.Equal(t, promotion.WaitingForMerge, r.promotion().State)
	require.Equal(t, promotion.Because(promotion.Paused, "ann"), Waits(r.s, r.now)[0].Reason)
	r.say("/resume dev")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
}

func TestATargetIsSkippedBeforeItIsUpdated(t *testing.T) { // semantics 5.11
	r := newRide(t, clusters(t, [2]int{4, 2}))
	r.s.Stage.Merge.By = promotion.MergeManual
	require.Equal(t, promotion.Refused, r.say("/skip dev/t1").Outcome, "nothing is rolled out")
	r.on()
	require.Equal(t, promotion.Done, r.say("/skip dev/t1").Outcome)
	require.Contains(t, strings.Join(r.told, "\n"), "p1 running because rolling b1 t2 t3, close p1")
	require.Equal(t, promotion.Already, r.say("/skip dev/t1").Outcome)
	require.Equal(t, promotion.Done, r.say("/skip dev/t4").Outcome)
	r.s.Stage.Merge.By = promotion.MergeAuto
	r.results["t3"] = "none"
	r.on()
	for _, line := range []string{"/skip dev/t2", "/skip dev/t3", "/skip dev/t9", "/skip dev", "/skip dev/",
		"/cancel dev/t1"} {
		require.Equal(t, promotion.Refused, r.say(line).Outcome, line)
	}
	r.check("m1-2", "t3")
	r.signals[len(r.signals)-1].State = "success"
	delete(r.results, "t3")
	r.check("m1-2", "t3")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "2/4 verified, 2 skipped", r.summary())
	require.Equal(t, promotion.Passed, r.s.Deployments[0].Verdict, "every target that took part is verified")
}

func TestARolloutOfWhichEverythingIsSkippedIsCancelled(t *testing.T) { // semantics 5.11
	r := newRide(t, clusters(t, [2]int{2, 1}))
	r.s.Stage.Merge.By = promotion.MergeManual
	r.on()
	r.say("/skip dev/t1")
	r.say("/skip dev/t2")
	r.on()
	require.Equal(t, promotion.Cancelled, r.promotion().State)
	require.Equal(t, promotion.Because(promotion.Skipped, "t1", "t2"), r.promotion().Reason)
	require.Empty(t, r.s.Deployments)
}

func TestARolloutPassesOverATargetThatIsHeld(t *testing.T) { // semantics 5.2
	r := newRide(t, clusters(t, [2]int{3, 1}))
	require.Equal(t, promotion.Done, r.say("/hold dev/t2 disks are full").Outcome)
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "2/3 verified, 1 waiting", r.summary())
	require.Equal(t, promotion.Already, r.say("/unhold dev/t1").Outcome)
	require.Nil(t, gate.KeeperOf(r.s, r.now).Hold("dev", "api"), "the stage is not held")
	require.Equal(t, promotion.Done, r.say("/unhold dev/t2").Outcome)
}

func TestATargetThatIsHeldWhileItIsUpdatedLeavesTheStep(t *testing.T) { // semantics 4.1, 5.2
	r := newRide(t, clusters(t, [2]int{2, 2}))
	r.s.Stage.Merge.By = promotion.MergeManual
	r.on()
	r.say("/hold dev/t1")
	require.Contains(t, strings.Join(r.told, "\n"), "p1 running because rolling b1 t2, close p1")
	r.s.Stage.Merge.By = promotion.MergeAuto
	r.on()
	require.Equal(t, "1/2 verified, 1 waiting", r.summary())
}

func TestAHoldOfATargetThatDoesNotExistHoldsTheStage(t *testing.T) { // semantics 4.1: stopping is lenient
	r := newRide(t, clusters(t, [2]int{2, 1}))
	require.Equal(t, promotion.Done, r.say("/hold dev/t9 please").Outcome)
	require.Equal(t, "t9 please", r.s.Holds[0].Text)
	require.Empty(t, r.s.Holds[0].Target)
	require.Equal(t, promotion.Refused, r.say("/unhold dev/t9").Outcome)
}

func TestATargetCatchesUpWhenItIsReady(t *testing.T) { // semantics 5.2
	r := newRide(t, clusters(t, [2]int{3, 1}))
	r.absent = []promotion.TargetName{"t2"}
	r.on()
	require.Equal(t, "2/3 verified, 1 waiting", r.summary())
	r.read("t1", "t3")
	r.on()
	require.Len(t, r.s.Promotions, 1, "its file is not there yet")
	r.absent = nil
	r.read("t1", "t2", "t3")
	r.on()
	require.Equal(t, promotion.Promotion{Cause: 1, Only: []promotion.TargetName{"t2"}, Class: promotion.Automatic},
		promotion.Promotion{Cause: r.promotion().Cause, Only: r.promotion().Only, Class: r.promotion().Class})
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "3/3 verified", r.summary())
	require.Equal(t, 1, r.promotion().Rollout.Step, "the others stand")
}

func TestTargetsThatCatchUpOneAfterTheOtherLeaveTheStageVerified(t *testing.T) { // semantics 5.2, 5.8
	r := newRide(t, clusters(t, [2]int{4, 1}))
	r.absent = []promotion.TargetName{"t2", "t3"}
	r.results["t1"] = "none"
	r.on()
	r.say("/skip dev/t4")
	delete(r.results, "t1")
	r.check("m1-1", "t1")
	r.on()
	for i, summary := range []string{"2/4 verified, 1 waiting, 1 skipped", "3/4 verified, 1 skipped"} {
		r.absent = r.absent[1:]
		r.read([]promotion.TargetName{"t1", "t4", "t2", "t3"}[:i+3]...)
		r.on()
		require.Len(t, r.s.Promotions, i+2)
		require.Equal(t, summary, r.summary())
		require.Equal(t, promotion.Passed, r.s.Deployments[i+1].Verdict)
	}
}

func TestATargetThatIsNewJoinsWhatTheStageHosts(t *testing.T) { // semantics 5.1
	r := newRide(t, clusters(t, [2]int{1, 1}))
	r.on()
	r.s.Stage = clusters(t, [2]int{2, 1}).Stages[0]
	r.s.Pipeline.Stages[0] = r.s.Stage
	r.read("t1", "t2")
	r.results["t2"] = "failure"
	r.on()
	require.Equal(t, "1/2 verified, 1 failed", r.summary())
	require.Len(t, r.s.Promotions, 2, "it is attempted once")
	require.Equal(t, promotion.Bad, r.s.Deployments[1].Verdict)
	require.True(t, r.s.Deployments[0].Ended())
}

func TestWhatIsHeldSkippedOrDeclinedDoesNotCatchUp(t *testing.T) { // semantics 5.2
	r := newRide(t, clusters(t, [2]int{3, 1}))
	r.absent = []promotion.TargetName{"t2"}
	r.results["t1"] = "none"
	r.on()
	r.say("/skip dev/t3")
	delete(r.results, "t1")
	r.check("m1-1", "t1")
	r.on()
	require.Equal(t, "1/3 verified, 1 waiting, 1 skipped", r.summary())
	r.absent = nil
	r.say("/hold dev/t2")
	r.read("t1", "t2", "t3")
	r.on()
	require.Len(t, r.s.Promotions, 1)
	r.s.Stage.Merge.By = promotion.MergeManual
	r.say("/unhold dev/t2")
	r.on()
	require.Equal(t, []promotion.TargetName{"t2"}, r.promotion().Only)
	r.s.Pulls[len(r.s.Pulls)-1].State = promotion.PullClosed
	r.on()
	require.Equal(t, promotion.Declined, r.promotion().State)
	require.Len(t, r.s.Promotions, 2, "it does not come back by itself")
}

func TestWithinItsStageOneTargetMayBePromoted(t *testing.T) { // semantics 5.10
	p := clusters(t, [2]int{3, 1})
	p.Stages[0].Strategy.External = true
	r := newRide(t, p)
	r.on()
	require.Empty(t, r.s.Promotions, "nothing starts by itself")
	require.Equal(t, promotion.Refused, r.say("/promote dev").Outcome)
	require.Equal(t, promotion.Done, r.say("/promote dev/t2").Outcome)
	require.Equal(t, promotion.Already, r.say("/promote dev/t2").Outcome)
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "1/3 verified, 2 to come", r.summary())
	require.Equal(t, promotion.Pending, r.s.Deployments[0].Verdict, "the stage has not verified it")
	require.Empty(t, say.Label(Why(r.s, r.promotion().Freight.ID, r.now)))
	require.Equal(t, promotion.Already, r.say("/promote dev/t2").Outcome)
	r.read("t1", "t2", "t3")
	r.on()
	require.Len(t, r.s.Promotions, 1, "nothing catches up by itself")
	r.say("/promote dev/t1")
	require.Equal(t, promotion.Done, r.say("/promote dev/t3").Outcome, "it joins what is on its way")
	r.on()
	require.Len(t, r.s.Promotions, 2)
	require.Equal(t, "3/3 verified", r.summary())
	require.Equal(t, promotion.Passed, r.s.Deployments[1].Verdict)
	require.Equal(t, "ok", say.Label(Why(r.s, r.promotion().Freight.ID, r.now)))
}

func TestWhenTooManyHaveFailedNoOtherTargetIsMoved(t *testing.T) { // semantics 5.10
	p := clusters(t, [2]int{3, 1})
	p.Stages[0].Strategy.External = true
	r := newRide(t, p)
	r.results["t1"] = "failure"
	r.say("/promote dev/t1")
	r.on()
	require.Equal(t, promotion.VerificationFailed, r.promotion().State)
	answer := r.say("/promote dev/t2")
	require.Equal(t, promotion.Refused, answer.Outcome)
	require.Equal(t, promotion.FailedCheck, answer.Reason.Code)
	delete(r.results, "t1")
	r.s.Holds = nil
	require.Equal(t, promotion.Done, r.say("/retry dev").Outcome)
	require.Equal(t, []promotion.TargetName{"t1"}, r.promotion().Only)
}

func TestWhoAsksForTheWholeStageWidensWhatGoesToOneTarget(t *testing.T) { // semantics 5.10
	r := newRide(t, clusters(t, [2]int{3, 1}))
	r.s.Stage.Policy.Automatic = false
	r.say("/promote dev/t2")
	require.Equal(t, promotion.Done, r.say("/promote dev").Outcome)
	r.on()
	require.Len(t, r.s.Promotions, 1)
	require.Equal(t, "3/3 verified", r.summary())
}

func TestTooManyFailuresAreRolledBack(t *testing.T) { // semantics 5.5
	r := newRide(t, clusters(t, [2]int{4, 2}))
	r.s.Stage.Strategy.Beyond = promotion.BeyondRollsBack
	r.on()
	r.s.Freight = append(r.s.Freight, freightNo(r.s.Pipeline, 2))
	r.results["t2"] = "failure"
	for r.promotion().Class != promotion.Rollback {
		r.step()
	}
	require.Equal(t, promotion.VerificationFailed, r.s.Promotion(2).State)
	back := r.promotion()
	require.Equal(t, []promotion.TargetName{"t1", "t2"}, back.Only, "what has been updated")
	require.Equal(t, promotion.Number(2), back.Cause)
	delete(r.results, "t2")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "4/4 verified", r.summary(), "the others have never left it")
	require.Len(t, r.s.Holds, 1, "automation does not undo it")
	require.Equal(t, promotion.FailedCheck, r.s.Holds[0].Reason.Code)
}

func TestARollbackGoesOnlyWhereSomethingElseIs(t *testing.T) { // semantics 5.3
	r := newRide(t, clusters(t, [2]int{3, 1}))
	r.on()
	r.s.Freight = append(r.s.Freight, freightNo(r.s.Pipeline, 2))
	r.results["t2"] = "none"
	for len(r.s.Deployments) < 2 || len(r.s.Deployments[1].Results) < 2 {
		r.step()
	}
	require.Equal(t, "1/3 verified, 1 updating, 1 to come", r.summary())
	delete(r.results, "t2")
	require.Equal(t, promotion.Done, r.say("/rollback dev").Outcome)
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, 2, r.promotion().Rollout.Step, "t3 has never been updated")
	require.Equal(t, "3/3 verified", r.summary())
}

func TestWhatSomebodyHasChangedIsBroughtAgain(t *testing.T) { // semantics 6.4, 5.5
	r := newRide(t, clusters(t, [2]int{2, 1}))
	r.on()
	r.s.Deployments[0].Drift = promotion.Drift{
		Says: []promotion.Value{{Path: "t2.yaml", Key: "tag", Text: "9"}}, Told: true,
	}
	require.Equal(t, promotion.Done, r.say("/promote dev").Outcome)
	r.on()
	require.Equal(t, 1, r.promotion().Rollout.Step)
	require.Equal(t, []promotion.TargetName{"t2"}, r.promotion().Rollout.Targets)
	require.Equal(t, "2/2 verified", r.summary())
}

func TestAPromotionForWhichNothingIsLeftEndsAtOnce(t *testing.T) { // semantics 1.5
	r := newRide(t, clusters(t, [2]int{2, 1}))
	r.results["t2"] = "failure"
	r.on()
	r.s.Holds = nil
	r.s.Stage.Targets = r.s.Stage.Targets[:1]
	r.s.Stage.Strategy.Batches[0].Targets = slices.Clone(r.s.Stage.Strategy.Batches[0].Targets[:1])
	require.Equal(t, promotion.Done, r.say("/retry dev").Outcome)
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "1/1 verified", r.summary())
	require.Equal(t, promotion.Passed, r.s.Deployments[1].Verdict)
}

// read records a reading of the stage's files that covers only some targets. Each has the text that was written there
// last, or "none".
func (r *ride) read(targets ...promotion.TargetName) {
	reading := promotion.Reading{On: r.s.Pipeline.FilesOf(r.s.Stage), Commit: "head"}
	for _, t := range targets {
		text := "none"
		for _, deployment := range r.s.Deployments {
			for _, v := range deployment.Wrote {
				if v.Path == string(t)+".yaml" {
					text = v.Text
				}
			}
		}
		reading.Values = append(reading.Values, promotion.Value{Path: string(t) + ".yaml", Key: "tag", Text: text})
	}
	r.s.Readings = []promotion.Reading{reading}
}

// step decides once and carries out the effects that are wanted.
func (r *ride) step() {
	r.now = r.now.Add(time.Second)
	d := r.decide()
	r.apply(d)
	for _, e := range d.Wanted {
		r.carryOut(e)
	}
}

func TestFilesThatNobodyKnowsAreLookedAtOnceForTheSameTargets(t *testing.T) { // semantics 5.2
	r := newRide(t, clusters(t, [2]int{3, 1}))
	r.absent = []promotion.TargetName{"t2", "t3"}
	r.on()
	look := Decide(r.s, r.now).Wanted
	require.Len(t, look, 1)
	require.Equal(t, promotion.Look, look[0].Verb)
	r.read("t1")
	require.Equal(t, look, Decide(r.s, r.now).Wanted, "the same question, which is asked once")
	r.say("/hold dev/t2")
	require.NotEqual(t, look[0].Key(), Decide(r.s, r.now).Wanted[0].Key(), "another one")
	r.say("/hold dev/t3")
	require.Empty(t, Decide(r.s, r.now).Wanted, "nobody waits for it")
}

func TestWhatWasCancelledBeforeItsVerdictIsNoVerdictOnOtherTargets(t *testing.T) { // semantics 5.10
	p := clusters(t, [2]int{2, 1})
	p.Stages[0].Strategy.External = true
	r := newRide(t, p)
	r.results["t1"] = "none"
	r.say("/promote dev/t1")
	r.on()
	require.Equal(t, promotion.Verifying, r.promotion().State)
	require.Equal(t, promotion.Done, r.say("/cancel dev").Outcome)
	require.Equal(t, promotion.Done, r.say("/promote dev/t2").Outcome)
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "1/2 verified, 1 to come", r.summary())
	require.Equal(t, promotion.Done, r.say("/promote dev/t1").Outcome)
	r.same = true
	delete(r.results, "t1")
	r.check("m1-1", "t1")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "2/2 verified", r.summary())
	require.Equal(t, promotion.Passed, r.s.Deployments[2].Verdict)
}

func TestATargetThatLeavesTheOnlyStepOfARetryIsNotVerified(t *testing.T) { // semantics 5.2
	for _, line := range []string{"/skip dev/t2", "/hold dev/t2"} {
		r := newRide(t, clusters(t, [2]int{2, 1}))
		r.results["t2"] = "failure"
		r.on()
		r.s.Holds = nil
		delete(r.results, "t2")
		r.s.Stage.Merge.By = promotion.MergeManual
		require.Equal(t, promotion.Done, r.say("/retry dev").Outcome)
		r.on()
		require.Equal(t, promotion.WaitingForMerge, r.promotion().State)
		r.say(line)
		r.on()
		require.Equal(t, promotion.Succeeded, r.promotion().State, line)
		require.Len(t, r.s.Deployments[1].Results, 1, "nothing was brought to t2")
	}
}

func TestAStepThatIsLeftDuringAHoldUpdatesNothing(t *testing.T) { // semantics 4.1, 5.8
	r := newRide(t, clusters(t, [2]int{1, 1}, [2]int{3, 3}))
	r.s.Stage.Strategy.Batches[1].Approvals = 1
	r.on()
	require.Equal(t, "1/4 verified, 3 updating", r.summary())
	r.say("/hold dev")
	r.say("/hold dev/t2")
	r.on()
	require.Equal(t, "1/4 verified, 3 to come", r.summary())
	require.Equal(t, promotion.Done, r.say("/skip dev/t3").Outcome)
	r.say("/unhold dev")
	r.on()
	r.signOff("bob")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "2/4 verified, 1 waiting, 1 skipped", r.summary())
}

func TestARolloutIsCancelledWhereItIsMeantThoughSomethingWaits(t *testing.T) { // semantics 5.11
	r := newRide(t, clusters(t, [2]int{2, 1}))
	r.results["t1"] = "none"
	r.on()
	r.s.Freight = append(r.s.Freight, freightNo(r.s.Pipeline, 2))
	r.on()
	require.Len(t, r.s.Promotions, 2)
	f := r.s.Freight[0]
	r.s.Requests = []promotion.Request{{ID: 1, By: promotion.Actor{ID: 1, Login: "ann"}, Permission: promotion.Write,
		Pull: f.Pull, PullRepo: f.Repo,
		Command: promotion.Command{Verb: promotion.CmdCancel, Stage: "dev"}}}
	r.apply(r.decide())
	r.s.Requests = nil
	require.Equal(t, promotion.Cancelled, r.s.Promotion(1).State)
	require.NotEqual(t, promotion.Cancelled, r.s.Promotion(2).State)
}

func TestARetryTakesUpATargetThatDidNotCatchUp(t *testing.T) { // semantics 5.2, 5.5
	r := newRide(t, clusters(t, [2]int{2, 1}))
	r.say("/hold dev/t2")
	r.on()
	r.s.Stage.Merge.By = promotion.MergeManual
	r.read("t1", "t2")
	r.say("/unhold dev/t2")
	r.on()
	r.s.Pulls[len(r.s.Pulls)-1].State = promotion.PullClosed
	r.on()
	require.Equal(t, promotion.Declined, r.promotion().State)
	r.s.Stage.Merge.By = promotion.MergeAuto
	require.Equal(t, promotion.Done, r.say("/retry dev").Outcome)
	r.on()
	require.Equal(t, "2/2 verified", r.summary())
	require.Equal(t, promotion.Already, r.say("/retry dev").Outcome)
}

func TestEachTargetCatchesUpOnce(t *testing.T) { // semantics 5.2
	r := newRide(t, clusters(t, [2]int{3, 1}))
	r.say("/hold dev/t2")
	r.say("/hold dev/t3")
	r.on()
	r.s.Stage.Merge.By = promotion.MergeManual
	r.read("t1", "t2", "t3")
	r.say("/unhold dev/t2")
	r.on()
	r.s.Pulls[len(r.s.Pulls)-1].State = promotion.PullClosed
	r.on()
	require.Equal(t, promotion.Declined, r.promotion().State)
	require.Len(t, r.s.Promotions, 2)
	r.s.Stage.Merge.By = promotion.MergeAuto
	r.say("/unhold dev/t3")
	r.on()
	require.Len(t, r.s.Promotions, 3, "what became of t2 is nothing to t3")
	require.Equal(t, []promotion.TargetName{"t3"}, r.promotion().Only)
	require.Equal(t, "2/3 verified, 1 waiting", r.summary())
}

func TestATargetThatIsPromotedAgainMeanwhileIsUpdated(t *testing.T) { // semantics 5.10
	p := clusters(t, [2]int{3, 3})
	p.Stages[0].Strategy.External, p.Stages[0].Strategy.MaxFailures = true, 1
	r := newRide(t, p)
	r.results = map[string]string{"t1": "failure", "t2": "none"}
	r.say("/promote dev/t1")
	r.on()
	r.s.Holds = nil
	require.Equal(t, promotion.Done, r.say("/promote dev/t2").Outcome)
	r.on()
	require.Equal(t, promotion.Verifying, r.promotion().State)
	r.results["t1"] = "none"
	require.Equal(t, promotion.Done, r.say("/promote dev/t1").Outcome)
	r.passes("m2-1", "t2")
	r.on()
	require.Equal(t, "1/3 verified, 1 updating, 1 to come", r.summary())
}

func TestAPersonsVerdictOnTargetsStands(t *testing.T) { // semantics 5.11
	for _, verdict := range []string{"pass", "fail"} {
		for _, later := range []string{"success", "failure"} {
			r := newRide(t, clusters(t, [2]int{1, 1}))
			r.s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdVerdict: {{}}}
			r.results["t1"] = "none"
			r.on()
			require.Equal(t, promotion.Done, r.say("/verdict dev "+verdict+` --because "I have looked"`).Outcome)
			was := r.s.Deployments[0].Verdict
			r.results["t1"] = later
			r.check("m1-1", "t1")
			r.on()
			require.Equal(t, was, r.s.Deployments[0].Verdict, "%s, then %s", verdict, later)
			r.s.Deployments[0].JudgedBy = promotion.Actor{}
			r.on()
			require.Equal(t, was, r.s.Deployments[0].Verdict, "%s, then %s", verdict, later)
			r.s.Requests = []promotion.Request{{ID: 1, By: promotion.Actor{ID: 1, Login: "ann"},
				Permission: promotion.Write, Observed: r.now,
				Command: promotion.Command{Verb: promotion.CmdVerify, Stage: "dev"}}}
			r.apply(r.decide())
			r.s.Requests = nil
			r.on()
			require.Equal(t, later == "success", r.s.Deployments[0].Verdict == promotion.Passed,
				"%s, then %s: who wants signals to judge says so", verdict, later)
		}
	}
}

func TestAPersonsVerdictOnWhatHasFailedIsOneOnItsTargets(t *testing.T) { // semantics 5.11, 5.2
	r := newRide(t, clusters(t, [2]int{3, 1}))
	r.s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdVerdict: {{}}}
	r.results["t1"] = "failure"
	r.on()
	require.Equal(t, promotion.VerificationFailed, r.promotion().State)
	r.read("t1", "t2", "t3")
	require.Equal(t, promotion.Done, r.say(`/verdict dev pass --because "flaky"`).Outcome)
	r.say("/unhold dev")
	r.on()
	require.Equal(t, "1/3 verified, 2 to come", r.summary())
	require.Equal(t, promotion.Pending, r.s.Deployments[0].Verdict, "what has come to some targets only verifies no stage")
	require.Equal(t, promotion.Done, r.say("/retry dev").Outcome)
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "3/3 verified", r.summary())
}

func TestAPersonsVerdictDuringARolloutIsNoneOnTheStage(t *testing.T) { // semantics 5.8
	r := newRide(t, clusters(t, [2]int{2, 1}))
	r.s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdVerdict: {{}}}
	r.on()
	r.s.Freight = append(r.s.Freight, freightNo(r.s.Pipeline, 2))
	r.step()
	r.s.Stage.Merge.By = promotion.MergeManual
	for r.promotion().Rollout == nil || len(r.s.Deployments) < 2 || r.promotion().State != promotion.WaitingForMerge {
		if p := r.promotion(); p.State == promotion.WaitingForMerge && len(r.s.Deployments) < 2 {
			r.carryOut(promotion.Effect{Verb: promotion.Merge, Promotion: p.Number, Step: 1})
		}
		r.step()
	}
	require.Equal(t, "1/2 verified, 1 updating", r.summary())
	r.say(`/verdict dev pass --because "seen"`)
	require.Equal(t, promotion.Pending, r.s.Deployments[1].Verdict)
	require.True(t, r.s.Deployments[1].JudgedBy.Bot())
}

func TestARollbackThatIsLeftHalfwayHoldsTheStage(t *testing.T) { // Q11
	r := newRide(t, clusters(t, [2]int{2, 1}))
	r.on()
	r.s.Freight = append(r.s.Freight, freightNo(r.s.Pipeline, 2))
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, promotion.Done, r.say("/rollback dev").Outcome)
	for r.s.DeploymentOf(3) < 0 {
		r.step()
	}
	r.s.Stage.Merge.By = promotion.MergeManual
	r.on()
	require.Equal(t, promotion.WaitingForMerge, r.promotion().State)
	r.s.Pulls[len(r.s.Pulls)-1].State = promotion.PullClosed
	r.on()
	require.Equal(t, promotion.Declined, r.promotion().State)
	require.Len(t, r.s.Holds, 1)
}

func TestATargetThatIsMendedWhileARetryUpdatesItIsThereOnce(t *testing.T) { // semantics 5.8
	r := newRide(t, clusters(t, [2]int{2, 1}))
	r.results["t2"] = "failure"
	r.on()
	r.s.Holds = nil
	r.s.Stage.Merge.By = promotion.MergeManual
	r.say("/retry dev")
	r.on()
	require.Equal(t, promotion.WaitingForMerge, r.promotion().State)
	r.passes("m1-2", "t2")
	r.signals[len(r.signals)-2].State = "success"
	r.on()
	require.Equal(t, promotion.Passed, r.s.Deployments[0].Verdict)
	r.carryOut(promotion.Effect{Verb: promotion.Merge, Promotion: 2, Step: 1})
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Len(t, r.s.Deployments[1].Results, 2)
}

func TestFurtherTargetsAreSignedOffAnew(t *testing.T) { // semantics 4.5
	p := clusters(t, [2]int{3, 1})
	p.Stages[0].Policy = promotion.StagePolicy{Approvals: 1}
	r := newRide(t, p)
	r.results["t1"] = "none"
	require.Equal(t, promotion.Done, r.say("/promote dev/t1 api#1").Outcome)
	r.on()
	r.signOff("bob")
	r.on()
	require.Equal(t, promotion.Verifying, r.promotion().State)
	require.Equal(t, promotion.Done, r.say("/promote dev api#1").Outcome)
	r.passes("m1-1", "t1")
	r.on()
	require.Equal(t, []promotion.TargetName{"t2"}, r.promotion().Rollout.Targets)
	require.Equal(t, "unapproved 1", Waits(r.s, r.now)[0].Reason.String())
	r.signOff("bob")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State, "those who signed off t2 knew that t3 follows")
	require.Equal(t, "3/3 verified", r.summary())
}

package decide

import (
	"strings"
	"testing"
	"time"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

func TestEachTargetHasItsOwnPullRequestAndAsManyAreVerifiedAtATimeAsMayBe(t *testing.T) { // semantics 5.3
	p := clusters(t, [2]int{4, 2}, [2]int{1, 1})
	p.Stages[0].Strategy.PerTarget = true
	r := newRide(t, p)
	r.results = map[string]string{"t1": "none", "t2": "none", "t3": "none", "t4": "none"}
	r.on()
	require.Equal(t, "0/5 verified, 2 updating, 3 to come", r.summary())
	require.Equal(t, 2, r.promotion().Rollout.Step)
	require.Equal(t, promotion.Because(promotion.Waiting, "smoke t1", "smoke t2"), Waits(r.s, r.now)[0].Reason)
	r.passes("m1-2", "t2")
	r.on()
	require.Equal(t, "1/5 verified, 2 updating, 2 to come", r.summary(), "the place of t2 is for t3")
	require.Equal(t, []promotion.TargetName{"t3"}, r.promotion().Rollout.Targets)
	r.passes("m1-1", "t1")
	r.passes("m1-3", "t3")
	r.on()
	require.Equal(t, "3/5 verified, 1 updating, 1 to come", r.summary(), "the next batch waits for t4")
	r.passes("m1-4", "t4")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "5/5 verified", r.summary())
	require.Equal(t, 2, r.most)
}

func TestWhenATargetFailsThePullRequestOfTheNextIsClosed(t *testing.T) { // semantics 5.5
	p := clusters(t, [2]int{4, 2})
	p.Stages[0].Strategy.PerTarget, p.Stages[0].Merge.By = true, promotion.MergeManual
	r := newRide(t, p)
	r.results["t1"] = "none"
	r.on()
	r.carryOut(promotion.Effect{Verb: promotion.Merge, Promotion: 1, Step: 1})
	r.on()
	require.Equal(t, promotion.WaitingForMerge, r.promotion().State)
	require.Equal(t, "0/4 verified, 2 updating, 2 to come", r.summary())
	r.results["t1"] = "failure"
	r.check("m1-1", "t1")
	r.on()
	require.Equal(t, promotion.VerificationFailed, r.promotion().State)
	require.Equal(t, "0/4 verified, 1 failed, 3 to come", r.summary())
	require.Contains(t, r.told[len(r.told)-1], "close p1")
	require.Len(t, r.s.Holds, 1)
}

func TestEachTargetHasTheDeadlinesOfItsOwnMerge(t *testing.T) { // semantics 7.5
	p := clusters(t, [2]int{2, 2})
	p.Stages[0].Strategy.PerTarget, p.Stages[0].Merge.By = true, promotion.MergeManual
	r := newRide(t, p)
	r.results["t1"], r.results["t2"] = "none", "none"
	r.on()
	r.carryOut(promotion.Effect{Verb: promotion.Merge, Promotion: 1, Step: 1})
	r.on()
	r.now = r.now.Add(10 * time.Minute)
	r.carryOut(promotion.Effect{Verb: promotion.Merge, Promotion: 1, Step: 2})
	r.on()
	first := r.s.Deployments[0].Results[0].Came()
	require.Equal(t, first.Add(15*time.Minute), Waits(r.s, r.now)[0].Until)
	r.now = first.Add(15 * time.Minute)
	r.on()
	require.Equal(t, promotion.Because(promotion.Missing, "smoke t1"), r.promotion().Reason)
}

func TestATargetThatCannotTakePartDoesNotEndARolloutThatVerifiesAnother(t *testing.T) { // semantics 5.2
	p := clusters(t, [2]int{2, 2})
	p.Stages[0].Strategy.PerTarget = true
	r := newRide(t, p)
	r.results["t1"] = "none"
	r.absent = []promotion.TargetName{"t2"}
	r.on()
	require.Equal(t, promotion.Verifying, r.promotion().State)
	require.Equal(t, "0/2 verified, 1 updating, 1 waiting", r.summary())
	r.passes("m1-1", "t1")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.NotContains(t, strings.Join(r.told, "\n"), "held")
}

// passes completes the check of a target with success.
func (r *ride) passes(sha promotion.SHA, t promotion.TargetName) {
	delete(r.results, string(t))
	r.check(sha, t)
}

func TestATargetThatIsMergedIsNotSkippedThoughThePullRequestOfTheNextIsOpen(t *testing.T) { // semantics 5.11
	p := clusters(t, [2]int{3, 2})
	p.Stages[0].Strategy.PerTarget, p.Stages[0].Merge.By = true, promotion.MergeManual
	r := newRide(t, p)
	r.results["t1"] = "none"
	r.on()
	r.carryOut(promotion.Effect{Verb: promotion.Merge, Promotion: 1, Step: 1})
	r.on()
	require.Equal(t, promotion.WaitingForMerge, r.promotion().State)
	answer := r.say("/skip dev/t1")
	require.Equal(t, promotion.Refused, answer.Outcome)
	require.Equal(t, promotion.Merged, answer.Reason.Code)
	require.Empty(t, r.promotion().Rollout.Skipped)
	require.Equal(t, promotion.Done, r.say("/skip dev/t2").Outcome, "its pull request is not merged yet")
}

func TestATargetTimesOutWhileThePullRequestOfTheNextIsOpen(t *testing.T) { // semantics 7.5
	p := clusters(t, [2]int{2, 2})
	p.Stages[0].Strategy.PerTarget, p.Stages[0].Merge.By = true, promotion.MergeManual
	r := newRide(t, p)
	r.results["t1"] = "in_progress"
	r.on()
	r.carryOut(promotion.Effect{Verb: promotion.Merge, Promotion: 1, Step: 1})
	r.on()
	require.Equal(t, promotion.WaitingForMerge, r.promotion().State)
	timeout := r.s.Stage.Targets[0].Verify[0].Timeout
	require.Equal(t, r.s.Deployments[0].Results[0].Came().Add(timeout), r.decide().Wake)
	r.now = r.now.Add(timeout)
	r.on()
	require.Equal(t, promotion.VerificationFailed, r.promotion().State)
	require.Equal(t, "timed-out smoke t1", r.promotion().Reason.String())
	require.Contains(t, r.told[len(r.told)-1], "close p1")
}

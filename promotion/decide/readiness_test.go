package decide

import (
	"fmt"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/rollout"
	"waybill/promotion/say"

	"github.com/stretchr/testify/require"
)

// asking requires the status "up NAME" to be a success before a target of the first stage takes part.
func asking(p *promotion.Pipeline) *promotion.Pipeline {
	targets := p.Stages[0].Targets
	for i := range targets {
		targets[i].Ready = []promotion.Condition{up(targets[i].Name)}
	}
	return p
}

func up(t promotion.TargetName) promotion.Condition {
	return promotion.Condition{Kind: promotion.KindStatus, Name: "up " + string(t)}
}

// up plays a rollout in which these targets are ready.
func (r *ride) up(targets ...promotion.TargetName) {
	r.shows = map[promotion.Condition]string{}
	for _, t := range targets {
		r.shows[up(t)] = promotion.Met
	}
	if r.s.Readiness != nil {
		stale := *r.s.Readiness
		stale.Stale = true
		r.s.Readiness = &stale
	}
}

func TestATargetThatIsNotReadyWaitsAndIsNeverAFailureF34(t *testing.T) { // semantics 5.2
	r := newRide(t, asking(clusters(t, [2]int{1, 1}, [2]int{3, 2})))
	r.up("t2", "t4")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "2/4 verified, 2 waiting", r.summary())
	require.Equal(t, promotion.Passed, r.s.Deployments[0].Verdict)
	require.Contains(t, fmt.Sprint(r.told), "rolling b2 t2 t4", "who waits takes no place of the batch")
	var why []string
	for _, at := range rollout.Status(r.s, r.promotion()) {
		if at.State == promotion.TargetWaiting {
			why = append(why, say.Sentence(at.Cause))
		}
	}
	require.Equal(t, []string{"not ready: status up t1 has not been reported",
		"not ready: status up t3 has not been reported"}, why)
}

func TestATargetThatBecomesReadyCatchesUpOnceF34(t *testing.T) { // semantics 5.2
	r := newRide(t, asking(clusters(t, [2]int{2, 2})))
	r.up("t1")
	r.on()
	r.read("t1", "t2")
	r.on()
	require.Len(t, r.s.Promotions, 1)
	r.up("t1", "t2")
	r.on()
	require.Len(t, r.s.Promotions, 2)
	require.Equal(t, []promotion.TargetName{"t2"}, r.promotion().Only)
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "2/2 verified", r.summary())
	r.on()
	require.Len(t, r.s.Promotions, 2)
}

func TestAPromotionWaitsWhileNoTargetIsReadyF34(t *testing.T) { // semantics 5.2
	r := newRide(t, asking(clusters(t, [2]int{2, 1})))
	r.up()
	r.shows[up("t2")] = "pending"
	r.on()
	require.Equal(t, promotion.Queued, r.promotion().State)
	why := Why(r.s, r.promotion().Freight.ID, r.now)
	require.Equal(t, "not ready: status up t1 has not been reported, status up t2 is pending", say.Sentence(why.Reason))
	require.Equal(t, r.s.Readiness.At.Add(time.Minute), why.Until)
	r.up("t2")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "1/2 verified, 1 waiting", r.summary())
}

func TestNothingBeginsWhileNobodyKnowsWhetherTargetsAreReadyR6(t *testing.T) { // semantics 5.2
	r := newRide(t, asking(clusters(t, [2]int{1, 1}, [2]int{1, 1})))
	for range 3 {
		d := r.decide()
		r.apply(d)
		require.Len(t, d.Wanted, 1)
		require.Equal(t, promotion.Probe, d.Wanted[0].Verb)
		r.now = r.now.Add(time.Hour)
	}
	require.Equal(t, promotion.Queued, r.promotion().State)
	require.Equal(t, promotion.Because(promotion.Waiting), Why(r.s, r.promotion().Freight.ID, r.now).Reason)
}

func TestAStepBeginsWithFreshNewsOnlyR6(t *testing.T) { // semantics 5.2
	r := newRide(t, asking(clusters(t, [2]int{1, 1}, [2]int{1, 1})))
	r.up("t1", "t2")
	r.results["t1"] = "none"
	r.on()
	require.Equal(t, 1, r.probes)
	r.now = r.now.Add(2 * time.Minute)
	r.on()
	require.Equal(t, 1, r.probes, "nothing is to be decided")
	delete(r.results, "t1")
	r.check("m1-1", "t1")
	r.up("t1")
	d := r.decide()
	r.apply(d)
	require.Equal(t, promotion.Verifying, r.promotion().State)
	require.Equal(t, promotion.Probe, d.Wanted[0].Verb)
	require.Equal(t, promotion.Because(promotion.Waiting), Why(r.s, r.promotion().Freight.ID, r.now).Reason)
	r.on()
	require.Equal(t, 2, r.probes)
	require.Equal(t, "1/2 verified, 1 waiting", r.summary())
}

func TestATargetThatIsNotReadyAnyMoreStaysInItsStepF34(t *testing.T) { // semantics 5.2
	r := newRide(t, asking(clusters(t, [2]int{2, 2})))
	r.up("t1", "t2")
	r.step() // asks GitHub
	r.step() // plans the step
	require.Equal(t, promotion.Running, r.promotion().State)
	r.up()
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "2/2 verified", r.summary())
}

func TestGitHubIsAskedLessAndLessOftenWhatTargetsShow(t *testing.T) { // semantics 5.2
	r := newRide(t, asking(clusters(t, [2]int{1, 1})))
	r.up()
	r.on()
	for _, delay := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute,
		16 * time.Minute, 32 * time.Minute, time.Hour, time.Hour} {
		d := r.decide()
		require.Empty(t, d.Wanted)
		require.Equal(t, r.s.Readiness.At.Add(delay), d.Wake)
		r.now = d.Wake
		r.on()
	}
	r.shows[up("t1")] = "failure"
	r.now = r.decide().Wake
	r.on()
	require.Equal(t, r.s.Readiness.At.Add(time.Minute), r.decide().Wake, "something happens there")
}

func TestAConditionThatIsNewIsAskedForAtOnce(t *testing.T) { // semantics 5.2
	r := newRide(t, asking(clusters(t, [2]int{2, 1})))
	r.up()
	r.on()
	r.s.Stage.Targets[0].Ready = []promotion.Condition{{Kind: promotion.KindEnvironment, Name: "prod"}}
	require.Equal(t, promotion.Probe, r.decide().Wanted[0].Verb)
	r.shows[promotion.Condition{Kind: promotion.KindEnvironment, Name: "prod"}] = promotion.Met
	r.on()
	require.Equal(t, "1/2 verified, 1 waiting", r.summary())
}

func TestARollbackDoesNotAskWhetherTargetsAreReady(t *testing.T) { // semantics 5.2
	r := newRide(t, asking(clusters(t, [2]int{2, 2})))
	r.up("t1", "t2")
	r.on()
	r.s.Freight = append(r.s.Freight, freightNo(r.s.Pipeline, 2))
	r.on()
	require.Equal(t, "api#2", r.promotion().Freight.Name)
	asked := r.probes
	r.up()
	require.Equal(t, promotion.Done, r.say("/rollback dev").Outcome)
	r.on()
	require.Equal(t, promotion.Rollback, r.promotion().Class)
	require.Equal(t, "2/2 verified", r.summary(), "what is broken is what it mends")
	require.Equal(t, asked, r.probes)
}

func TestAHeldTargetIsNotAskedForAnything(t *testing.T) { // semantics 5.2
	r := newRide(t, asking(clusters(t, [2]int{2, 1})))
	r.up("t1")
	r.on()
	r.read("t1", "t2")
	r.say("/hold dev/t2")
	r.now = r.now.Add(3 * time.Hour)
	d := r.decide()
	require.Empty(t, d.Wanted)
	require.Zero(t, d.Wake)
}

func TestASignalConcernsTheTargetsThatAskForIt(t *testing.T) { // semantics 5.2
	s := &promotion.Stage{Targets: []promotion.Target{{Ready: []promotion.Condition{up("t1"),
		{Kind: promotion.KindCheck, Name: "smoke", App: "ci"}}}}}
	require.True(t, s.Concerns(&promotion.Signal{Kind: promotion.KindStatus, Name: "up t1", App: "whoever"}))
	require.True(t, s.Concerns(&promotion.Signal{Kind: promotion.KindCheck, Name: "smoke", App: "ci"}))
	require.False(t, s.Concerns(&promotion.Signal{Kind: promotion.KindCheck, Name: "smoke", App: "other"}))
	require.False(t, s.Concerns(&promotion.Signal{Kind: promotion.KindDeployment, Name: "up t1"}))
}

package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/gate"
	"waybill/promotion/rollout"
	"waybill/promotion/say"
	"waybill/promotion/verify"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// ride plays a rollout. It carries out each decision at once, and ends the checks of each merge as results says.
type ride struct {
	t       require.TestingT
	s       *promotion.Snapshot
	now     time.Time
	signals []promotion.Signal
	results map[string]string // results of the checks by target; the other checks succeed
	absent  []promotion.TargetName
	same    bool // the files already contain the freight that is promoted
	told    []string
	most    int                            // the most targets that were unavailable at the same time
	shows   map[promotion.Condition]string // the states of conditions at GitHub
	probes  int                            // the number of requests for conditions
}

func newRide(t require.TestingT, p *promotion.Pipeline) *ride {
	f := freightNo(p, 1)
	return &ride{t: t, now: noon, results: map[string]string{}, s: &promotion.Snapshot{
		Pipeline: p, Stage: p.Stages[0], Records: make([][]promotion.Record, 2), Freight: []promotion.Freight{f},
		Next: 1, NextID: 1,
	}}
}

// on decides and carries out the effects until none is wanted.
func (r *ride) on() {
	for range 1000 {
		d := r.decide()
		r.apply(d)
		require.NotContains(r.t, fmt.Sprint(d.Log), "panic")
		if len(d.Wanted) == 0 && len(d.Log) == 0 {
			if d.Wake.IsZero() || !r.waits() {
				return
			}
			r.now = d.Wake
		}
		for _, e := range d.Wanted {
			r.carryOut(e)
		}
	}
	require.Fail(r.t, "the rollout does not come to an end", strings.Join(r.told, "\n"))
}

// decide returns a decision without its Look effects: method read supplies the readings of files.
func (r *ride) decide() promotion.Decision {
	r.s.Evidence = verify.Gather(r.s, r.signals, nil, nil)
	d := Decide(r.s, r.now)
	d.Wanted = slices.DeleteFunc(d.Wanted, func(e promotion.Effect) bool { return e.Verb == promotion.Look })
	return d
}

// waits reports whether the rollout rests between two batches.
func (r *ride) waits() bool {
	all := Waits(r.s, r.now)
	return len(all) > 0 && all[0].Reason.Code == promotion.Resting
}

// checkStates checks that each promotion moves to a state that may follow its old one.
func (r *ride) checkStates(d promotion.Decision) {
	was, rolling := map[promotion.Number]promotion.State{}, map[promotion.Number]bool{}
	for _, p := range r.s.Promotions {
		was[p.Number] = p.State
	}
	for _, p := range d.Promotions {
		rolling[p.Number] = p.Rolls()
	}
	for _, e := range d.Log {
		if e.State == "" {
			continue
		}
		may := follows[was[e.Promotion]]
		if rolling[e.Promotion] {
			may = slices.Concat(may, rolls[was[e.Promotion]])
		}
		require.Contains(r.t, may, e.State, "p%d was %s", e.Promotion, was[e.Promotion])
		was[e.Promotion] = e.State
	}
	for _, p := range d.Promotions {
		require.Equal(r.t, p.State, was[p.Number], "p%d changed its state without a word", p.Number)
	}
}

func (r *ride) apply(d promotion.Decision) {
	r.checkStates(d)
	if line := told(d); line != "" {
		r.told = append(r.told, line)
	}
	for _, p := range d.Promotions {
		if i := slices.IndexFunc(r.s.Promotions,
			func(q promotion.Promotion) bool { return q.Number == p.Number }); i >= 0 {
			r.s.Promotions[i] = p
		} else {
			r.s.Promotions = append(r.s.Promotions, p)
			r.s.Next = p.Number + 1
			f := r.s.Freight[r.s.FreightAt(p.Freight.ID)]
			if r.s.Mark("api").Before(&f) {
				r.s.Newest = []promotion.Mark{{Warehouse: "api", Merged: f.Merged, Number: f.Number}}
			}
		}
	}
	for _, y := range d.Deployments {
		if i := slices.IndexFunc(r.s.Deployments, func(
			q promotion.Deployment,
		) bool {
			return q.Promotion == y.Promotion
		}); i >= 0 {
			r.s.Deployments[i] = y
		} else {
			r.s.Deployments = append(r.s.Deployments, y)
		}
	}
	for _, a := range d.Approvals {
		r.s.Approvals = slices.DeleteFunc(slices.Clone(r.s.Approvals),
			func(b promotion.Approval) bool { return b.ID == a.ID })
		if a.Revoked.IsZero() {
			r.s.Approvals = append(r.s.Approvals, a)
		}
	}
	for _, h := range d.Holds {
		if i := slices.IndexFunc(r.s.Holds, func(q promotion.Hold) bool { return q.ID == h.ID }); i >= 0 {
			r.s.Holds[i] = h
		} else {
			r.s.Holds = append(r.s.Holds, h)
			r.s.NextID = h.ID + 1
		}
	}
	if p := r.s.Active(); p != nil {
		t := rollout.Summarize(rollout.Status(r.s, p))
		require.Equal(r.t, t.All, t.Verified+t.Updating+t.Failed+t.Waiting+t.Skipped+t.Removed+t.ToCome, "it adds up")
		r.most = max(r.most, t.Updating+t.Failed)
	}
}

func (r *ride) attempt(e promotion.Effect) *promotion.Attempt {
	r.s.Attempts = slices.DeleteFunc(r.s.Attempts,
		func(a promotion.Attempt) bool { return a.Promotion == e.Promotion && a.Step != e.Step })
	if i := slices.IndexFunc(r.s.Attempts,
		func(a promotion.Attempt) bool { return a.Promotion == e.Promotion }); i >= 0 {
		return &r.s.Attempts[i]
	}
	r.s.Attempts = append(r.s.Attempts, promotion.Attempt{Promotion: e.Promotion, Step: e.Step})
	return &r.s.Attempts[len(r.s.Attempts)-1]
}

func (r *ride) carryOut(e promotion.Effect) {
	r.now = r.now.Add(time.Second)
	a, p := r.attempt(e), r.s.Promotion(e.Promotion)
	sha := promotion.SHA(fmt.Sprintf("%d-%d", e.Promotion, e.Step))
	switch e.Verb {
	case promotion.PlanVerb:
		plan := promotion.Plan{Round: int(e.Round), Base: "b", At: r.now, Hash: string("h" + sha)}
		for _, t := range p.Rollout.Targets {
			if slices.Contains(r.absent, t) {
				plan.Absent = append(plan.Absent, t)
			} else if !r.same {
				plan.Paths = append(plan.Paths, string(t)+".yaml")
			}
		}
		a.Plan = &plan
	case promotion.Open:
		a.Propose(promotion.Made{Round: int(e.Round), Head: "h" + sha}, "", int(e.Promotion)*1000+e.Step)
		r.s.Pulls = append(r.s.Pulls,
			promotion.Pull{Number: a.Pull, HeadSHA: a.Made.Head, State: promotion.PullOpen, Revision: 1})
	case promotion.Merge:
		i := slices.IndexFunc(r.s.Pulls, func(q promotion.Pull) bool { return q.Number == a.Pull })
		r.s.Pulls[i].State, r.s.Pulls[i].MergeSHA, r.s.Pulls[i].MergedAt = promotion.PullMerged, "m"+sha, r.now
		r.s.Pulls[i].NewCommit = true
		for _, t := range p.Rollout.Targets {
			r.check("m"+sha, t)
		}
	case promotion.Observe:
		a.Observed = r.now
	case promotion.Probe:
		r.probes++
		r.s.Readiness = new(r.s.Stage.Answers(r.shows, r.now).Follows(r.s.Readiness))
	}
}

// check completes the check of a target on a commit.
func (r *ride) check(sha promotion.SHA, t promotion.TargetName) {
	state := cmp.Or(r.results[string(t)], "success")
	if state == "none" {
		return
	}
	r.signals = append(r.signals,
		promotion.Signal{Kind: promotion.KindCheck, ID: int64(len(r.signals) + 1), SHA: sha, App: "github-actions",
			Suite: 1, Name: "smoke " + string(t), State: state, Started: r.now, Ended: r.now})
}

// signOff signs off the plan that is visible now.
func (r *ride) signOff(who promotion.Login) {
	shown := gate.KeeperOf(r.s, r.now).Visible(r.promotion())
	r.s.Approvals = append(r.s.Approvals,
		promotion.Approval{ID: r.s.NextID, Stage: "dev", Freight: r.promotion().Freight.ID, Kind: promotion.SignOff,
			By: promotion.Actor{ID: int64(len(r.s.Approvals) + 1), Login: who}, Plan: shown, At: r.now,
			Expires: r.now.Add(time.Hour), Entitled: true})
	r.s.NextID++
}

// say gives a command and returns the answer.
func (r *ride) say(line string) promotion.Answer {
	c, ok := command.ParseCommand(line)
	require.True(r.t, ok, line)
	r.s.Requests = []promotion.Request{{ID: 1, By: promotion.Actor{ID: 1, Login: "ann"}, Permission: promotion.Write,
		Command: c}}
	d := r.decide()
	r.s.Requests = nil
	r.apply(d)
	for _, e := range d.Wanted {
		r.carryOut(e)
	}
	return d.Answered[0]
}

func (r *ride) promotion() *promotion.Promotion { return &r.s.Promotions[len(r.s.Promotions)-1] }

func (r *ride) summary() string {
	return say.String(rollout.Summarize(rollout.Status(r.s, r.promotion())))
}

func TestWhatMayFailDoesNotStopARollout(t *testing.T) { // semantics 5.5, 5.8
	p := clusters(t, [2]int{4, 2})
	p.Stages[0].Strategy.MaxFailures = 1
	r := newRide(t, p)
	r.results["t2"] = "failure"
	r.on()
	require.Equal(t, promotion.VerificationFailed, r.promotion().State, "not every target that took part is verified")
	require.Equal(t, "3/4 verified, 1 failed", r.summary())
	require.Equal(t, 2, r.most, "a target that has failed is unavailable")
	require.Empty(t, r.s.Holds, "it is no more than may fail")
	r.results["t2"] = "success"
	r.check("m1-1", "t2")
	r.on()
	require.Equal(t, "4/4 verified", r.summary())
	require.Equal(t, promotion.Passed, r.s.Deployments[0].Verdict, "and no target is to come")
}

func TestTheLastTargetMayBeMendedAfterTheEnd(t *testing.T) { // semantics 5.8
	r := newRide(t, clusters(t, [2]int{2, 1}))
	r.results["t2"] = "failure"
	r.on()
	require.Equal(t, promotion.VerificationFailed, r.promotion().State)
	require.Len(t, r.s.Holds, 1)
	r.results["t2"] = "success"
	r.check("m1-2", "t2")
	r.on()
	require.Equal(t, promotion.Passed, r.s.Deployments[0].Verdict, "no target is to come")
}

func TestASignOffIsOfTheRolloutAndOfTheBatchThatAsksForIt(t *testing.T) { // semantics 4.5
	r := newRide(t, clusters(t, [2]int{2, 1}, [2]int{2, 1}))
	r.s.Stage.Policy.Approvals, r.s.Stage.Strategy.Batches[1].Approvals = 1, 2
	r.on()
	require.Equal(t, promotion.Because(promotion.Unapproved, "1"), Waits(r.s, r.now)[0].Reason)
	r.signOff("ann")
	r.on()
	require.Equal(t, 3, r.promotion().Rollout.Step, "the second step of the first batch needs none")
	require.Equal(t, promotion.Because(promotion.Unapproved, "2"), Waits(r.s, r.now)[0].Reason,
		"the second batch asks for its own")
	r.signOff("ann")
	r.signOff("bob")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.NotContains(t, strings.Join(r.told, "\n"), "tell void", "what is used up is not void")
}

func TestAStepThatWasNotMergedUsesUpNoSignOff(t *testing.T) { // semantics 4.5
	r := newRide(t, clusters(t, [2]int{2, 1}))
	r.s.Stage.Policy.Approvals = 1
	r.on()
	r.s.Stage.Targets = slices.Delete(r.s.Stage.Targets, 0, 1)
	r.on()
	require.Equal(t, 2, r.promotion().Rollout.Step)
	require.Equal(t, promotion.Because(promotion.Unapproved, "1"), Waits(r.s, r.now)[0].Reason,
		"nobody has signed off what is merged first")
}

func TestATargetThatCannotTakePartWaitsAndIsNeverAFailureF34(t *testing.T) { // semantics 5.2
	r := newRide(t, clusters(t, [2]int{1, 1}, [2]int{3, 1}))
	r.absent = []promotion.TargetName{"t1", "t3"}
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "2/4 verified, 2 waiting", r.summary())
	require.Equal(t, promotion.Passed, r.s.Deployments[0].Verdict)
}

func TestARolloutWithoutATargetThatCanTakePartFails(t *testing.T) { // semantics 5.2
	r := newRide(t, clusters(t, [2]int{2, 1}))
	r.absent = []promotion.TargetName{"t1", "t2"}
	r.on()
	require.Equal(t, promotion.Failed, r.promotion().State)
	require.Equal(t, promotion.Because(promotion.Unready, "t1", "t2"), r.promotion().Reason)
}

func TestATargetThatIsGoneIsLeftOutAndANewOneTakesNoPartF35(t *testing.T) { // semantics 5.1
	r := newRide(t, clusters(t, [2]int{1, 1}, [2]int{2, 1}))
	r.results["t1"] = "none"
	r.on()
	require.Equal(t, promotion.Verifying, r.promotion().State)
	r.s.Stage.Targets = slices.Delete(r.s.Stage.Targets, 1, 2)
	r.s.Stage.Targets = append(r.s.Stage.Targets, promotion.Target{Name: "t9"})
	delete(r.results, "t1")
	r.check("m1-1", "t1")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "2/3 verified, 1 removed", r.summary(), "a target that appears later takes no part")
}

func TestATargetThatGoesWhileItIsUpdatedLeavesTheStepF35(t *testing.T) { // semantics 5.1
	r := newRide(t, clusters(t, [2]int{3, 2}))
	r.s.Stage.Merge.By = promotion.MergeManual
	r.on()
	require.Equal(t, promotion.WaitingForMerge, r.promotion().State)
	r.s.Stage.Targets = slices.Delete(r.s.Stage.Targets, 0, 1)
	r.on()
	require.Contains(t, r.told[len(r.told)-3], "p1 running because rolling b1 t2 t3, close p1")
	require.Equal(t, "0/3 verified, 2 updating, 1 removed", r.summary())
	r.s.Stage.Targets = []promotion.Target{{Name: "t9"}}
	r.s.Stage.Strategy.Batches = nil
	r.on()
	require.Equal(t, promotion.Cancelled, r.promotion().State)
	require.Equal(t, "0/3 verified, 3 removed", r.summary())
	require.Empty(t, r.s.Deployments, "nothing of it is anywhere")
}

func TestATargetThatGoesWhenItIsMergedIsNotVerifiedF35(t *testing.T) { // semantics 5.1
	r := newRide(t, clusters(t, [2]int{2, 2}))
	r.s.Stage.Merge.By = promotion.MergeManual
	r.on()
	r.carryOut(promotion.Effect{Verb: promotion.Merge, Promotion: 1, Step: 1})
	r.s.Stage.Targets = slices.Delete(r.s.Stage.Targets, 0, 1)
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "1/2 verified, 1 removed", r.summary())
}

func TestATargetThatGoesWhileItIsVerifiedIsNotVerifiedF35(t *testing.T) { // semantics 5.1
	r := newRide(t, clusters(t, [2]int{2, 2}))
	r.results["t1"] = "none"
	r.on()
	require.Equal(t, "1/2 verified, 1 updating", r.summary())
	r.s.Stage.Targets = slices.Delete(r.s.Stage.Targets, 0, 1)
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "1/2 verified, 1 removed", r.summary())
}

func TestADeadlineOfOneBatchIsNotThatOfTheNextF39(t *testing.T) { // semantics 5.4, 7.5
	r := newRide(t, clusters(t, [2]int{1, 1}, [2]int{1, 1}))
	r.results["t2"] = "none"
	r.on()
	require.Equal(t, "1/2 verified, 1 updating", r.summary())
	merged := r.s.Deployments[0].Results[1].Came()
	require.Equal(t, merged.Add(15*time.Minute), Waits(r.s, r.now)[0].Until, "counted from the merge of its own batch")
	r.now = merged.Add(15 * time.Minute)
	r.on()
	require.Equal(t, promotion.Because(promotion.Missing, "smoke t2"), r.promotion().Reason,
		"GitHub has been asked, and nothing is there")
	require.Len(t, r.s.Holds, 1)
	require.Equal(t, "1/2 verified, 1 updating", r.summary(), "the batch before it stays as it is")
	delete(r.results, "t2")
	r.check("m1-2", "t2")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
}

func TestAHoldStopsARolloutBetweenItsSteps(t *testing.T) { // semantics 4.1, 5.5
	r := newRide(t, clusters(t, [2]int{2, 1}))
	r.results["t1"] = "none"
	r.on()
	r.s.Holds = []promotion.Hold{{ID: 1, Stage: "dev", By: promotion.Actor{ID: 1, Login: "ann"},
		Reason: promotion.Because(promotion.Asked, "ann")}}
	r.s.NextID = 2
	delete(r.results, "t1")
	r.check("m1-1", "t1")
	r.on()
	require.Equal(t, "1/2 verified, 1 to come", r.summary())
	require.Equal(t, promotion.Held, Waits(r.s, r.now)[0].Reason.Code)
	r.s.Holds = nil
	r.on()
	require.Equal(t, "2/2 verified", r.summary())
}

func TestARetryTakesUpWhatFailed(t *testing.T) { // semantics 5.5
	r := newRide(t, clusters(t, [2]int{3, 1}))
	r.results["t2"] = "failure"
	r.on()
	r.check("m1-2", "t2")
	r.signals[len(r.signals)-1].State = "success"
	r.on()
	require.Equal(t, "2/3 verified, 1 to come", r.summary(), "a check that was run again counts")
	require.Equal(t, promotion.Pending, r.s.Deployments[0].Verdict, "there are targets to come")
	r.s.Holds = nil
	r.s.Requests = []promotion.Request{{ID: 1, By: promotion.Actor{ID: 1, Login: "ann"}, Permission: promotion.Write,
		Command: promotion.Command{Verb: promotion.CmdRetry, Stage: "dev"}}}
	d := Decide(r.s, r.now)
	r.s.Requests = nil
	r.apply(d)
	delete(r.results, "t2")
	r.on()
	require.Equal(t, promotion.Succeeded, r.promotion().State)
	require.Equal(t, "3/3 verified", r.summary())
	require.Equal(t, 1, r.promotion().Rollout.Step, "only what was to come is updated")
	require.Len(t, r.s.Deployments[1].Results, 3, "the rest stands with the new deployment, too")
}

func TestNoMoreTargetsAreUnavailableThanMayBe(t *testing.T) { // semantics 5.3
	rapid.Check(t, func(t *rapid.T) {
		var batches [][2]int
		most := 0
		for range rapid.IntRange(1, 4).Draw(t, "batches") {
			b := [2]int{rapid.IntRange(1, 5).Draw(t, "targets"), rapid.IntRange(1, 4).Draw(t, "at once")}
			batches = append(batches, b)
			most = max(most, b[1])
		}
		p := clusters(t, batches...)
		p.Stages[0].Strategy.MaxFailures = rapid.IntRange(0, 2).Draw(t, "failures")
		p.Stages[0].Strategy.PerTarget = rapid.Bool().Draw(t, "a pull request for each target")
		r := newRide(t, p)
		for _, target := range p.Stages[0].Targets {
			switch rapid.IntRange(0, 6).Draw(t, "fate") {
			case 0:
				r.results[string(target.Name)] = "failure"
			case 1:
				r.absent = append(r.absent, target.Name)
			}
		}
		r.on()
		require.True(t, r.promotion().State.Ended(), r.told)
		failed := rollout.Summarize(rollout.Status(r.s, r.promotion())).Failed
		require.LessOrEqual(t, r.most, most+failed,
			"of one batch no more than at-once, and what has failed in those before")
		if r.promotion().State == promotion.Succeeded {
			summary := rollout.Summarize(rollout.Status(r.s, r.promotion()))
			require.Equal(t, summary.All, summary.Verified+summary.Waiting)
		}
	})
}

func TestATargetThatHasFailedAndGoesIsNotVerifiedF35(t *testing.T) { // semantics 5.1
	r := newRide(t, clusters(t, [2]int{3, 2}))
	r.s.Stage.Strategy.MaxFailures = 1
	r.results = map[string]string{"t1": "failure", "t2": "none"}
	r.on()
	r.s.Stage.Targets = slices.Clone(r.s.Stage.Targets[1:])
	r.on()
	require.Equal(t, "0/3 verified, 1 updating, 1 failed, 1 to come", r.summary())
}

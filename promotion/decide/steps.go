package decide

import (
	"slices"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// begin starts a promotion. The batches are from now on those that the pipeline file has.
func begin(d *draft, n promotion.Number) {
	p := d.change(n)
	p.Started, p.Rollout = d.now, new(rollout.Begin(&d.Snapshot, p))
	if i := d.FreightAt(p.Freight.ID); p.Early && i >= 0 {
		p.Early = false
		d.promoted(&d.Freight[i])
	}
	goOn(d, n)
}

// take begins the step that the progress of a promotion says. A stage that is one place has its plan already, by which
// there may be nothing to write.
func take(d *draft, n promotion.Number) {
	p := d.Promotion(n)
	if plan := d.Attempt(n).Plan; !p.Rolls() && len(plan.Paths) == 0 {
		unchanged(d, n, plan)
		return
	}
	if !p.Rolls() {
		d.enter(n, promotion.Running, promotion.Reason{})
		return
	}
	takes := append([]string{p.Rollout.BatchName()}, promotion.Texts(p.Rollout.Targets)...)
	d.enter(n, promotion.Running, promotion.Because(promotion.Rolling, takes...))
}

// leaveOut takes those targets out of a step that cannot take part yet, as its plan has found, and returns the
// promotion.
func leaveOut(d *draft, p *promotion.Promotion, plan *promotion.Plan) *promotion.Promotion {
	if plan == nil || !slices.ContainsFunc(p.Rollout.Targets, plan.Lacks) {
		return p
	}
	p = d.change(p.Number)
	p.Rollout = new(rollout.LeaveOut(*p.Rollout, plan.Lacks))
	return p
}

// beginAgain leaves a step that is not merged because some of its targets must not be updated any more: its pull
// request is closed, and the others get another one.
func beginAgain(d *draft, n promotion.Number, a promotion.Attempt, why promotion.Reason) {
	if a.Plan != nil {
		d.close(n, why)
	}
	p := d.change(n)
	r := *p.Rollout
	r.Targets = nil // nothing has been brought to them
	p.Rollout = &r
	goOn(d, n)
}

// goOn takes the next step of a rollout, keeps it verifying until that may begin, or ends it.
func goOn(d *draft, n promotion.Number) {
	next := rollout.After(&d.Snapshot, d.Promotion(n), gates(d.gate()), d.now)
	d.wakeAt(next.Until)
	if next.Progress != nil {
		d.change(n).Rollout = next.Progress
	}
	switch next.Kind {
	case rollout.Begins:
		take(d, n)
	case rollout.Asks:
		d.expect(outlook{probes: n})
		keepVerifying(d, n)
	case rollout.Finishes:
		finish(d, d.DeploymentOf(n), d.Promotion(n))
	case rollout.Stands:
		endUnchanged(d, d.Promotion(n))
	case rollout.Ends:
		d.end(n, next.State, next.Reason)
	case rollout.Rests, rollout.Halts, rollout.Awaits:
		keepVerifying(d, n)
	}
}

// keepVerifying keeps a rollout verifying until its next step may begin. The present step may be empty, because none of
// its targets takes part any more.
func keepVerifying(d *draft, n promotion.Number) {
	if d.Promotion(n).State != promotion.Verifying {
		d.enter(n, promotion.Verifying, promotion.Reason{})
	}
}

// finish ends a rollout that has come to its end, or cannot go on. The freight is verified when every target that took
// part is (semantics 5.8), and in the stage when none is left that could. When more have failed than may, the rollout
// is undone, or a person decides about the stage (semantics 5.5).
func finish(d *draft, i int, p *promotion.Promotion) {
	first := firstVerdict(p)
	deployment := d.changeDeployment(i)
	deployment.Incomplete = rollout.Short(p.Rollout, d.Stage, deployment.Results)
	o := verify.Sum(deployment)
	if o.Verdict == promotion.Passed && deployment.Incomplete {
		d.end(p.Number, promotion.Succeeded, promotion.Reason{}) // it got where it was to go
		d.liftInconclusive(p.Number)
	} else {
		conclude(d, i, p, o)
	}
	switch failed := rollout.TooMany(d.Stage, deployment.Results); {
	case (failed || o.Verdict == promotion.Bad && !p.Rolls()) && undoes(d.Stage, first) && undo(d, i):
		return
	case failed, o.Verdict == promotion.Bad && deployment.Incomplete:
		d.holdOnce(o.Reason, d.Promotion(p.Number))
	}
	d.pinRollout(d.Promotion(p.Number))
}

// firstVerdict reports whether the verdict that a promotion gets is its own first one: what it merged last was not
// inconclusive before, so that a person decides, and it has changed something.
func firstVerdict(p *promotion.Promotion) bool {
	return !wasUnclear(p) && (p.Rolls() || !p.WroteNothing())
}

// undoes reports whether a stage goes back by itself when a promotion has failed by its first verdict.
func undoes(s *promotion.Stage, first bool) bool {
	return first && (s.Strategy.Undoes || s.Strategy.Beyond == promotion.BeyondRollsBack)
}

// undo takes the stage, or the targets that a rollout has updated, back to the freight that was verified there before.
// It reports whether there is such freight: a rollback that has failed itself is for a person.
func undo(d *draft, i int) bool {
	failed := d.Promotion(d.Deployments[i].Promotion)
	f, _ := command.RollbackTo(&d.Snapshot, promotion.Request{}, i)
	if failed.Class == promotion.Rollback || f < 0 {
		return false
	}
	back := promotion.Promotion{Cause: failed.Number}
	for _, result := range d.Deployments[i].Results {
		if result.Step > 0 && failed.Rolls() {
			back.Only = append(back.Only, result.Target)
		}
	}
	d.goBack(&d.Freight[f], back, failed.Reason)
	return true
}

// pause notes who has paused a rollout; with the zero actor it goes on.
func pause(d *draft, n promotion.Number, by promotion.Actor) {
	p := d.change(n)
	r := *p.Rollout
	r.Paused = by
	p.Rollout = &r
}

// skip leaves a target out. One that waits does not catch up either.
func skip(d *draft, n promotion.Number, t promotion.TargetName) {
	p := d.change(n)
	p.Rollout = new(rollout.Skip(*p.Rollout, t))
}

// widen lets a promotion go to more targets; none: to all. Bad targets among those that it has passed over are updated
// again.
func widen(d *draft, p *promotion.Promotion, only []promotion.TargetName) {
	p = d.change(p.Number)
	p.Only = only
	if p.Rollout != nil {
		p.Rollout = new(rollout.Readmit(*p.Rollout, p.GoesTo))
	}
	again := func(result promotion.TargetResult) bool {
		return result.Step == 0 && result.Verdict == promotion.Bad && p.GoesTo(result.Target)
	}
	if i := d.DeploymentOf(p.Number); i >= 0 && slices.ContainsFunc(d.Deployments[i].Results, again) {
		deployment := d.changeDeployment(i)
		deployment.Results = slices.DeleteFunc(slices.Clone(deployment.Results), again)
	}
}

// unchanged records that the files already have the contents that the promotion would write (semantics 1.5). It takes
// over the results and the commits of the deployment that wrote them, and with them its verdict; without one it is
// judged by the signals on the base head. Freight that was taken back here takes over nothing: only what has run since
// says that it is good (semantics 2.11).
func unchanged(d *draft, n promotion.Number, plan *promotion.Plan) {
	if len(d.Promotion(n).Rollout.Targets) == 0 {
		goOn(d, n) // none of the step's targets can take part yet
		return
	}
	p := d.verifies(n, promotion.Because(promotion.NoChange), d.now, plan.Base)
	d.log(p, p.Reason)
	deployment := promotion.Deployment{
		Promotion: n, Stage: p.Stage, Warehouse: p.Freight.Warehouse, Freight: p.Freight.ID,
		Entered: p.Merged, Commit: plan.Base, Plan: plan.Hash, Wrote: plan.Values,
	}
	i := writer(&d.Snapshot, plan.Hash)
	if cameAnew(&d.Snapshot, p, i) {
		deployment.Since = plan.Read
	} else if i >= 0 {
		by := d.Deployments[i]
		deployment.JudgedBy = by.JudgedBy
		deployment.Commit, deployment.Since = by.Commit, by.Since
		deployment.Results = writtenBefore(&d.Snapshot, p, by.Results)
	}
	d.recordMerge(p, deployment, nil)
	d.pin(p)
}

// cameAnew reports whether the freight of a promotion was taken back here since it last came, or since the i-th
// deployment brought it; -1: none did.
func cameAnew(s *promotion.Snapshot, p *promotion.Promotion, i int) bool {
	if i >= 0 && s.Deployments[i].Freight == p.Freight.ID && s.TookBack(i) {
		return true
	}
	f := s.FreightAt(p.Freight.ID)
	return f >= 0 && s.TakenBack(&s.Freight[f])
}

// writtenBefore returns the part of a stage that is one place as an earlier promotion left it, which wrote the same. It
// is judged by the matchers of now.
func writtenBefore(
	s *promotion.Snapshot, p *promotion.Promotion, results []promotion.TargetResult,
) []promotion.TargetResult {
	if p.Rolls() {
		return nil
	}
	same := slices.Clone(results)
	for i := range same {
		same[i].Step = p.Rollout.Step
		if t := s.Target(same[i].Target); t != nil && same[i].By != nil {
			same[i].Keep(t.Verify)
		}
	}
	return same
}

// writer returns the index of the newest deployment whose promotion wrote contents with this hash, or -1.
func writer(s *promotion.Snapshot, hash string) int {
	for i := len(s.Deployments) - 1; i >= 0; i-- {
		if hash != "" && s.Deployments[i].Plan == hash {
			return i
		}
	}
	return -1
}

// endUnchanged records that nothing is to be brought: the freight is everywhere already where its promotion goes.
func endUnchanged(d *draft, p *promotion.Promotion) {
	results := rollout.ResultsOf(&d.Snapshot, p)
	p = d.verifies(p.Number, promotion.Because(promotion.NoChange), d.now, results[len(results)-1].Commit)
	d.log(p, p.Reason)
	d.recordMerge(p,
		promotion.Deployment{Promotion: p.Number, Stage: p.Stage, Warehouse: p.Freight.Warehouse, Freight: p.Freight.ID,
			Entered: p.Merged, Commit: p.MergeSHA}, nil)
}

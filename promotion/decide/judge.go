package decide

import (
	"slices"
	"time"

	"waybill/promotion"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// judgeAll judges the freight that the stage hosts: the promotion that is verifying, and freight that has been judged
// before and has new signals. Freight that has left the stage is judged no more.
func judgeAll(d *draft) {
	for i := range d.Deployments {
		deployment := &d.Deployments[i]
		if deployment.Ended() {
			continue
		}
		switch p := d.Promotion(deployment.Promotion); {
		case p != nil && p.State.Active():
			judgeTargets(d, i, p)
		case p != nil && !p.State.Ended() || !deployment.JudgedBy.Bot():
		default:
			judgeAgain(d, i)
		}
	}
}

// judgeTargets judges the targets of a rollout one by one, those that are not decided and those that have failed, which
// may have been mended, and goes on when all are decided. Where each target has a pull request of its own, the next is
// opened as soon as there is a place.
func judgeTargets(d *draft, i int, p *promotion.Promotion) {
	forgetGone(d, i)
	rest := judgeEach(d, i, p)
	if p = d.Promotion(p.Number); rest.Verdict == promotion.Pending && verify.ClockStopped(p) {
		resume(d, p)
		p, rest = d.Promotion(p.Number), judgeEach(d, i, d.Promotion(p.Number))
	}
	switch {
	case rollout.TooMany(d.Stage, d.Deployments[i].Results):
		breakOff(d, i, p)
	case p.State != promotion.Verifying: // the next step is on its way
	case rest.Verdict == promotion.Undecided:
		undecided(d, p, rest.Reason)
	case rest.Verdict == promotion.Passed:
		if p.Rolls() {
			d.liftInconclusive(p.Number) // it would stop the next step
		}
		goOn(d, p.Number)
	case d.Stage.Strategy.PerTarget && !verify.ClockStopped(p) && rollout.HasPlace(&d.Snapshot, p, gates(d.gate())):
		goOn(d, p.Number)
	}
}

// judgeEach records the verdict of each target that has one now, and returns the opinion on those that have none.
func judgeEach(d *draft, i int, p *promotion.Promotion) verify.Opinion {
	rest := verify.Opinion{Verdict: promotion.Passed}
	var judged *promotion.Promotion
	if verifies(d.Stage, p) {
		judged = p
	}
	for k := range d.Deployments[i].Results {
		result := &d.Deployments[i].Results[k]
		if result.Verdict == promotion.Passed || !verify.Listens(&d.Snapshot, result) {
			continue
		}
		o, until := d.judge().Target(&d.Deployments[i], result, judged, d.now)
		d.wakeAt(until)
		switch {
		case o.Decided() && o.Verdict != result.Verdict:
			d.recordResult(i, k, o)
		case result.Verdict == promotion.Pending:
			rest = rest.And(o)
		default:
			badBecause(d, i, k, o)
		}
	}
	return rest
}

// verifies reports whether silence counts for a promotion: what it has merged waits for a verdict. Where each target
// has a pull request of its own, that is so while the next one is open.
func verifies(s *promotion.Stage, p *promotion.Promotion) bool {
	return p.State == promotion.Verifying || p.State.Active() && s.Strategy.PerTarget
}

// forgetGone takes targets out of the i-th deployment that the pipeline file has dropped before they had their
// verdict.
func forgetGone(d *draft, i int) {
	gone := func(result promotion.TargetResult) bool {
		return result.Verdict == promotion.Pending && d.Target(result.Target) == nil
	}
	if slices.ContainsFunc(d.Deployments[i].Results, gone) {
		deployment := d.changeDeployment(i)
		deployment.Results = slices.DeleteFunc(slices.Clone(deployment.Results), gone)
	}
}

// breakOff ends a rollout in which more targets have failed than may, and closes its open pull request. A commit that
// is being put on the branch is waited for.
func breakOff(d *draft, i int, p *promotion.Promotion) {
	if writing(&d.Snapshot, p) {
		return
	}
	if p.State != promotion.Verifying && d.Attempt(p.Number).Plan != nil {
		d.close(p.Number, verify.Sum(&d.Deployments[i]).Reason)
	}
	finish(d, i, p)
}

// judgeAgain judges the targets of freight whose promotion has ended: a new verdict counts for the stages downstream,
// merges stay, and a pending verification revokes nothing.
func judgeAgain(d *draft, i int) {
	for k := range d.Deployments[i].Results {
		result := &d.Deployments[i].Results[k]
		if !verify.Listens(&d.Snapshot, result) {
			continue
		}
		o, _ := d.judge().Target(&d.Deployments[i], result, nil, d.now)
		if o.Decided() && o.Verdict != result.Verdict {
			d.recordResult(i, k, o)
		} else {
			badBecause(d, i, k, o)
		}
	}
	completed(d, i)
	o := verify.Sum(&d.Deployments[i])
	switch {
	case o.Verdict == promotion.Passed && d.Deployments[i].Incomplete:
		goodInPart(d, i)
	case o.Decided() && o.Verdict != d.Deployments[i].Verdict:
		d.record(i, o)
	case o.Verdict == promotion.Bad && !o.Reason.Is(d.Deployments[i].Cause):
		d.changeDeployment(i).Cause, d.out.Ripples = o.Reason, true
	}
}

// badBecause updates the cause of a bad verdict on a target: what failed first may have passed since, or other matchers
// may judge the target now. The verdict and its time stay while other matchers are only awaited or unclear.
func badBecause(d *draft, i, k int, o verify.Opinion) {
	result := &d.Deployments[i].Results[k]
	if result.Verdict != promotion.Bad || o.Reason.IsZero() {
		return
	}
	why := o.Reason
	if o.Verdict != promotion.Bad {
		why = promotion.Because(promotion.Waiting, why.Args...).With("what failed has passed since")
	}
	if !why.Is(result.Cause) {
		d.changeDeployment(i).Results[k].Cause = why
	}
}

// completed notes that freight which its promotion has not brought to all targets is in the whole stage all the same:
// the pipeline file does not have the others any more.
func completed(d *draft, i int) {
	deployment := &d.Deployments[i]
	p := d.Promotion(deployment.Promotion)
	if deployment.Incomplete && p != nil && p.Rollout != nil && !rollout.Short(p.Rollout, d.Stage, deployment.Results) {
		d.changeDeployment(i).Incomplete = false
	}
}

// goodInPart takes back that freight is bad which is good again wherever it is, but has not come to all targets: it has
// no verdict, as before. If its promotion failed, a retry goes on.
func goodInPart(d *draft, i int) {
	p := d.Promotion(d.Deployments[i].Promotion)
	if d.Deployments[i].Verdict != promotion.Bad || p == nil || !p.State.Ended() {
		return
	}
	deployment := d.changeDeployment(i)
	deployment.Verdict, deployment.Judged, deployment.Cause = promotion.Pending, time.Time{}, promotion.Reason{}
	deployment.JudgedBy = promotion.Actor{}
	d.out.Ripples = true
}

package decide

import (
	"waybill/promotion"
	"waybill/promotion/verify"
)

// obeyVerify comes after GitHub has been asked again: judgeAll has seen the answer.
func obeyVerify(d *draft, r promotion.Request) {
	i := d.Judgeable()
	if i < 0 {
		d.refuse(r, promotion.Because(promotion.Unknown, "freight"))
		return
	}
	if !d.Deployments[i].JudgedBy.Bot() {
		d.changeDeployment(i).JudgedBy = promotion.Actor{}
		d.out.Ripples = true
	}
	judgeFreely(d, i)
	d.doneTo(r, d.Deployments[i].Promotion)
}

// obeyVerdict lets a person decide where no check could.
func obeyVerdict(d *draft, r promotion.Request) {
	i := d.Judgeable()
	if i < 0 {
		d.refuse(r, promotion.Because(promotion.Unknown, "freight"))
		return
	}
	o := verify.Opinion{Verdict: promotion.Bad, At: d.now, Reason: decided(r)}
	if r.Command.Pass {
		o.Verdict = promotion.Passed
	}
	p := d.Promotion(d.Deployments[i].Promotion)
	decideTargets(d, i, p == nil || p.State.Ended(), o)
	if p != nil && p.Rolls() {
		if p.State.Active() || o.Verdict == promotion.Passed && d.Deployments[i].Incomplete {
			goodInPart(d, i)
			d.doneTo(r, p.Number)
			return
		}
	}
	judged := d.Deployments[i].Promotion
	d.changeDeployment(i).JudgedBy = r.By
	if p != nil && p.State == promotion.Verifying {
		first := firstVerdict(p)
		conclude(d, i, p, o)
		if o.Verdict == promotion.Bad && undoes(d.Stage, first) {
			undo(d, i)
		}
	} else {
		d.record(i, o)
	}
	d.doneTo(r, judged)
}

// decideTargets applies a person's verdict to targets: while the promotion runs to those that it waits for, and once it
// has ended to all that it has updated. Signals judge those that are to come.
func decideTargets(d *draft, i int, ended bool, o verify.Opinion) {
	for k := range d.Deployments[i].Results {
		if v := d.Deployments[i].Results[k].Verdict; v == promotion.Pending || ended && v != o.Verdict {
			d.recordResult(i, k, o)
		}
	}
}

// judgeFreely lets signals judge targets again that a person has judged, and all of them by the matchers that the
// pipeline file has now.
func judgeFreely(d *draft, i int) {
	for k := range d.Deployments[i].Results {
		result := &d.changeDeployment(i).Results[k]
		if result.JudgedByPerson() {
			result.Cause = promotion.Reason{}
		}
		if t := d.Target(result.Target); t != nil && result.Verdict != promotion.Pending {
			result.Keep(t.Verify)
		}
	}
}

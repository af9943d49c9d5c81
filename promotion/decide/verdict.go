package decide

import (
	"waybill/promotion"
	"waybill/promotion/verify"
)

// obeyVerify comes after GitHub has been asked again: judgeAll has seen what it answered.
func obeyVerify(d *draft, r promotion.Request) {
	i := verify.Judgeable(&d.Snapshot)
	if i < 0 {
		d.refuse(r, promotion.Because(promotion.Unknown, "freight"))
		return
	}
	if !d.Stays[i].JudgedBy.Bot() {
		d.changeStay(i).JudgedBy = promotion.Actor{}
		d.out.Ripples = true
	}
	judgeFreely(d, i)
	d.done(r)
}

// obeyVerdict lets a person decide what no check could.
func obeyVerdict(d *draft, r promotion.Request) {
	i := verify.Judgeable(&d.Snapshot)
	if i < 0 {
		d.refuse(r, promotion.Because(promotion.Unknown, "freight"))
		return
	}
	o := verify.Opinion{Verdict: promotion.Bad, At: d.now, Reason: asked(r)}
	if r.Command.Pass {
		o.Verdict = promotion.Passed
	}
	p := d.Promotion(d.Stays[i].Promotion)
	decideTargets(d, i, p == nil || p.State.Ended(), o)
	if p != nil && p.Rolls() {
		if p.State.Active() || o.Verdict == promotion.Passed && d.Stays[i].Short {
			d.done(r)
			return
		}
	}
	d.changeStay(i).JudgedBy = r.By
	if p != nil && p.State == promotion.Verifying {
		conclude(d, i, p, o)
	} else {
		d.record(i, o)
	}
	d.done(r)
}

// decideTargets is a person's verdict on targets: while the promotion runs on what it waits for, and once it has ended
// on all that it has brought. Signals judge those that are to come.
func decideTargets(d *draft, i int, ended bool, o verify.Opinion) {
	for k := range d.Stays[i].Parts {
		if v := d.Stays[i].Parts[k].Verdict; v == promotion.Pending || ended && v != o.Verdict {
			d.recordPart(i, k, o)
		}
	}
}

// judgeFreely lets signals judge targets again that a person has judged.
func judgeFreely(d *draft, i int) {
	for k := range d.Stays[i].Parts {
		if d.Stays[i].Parts[k].JudgedByPerson() {
			d.changeStay(i).Parts[k].Cause = promotion.Reason{}
		}
	}
}

package decide

import (
	"waybill/promotion"
	"waybill/promotion/verify"
)

// obeyVerify comes after GitHub has been asked again: judge has seen what it answered.
func (w *work) obeyVerify(r promotion.Request) {
	i := verify.Judgeable(&w.Snapshot)
	if i < 0 {
		w.refuse(r, promotion.Because(promotion.Unknown, "freight"))
		return
	}
	if !w.Stays[i].JudgedBy.Bot() {
		w.ownStays()
		w.Stays[i].JudgedBy = promotion.Actor{}
		w.saveStay(i)
	}
	w.judgeFreely(i)
	w.done(r)
}

// obeyVerdict lets a person decide what no check could.
func (w *work) obeyVerdict(r promotion.Request) {
	i := verify.Judgeable(&w.Snapshot)
	if i < 0 {
		w.refuse(r, promotion.Because(promotion.Unknown, "freight"))
		return
	}
	o := verify.Opinion{Verdict: promotion.Bad, At: w.now, Reason: asked(r)}
	if r.Command.Pass {
		o.Verdict = promotion.Passed
	}
	p := w.Promotion(w.Stays[i].Promotion)
	w.decideTargets(i, p == nil || p.State.Ended(), o)
	if p != nil && p.Rolls() {
		if p.State.Active() || o.Verdict == promotion.Passed && w.Stays[i].Short {
			w.done(r)
			return
		}
	}
	w.ownStays()
	w.Stays[i].JudgedBy = r.By
	if p != nil && p.State == promotion.Verifying {
		w.conclude(i, p, o)
	} else {
		w.record(i, o)
	}
	w.done(r)
}

// decideTargets is a person's verdict on targets: while the promotion runs on what it waits for, and once it has ended on
// all that it has brought. Signals judge those that are to come.
func (w *work) decideTargets(i int, ended bool, o verify.Opinion) {
	for k := range w.Stays[i].Parts {
		if v := w.Stays[i].Parts[k].Verdict; v == promotion.Pending || ended && v != o.Verdict {
			w.recordPart(i, k, o)
		}
	}
}

// judgeFreely lets signals judge targets again that a person has judged.
func (w *work) judgeFreely(i int) {
	for k := range w.Stays[i].Parts {
		if w.Stays[i].Parts[k].JudgedByPerson() {
			w.ownStays()
			w.Stays[i].Parts[k].Cause = promotion.Reason{}
			w.keepStay(i)
		}
	}
}

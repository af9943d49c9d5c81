package decide

import (
	"slices"
	"waybill/promotion"
	"waybill/promotion/verify"
)

// obeyVerify comes after GitHub has been asked again: judge has seen what it answered.
func (w *work) obeyVerify(r promotion.Request) {
	i := judgeable(&w.Snapshot)
	if i < 0 {
		w.refuse(r, unknown(r, "freight"))
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
	i := judgeable(&w.Snapshot)
	if i < 0 {
		w.refuse(r, unknown(r, "freight"))
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

// judgeable returns the index of the stay that is being verified, or else that began last among those that last, or -1:
// what /verify and /verdict mean.
func judgeable(s *promotion.Snapshot) int {
	if p := s.Active(); p != nil && p.State == promotion.Verifying {
		return s.StayOf(p.Number)
	}
	for i := range slices.Backward(s.Stays) {
		if !s.Stays[i].Ended() {
			return i
		}
	}
	return -1
}

// judgingAgain reports whether somebody has asked to judge again and GitHub has not answered: that goes first (Q13).
func (w *work) judgingAgain() bool { return slices.ContainsFunc(w.Requests, w.unobserved) }

// unobserved reports whether a request asks to judge again, and GitHub has not been asked since.
func (w *work) unobserved(r promotion.Request) bool {
	return r.Command.Verb == promotion.CmdVerify && r.Observed.IsZero() && judgeable(&w.Snapshot) >= 0
}

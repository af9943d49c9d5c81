package promotion

import "slices"

// obeyVerify comes after GitHub has been asked again: judge has seen what it answered.
func (w *work) obeyVerify(r Request) {
	i := w.judgeable()
	if i < 0 {
		w.refuse(r, r.unknown("freight"))
		return
	}
	if !w.Stays[i].JudgedBy.Bot() {
		w.ownStays()
		w.Stays[i].JudgedBy = Actor{}
		w.saveStay(i)
	}
	w.judgeFreely(i)
	w.done(r)
}

// obeyVerdict lets a person decide what no check could.
func (w *work) obeyVerdict(r Request) {
	i := w.judgeable()
	if i < 0 {
		w.refuse(r, r.unknown("freight"))
		return
	}
	o := opinion{verdict: Bad, at: w.now, reason: r.asked()}
	if r.Command.Pass {
		o.verdict = Passed
	}
	p := w.promotion(w.Stays[i].Promotion)
	if p != nil && p.Rollout != nil {
		w.decideTargets(i, p, o)
		if p.State.Active() || o.verdict == Passed && w.Stays[i].Short {
			w.done(r)
			return
		}
	}
	w.ownStays()
	w.Stays[i].JudgedBy = r.By
	if p != nil && p.State == Verifying {
		w.conclude(i, p, o)
	} else {
		w.record(i, o)
	}
	w.done(r)
}

// decideTargets is a person's verdict on targets: while the rollout runs on what it waits for, else on all that it has brought.
// Signals judge those that are to come.
func (w *work) decideTargets(i int, p *Promotion, o opinion) {
	for k := range w.Stays[i].Parts {
		if v := w.Stays[i].Parts[k].Verdict; v == Pending || p.State.Ended() && v != o.verdict {
			w.recordPart(i, k, o)
		}
	}
}

// judgedByPerson reports whether the verdict on a target is somebody's, which no signal changes.
func (p *Part) judgedByPerson() bool { return p.Cause.Code == Asked }

// judgeFreely lets signals judge targets again that a person has judged.
func (w *work) judgeFreely(i int) {
	for k := range w.Stays[i].Parts {
		if w.Stays[i].Parts[k].judgedByPerson() {
			w.ownStays()
			w.Stays[i].Parts[k].Cause = Reason{}
			w.keepStay(i)
		}
	}
}

// stayOf returns the index of the stay that a promotion began, or -1.
func (s *Snapshot) stayOf(n Number) int {
	for i := range s.Stays {
		if s.Stays[i].Promotion == n {
			return i
		}
	}
	return -1
}

// judgeable returns the index of the stay that is being verified, or else that began last among those that last, or -1:
// what /verify and /verdict mean.
func (s *Snapshot) judgeable() int {
	if p := s.active(); p != nil && p.State == Verifying {
		return s.stayOf(p.Number)
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
func (w *work) unobserved(r Request) bool {
	return r.Command.Verb == CmdVerify && r.Observed.IsZero() && w.judgeable() >= 0
}

package promotion

// judgeAll judges what the stage hosts: the promotion that is verifying, and freight that has been judged before and has
// new signals. What has left the stage is judged no more.
func (w *work) judgeAll() {
	for i := range w.Stays {
		stay := &w.Stays[i]
		if stay.Ended() {
			continue
		}
		switch p := w.promotion(stay.Promotion); {
		case p != nil && p.State.Active() && p.Rollout != nil:
			w.judgeTargets(i, p)
		case p != nil && p.State == Verifying:
			w.judgeActive(i, p)
		case p != nil && !p.State.Ended() || !stay.JudgedBy.Bot():
		case len(stay.Parts) > 0:
			w.judgePartsAgain(i)
		default:
			w.judgeAgain(i)
		}
	}
}

// judgeActive judges the promotion that is verifying.
func (w *work) judgeActive(i int, p *Promotion) {
	if v := w.Stays[i].Verdict; v == Passed || v == Bad { // a promotion without change takes over what was found before
		w.conclude(i, p, opinion{verdict: v, at: w.Stays[i].Judged, reason: w.Stays[i].Cause})
		return
	}
	o := w.verdict(&w.Stays[i], p)
	switch o.verdict {
	case Passed, Bad:
		w.conclude(i, p, o)
	case Undecided:
		w.undecided(p, o.reason)
	}
}

// verdict is what all matchers of the stage say together: it passes when all pass, fails when one fails, and is
// inconclusive when one is and none fails (semantics 7.4). Without matchers it passes at once (Q14).
func (w *work) verdict(stay *Stay, p *Promotion) opinion {
	all := opinion{verdict: Passed, at: stay.Entered}
	for _, t := range w.judge.trials(stay) {
		matchers := t.Matchers()
		for i := range matchers {
			o := w.judge.opinion(&t, &matchers[i])
			if o.verdict == Pending && p != nil && !w.clockStopped(p) {
				o = w.silence(p, &matchers[i], o.seen)
			}
			all = all.and(o)
		}
	}
	if all.at.After(w.now) {
		all.at = w.now
	}
	return all
}

// silence judges a matcher that has not been decided by signals.
func (w *work) silence(p *Promotion, m *Matcher, seen bool) opinion {
	if p.Reason.Code == NoChange && !seen {
		if w.asked(p, p.Merged) {
			return opinion{verdict: Undecided, reason: Because(Inconclusive, m.String())}
		}
		return opinion{}
	}
	return w.overdue(p, m, seen)
}

// conclude ends the verification of the i-th stay's promotion with a verdict.
func (w *work) conclude(i int, p *Promotion, o opinion) {
	w.record(i, o)
	n := p.Number
	if o.verdict == Passed {
		w.end(n, Succeeded, o.reason)
		w.liftInconclusive(n)
		return
	}
	w.end(n, VerificationFailed, o.reason)
	w.afterFailure(w.promotion(n), o.reason)
	w.liftInconclusive(n)
}

// record writes a verdict on the i-th stay.
func (w *work) record(i int, o opinion) {
	w.ownStays()
	stay := &w.Stays[i]
	stay.Verdict, stay.Judged, stay.Cause = o.verdict, o.at, o.reason
	if o.at.IsZero() {
		stay.Judged = w.now
	}
	w.saveStay(i)
}

// afterFailure deals with what waits behind a failed verification (Q4).
func (w *work) afterFailure(failed *Promotion, why Reason) {
	switch w.Stage.OnFailedVerification {
	case OnFailureContinue:
		return
	case OnFailureHold:
		w.hold(why, failed.Number)
		return
	}
	manual := false
	because := Because(BeforeFailed, append([]string{failed.Number.String()}, why.Args...)...).At(why.URL)
	for _, p := range w.Promotions {
		if p.State != Queued {
			continue
		}
		if p.Class == Automatic {
			w.end(p.Number, Cancelled, because)
			continue
		}
		manual = true
	}
	if manual {
		w.hold(why, failed.Number)
	}
}

// undecided holds the stage, once, until a person or a new signal decides (Q5). The promotion stays verifying.
func (w *work) undecided(p *Promotion, why Reason) {
	if w.clockStopped(p) {
		return
	}
	p = w.change(p.Number)
	p.Reason = why
	w.hold(why, p.Number)
	w.tell(p, string(why.Code), why)
}

// judgeAgain looks at the signals of freight that was judged before: a new verdict counts for the stages downstream,
// what is merged stays, and a pending re-verification revokes nothing.
func (w *work) judgeAgain(i int) {
	stay := &w.Stays[i]
	o := w.verdict(stay, nil)
	if (o.verdict == Passed || o.verdict == Bad) && o.verdict != stay.Verdict {
		w.record(i, o)
	}
}

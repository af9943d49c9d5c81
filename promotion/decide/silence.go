package decide

import (
	"time"
	"waybill/promotion"
	"waybill/promotion/verify"
)

// overdue judges a matcher that nothing has decided (semantics 7.5): after Appear without a signal, and after Timeout.
// GitHub is asked once before silence means anything, because a lost webhook must not fail a good release. It returns
// the zero opinion while there is time left or the answer is not there.
func (w *work) overdue(p *promotion.Promotion, m *promotion.Matcher, seen bool) verify.Opinion {
	if !seen && w.asked(p, p.Merged.Add(m.Appear)) {
		return verify.LackOpinion(m.Missing, promotion.Because(promotion.Missing, m.String()), p.Merged.Add(m.Appear))
	}
	if w.asked(p, p.Merged.Add(m.Timeout)) {
		return verify.Opinion{Verdict: promotion.Bad, Seen: seen, Reason: promotion.Because(promotion.TimedOut, m.String())}
	}
	return verify.Opinion{Seen: seen}
}

// asked reports whether the deadline has passed and GitHub has been asked since. Otherwise it sees to it that somebody
// looks at the deadline, and that GitHub is asked.
func (w *work) asked(p *promotion.Promotion, deadline time.Time) bool {
	if deadline.After(w.now) {
		w.wakeAt(deadline)
		return false
	}
	return !w.Attempt(p.Number).Observed.Before(deadline)
}

// wantObservations asks GitHub for all signals when a deadline has passed in silence, when nothing at all is known of
// the commit of a promotion without change, and when a person asks to judge again.
func (w *work) wantObservations() {
	for _, r := range w.Requests {
		if w.unobserved(r) {
			w.wanted(promotion.Effect{Verb: promotion.Observe, Promotion: w.Stays[judgeable(&w.Snapshot)].Promotion, Round: r.ID, Request: r.ID})
		}
	}
	p := w.Active()
	if p == nil || p.State != promotion.Verifying || w.clockStopped(p) {
		return
	}
	if due, late := w.silent(p); late {
		w.wanted(promotion.Effect{Verb: promotion.Observe, Promotion: p.Number, Round: due.Unix()})
	}
}

// silent returns the first deadline that has passed without GitHub having been asked since.
func (w *work) silent(p *promotion.Promotion) (deadline time.Time, late bool) {
	stay := w.StayOf(p.Number)
	if stay < 0 {
		return time.Time{}, false
	}
	for _, t := range w.judge.Trials(&w.Stays[stay]) {
		matchers := t.Matchers()
		for i := range matchers {
			o := w.judge.Opinion(&t, &matchers[i])
			if o.Verdict != promotion.Pending {
				continue
			}
			for _, d := range w.deadlines(w.since(p, t.Since), &matchers[i], o.Seen) {
				if !d.After(w.now) && w.Attempt(p.Number).Observed.Before(d) {
					return d, true
				}
			}
		}
	}
	return time.Time{}, false
}

// since returns a promotion as it is for what one of several merges has brought: each has deadlines of its own.
func (w *work) since(p *promotion.Promotion, merged time.Time) *promotion.Promotion {
	if !w.Stage.PerTarget || p.Rollout == nil || merged.IsZero() || p.Reason.Code == promotion.NoChange {
		return p
	}
	at := *p
	at.Merged = merged
	return &at
}

func (w *work) deadlines(p *promotion.Promotion, m *promotion.Matcher, seen bool) []time.Time {
	timeout := p.Merged.Add(m.Timeout)
	if seen {
		return []time.Time{timeout}
	}
	if p.Reason.Code == promotion.NoChange {
		return []time.Time{p.Merged}
	}
	return []time.Time{p.Merged.Add(m.Appear), timeout}
}

// clockStopped reports whether the verification was found inconclusive: then no deadline runs until a person or a new
// signal decides (Q5).
func (w *work) clockStopped(p *promotion.Promotion) bool {
	return p.Reason.Code == promotion.Inconclusive || p.Reason.Code == promotion.Missing
}

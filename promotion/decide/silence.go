package decide

import (
	"time"
	"waybill/promotion"
	"waybill/promotion/verify"
)

// deadline is when silence means something, and its meaning.
type deadline struct {
	at    time.Time
	means verify.Opinion
}

// deadlines returns the deadlines of a matcher whose signals have not decided, by the time of the merge that they
// judge (semantics 7.5): a signal must appear, and there must be a verdict. Where nothing was changed there may never
// be one.
func deadlines(p *promotion.Promotion, merged time.Time, m *promotion.Matcher, seen bool) []deadline {
	timeout := merged.Add(m.Timeout)
	timedOut := verify.Opinion{Verdict: promotion.Bad, Seen: seen, Reason: promotion.Because(promotion.TimedOut, m.String())}
	if seen {
		return []deadline{{timeout, timedOut}}
	}
	if p.Reason.Code == promotion.NoChange {
		unclear := promotion.Because(promotion.Inconclusive, m.String())
		return []deadline{{merged, verify.Opinion{Verdict: promotion.Undecided, Reason: unclear}}}
	}
	appear := merged.Add(m.Appear)
	missing := verify.LackOpinion(m.Missing, promotion.Because(promotion.Missing, m.String()), appear)
	return []deadline{{appear, missing}, {timeout, timedOut}}
}

// silence judges a matcher that no signal has decided. A deadline that has passed counts once GitHub has been asked
// since, because a lost webhook must not fail a good release. While none counts the opinion is pending; until is the
// next one.
func (w *work) silence(
	p *promotion.Promotion, merged time.Time, m *promotion.Matcher, seen bool,
) (o verify.Opinion, until time.Time) {
	for _, d := range deadlines(p, merged, m, seen) {
		switch {
		case d.at.After(w.now):
			until = sooner(until, d.at)
		case !w.unasked(p, d):
			return d.means, until
		}
	}
	return verify.Opinion{Seen: seen}, until
}

// unasked reports whether a deadline has passed and GitHub has not been asked since.
func (w *work) unasked(p *promotion.Promotion, d deadline) bool {
	return !d.at.After(w.now) && w.Attempt(p.Number).Observed.Before(d.at)
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
func (w *work) silent(p *promotion.Promotion) (due time.Time, late bool) {
	stay := w.StayOf(p.Number)
	if stay < 0 {
		return time.Time{}, false
	}
	for _, t := range w.judge().Trials(&w.Stays[stay]) {
		for i := range t.Verify {
			o := w.judge().Opinion(&t, &t.Verify[i])
			if o.Verdict != promotion.Pending {
				continue
			}
			for _, d := range deadlines(p, w.mergeOf(p, t.Since), &t.Verify[i], o.Seen) {
				if w.unasked(p, d) {
					return d.at, true
				}
			}
		}
	}
	return time.Time{}, false
}

// mergeOf returns from when the deadlines run of what a promotion has merged: one of several merges has its own.
func (w *work) mergeOf(p *promotion.Promotion, merged time.Time) time.Time {
	if !w.Stage.PerTarget || merged.IsZero() || p.Reason.Code == promotion.NoChange {
		return p.Merged
	}
	return merged
}

// clockStopped reports whether the verification was found inconclusive: then no deadline runs until a person or a new
// signal decides (Q5).
func (w *work) clockStopped(p *promotion.Promotion) bool {
	return p.Reason.Code == promotion.Inconclusive || p.Reason.Code == promotion.Missing
}

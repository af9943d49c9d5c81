package verify

import (
	"time"

	"waybill/promotion"
)

// Overdue returns the first deadline of a promotion's verification that has passed without GitHub having been asked
// since.
func (j Judge) Overdue(p *promotion.Promotion, now time.Time) (due time.Time, overdue bool) {
	if ClockStopped(p) {
		return time.Time{}, false
	}
	for _, a := range j.pending(p) {
		for _, d := range a.deadlines() {
			if j.unasked(p, d, now) {
				return d.at, true
			}
		}
	}
	return time.Time{}, false
}

// Awaits lists the matchers that a promotion's verification waits for. One of them may be decided by silence at until;
// the zero time is never.
func (j Judge) Awaits(p *promotion.Promotion, now time.Time) (matchers []string, until time.Time) {
	for _, a := range j.pending(p) {
		_, due := j.silence(a, now)
		until = promotion.Sooner(until, due)
		matchers = append(matchers, a.matcher.String())
	}
	return matchers, until
}

// ClockStopped reports whether the verification was found inconclusive: then no deadline runs until a person
// decides, or new signals leave nothing unclear (Q5).
func ClockStopped(p *promotion.Promotion) bool {
	return p.Reason.Code == promotion.Inconclusive || p.Reason.Code == promotion.Missing
}

// awaited is a matcher that has decided nothing about a merge of a promotion.
type awaited struct {
	by      *promotion.Promotion
	begun   time.Time // from when its deadlines run
	matcher *promotion.Matcher
	seen    bool // a signal matches
}

// pending lists the matchers that the targets of a promotion without a verdict wait for.
func (j Judge) pending(p *promotion.Promotion) (all []awaited) {
	i := j.s.DeploymentOf(p.Number)
	if i < 0 {
		return nil
	}
	for k := range j.s.Deployments[i].Results {
		result := &j.s.Deployments[i].Results[k]
		if result.Verdict != promotion.Pending {
			continue
		}
		t, judged := j.trialOfTarget(p.Number, result)
		if !judged {
			continue
		}
		for m := range t.by {
			if o := j.hear(&t, &t.by[m]); o.Verdict == promotion.Pending {
				all = append(all, awaited{p, j.begins(p, result.Came()), &t.by[m], o.Seen})
			}
		}
	}
	return all
}

// begins returns when the deadlines of a promotion's merge begin: with the merge, of which one of several has its own,
// or when nothing was unclear any more.
func (j Judge) begins(p *promotion.Promotion, merged time.Time) time.Time {
	if !j.s.Stage.Strategy.PerTarget || merged.IsZero() || p.WroteNothing() {
		merged = p.Merged
	}
	if p.Rollout == nil {
		return merged
	}
	return promotion.Later(merged, p.Rollout.Resumed)
}

// deadline is when silence means something, and its meaning.
type deadline struct {
	at    time.Time
	means Opinion
}

// deadlines returns the deadlines of an awaited matcher (semantics 7.5): a signal must appear, and there must be a
// verdict. Where nothing was changed there may never be one.
func (a *awaited) deadlines() []deadline {
	m, timeout := a.matcher, a.begun.Add(a.matcher.Timeout)
	timedOut := Opinion{Verdict: promotion.Bad, Seen: a.seen, Reason: promotion.Because(promotion.TimedOut, m.String())}
	if a.seen {
		return []deadline{{timeout, timedOut}}
	}
	if a.by.WroteNothing() {
		unclear := promotion.Because(promotion.Inconclusive, m.String())
		return []deadline{{a.begun, Opinion{Verdict: promotion.Undecided, Reason: unclear}}}
	}
	appear := a.begun.Add(m.Appear)
	missing := lackOpinion(m.Missing, promotion.Because(promotion.Missing, m.String()), appear)
	return []deadline{{appear, missing}, {timeout, timedOut}}
}

// silence judges an awaited matcher. A deadline that has passed counts once GitHub has been asked since, because a
// lost webhook must not fail a good release. While none counts the opinion is pending; until is the next one. While
// the clock is stopped, what was missing stays so, and silence decides nothing.
func (j Judge) silence(a awaited, now time.Time) (o Opinion, until time.Time) {
	stopped := ClockStopped(a.by)
	for _, d := range a.deadlines() {
		switch {
		case stopped && (d.at.After(now) || d.means.Verdict != promotion.Undecided):
		case d.at.After(now):
			until = promotion.Sooner(until, d.at)
		case !j.unasked(a.by, d, now):
			return d.means, until
		}
	}
	return Opinion{Seen: a.seen}, until
}

// unasked reports whether a deadline has passed and GitHub has not been asked since.
func (j Judge) unasked(p *promotion.Promotion, d deadline, now time.Time) bool {
	return !d.at.After(now) && j.s.Attempt(p.Number).Observed.Before(d.at)
}

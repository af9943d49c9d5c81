package dora

import (
	"slices"
	"sort"
	"time"

	"waybill/promotion"
)

// Cause is what a change waits for on its way into a stage.
type Cause string

const (
	// Before is until its promotion was queued: the stages before it, soaking, and, where nothing is automatic, somebody
	// who asks; earlier tries included.
	Before Cause = "before"
	// Held is in the queue of the stage, while it was held.
	Held Cause = "held"
	// Turn is in the queue otherwise: other promotions, freezes, and targets that are not ready.
	Turn Cause = "turn"
	// SignOff is from the start of its promotion until the last sign-off.
	SignOff Cause = "sign-off"
	// Delivery is then, until it was merged or committed: checks, reviews and rules of the branch, and the person who
	// merges.
	Delivery Cause = "delivery"
	// Verification is then, until it was verified; of a rollout, all of its steps.
	Verification Cause = "verification"
)

// causes are all of them, in the order in which they come.
var causes = [...]Cause{Before, Held, Turn, SignOff, Delivery, Verification}

// timeInto measures how long each change took from its merge until the stage had verified it, the first time, and what
// it waited for. The waits of a change add up to its lead time.
func (l line) timeInto(t *tally, holds []promotion.Hold) {
	seen := map[promotion.FreightID]bool{}
	held := l.heldIn(holds)
	for i := range l {
		p := &l[i]
		if p.Verified().IsZero() || !p.BringsChange() || seen[p.Freight] {
			continue
		}
		seen[p.Freight] = true
		way := between(p)
		t.leads = append(t.leads, way.end.Sub(way.begin))
		stood := within(held, way.queued, way.started)
		for i, d := range [len(causes)]time.Duration{
			way.queued.Sub(way.begin), stood, way.started.Sub(way.queued) - stood, way.signed.Sub(way.started),
			way.entered.Sub(way.signed), way.end.Sub(way.entered),
		} {
			t.waits[i] = append(t.waits[i], d)
		}
	}
}

// way has the times of a passage, none before the one that goes before it.
type way struct{ begin, queued, started, signed, entered, end time.Time }

// between returns the times of a passage that was verified. They come from the clocks of GitHub and of Waybill, which
// differ a little: what is out of order is moved, so that no wait is negative.
func between(p *promotion.Passage) way {
	end := promotion.Later(p.Made, p.Verified())
	last := p.Made
	next := func(at time.Time) time.Time {
		if last = promotion.Later(last, at); last.After(end) {
			last = end
		}
		return last
	}
	return way{p.Made, next(p.Queued), next(p.Started), next(p.Signed), next(p.Entered), end}
}

// span is a time from when until when; without an end it goes on.
type span struct{ from, to time.Time }

// heldIn returns when holds stopped the freight of a line from starting, in order: spans that do not overlap.
func (l line) heldIn(holds []promotion.Hold) (merged []span) {
	var all []span
	for i := range holds {
		h := &holds[i]
		end := ended(h)
		if len(l) > 0 && h.Stops(l[0].Stage, l[0].Warehouse) && (end.IsZero() || end.After(h.At)) {
			all = append(all, span{h.At, end})
		}
	}
	slices.SortFunc(all, func(a, b span) int { return a.from.Compare(b.from) })
	for _, s := range all {
		last := len(merged) - 1
		switch {
		case last < 0 || !merged[last].to.IsZero() && merged[last].to.Before(s.from):
			merged = append(merged, s)
		case s.to.IsZero() || !merged[last].to.IsZero() && s.to.After(merged[last].to):
			merged[last].to = s.to
		}
	}
	return merged
}

// within returns for how much of a time there are spans.
func within(spans []span, from, to time.Time) (sum time.Duration) {
	first := sort.Search(len(spans), func(i int) bool { return spans[i].to.IsZero() || spans[i].to.After(from) })
	for _, s := range spans[first:] {
		if !s.from.Before(to) {
			break
		}
		sum += max(0, promotion.Sooner(s.to, to).Sub(promotion.Later(s.from, from)))
	}
	return sum
}

// ended returns when a hold ended, or is to end; the zero time: it has no end.
func ended(h *promotion.Hold) time.Time { return promotion.Sooner(h.Lifted, h.Until) }

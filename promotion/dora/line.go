package dora

import (
	"cmp"
	"time"

	"waybill/promotion"
)

// line is the freight of one warehouse that came into one stage, in the order of its arrival.
type line []promotion.Passage

// byArrival orders passages by their arrival.
func byArrival(a, b promotion.Passage) int {
	return cmp.Or(a.Entered.Compare(b.Entered), cmp.Compare(a.Number, b.Number))
}

// failed returns when the i-th passage turned out bad: when its verification failed, or, whatever its verdict was, when
// somebody asked to go back before the next change came. The zero time says that it did not.
func (l line) failed(i int) time.Time {
	if l[i].Verdict == promotion.Bad {
		return l[i].Judged
	}
	for _, next := range l[i+1:] {
		switch {
		case next.GoesBack():
			return next.Queued
		case next.BringsChange():
			return time.Time{}
		}
	}
	return time.Time{}
}

// countInto counts deployments and failures, and measures how long it took after each failure until something good
// came. Failures before that belong to the first one.
func (l line) countInto(t *tally) {
	var broken time.Time // since when
	for i := range l {
		p := &l[i]
		if well := p.Verified(); !broken.IsZero() && !well.IsZero() {
			t.restores = append(t.restores, max(0, well.Sub(broken)))
			broken = time.Time{}
		}
		if !p.BringsChange() {
			continue
		}
		at := l.failed(i)
		t.deployments++
		t.inPeriod(p.Entered, !at.IsZero())
		switch {
		case !at.IsZero():
			t.judged++
			t.failed++
			if broken.IsZero() {
				broken = at
			}
		case p.Verdict == promotion.Passed:
			t.judged++
		}
	}
	if !broken.IsZero() {
		t.broken++
	}
}

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
// somebody asked to go back, with the whole stage or with one target, before the next change came. The zero time says
// that it did not. What comes from the index restores on can restore the stage.
func (l line) failed(i int) (at time.Time, restores int) {
	if l[i].Verdict == promotion.Bad {
		return l[i].Judged, i + 1
	}
	for j := i + 1; j < len(l) && !l[j].BringsChange(); j++ {
		if l[j].GoesBack() {
			return l[j].Queued, j
		}
	}
	return time.Time{}, 0
}

// countInto counts deployments and failures, and measures how long it took after each failure until something good
// came. Failures before that belong to the first one.
func (l line) countInto(t *tally) {
	var broken time.Time // since when
	restores := 0        // from which passage on
	for i := range l {
		p := &l[i]
		if well := p.Verified(); !broken.IsZero() && !well.IsZero() && i >= restores {
			t.restores = append(t.restores, max(0, well.Sub(broken)))
			broken = time.Time{}
		}
		if !p.BringsChange() {
			continue
		}
		at, way := l.failed(i)
		t.deployments++
		t.inPeriod(p.Entered, !at.IsZero())
		switch {
		case !at.IsZero():
			t.judged++
			t.failed++
			if broken.IsZero() {
				broken, restores = at, way
			}
		case p.Verdict == promotion.Passed:
			t.judged++
		}
	}
	if !broken.IsZero() {
		t.broken++
	}
}

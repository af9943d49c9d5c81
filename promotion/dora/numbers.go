package dora

import (
	"slices"
	"time"

	"waybill/promotion"
)

// Window is the time that numbers are about: all passages of a History count, and whoever makes one leaves out those
// that came into their stage before it.
type Window struct{ Since, Until time.Time }

// Numbers say how delivery into some stages went.
type Numbers struct {
	Deployments int
	Judged      int // deployments that turned out good or bad
	Failed      int // those that turned out bad
	Lead        Spread
	Waits       []Wait // what the lead time consists of, in the order in which it passes
	Restore     Spread
	Broken      int // failures after which nothing good has come yet
	Periods     []Period
}

// Wait is the part of the lead times that passed for one cause.
type Wait struct {
	Cause Cause
	Spread
	Total time.Duration
}

// History is the past of a pipeline, by stages.
type History struct {
	lines map[promotion.StageName][]line
	holds []promotion.Hold
}

// NewHistory sorts the passages of a pipeline, and keeps the holds that stood meanwhile.
func NewHistory(passages []promotion.Passage, holds []promotion.Hold) History {
	type place struct {
		stage     promotion.StageName
		warehouse promotion.WarehouseName
	}
	h := History{lines: map[promotion.StageName][]line{}, holds: holds}
	at := map[place]int{}
	for _, p := range passages {
		where := place{p.Stage, p.Warehouse}
		i, known := at[where]
		if !known {
			i = len(h.lines[p.Stage])
			at[where], h.lines[p.Stage] = i, append(h.lines[p.Stage], nil)
		}
		h.lines[p.Stage][i] = append(h.lines[p.Stage][i], p)
	}
	for _, lines := range h.lines {
		for _, l := range lines {
			slices.SortFunc(l, byArrival)
		}
	}
	return h
}

// Numbers returns the numbers of some stages together.
func (h History) Numbers(w Window, stages ...promotion.StageName) Numbers {
	t := tally{periods: w.periods()}
	for _, s := range stages {
		for _, l := range h.lines[s] {
			l.countInto(&t)
			l.timeInto(&t, h.holds)
		}
	}
	return t.numbers()
}

// tally is what has been counted and measured so far.
type tally struct {
	deployments, judged, failed, broken int
	leads, restores                     []time.Duration
	waits                               [len(causes)][]time.Duration
	periods                             []Period
}

// numbers sums the tally up.
func (t *tally) numbers() Numbers {
	n := Numbers{
		Deployments: t.deployments, Judged: t.judged, Failed: t.failed, Broken: t.broken,
		Lead: spreadOf(t.leads), Restore: spreadOf(t.restores), Periods: t.periods,
	}
	if len(t.leads) == 0 {
		return n
	}
	for i, c := range causes {
		w := Wait{Cause: c}
		for _, d := range t.waits[i] {
			w.Total += d
		}
		w.Spread = spreadOf(t.waits[i])
		n.Waits = append(n.Waits, w)
	}
	return n
}

// Spread says how durations are distributed. By the nearest rank: half of them are at most the median, and nine of ten
// at most the 90th percentile, and each is one of them.
type Spread struct {
	Count       int
	Median, P90 time.Duration
}

// spreadOf returns the spread of durations; it is zero if there are none.
func spreadOf(all []time.Duration) Spread {
	if len(all) == 0 {
		return Spread{}
	}
	sorted := slices.Sorted(slices.Values(all))
	rank := func(tenths int) time.Duration { return sorted[(len(sorted)*tenths+9)/10-1] }
	return Spread{Count: len(sorted), Median: rank(5), P90: rank(9)}
}

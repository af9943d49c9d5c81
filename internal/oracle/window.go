package oracle

import (
	"fmt"
	"time"

	"waybill/internal/oracle/recorded"
	"waybill/promotion"
)

// window plays a recorded freeze. It panics when it is asked about a time outside its recording.
type window recorded.Window

var _ promotion.Window = window{}

// Until implements promotion.Window.
func (w window) Until(now time.Time) time.Time {
	w.check(now)
	for _, t := range w.Times {
		if !now.Before(t.Begins) && now.Before(t.Ends) {
			return t.Ends
		}
	}
	return time.Time{}
}

// Next implements promotion.Window.
func (w window) Next(now time.Time) time.Time {
	w.check(now)
	for _, t := range w.Times {
		if t.Begins.After(now) {
			return t.Begins
		}
	}
	return time.Time{}
}

func (w window) check(now time.Time) {
	if now.Before(w.From) || !w.To.IsZero() && !now.Before(w.To) {
		panic(fmt.Sprintf("a freeze is recorded from %s to %s, not for %s", w.From, w.To, now))
	}
}

// maxTimes is how often a recorded freeze comes again. No story lasts as long.
const maxTimes = 30

// recordWindow records a freeze from now on. It panics if its times overlap, because a list of them cannot say then
// which of them a moment belongs to.
func recordWindow(w promotion.Window, now time.Time) recorded.Window {
	r := recorded.Window{From: now}
	if end := w.Until(now); !end.IsZero() {
		r.Times = append(r.Times, recorded.Time{Begins: now, Ends: end})
	}
	for at := now; len(r.Times) < maxTimes; at = r.To {
		r.To = w.Next(at)
		if r.To.IsZero() {
			return r
		}
		t := recorded.Time{Begins: r.To, Ends: w.Until(r.To)}
		if n := len(r.Times); n > 0 && t.Begins.Before(r.Times[n-1].Ends) {
			panic(fmt.Sprintf("a freeze that overlaps itself at %s cannot be recorded", t.Begins))
		}
		r.Times = append(r.Times, t)
	}
	return r
}

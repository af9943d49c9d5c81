package dora

import (
	"slices"
	"time"
)

// Period is a day or a week in UTC.
type Period struct {
	From        time.Time
	Deployments int
	Failed      int // of these
}

// dailyUpTo is the longest window that is divided into days; longer ones are divided into weeks.
const dailyUpTo = 35 * 24 * time.Hour

// Days reports whether the periods of the window are days and not weeks.
func (w Window) Days() bool { return w.Until.Sub(w.Since) <= dailyUpTo }

// Weeks is how long the window is.
func (w Window) Weeks() float64 { return w.Until.Sub(w.Since).Hours() / (7 * 24) }

// periods returns the periods that the window touches. Days begin at midnight and weeks on Monday, in UTC.
func (w Window) periods() (all []Period) {
	from, step := w.Since.UTC().Truncate(24*time.Hour), 1
	if !w.Days() {
		from, step = from.AddDate(0, 0, -(int(from.Weekday())+6)%7), 7
	}
	for ; from.Before(w.Until); from = from.AddDate(0, 0, step) {
		all = append(all, Period{From: from})
	}
	return all
}

// inPeriod counts a deployment in its period, if the window has it.
func (t *tally) inPeriod(at time.Time, failed bool) {
	i, begins := slices.BinarySearchFunc(t.periods, at, func(p Period, at time.Time) int { return p.From.Compare(at) })
	if !begins {
		i--
	}
	if i < 0 {
		return
	}
	t.periods[i].Deployments++
	if failed {
		t.periods[i].Failed++
	}
}

package env

import (
	"errors"
	"slices"
	"sync"
	"time"

	"waybill/app/gh"
	"waybill/promotion"
)

// Grants is what the App lacks of its permissions and events, as GitHub said when it was asked last.
type Grants struct {
	mu    sync.Mutex
	asked bool
	next  time.Time
	all   []Lacking
}

// Lacking is a permission or an event that is missing.
type Lacking struct {
	promotion.Ungranted
	Installation int64   // that has not accepted it; 0: the App itself does not have it
	Pipelines    []int64 // that have a use for it
}

// Lacks reports whether GitHub has refused something because the App lacks a permission. The log tells of that once,
// when GitHub is asked what the App has.
func Lacks(err error) bool { return errors.Is(err, gh.ErrLacking) }

// Is reports whether two are the same, whatever pipelines there are.
func (l Lacking) Is(other Lacking) bool {
	return l.Ungranted == other.Ungranted && l.Installation == other.Installation
}

// Due reports whether GitHub is to be asked now, and otherwise when.
func (g *Grants) Due(now time.Time) (due bool, next time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.asked || !now.Before(g.next), g.next
}

// AskAgain has GitHub be asked soon: the account has granted something.
func (g *Grants) AskAgain() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = false
}

// Postpone has GitHub be asked at a later time: it did not answer.
func (g *Grants) Postpone(next time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked, g.next = true, next
}

// Set records what is missing, and when GitHub is asked the next time. It returns what is new, and what is missing no
// more.
func (g *Grants) Set(all []Lacking, next time.Time) (fresh, gone []Lacking) {
	g.mu.Lock()
	defer g.mu.Unlock()
	in := func(some []Lacking) func(Lacking) bool {
		return func(l Lacking) bool { return slices.ContainsFunc(some, l.Is) }
	}
	fresh = slices.DeleteFunc(slices.Clone(all), in(g.all))
	gone = slices.DeleteFunc(slices.Clone(g.all), in(all))
	g.asked, g.next, g.all = true, next, all
	return fresh, gone
}

// All returns everything that is missing and that somebody has a use for.
func (g *Grants) All() []Lacking {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.all)
}

// Of returns what is missing that a pipeline has a use for, each once.
func (g *Grants) Of(pipeline int64) (all []promotion.Ungranted) {
	for _, l := range g.All() {
		if slices.Contains(l.Pipelines, pipeline) && !slices.Contains(all, l.Ungranted) {
			all = append(all, l.Ungranted)
		}
	}
	return all
}

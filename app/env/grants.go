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
	mu     sync.Mutex
	wanted int // how many times somebody wanted GitHub to be asked, and how many of these it was
	asked  int
	once   bool // it was asked
	known  bool // it has answered
	failed int  // times in a row that it did not answer
	next   time.Time
	all    []Lacking
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

// RefusedForGood reports whether GitHub refuses just what was asked for, and says nothing that may be over soon.
func RefusedForGood(err error) bool { return gh.RefusesThis(err) && !errors.Is(err, gh.ErrPassing) }

// Is reports whether both are missing in the same installation, whichever pipelines they matter to.
func (l Lacking) Is(other Lacking) bool {
	return l.Ungranted == other.Ungranted && l.Installation == other.Installation
}

// Asking is a question to GitHub what the App lacks. Its answer does not cover what somebody wanted to be asked later.
type Asking struct{ wanted int }

// Due reports whether GitHub is to be asked now, and otherwise when.
func (g *Grants) Due(now time.Time) (asking Asking, due bool, next time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Asking{g.wanted}, !g.once || g.wanted != g.asked || !now.Before(g.next), g.next
}

// AskAgain has GitHub be asked soon: the account has granted something.
func (g *Grants) AskAgain() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wanted++
}

// Postpone has GitHub be asked at a later time, after as many failures in a row as it is told: it did not answer.
func (g *Grants) Postpone(a Asking, next func(failed int) time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failed++
	g.once, g.asked, g.next = true, a.wanted, next(g.failed)
}

// Compare returns what is new in a list of what is missing, and what is missing no more.
func (g *Grants) Compare(all []Lacking) (fresh, gone []Lacking) {
	had := g.All()
	in := func(some []Lacking) func(Lacking) bool {
		return func(l Lacking) bool { return slices.ContainsFunc(some, l.Is) }
	}
	return slices.DeleteFunc(slices.Clone(all), in(had)), slices.DeleteFunc(had, in(all))
}

// Set records what is missing, and when GitHub is asked the next time.
func (g *Grants) Set(a Asking, all []Lacking, next time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.once, g.known, g.asked, g.failed, g.next, g.all = true, true, a.wanted, 0, next, all
}

// Known reports whether GitHub has answered since the start.
func (g *Grants) Known() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.known
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

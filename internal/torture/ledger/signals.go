package ledger

import (
	"time"

	"waybill/internal/torture/shape"
)

// Signals are what CI has reported, and what monitors have of targets.
type Signals struct {
	clock *Clock

	all   []Signal
	shown map[string][]shown // by target
}

// Signal is what CI has reported of a commit, or of a run that is called something.
type Signal struct {
	Kind, Name, SHA, Result string
	at                      time.Time
}

// shown is what has been reported of a target: whether it is ready.
type shown struct {
	at   time.Time
	good bool
}

// Report adds what CI reports now.
func (s *Signals) Report(kind, name, sha, result string) {
	s.all = append(s.all, Signal{kind, name, sha, result, time.Now()})
}

// Count is how much CI has reported.
func (s *Signals) Count() int { return len(s.all) }

// Checks lists the checks that CI has reported on a commit, as often as it has.
func (s *Signals) Checks(sha string) (all []shape.Matcher) {
	for _, g := range s.all {
		if g.SHA == sha && g.Kind == "check" {
			all = append(all, shape.Matcher{Kind: g.Kind, Pattern: g.Name})
		}
	}
	return all
}

// LastSaid is what CI has reported last on a commit; "" if it has reported nothing.
func (s *Signals) LastSaid(m shape.Matcher, sha string) (result string) {
	for _, g := range s.all {
		if g.SHA == sha && g.Name == m.Name() && g.Kind == m.Kind {
			result = g.Result
		}
	}
	return result
}

// Worked returns since when a promotion's run has succeeded, and whether it ever has.
func (s *Signals) Worked(p Promo) (since time.Time, good bool) {
	for _, g := range s.all {
		if g.Kind == "run" && g.Name == NameOfRun(p) && g.Result == "success" {
			return g.at, true
		}
	}
	return since, false
}

// Show adds whether a target is ready now.
func (s *Signals) Show(target string, good bool) {
	s.shown[target] = append(s.shown[target], shown{time.Now(), good})
}

// IsShown reports whether a target was ready when it was reported last.
func (s *Signals) IsShown(target string) bool {
	all := s.shown[target]
	return len(all) > 0 && all[len(all)-1].good
}

// WasShown reports whether a target has been ready, or has not been, at some time since one: an answer of GitHub's
// serves for a minute, by a clock that may have been set.
func (s *Signals) WasShown(target string, good bool, since time.Time) bool {
	since = since.Add(-time.Minute - time.Second - s.clock.Uncertainty())
	was := false // nothing has been reported
	for _, one := range s.shown[target] {
		if one.at.After(since) && was == good {
			return true
		}
		was = one.good
	}
	return was == good
}

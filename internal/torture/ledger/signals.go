package ledger

import (
	"time"

	"waybill/internal/torture/shape"
)

// Signals are the reports of CI, and of monitors about targets.
type Signals struct {
	clock *Clock

	all   []Signal
	shown map[string][]shown // by target
}

// Signal is a report of CI on a commit, or on a run with a name.
type Signal struct {
	Kind, Name, SHA, Result string
	at                      time.Time
}

// shown is a report on whether a target is ready.
type shown struct {
	at   time.Time
	good bool
}

// Report adds a report of CI.
func (s *Signals) Report(kind, name, sha, result string) {
	s.all = append(s.all, Signal{kind, name, sha, result, time.Now()})
}

// Count returns the number of reports.
func (s *Signals) Count() int { return len(s.all) }

// Checks lists the checks that CI has reported on a commit, with repetitions.
func (s *Signals) Checks(sha string) (all []shape.Matcher) {
	for _, g := range s.all {
		if g.SHA == sha && g.Kind == "check" {
			all = append(all, shape.Matcher{Kind: g.Kind, Pattern: g.Name})
		}
	}
	return all
}

// LastSaid returns the last result that CI has reported on a commit, or "" if it has reported none.
func (s *Signals) LastSaid(m shape.Matcher, sha string) (result string) {
	for _, g := range s.all {
		if g.SHA == sha && g.Name == m.Name() && g.Kind == m.Kind {
			result = g.Result
		}
	}
	return result
}

// Worked returns whether a promotion's run has succeeded, and since when.
func (s *Signals) Worked(p Promo) (since time.Time, good bool) {
	for _, g := range s.all {
		if g.Kind == "run" && g.Name == NameOfRun(p) && g.Result == "success" {
			return g.at, true
		}
	}
	return since, false
}

// Show adds a report on whether a target is ready.
func (s *Signals) Show(target string, good bool) {
	s.shown[target] = append(s.shown[target], shown{time.Now(), good})
}

// IsShown reports whether a target was ready by the last report.
func (s *Signals) IsShown(target string) bool {
	all := s.shown[target]
	return len(all) > 0 && all[len(all)-1].good
}

// WasShown reports whether a target was ready, or was not, at some time since one. The program uses an answer of
// GitHub's for a minute, and its clock may have been set.
func (s *Signals) WasShown(target string, good bool, since time.Time) bool {
	since = since.Add(-time.Minute - time.Second - s.clock.Uncertainty())
	was := false // before the first report
	for _, one := range s.shown[target] {
		if one.at.After(since) && was == good {
			return true
		}
		was = one.good
	}
	return was == good
}

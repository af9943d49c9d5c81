package ledger

import (
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// Signals are the reports of CI, and of monitors about targets.
type Signals struct {
	clock  *Clock
	github *githubsim.Server

	all   []Signal
	shown map[string][]shown // by target
}

// Signal is a report of CI on a commit, or on a run with a name.
type Signal struct {
	Kind, Name, SHA, Result string
	at                      time.Time
}

// shown is a report on whether a target is ready, on the head of its branch at that time.
type shown struct {
	at   time.Time
	good bool
	on   shape.Place
	sha  string
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

// Show adds a report on whether a target is ready, on a commit of its branch.
func (s *Signals) Show(target string, good bool, on shape.Place, sha string) {
	s.shown[target] = append(s.shown[target], shown{time.Now(), good, on, sha})
}

// IsShown reports whether a target is ready by the last report, and Waybill sees that for certain.
func (s *Signals) IsShown(target string) bool {
	all := s.shown[target]
	return len(all) > 0 && all[len(all)-1].good && !s.mayHaveFaded(target)
}

// seenFor is behind how many merges a report is seen for certain. Waybill looks at the 50 latest commits, of which a
// merge brings two.
const seenFor = 20

// mayHaveFaded reports whether the last report on a target is so far behind the head of its branch that Waybill may not
// see it any more.
func (s *Signals) mayHaveFaded(target string) bool {
	all := s.shown[target]
	if len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	sha := s.github.Head(last.on.Repo, last.on.Branch)
	for range seenFor {
		made, found := s.github.Commit(last.on.Repo, sha)
		if sha == last.sha || !found || len(made.Parents) == 0 {
			return sha != last.sha
		}
		sha = made.Parents[0]
	}
	return true
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
	return was == good || !good && s.mayHaveFaded(target)
}

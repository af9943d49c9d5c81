package torture

import (
	"time"

	"waybill/internal/torture/shape"
)

// signal is what CI has reported.
type signal struct {
	kind, name, sha, result string
	at                      time.Time
	act                     int // number of acts before it
}

// lastSaid is what CI has reported last on a commit; "" if it has reported nothing.
func (s *Signals) lastSaid(m shape.Matcher, sha string) (result string) {
	for _, g := range s.signals {
		if g.sha == sha && g.name == m.Name() && g.kind == m.Kind {
			result = g.result
		}
	}
	return result
}

// shown is what has been reported of a target: whether it is ready.
type shown struct {
	at   time.Time
	good bool
}

// wasShown reports whether a target has been ready, or has not been, at some time since one: an answer of GitHub's
// serves for a minute, by a clock that may have been set.
func (s *Signals) wasShown(target string, good bool, since time.Time) bool {
	since = since.Add(-time.Minute - time.Second - (s.clock.fast - s.clock.slow))
	was := false // nothing has been reported
	for _, one := range s.shown[target] {
		if one.at.After(since) && was == good {
			return true
		}
		was = one.good
	}
	return was == good
}

// Signals are what CI has reported, and what monitors have of targets.
type Signals struct {
	clock *Clock

	signals []signal
	shown   map[string][]shown // by target
}

// worked returns since when a promotion's run has succeeded, and whether it ever has.
func (s *Signals) worked(p promo) (since time.Time, good bool) {
	for _, g := range s.signals {
		if g.kind == "run" && g.name == nameOfRun(p) && g.result == "success" {
			return g.at, true
		}
	}
	return since, false
}

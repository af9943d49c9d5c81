package promotion

import (
	"slices"
	"time"
)

// Availability (semantics 2) is one predicate, the same for automatic and manual promotion. It answers with a time
// instead of yes or no, so that the wake time of what still soaks is exact and needs no rule of its own.

// available reports whether the i-th freight is available to the stage now.
func (w *work) available(i int) bool {
	now := instantOf(w.now)
	return w.availableFrom(i, now) <= now
}

// whyNotAvailable returns why it is not.
func (w *work) whyNotAvailable(i int) Reason { return w.whyUnavailable(i, instantOf(w.now)) }

// availableFrom returns since when the i-th freight is available to the stage: a time in the future if it only has to
// soak, never if something must happen first.
func (s *Snapshot) availableFrom(i int, now instant) instant {
	source, takes := s.Stage.Source(s.Freight[i].Warehouse)
	if !takes {
		return never
	}
	return s.availableBehind(source.After, i, now)
}

// availableBehind is availableFrom for freight that the stage takes from behind a gate.
func (s *Snapshot) availableBehind(gate *Gate, i int, now instant) instant {
	if len(s.awaited(i)) > 0 {
		return never
	}
	if s.admitted(s.Freight[i].ID, now) {
		return always
	}
	return s.opens(gate, i, 0, now)
}

// admitted reports whether an admission of the freight counts now.
func (s *Snapshot) admitted(f FreightID, now instant) bool {
	for i := range s.Approvals {
		a := &s.Approvals[i]
		if a.Kind == Admission && a.Freight == f && a.Stands(now.time()) {
			return true
		}
	}
	return false
}

// opens returns when the gate lets the i-th freight through: when the last of the upstream stages that it needs has
// verified the freight and hosted it for the soak, each of them by itself.
func (s *Snapshot) opens(g *Gate, i int, soak time.Duration, now instant) instant {
	if g == nil {
		return always
	}
	soak = max(soak, g.Soak)
	switch g.Need {
	case len(g.Of):
		return s.latest(g, i, soak, now)
	case 1:
		return s.earliest(g, i, soak, now)
	}
	var few [8]instant // room for most gates
	times := few[:0]
	for _, up := range g.Of {
		times = insert(times, s.passedBy(up, i, soak, now))
	}
	return times[g.Need-1]
}

// insert adds t to times, which are in order.
func insert(times []instant, t instant) []instant {
	times = append(times, t)
	for i := len(times) - 1; i > 0 && times[i] < times[i-1]; i-- {
		times[i], times[i-1] = times[i-1], times[i]
	}
	return times
}

// earliest returns when the first upstream of the gate is ready.
func (s *Snapshot) earliest(g *Gate, i int, soak time.Duration, now instant) instant {
	first := never
	for _, up := range g.Of {
		first = min(first, s.passedBy(up, i, soak, now))
	}
	return first
}

// latest returns when the last upstream of the gate is ready.
func (s *Snapshot) latest(g *Gate, i int, soak time.Duration, now instant) instant {
	last := always
	for _, up := range g.Of {
		t := s.passedBy(up, i, soak, now)
		if t == never {
			return never
		}
		last = max(last, t)
	}
	return last
}

// passedBy returns when stage up has verified the i-th freight and hosted it for soak. A pass-through stage has when its
// own upstreams have, for the longer of both soaks, unless somebody holds it, and not before it thaws.
func (s *Snapshot) passedBy(up *Stage, i int, soak time.Duration, now instant) instant {
	if up.PassThrough() {
		return s.passedThrough(up, i, soak, now)
	}
	if r := s.record(up, i); r != nil {
		return r.soakedFrom(soak)
	}
	return never
}

// passedThrough is passedBy for a pass-through stage.
func (s *Snapshot) passedThrough(up *Stage, i int, soak time.Duration, now instant) instant {
	source, takes := up.Source(s.Freight[i].Warehouse)
	if !takes || s.holdOf(up.Name, now.time()) != nil {
		return never
	}
	return max(s.opens(source.After, i, soak, now), up.thawed(now))
}

// record returns what a stage upstream knows of the i-th freight, or nil if nobody has looked.
func (s *Snapshot) record(up *Stage, i int) *Record {
	if up.Index >= len(s.Records) || i >= len(s.Records[up.Index]) {
		return nil
	}
	return &s.Records[up.Index][i]
}

// whyUnavailable returns why the i-th freight is not available now: what it lacks itself before what failed before what is unverified before what
// soaks, with all stages that it is true of in the order of the file.
func (s *Snapshot) whyUnavailable(i int, now instant) Reason {
	source, takes := s.Stage.Source(s.Freight[i].Warehouse)
	if !takes {
		return Because(Unknown, string(s.Freight[i].Warehouse))
	}
	if why := s.incomplete(i, now.time()); !why.IsZero() {
		return why
	}
	var w lacking
	s.lack(source.After, i, 0, now, &w)
	switch {
	case !w.failed.IsZero():
		return w.failed
	case !w.held.IsZero():
		return w.held
	case len(w.unverified) > 0:
		return Because(Unverified, namesOf(w.unverified)...)
	}
	return Because(Soaking, namesOf(w.soaking)...)
}

// lacking collects what keeps freight from being available.
type lacking struct {
	failed, held        Reason
	unverified, soaking []*Stage
}

// namesOf returns the names of stages in the order of the pipeline file, each once: several ways may lead to one.
func namesOf(stages []*Stage) []string {
	slices.SortFunc(stages, func(a, b *Stage) int { return a.Index - b.Index })
	var names []string
	for _, s := range slices.Compact(stages) {
		names = append(names, string(s.Name))
	}
	return names
}

func (s *Snapshot) lack(g *Gate, i int, soak time.Duration, now instant, w *lacking) {
	if g == nil {
		return
	}
	soak = max(soak, g.Soak)
	for _, up := range g.Of {
		if s.passedBy(up, i, soak, now) <= now {
			continue
		}
		if up.PassThrough() {
			s.lackThrough(up, i, soak, now, w)
			continue
		}
		s.lackIn(up, i, w)
	}
}

// lackThrough looks through a pass-through stage at what its own upstreams lack.
func (s *Snapshot) lackThrough(up *Stage, i int, soak time.Duration, now instant, w *lacking) {
	if h := s.holdOf(up.Name, now.time()); h != nil {
		w.held = h.because()
	} else if f, _ := up.frozen(Automatic, now.time()); f != nil {
		w.held = f.because()
	}
	if source, takes := up.Source(s.Freight[i].Warehouse); takes {
		s.lack(source.After, i, soak, now, w)
	}
}

// lackIn says what freight lacks in a stage that can verify it.
func (s *Snapshot) lackIn(up *Stage, i int, w *lacking) {
	r := s.record(up, i)
	if r == nil {
		r = &Record{}
	}
	switch {
	case r.Verdict == Bad && w.failed.IsZero():
		w.failed = r.failedIn(up)
	case r.Verdict == Passed && !r.Since.IsZero():
		w.soaking = append(w.soaking, up)
	case r.Verdict != Bad:
		w.unverified = append(w.unverified, up)
	}
}

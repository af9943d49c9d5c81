package decide

import (
	"slices"
	"time"
	"waybill/promotion"
)

// Availability (semantics 2) is one predicate, the same for automatic and manual promotion. It answers with a time
// instead of yes or no, so that the wake time of what still soaks is exact and needs no rule of its own.

// available reports whether the i-th freight is available to the stage now.
func (w *work) available(i int) bool {
	now := instantOf(w.now)
	return availableFrom(&w.Snapshot, i, now) <= now
}

// unavailable returns why the i-th freight is not available to the stage now, and from when on it is if it only has to
// soak; the zero reason if it is available.
func (w *work) unavailable(i int) (why promotion.Reason, until time.Time) {
	now := instantOf(w.now)
	from := availableFrom(&w.Snapshot, i, now)
	if from <= now {
		return why, until
	}
	if from < never {
		until = from.time()
	}
	return whyUnavailable(&w.Snapshot, i, now), until
}

// availableFrom returns since when the i-th freight is available to the stage: a time in the future if it only has to
// soak, never if something must happen first.
func availableFrom(s *promotion.Snapshot, i int, now instant) instant {
	source, takes := s.Stage.Source(s.Freight[i].Warehouse)
	if !takes {
		return never
	}
	return availableBehind(s, source.After, i, now)
}

// availableBehind is availableFrom for freight that the stage takes from behind a gate.
func availableBehind(s *promotion.Snapshot, gate *promotion.Gate, i int, now instant) instant {
	if len(awaited(s, i)) > 0 {
		return never
	}
	if admitted(s, s.Freight[i].ID, now) {
		return always
	}
	return opens(s, gate, i, 0, now)
}

// admitted reports whether an admission of the freight counts now.
func admitted(s *promotion.Snapshot, f promotion.FreightID, now instant) bool {
	for i := range s.Approvals {
		a := &s.Approvals[i]
		if a.Kind == promotion.Admission && a.Freight == f && a.Stands(now.time()) {
			return true
		}
	}
	return false
}

// opens returns when the gate lets the i-th freight through: when the last of the upstream stages that it needs has
// verified the freight and hosted it for the soak, each of them by itself.
func opens(s *promotion.Snapshot, g *promotion.Gate, i int, soak time.Duration, now instant) instant {
	if g == nil {
		return always
	}
	soak = max(soak, g.Soak)
	switch g.Need {
	case len(g.Of):
		return latest(s, g, i, soak, now)
	case 1:
		return earliest(s, g, i, soak, now)
	}
	var few [8]instant // room for most gates
	times := few[:0]
	for _, up := range g.Of {
		times = insert(times, passedBy(s, up, i, soak, now))
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
func earliest(s *promotion.Snapshot, g *promotion.Gate, i int, soak time.Duration, now instant) instant {
	first := never
	for _, up := range g.Of {
		first = min(first, passedBy(s, up, i, soak, now))
	}
	return first
}

// latest returns when the last upstream of the gate is ready.
func latest(s *promotion.Snapshot, g *promotion.Gate, i int, soak time.Duration, now instant) instant {
	last := always
	for _, up := range g.Of {
		t := passedBy(s, up, i, soak, now)
		if t == never {
			return never
		}
		last = max(last, t)
	}
	return last
}

// passedBy returns when stage up has verified the i-th freight and hosted it for soak. A pass-through stage has when its
// own upstreams have, for the longer of both soaks, unless somebody holds it, and not before it thaws.
func passedBy(s *promotion.Snapshot, up *promotion.Stage, i int, soak time.Duration, now instant) instant {
	if up.Delivery == promotion.DeliveryNone {
		return passedThrough(s, up, i, soak, now)
	}
	if r := record(s, up, i); r != nil {
		return soakedFrom(r, soak)
	}
	return never
}

// passedThrough is passedBy for a pass-through stage.
func passedThrough(s *promotion.Snapshot, up *promotion.Stage, i int, soak time.Duration, now instant) instant {
	source, takes := up.Source(s.Freight[i].Warehouse)
	if !takes || holdOf(s, up.Name, now.time()) != nil {
		return never
	}
	return max(opens(s, source.After, i, soak, now), thawed(up, now))
}

// record returns what a stage upstream knows of the i-th freight, or nil if nobody has looked.
func record(s *promotion.Snapshot, up *promotion.Stage, i int) *promotion.Record {
	if up.Index >= len(s.Records) || i >= len(s.Records[up.Index]) {
		return nil
	}
	return &s.Records[up.Index][i]
}

// whyUnavailable returns why the i-th freight is not available now: what it lacks itself before what failed before what is unverified before what
// soaks, with all stages that it is true of in the order of the file.
func whyUnavailable(s *promotion.Snapshot, i int, now instant) promotion.Reason {
	source, takes := s.Stage.Source(s.Freight[i].Warehouse)
	if !takes {
		return promotion.Because(promotion.Unknown, string(s.Freight[i].Warehouse))
	}
	if why := incomplete(s, i, now.time()); !why.IsZero() {
		return why
	}
	var w lacking
	lack(s, source.After, i, 0, now, &w)
	switch {
	case !w.failed.IsZero():
		return w.failed
	case !w.held.IsZero():
		return w.held
	case len(w.unverified) > 0:
		return promotion.Because(promotion.Unverified, namesOf(w.unverified)...)
	}
	return promotion.Because(promotion.Soaking, namesOf(w.soaking)...)
}

// lacking collects what keeps freight from being available.
type lacking struct {
	failed, held        promotion.Reason
	unverified, soaking []*promotion.Stage
}

// namesOf returns the names of stages in the order of the pipeline file, each once: several ways may lead to one.
func namesOf(stages []*promotion.Stage) []string {
	slices.SortFunc(stages, func(a, b *promotion.Stage) int { return a.Index - b.Index })
	var names []string
	for _, s := range slices.Compact(stages) {
		names = append(names, string(s.Name))
	}
	return names
}

func lack(s *promotion.Snapshot, g *promotion.Gate, i int, soak time.Duration, now instant, w *lacking) {
	if g == nil {
		return
	}
	soak = max(soak, g.Soak)
	for _, up := range g.Of {
		if passedBy(s, up, i, soak, now) <= now {
			continue
		}
		if up.Delivery == promotion.DeliveryNone {
			lackThrough(s, up, i, soak, now, w)
			continue
		}
		lackIn(s, up, i, w)
	}
}

// lackThrough looks through a pass-through stage at what its own upstreams lack.
func lackThrough(s *promotion.Snapshot, up *promotion.Stage, i int, soak time.Duration, now instant, w *lacking) {
	if h := holdOf(s, up.Name, now.time()); h != nil {
		w.held = h.Because()
	} else if f, _ := up.Frozen(promotion.Automatic, now.time()); f != nil {
		w.held = f.Because()
	}
	if source, takes := up.Source(s.Freight[i].Warehouse); takes {
		lack(s, source.After, i, soak, now, w)
	}
}

// lackIn says what freight lacks in a stage that can verify it.
func lackIn(s *promotion.Snapshot, up *promotion.Stage, i int, w *lacking) {
	r := record(s, up, i)
	if r == nil {
		r = &promotion.Record{}
	}
	switch {
	case r.Verdict == promotion.Bad && w.failed.IsZero():
		w.failed = failedIn(r, up)
	case r.Verdict == promotion.Passed && !r.Since.IsZero():
		w.soaking = append(w.soaking, up)
	case r.Verdict != promotion.Bad:
		w.unverified = append(w.unverified, up)
	}
}

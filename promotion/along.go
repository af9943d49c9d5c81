package promotion

import "slices"

// MostAlong is how much freight may come along with another, so that GitHub is asked for all who have made it.
const MostAlong = 100

// Brings returns what a promotion of a freight brings to the stage: the freight itself, and behind it what comes along,
// the newest first. That is freight of its warehouse which is older, and newer than what the stage had before it. more
// says that more comes along than MostAlong. To a stage that had nothing of the warehouse, as far as is known, comes
// whatever there is: then the newest counts. Neither what was here before nor, where later freight contains all earlier
// one, older freight than the stage had brings anything but itself.
func (s *Snapshot) Brings(f *Freight) (all []*Freight, more bool) {
	all = []*Freight{f}
	since, brings := s.BringsSince(f)
	if !brings {
		return all, false
	}
	for i := range slices.Backward(s.Freight) {
		g := &s.Freight[i]
		switch {
		case g.Warehouse != f.Warehouse, !g.Before(*f), since != nil && !since.Before(*g):
			continue
		case len(all) > MostAlong:
			return all, since != nil
		}
		all = append(all, g)
	}
	return all, false
}

// BringsSince returns the freight behind which begins what comes along with another: the last that the stage had of its
// warehouse before that, or an older one that a target of the batch that is under way had; nil if none is known. It
// reports whether anything may come along.
func (s *Snapshot) BringsSince(f *Freight) (since *Freight, brings bool) {
	p := s.OpenOf(f.ID)
	if p != nil && !p.BringsNew() {
		return nil, false
	}
	had, returns := s.hadBefore(f)
	switch w := s.Pipeline.Warehouse(f.Warehouse); {
	case len(had) == 0:
		return nil, true
	case had[0].Before(*f):
		since = had[0]
	case returns || w != nil && w.Contains():
		return nil, false
	}
	if since == nil { // it may come of another branch than what the stage had last
		for _, g := range had {
			if g.Before(*f) && (since == nil || since.Before(*g)) {
				since = g
			}
		}
	}
	for _, t := range batchOf(p) {
		if g := s.hadIn(t, f); g != nil && since != nil && g.Before(*since) {
			since = g
		}
	}
	return since, true
}

// hadBefore returns the other freight of its warehouse that the stage had before a freight, the last one first, and
// whether it had the freight itself before the last of these.
func (s *Snapshot) hadBefore(f *Freight) (had []*Freight, returns bool) {
	for i := range slices.Backward(s.Deployments) {
		switch d := &s.Deployments[i]; {
		case d.Freight == f.ID:
			returns = returns || len(had) > 0
		case d.Warehouse == f.Warehouse:
			if k := s.FreightAt(d.Freight); k >= 0 {
				had = append(had, &s.Freight[k])
			}
		}
	}
	return had, returns
}

// hadIn returns the other freight of its warehouse that a target had before a freight; nil if none is known.
func (s *Snapshot) hadIn(t TargetName, f *Freight) *Freight {
	for _, b := range s.BroughtTo(t, f.Warehouse) {
		if k := s.FreightAt(b.Freight); k >= 0 && b.Freight != f.ID {
			return &s.Freight[k]
		}
	}
	return nil
}

// batchOf returns the targets of the batch that a promotion updates, but for those that take no part.
func batchOf(p *Promotion) (all []TargetName) {
	if p == nil || p.Rollout == nil || p.Rollout.Step == 0 {
		return nil
	}
	r := p.Rollout
	for _, t := range r.Batches[r.Batch].Targets {
		if !slices.Contains(r.Waiting, t) && !slices.Contains(r.Gone, t) && !slices.Contains(r.Skipped, t) {
			all = append(all, t)
		}
	}
	return all
}

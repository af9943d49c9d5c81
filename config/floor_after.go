package config

import (
	"cmp"
	"slices"
	"time"

	"waybill/promotion"
)

// askAfter adds the gate that a floor asks for to each source of a stage.
func (f floors) askAfter(s *compiled, l level, r *reader, ask found[gateFile], floor *promotion.Gates) {
	list, _ := ask.value.list()
	if !ask.good() || !f.allowance.pay(s.reader, s.file.key, Budget{Steps: len(f.stages.all) + len(list.value)}) {
		return
	}
	if l.server {
		r = newReader(&report{file: l.name()})
	}
	g := f.stages.gate(s, r, ask)
	if l.server && !g.sound {
		unmet(s, l, "%s", r.report.problems[0].Message)
	}
	if !g.sound || g.Gate == nil {
		return
	}
	for i := range floor.From {
		from := &floor.From[i]
		if !f.allowance.pay(s.reader, s.file.key, Budget{Steps: len(f.stages.all)}) {
			return
		}
		if l.server && !f.opens(s, from.Warehouse, g.Gate) {
			unmet(s, l, "freight of %s is to wait for %s, and would wait for ever", from.Warehouse, g.Gate)
			continue
		}
		from.After = bothGates(from.After, g.Gate)
	}
}

// askSoak lets freight of every source soak as long as a floor asks, wherever it comes from.
func askSoak(soak time.Duration, floor *promotion.Gates) {
	if soak == 0 {
		return
	}
	for i := range floor.From {
		floor.From[i].After = bothGates(floor.From[i].After, &promotion.Gate{Soak: soak})
	}
}

// liftGates lifts the gates of a stage to a floor. Where freight comes straight from the warehouse it soaks nowhere.
func liftGates(s *compiled, l level, floor promotion.Gates) {
	for i := range s.From {
		from, ask := &s.From[i], floor.From[i].After
		switch {
		case ask == nil:
			continue
		case from.After == nil && len(ask.Of) == 0:
			unmet(s, l, "it asks for a soak of %s, and freight of %s comes straight from the warehouse, where nothing "+
				"soaks; let it wait for a stage with `after`", promotion.Brief(ask.Soak), from.Warehouse)
			continue
		}
		g := s.gates[from.Warehouse]
		if from.After == nil {
			g.at, g.reader, g.sound = s.file.key, s.reader, true
		}
		g.Gate = bothGates(from.After, ask)
		from.After, s.gates[from.Warehouse] = g.Gate, g
	}
}

// bothGates returns a gate that lets pass only what both let pass. Where neither implies the other it wants all stages
// of both, which is narrower than it needs to be, but never wider.
func bothGates(a, b *promotion.Gate) *promotion.Gate {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	both := *a
	both.Soak = max(a.Soak, b.Soak)
	switch {
	case a.Implies(b):
	case b.Implies(a):
		both.Of, both.Need = b.Of, b.Need
	default:
		both.Of = slices.Concat(a.Of, b.Of)
		slices.SortFunc(both.Of, func(x, y *promotion.Stage) int { return x.Index - y.Index })
		both.Of = slices.Compact(both.Of)
		both.Need = len(both.Of)
	}
	return &both
}

// opens reports whether freight of a warehouse could ever pass a gate before a stage.
func (f floors) opens(s *compiled, w promotion.WarehouseName, g *promotion.Gate) bool {
	come := 0
	for _, up := range g.Of {
		if f.stages.all[up.Index].asks(string(w)) {
			come++
		}
	}
	if come < g.Need {
		return false
	}
	seen := make(map[*promotion.Stage]bool)
	way := slices.Clone(g.Of)
	for len(way) > 0 {
		up := way[len(way)-1]
		way = way[:len(way)-1]
		if up == s.Stage || !f.allowance.pay(s.reader, s.file.key, Budget{Steps: 1}) {
			return false
		}
		if before := f.stages.all[up.Index].gates[w].Gate; before != nil && !seen[up] {
			way = append(way, before.Of...)
		}
		seen[up] = true
	}
	return true
}

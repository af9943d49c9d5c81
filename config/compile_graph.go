package config

import (
	"slices"

	"waybill/promotion"
)

// cycles reports stages that wait for each other, so that none of them ever gets freight. Each warehouse's freight has
// ways of its own.
func (c *compiler) cycles() {
	reported := make(map[string]bool)
	gated := map[promotion.WarehouseName][]*compiled{} // who waits for others with its freight
	for _, s := range c.stages {
		for w, g := range s.gates {
			if g.Gate != nil {
				gated[w] = append(gated[w], s)
			}
		}
	}
	for _, w := range c.pipeline.Warehouses {
		search := cycleSearch{c, w.Name, nil, make(map[*compiled]int), nil}
		for _, s := range gated[w.Name] {
			search.visit(s)
		}
		for _, cycle := range search.found {
			names := join(append(cycle, cycle[0]), " -> ")
			if g := c.byName[string(cycle[0].Name)].gates[w.Name]; !reported[names] {
				reported[names] = true
				g.reader.errorf(g.at, "stages wait for each other: %s (each waits for the one behind it), so none of them ever "+
					"gets freight of %s; let one of them wait for another stage or for none",
					names, w.Name)
			}
		}
	}
}

// cycleSearch follows the gates of one warehouse upstream, depth first.
type cycleSearch struct {
	*compiler
	warehouse promotion.WarehouseName
	way       []*compiled
	seen      map[*compiled]int // where a stage is on the way, from 1; left when the search has left it
	found     [][]*promotion.Stage
}

// left marks stages that the search has left.
const left = -1

// maxCycles is how many cycles of one warehouse are reported. Breaking one often breaks others.
const maxCycles = 10

func (cs *cycleSearch) visit(s *compiled) {
	if at := cs.seen[s]; at > 0 && len(cs.found) < maxCycles {
		cs.found = append(cs.found, fromFirst(cs.way[at-1:]))
	}
	if cs.seen[s] != 0 {
		return
	}
	cs.way = append(cs.way, s)
	cs.seen[s] = len(cs.way)
	if g := s.gates[cs.warehouse].Gate; g != nil {
		for _, up := range g.Of {
			cs.visit(cs.byName[string(up.Name)])
		}
	}
	cs.way = cs.way[:len(cs.way)-1]
	cs.seen[s] = left
}

// fromFirst returns the stages of a cycle, beginning with the first one in the file.
func fromFirst(cycle []*compiled) []*promotion.Stage {
	first := slices.MinFunc(cycle, func(a, b *compiled) int { return a.position - b.position })
	at := slices.Index(cycle, first)
	var stages []*promotion.Stage
	for _, s := range slices.Concat(cycle[at:], cycle[:at]) {
		stages = append(stages, s.Stage)
	}
	return stages
}

// unreachable reports gates that no freight of their warehouse can ever pass, because too few of the stages before them
// take from it; and warns of stages there that never count.
func (c *compiler) unreachable() {
	for _, s := range c.stages {
		for _, source := range s.From {
			if g := s.gates[source.Warehouse]; g.sound && g.Gate != nil {
				c.passable(s, source.Warehouse, g)
			}
		}
	}
}

func (c *compiler) passable(s *compiled, w promotion.WarehouseName, g gate) {
	var never []*promotion.Stage
	for _, up := range g.Of {
		upstream := c.byName[string(up.Name)]
		if upstream.file.value.from.bad {
			return
		}
		if !upstream.asks(string(w)) {
			never = append(never, up)
		}
	}
	switch {
	case len(never) == 0:
	case len(g.Of)-len(never) < g.Need:
		g.reader.errorf(g.at,
			"freight of %s never gets to %s, because it never gets to %s; let it come from %s there, or wait for other stages",
			w, s.Name, join(never, ", "), w)
	default:
		g.reader.warnf(g.at, "freight of %s never gets to %s, so that never counts here", w, join(never, ", "))
	}
}

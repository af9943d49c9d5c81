package config

import (
	"slices"

	"waybill/promotion"
)

// graph is the stages of a pipeline, which wait for each other.
type graph struct {
	pipeline *promotion.Pipeline
	all      []*compiled // in the order of the files
	names    names       // of all
}

// named returns the stage of a name; nil if there is none.
func (stages graph) named(name string) *compiled {
	if i, is := stages.names.at[name]; is {
		return stages.all[i]
	}
	return nil
}

// together reports whether two stages have files on one branch.
func (stages graph) together(a, b *compiled) bool {
	return anyShared(stages.pipeline.BranchesOf(a.Stage), stages.pipeline.BranchesOf(b.Stage))
}

// cycles reports stages that wait for each other, so that none of them ever gets freight. Each warehouse's freight has
// ways of its own.
func cycles(stages graph) {
	reported := make(map[string]bool)
	gated := map[promotion.WarehouseName][]*compiled{} // who waits for others with its freight
	for _, s := range stages.all {
		for w, g := range s.gates {
			if g.Gate != nil {
				gated[w] = append(gated[w], s)
			}
		}
	}
	for _, w := range stages.pipeline.Warehouses {
		search := cycleSearch{stages: stages.all, warehouse: w.Name, seen: make(map[*compiled]int)}
		for _, s := range gated[w.Name] {
			search.visit(s)
		}
		for _, cycle := range search.found {
			names := join(append(cycle, cycle[0]), " -> ")
			if g := stages.all[cycle[0].Index].gates[w.Name]; !reported[names] {
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
	stages    []*compiled
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
			cs.visit(cs.stages[up.Index])
		}
	}
	cs.way = cs.way[:len(cs.way)-1]
	cs.seen[s] = left
}

// fromFirst returns the stages of a cycle, beginning with the first one in the file.
func fromFirst(cycle []*compiled) []*promotion.Stage {
	first := slices.MinFunc(cycle, func(a, b *compiled) int { return a.Index - b.Index })
	at := slices.Index(cycle, first)
	var stages []*promotion.Stage
	for _, s := range slices.Concat(cycle[at:], cycle[:at]) {
		stages = append(stages, s.Stage)
	}
	return stages
}

// unreachable reports gates that no freight of their warehouse can ever pass, because too few of the stages before them
// take from it; and warns of stages there that never count.
func unreachable(stages graph) {
	for _, s := range stages.all {
		for _, source := range s.From {
			if g := s.gates[source.Warehouse]; g.sound && g.Gate != nil {
				passable(s, stages, source.Warehouse, g)
			}
		}
	}
}

func passable(s *compiled, stages graph, w promotion.WarehouseName, g gate) {
	var never []*promotion.Stage
	for _, up := range g.Of {
		upstream := stages.all[up.Index]
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
		g.reader.warnf(g.at, "freight of %s never gets to %s, so that never counts here; "+
			"take it out of `after`", w, join(never, ", "))
	}
}

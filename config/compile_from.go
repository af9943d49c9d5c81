package config

import (
	"fmt"
	"slices"
	"strings"

	"waybill/promotion"
)

// gate is a promotion.Gate with its place.
type gate struct {
	*promotion.Gate
	at     pos
	reader *reader
	sound  bool // nothing is wrong with it
}

// asks reports whether the file has the stage take from a warehouse.
func (s *compiled) asks(warehouse string) bool {
	return slices.ContainsFunc(s.file.value.from.value, func(e entry[sourceFile]) bool { return e.name == warehouse })
}

// warehouses are those of a pipeline, from which stages take freight.
type warehouses struct {
	pipeline *promotion.Pipeline
	names    names
	missing  bool // the file says none, which has been reported
}

// compileFrom works out where a stage's freight comes from, and through which gates.
func compileFrom(s *compiled, stages graph, from warehouses) {
	s.gates = make(map[promotion.WarehouseName]gate)
	f := &s.file.value
	r := s.reader.key("from")
	var shared gate
	if f.after.given() {
		shared = stages.gate(s, s.reader.key("after"), f.after)
	}
	for _, e := range f.from.value {
		if e.name == "" {
			continue // reported when it was read
		}
		w := promotion.WarehouseName(e.name)
		if from.pipeline.Warehouse(w) == nil {
			if !from.missing {
				r.errorf(e.key, "%s is not a warehouse%s", quote(e.name), from.names.like(r, e.key, e.name))
			}
			continue
		}
		g := shared
		if after := e.value.after; after.given() {
			g = stages.gate(s, r.key(e.name).key("after"), after)
		}
		if _, twice := s.gates[w]; twice {
			r.errorf(e.key, "%s is named twice; remove one of the two", quote(e.name))
			continue
		}
		s.From = append(s.From, promotion.Source{Warehouse: w, After: g.Gate})
		s.gates[w] = g
	}
	if f.after.given() &&
		slices.ContainsFunc(f.from.value, func(e entry[sourceFile]) bool { return e.value.after.given() }) {
		s.reader.errorf(f.after.key,
			"`after` is given both here and inside `from`; keep it inside `from`, for each warehouse that needs it")
	}
}

// gate compiles the value of an `after`.
func (stages graph) gate(s *compiled, r *reader, f found[gateFile]) gate {
	g := gate{at: f.at, reader: r, sound: f.good()}
	list, name := f.value.list()
	if !list.given() {
		return g
	}
	before := r.report.errors
	inner := r
	if name != "" {
		inner = r.key(name)
	}
	of := stages.upstreams(s, inner, list.value)
	if f.good() && r.report.errors == before {
		g.Gate = &promotion.Gate{Of: of, Soak: f.value.soak.or(0)}
		g.Need = f.value.need(r, len(of))
	}
	g.sound = f.good() && r.report.errors == before
	if g.Gate == nil && len(of) > 0 {
		g.Gate = &promotion.Gate{Of: of, Need: 1} // for finding cycles; an error keeps it from being used
	}
	return g
}

// list returns the upstreams of a gate and the key that they stand under, which is none in the short form.
func (g gateFile) list() (found[[]found[string]], string) {
	switch {
	case g.all.given():
		return g.all, "all"
	case g.majority.given():
		return g.majority, "majority"
	case g.of.given():
		return g.of, "of"
	case g.short:
		return g.any, ""
	}
	return g.any, "any"
}

// need returns how many of so many upstreams a gate asks for.
func (g gateFile) need(r *reader, count int) int {
	switch {
	case g.all.given():
		return count
	case g.majority.given():
		return count/2 + 1
	case g.atLeast.given() && g.atLeast.value.percent:
		return (count*g.atLeast.value.n + 99) / 100
	case g.atLeast.given():
		if g.atLeast.value.n > count {
			r.key("at-least").errorf(g.atLeast.at, "%d is more than the number of stages under `of`, which is %d",
				g.atLeast.value.n, count)
		}
		return g.atLeast.value.n
	}
	return 1
}

// upstreams returns the stages of that names, in the order of the pipeline file.
func (stages graph) upstreams(s *compiled, r *reader, names []found[string]) []*promotion.Stage {
	listed := make([]bool, len(stages.all))
	for _, n := range names {
		if !n.good() {
			continue
		}
		up := stages.named(n.value)
		switch {
		case up == nil:
			r.errorf(n.at, "%s is not a stage%s", quote(n.value), stages.names.like(r, n.at, n.value))
		case up == s:
			r.errorf(n.at, "%s waits for itself; name the stages before it", quote(n.value))
		case listed[up.Index]:
			r.errorf(n.at, "%s is listed twice; remove one", quote(n.value))
		default:
			listed[up.Index] = true
		}
	}
	var of []*promotion.Stage
	for i, up := range stages.all {
		if listed[i] {
			of = append(of, up.Stage)
		}
	}
	return of
}

// join joins the names of stages for a message, as many as one can read.
func join(stages []*promotion.Stage, by string) string {
	const most = 20
	var names []string
	for _, s := range stages[:min(most, len(stages))] {
		names = append(names, string(s.Name))
	}
	if more := len(stages) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, by)
}

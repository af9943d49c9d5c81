package promotion

import (
	"slices"
	"time"
)

// SoakAsked returns for how long freight of a warehouse is to soak in a stage, at most, and which stages want it to.
func (p *Pipeline) SoakAsked(of *Stage, w WarehouseName) (longest time.Duration, by []string) {
	for _, down := range p.Stages {
		source, takes := down.Source(w)
		if !takes || down.Delivery == DeliveryNone {
			continue
		}
		if soak := source.After.soakIn(of, w, 0); soak > 0 {
			longest, by = max(longest, soak), append(by, string(down.Name))
		}
	}
	return longest, by
}

// soakIn returns for how long freight is to soak in a stage for the gate to open, directly or through pass-through
// stages; zero if it does not ask that of the stage.
func (g *Gate) soakIn(of *Stage, w WarehouseName, soak time.Duration) time.Duration {
	if g == nil {
		return 0
	}
	soak = max(soak, g.Soak)
	if slices.Contains(g.Of, of) {
		return soak
	}
	var longest time.Duration
	for _, up := range g.Of {
		if source, takes := up.Source(w); takes && up.Delivery == DeliveryNone {
			longest = max(longest, source.After.soakIn(of, w, soak))
		}
	}
	return longest
}

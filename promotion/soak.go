package promotion

import (
	"slices"
	"time"
)

// Soak says for how long a stage wants freight to soak in another one.
type Soak struct {
	By    StageName
	Lasts time.Duration
}

// SoaksAsked returns for how long freight of a warehouse is to soak in a stage, for each stage that wants it to.
func (p *Pipeline) SoaksAsked(of *Stage, w WarehouseName) (all []Soak) {
	for _, down := range p.Stages {
		source, takes := down.Source(w)
		if !takes || down.Delivery == DeliveryNone {
			continue
		}
		if soak := source.After.soakIn(of, w, 0); soak > 0 {
			all = append(all, Soak{down.Name, soak})
		}
	}
	return all
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

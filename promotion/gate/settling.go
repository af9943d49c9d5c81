package gate

import (
	"slices"
	"time"

	"waybill/promotion"
)

// Settling returns why a stage does not take new freight by itself yet, and when it will; the zero reason if it takes
// it. With intake: after-soak it keeps what it hosts until that has soaked for the stages behind it: where changes come
// faster than they soak, none would ever get further (semantics 2.10). What failed here keeps nothing out, and people
// promote what they like.
func (k Keeper) Settling(p *promotion.Promotion) (why promotion.Reason, until time.Time) {
	w := p.Freight.Warehouse
	h := k.s.Hosted(w)
	if k.s.Stage.Intake != promotion.IntakeAfterSoak || p.Class != promotion.Automatic || !p.BringsNew() || h < 0 {
		return why, until
	}
	hosted := k.s.Deployments[h].Freight
	soak, of := k.soakAsked(w)
	if hosted == p.Freight.ID || soak == 0 {
		return why, until
	}
	record := promotion.NewRecord(k.s.DeploymentsOf(hosted))
	from := soakedFrom(&record, soak)
	if from <= k.instant || from == never {
		return why, until
	}
	return promotion.Because(promotion.Keeps, append([]string{k.s.NameOf(hosted)}, of...)...), from.orZero()
}

// soakAsked returns for how long freight of a warehouse is to soak in the stage, at most, and which stages want it to.
func (k Keeper) soakAsked(w promotion.WarehouseName) (longest time.Duration, of []string) {
	for _, down := range k.s.Pipeline.Stages {
		source, takes := down.Source(w)
		if !takes || down.Delivery == promotion.DeliveryNone {
			continue
		}
		if soak := soakIn(k.s.Stage, w, source.After, 0); soak > 0 {
			longest, of = max(longest, soak), append(of, string(down.Name))
		}
	}
	return longest, of
}

// soakIn returns for how long freight is to soak in a stage for a gate to open, directly or through pass-through
// stages; zero if the gate does not ask it of that stage.
func soakIn(stage *promotion.Stage, w promotion.WarehouseName, g *promotion.Gate, soak time.Duration) time.Duration {
	if g == nil {
		return 0
	}
	soak = max(soak, g.Soak)
	if slices.Contains(g.Of, stage) {
		return soak
	}
	var longest time.Duration
	for _, up := range g.Of {
		if source, takes := up.Source(w); takes && up.Delivery == promotion.DeliveryNone {
			longest = max(longest, soakIn(stage, w, source.After, soak))
		}
	}
	return longest
}

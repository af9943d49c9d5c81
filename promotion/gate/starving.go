package gate

import (
	"fmt"
	"slices"
	"time"

	"waybill/promotion"
)

// mostLeft is how much freight that left too early is looked at, and fewLeft how much of it says nothing yet.
const mostLeft, fewLeft = 20, 3

// Starves says, with numbers, that freight of a warehouse keeps leaving an upstream stage before it has soaked there
// for this one, so that none may ever come (semantics 2.10); "" if it does not, or if the stage keeps it that long.
func (k Keeper) Starves(up *promotion.Stage, w promotion.WarehouseName) string {
	soak := k.soakIn(up, w)
	if soak == 0 || up.Intake == promotion.IntakeAfterSoak {
		return ""
	}
	var left []*promotion.Freight // the newest first
	var longest time.Duration
	for i := range slices.Backward(k.s.Freight) {
		r := k.record(up, i)
		if k.s.Freight[i].Warehouse != w || r == nil || r.Verdict != promotion.Passed || r.Hosted {
			continue
		}
		if r.Longest >= soak || len(left) == mostLeft {
			break
		}
		left, longest = append(left, &k.s.Freight[i]), max(longest, r.Longest)
	}
	if len(left) < fewLeft {
		return ""
	}
	every := left[0].At().Sub(left[len(left)-1].At()) / time.Duration(len(left)-1)
	return fmt.Sprintf("the last %d that left %s had soaked for %s of %s at most, because new freight came every %s; "+
		"intake: after-soak on %s lets each soak", len(left), up.Name, promotion.Brief(longest.Round(time.Second)),
		promotion.Brief(soak), promotion.Brief(every.Round(time.Second)), up.Name)
}

// soakIn returns for how long freight of a warehouse is to soak in an upstream stage for this one.
func (k Keeper) soakIn(up *promotion.Stage, w promotion.WarehouseName) time.Duration {
	for _, soak := range k.s.Pipeline.SoaksAsked(up, w) {
		if soak.By == k.s.Stage.Name {
			return soak.Lasts
		}
	}
	return 0
}

// starving says the same of the first of some upstream stages of which it is so.
func (k Keeper) starving(stages []*promotion.Stage, w promotion.WarehouseName) string {
	for _, up := range stages {
		if words := k.Starves(up, w); words != "" {
			return words
		}
	}
	return ""
}

package decide

import (
	"slices"
	"time"

	"waybill/promotion"
	"waybill/promotion/gate"
)

// Foresee returns the effect of other pipeline files on a stage: after is the stage as those would have it. Without
// before there is no such stage yet. It decides as Decide does, and nothing is written.
func Foresee(before, after *promotion.Snapshot, now time.Time) promotion.Prospect {
	p := promotion.Prospect{Stage: after.Stage.Name}
	if after.Removed {
		for _, one := range after.Promotions {
			if !one.State.Ended() {
				p.Cancelled = append(p.Cancelled, one)
			}
		}
		return p
	}
	p.Available = newlyAvailable(after, before, now)
	p.Partial = newlyPartial(after, before)
	p.Starving = starving(after, now)
	for _, one := range Decide(after, now).Promotions {
		was := after.Promotion(one.Number)
		switch {
		case was == nil && !one.State.Ended():
			p.Promoted = append(p.Promoted, one.Freight.Name)
		case was != nil && !was.State.Ended() && one.State == promotion.Cancelled:
			p.Cancelled = append(p.Cancelled, *was)
		}
	}
	return p
}

// newlyAvailable names the freight that is available to the stage as s has it and not as before has it.
func newlyAvailable(s *promotion.Snapshot, before *promotion.Snapshot, now time.Time) []string {
	if s.Stage.Delivery == promotion.DeliveryNone {
		return nil
	}
	var names []string
	after := gate.KeeperOf(s, now)
	for i, f := range s.Freight {
		if after.Available(i) && !letsIn(before, f.ID, now) {
			names = append(names, f.Name)
		}
	}
	return names
}

// starving says of the stages before one that freight leaves them before it has soaked.
func starving(s *promotion.Snapshot, now time.Time) (all []string) {
	k := gate.KeeperOf(s, now)
	for _, from := range s.Stage.From {
		for _, up := range s.Pipeline.Stages {
			if words := k.Starves(up, from.Warehouse); words != "" {
				all = append(all, words)
			}
		}
	}
	return all
}

// newlyPartial returns the freight that the stage as s has it hosts incompletely, and not, or not so, as before has it.
func newlyPartial(s *promotion.Snapshot, before *promotion.Snapshot) (all []promotion.Partial) {
	for i := range s.Deployments {
		d := &s.Deployments[i]
		if d.Ended() {
			continue
		}
		places := s.Unwritten(d)
		if before != nil && slices.Equal(places, before.Unwritten(d)) {
			continue
		}
		if len(places) > 0 {
			all = append(all, promotion.Partial{Freight: s.NameOf(d.Freight), Places: places})
		}
	}
	return all
}

// letsIn reports whether a freight is available to the stage; to one that is not there nothing is.
func letsIn(s *promotion.Snapshot, id promotion.FreightID, now time.Time) bool {
	if s == nil {
		return false
	}
	i := s.FreightAt(id)
	return i >= 0 && gate.KeeperOf(s, now).Available(i)
}

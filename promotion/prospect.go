package promotion

import "time"

// Prospect is what other pipeline files would do in one stage, as things are now.
type Prospect struct {
	Stage     StageName
	Available []string    // freight that the files would make available and that is not now, oldest first
	Cancelled []Promotion // that are open now
	Promoted  []string    // freight that would be promoted without being asked
}

// Foresee works out what would happen in a stage if its pipeline files were others: after is the stage as those would have
// it. Without before there is no such stage yet. It decides as Decide does, and nothing comes of it.
func Foresee(before, after *Snapshot, now time.Time) Prospect {
	p := Prospect{Stage: after.Stage.Name}
	if after.Removed {
		for _, one := range after.Promotions {
			if !one.State.Ended() {
				p.Cancelled = append(p.Cancelled, one)
			}
		}
		return p
	}
	p.Available = after.newlyAvailable(before, now)
	for _, one := range Decide(after, now).Promotions {
		was := after.promotion(one.Number)
		switch {
		case was == nil && !one.State.Ended():
			p.Promoted = append(p.Promoted, one.FreightName)
		case was != nil && !was.State.Ended() && one.State == Cancelled:
			p.Cancelled = append(p.Cancelled, *was)
		}
	}
	return p
}

// newlyAvailable names the freight that is available to the stage as s has it and not as before has it.
func (s *Snapshot) newlyAvailable(before *Snapshot, now time.Time) []string {
	if s.Stage.PassThrough() {
		return nil
	}
	var names []string
	at := instantOf(now)
	for i, f := range s.Freight {
		if s.availableFrom(i, at) > at || before.letsIn(f.ID, at) {
			continue
		}
		names = append(names, f.Name)
	}
	return names
}

// letsIn reports whether a freight is available to the stage; to one that is not there nothing is.
func (s *Snapshot) letsIn(id FreightID, now instant) bool {
	if s == nil {
		return false
	}
	i := s.freight(id)
	return i >= 0 && s.availableFrom(i, now) <= now
}

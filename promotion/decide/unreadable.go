package decide

import (
	"slices"
	"time"

	"waybill/promotion"
	"waybill/promotion/deliver"
)

// unreadable returns which file keeps a queued promotion from starting, because it is missing or cannot be changed
// (Q8); the zero reason if there is none, or if the files are to be looked at again: the pipeline file asks for
// something else, or they have been read at another commit since. until is when that is due if GitHub is given a rest
// first, because it may go on to show what it showed before.
func unreadable(
	s *promotion.Snapshot, p *promotion.Promotion, now time.Time,
) (why promotion.Reason, until time.Time) {
	a := s.Attempt(p.Number)
	if !a.Plan.Unreadable() || a.Replaced(s.Stage.During(p)) {
		return why, until
	}
	anew := slices.ContainsFunc(s.Readings, func(r promotion.Reading) bool {
		return r.On == a.Files && r.Commit != a.Plan.Base
	})
	if anew {
		if until = deliver.RestsUntil(a, now); until.IsZero() {
			return why, until
		}
	}
	return a.Plan.Problem, until
}

// passed returns the name of newer freight of the same warehouse that has started in the stage, or come there, since a
// promotion was queued; "" if there is none.
func passed(s *promotion.Snapshot, p *promotion.Promotion, i int) string {
	by := s.Active()
	if h := s.Hosted(p.Freight.Warehouse); by == nil && h >= 0 {
		by = s.Promotion(s.Deployments[h].Promotion)
	}
	if by == nil || by.Freight.Warehouse != p.Freight.Warehouse || by.Started.Before(p.Queued) {
		return ""
	}
	if k := s.FreightAt(by.Freight.ID); k < 0 || !s.Freight[i].Before(s.Freight[k]) {
		return ""
	}
	return by.Freight.Name
}

package store

import (
	"slices"

	"waybill/promotion"
)

// records sums up what the stages upstream know of the freight.
func (g *gathering) records() error {
	g.Records = make([][]promotion.Record, len(g.Pipeline.Stages))
	for _, up := range upstreams(g.Stage) {
		stays, err := g.staysIn(up.Name)
		if err != nil {
			return err
		}
		g.Records[up.Index] = sum(g.Freight, stays)
	}
	return nil
}

// upstreams returns the stages whose verdicts count for a stage: those that its gates name, and for a pass-through stage
// those that its own gates name.
func upstreams(s *promotion.Stage) []*promotion.Stage {
	var found, seen []*promotion.Stage
	var look func(s *promotion.Stage)
	look = func(s *promotion.Stage) {
		for _, source := range s.From {
			if source.After == nil {
				continue
			}
			for _, up := range source.After.Of {
				switch {
				case slices.Contains(seen, up):
					continue
				case up.PassThrough():
					seen = append(seen, up)
					look(up)
				default:
					seen, found = append(seen, up), append(found, up)
				}
			}
		}
	}
	look(s)
	return found
}

// staysIn returns the stays of the snapshot's freight in another stage, by the time they began. Freight that is new to
// this stage stands together at the end of its warehouse and is read in one go, what is older one by one.
func (g *gathering) staysIn(stage promotion.StageName) ([]promotion.Stay, error) {
	key := StageKey{g.key.Pipeline, stage}
	var all []promotion.Stay
	for _, from := range g.since {
		stays, err := g.tx.staysSince(key, from)
		if err != nil {
			return nil, err
		}
		all = append(all, stays...)
	}
	for i := range g.Freight {
		f := &g.Freight[i]
		if from := g.since[f.Warehouse]; from != nil && !f.Before(*from) {
			continue
		}
		stays, err := g.tx.staysOf(key, f.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, stays...)
	}
	return all, nil
}

// staysSince returns the stays of a freight and of all that is newer in its warehouse.
func (tx *Tx) staysSince(key StageKey, f *promotion.Freight) ([]promotion.Stay, error) {
	return list(tx, stayDest, `SELECT y.promotion, y.stage, y.warehouse, y.freight, y.entered_at, y.left_at, y.verdict, y.judged_at,
			y.cause, y.judged_by_id, y.judged_by, y.plan, y.commit_sha, y.since_at
		FROM freight f CROSS JOIN stays y
		WHERE f.pipeline = $1 AND f.warehouse = $3 AND (f.merged_at, f.number) >= ($4, $5)
			AND y.pipeline = $1 AND y.stage = $2 AND y.freight = f.id
		ORDER BY y.entered_at, y.promotion`, key.Pipeline, key.Stage, f.Warehouse, f.Merged.UnixMicro(), f.Number)
}

// staysOf returns the stays of one freight.
func (tx *Tx) staysOf(key StageKey, id promotion.FreightID) ([]promotion.Stay, error) {
	return list(tx, stayDest, `SELECT `+stayColumns+` FROM stays WHERE pipeline = $1 AND stage = $2 AND freight = $3
		ORDER BY entered_at, promotion`, key.Pipeline, key.Stage, id)
}

// sum makes a record for each freight. The stays of each are in order.
func sum(freight []promotion.Freight, stays []promotion.Stay) []promotion.Record {
	of := map[promotion.FreightID][]promotion.Stay{}
	for _, s := range stays {
		of[s.Freight] = append(of[s.Freight], s)
	}
	records := make([]promotion.Record, len(freight))
	for i, f := range freight {
		if mine := of[f.ID]; len(mine) > 0 {
			records[i] = promotion.NewRecord(mine)
		}
	}
	return records
}

// mergeStays adds stays that are not there yet, and keeps the order of their beginnings.
func mergeStays(all, more []promotion.Stay) []promotion.Stay {
	for _, s := range more {
		if !slices.ContainsFunc(all, func(have promotion.Stay) bool { return have.Promotion == s.Promotion }) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b promotion.Stay) int {
		if c := a.Entered.Compare(b.Entered); c != 0 {
			return c
		}
		return int(a.Promotion - b.Promotion)
	})
	return all
}

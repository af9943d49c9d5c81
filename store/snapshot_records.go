package store

import (
	"cmp"
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

// staysIn returns the stays of the snapshot's freight in another stage, as far as records need them. Freight that is new
// to this stage stands together at the end of its warehouse and is read in one go, what is older by its ids.
func (g *gathering) staysIn(stage promotion.StageName) ([]promotion.Stay, error) {
	var all []promotion.Stay
	for _, from := range g.since {
		stays, err := list(g.tx, recordDest, `SELECT y.promotion, y.freight, y.entered_at, y.left_at, y.verdict, y.judged_at, y.cause
			FROM freight f CROSS JOIN stays y
			WHERE f.pipeline = $1 AND f.warehouse = $3 AND (f.merged_at, f.number) >= ($4, $5)
				AND y.pipeline = $1 AND y.stage = $2 AND y.freight = f.id`,
			g.key.Pipeline, stage, from.Warehouse, from.Merged.UnixMicro(), from.Number)
		if err != nil {
			return nil, err
		}
		all = append(all, stays...)
	}
	var older []promotion.FreightID
	for i := range g.Freight {
		if from := g.since[g.Freight[i].Warehouse]; from == nil || g.Freight[i].Before(*from) {
			older = append(older, g.Freight[i].ID)
		}
	}
	stays, err := inBatches(g.tx, recordDest, older, `SELECT promotion, freight, entered_at, left_at, verdict, judged_at, cause FROM stays
		WHERE pipeline = $1 AND stage = $2 AND freight`, g.key.Pipeline, stage)
	return append(all, stays...), err
}

// recordDest scans what a record is made of.
func recordDest(s *promotion.Stay) []any {
	return []any{&s.Promotion, &s.Freight, at(&s.Entered), at(&s.Left), &s.Verdict, at(&s.Judged), because(&s.Cause)}
}

// staysOf returns the stays of one freight.
func (lg Ledger) staysOf(key StageKey, id promotion.FreightID) ([]promotion.Stay, error) {
	return list(lg.tx, stayDest, `SELECT `+stayColumns+` FROM stays WHERE pipeline = $1 AND stage = $2 AND freight = $3
		ORDER BY entered_at, promotion`, key.Pipeline, key.Stage, id)
}

// sum makes a record for each freight of its stays.
func sum(freight []promotion.Freight, stays []promotion.Stay) []promotion.Record {
	of := make(map[promotion.FreightID][]promotion.Stay, len(stays))
	for i := range stays {
		of[stays[i].Freight] = append(of[stays[i].Freight], stays[i])
	}
	records := make([]promotion.Record, len(freight))
	for i := range freight {
		if mine := of[freight[i].ID]; len(mine) > 0 {
			slices.SortFunc(mine, byBeginning) // mostly one: sorting all together costs more than reading them
			records[i] = promotion.NewRecord(mine)
		}
	}
	return records
}

// byBeginning orders stays by when they began.
func byBeginning(a, b promotion.Stay) int {
	return cmp.Or(a.Entered.Compare(b.Entered), cmp.Compare(a.Promotion, b.Promotion))
}

// mergeStays adds stays that are not there yet, and keeps the order of their beginnings.
func mergeStays(all, more []promotion.Stay) []promotion.Stay {
	for _, s := range more {
		if !slices.ContainsFunc(all, func(have promotion.Stay) bool { return have.Promotion == s.Promotion }) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, byBeginning)
	return all
}

package store

import (
	"cmp"
	"fmt"
	"slices"

	"waybill/promotion"
	"waybill/store/driver"
)

// upstream is a stage whose verdicts count for that of the snapshot, and the deployments there of the snapshot's
// freight.
type upstream struct {
	stage       *promotion.Stage
	deployments []promotion.Deployment

	withdrawals []promotion.Withdrawal // the newest last
	coming      []promotion.FreightID  // on its way there, and
	marks       []promotion.Mark       // how far it has come, if a promotion of the snapshot is open
}

// upstreamOf returns the stages whose verdicts count for a stage: those that its gates name, and for a pass-through
// stage those that its own gates name.
func upstreamOf(s *promotion.Stage) (found []upstream) {
	var seen []*promotion.Stage
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
				case up.Delivery == promotion.DeliveryNone:
					seen = append(seen, up)
					look(up)
				default:
					seen, found = append(seen, up), append(found, upstream{stage: up})
				}
			}
		}
	}
	look(s)
	return found
}

// upstreamDeployments reads the deployments of freight in the stages upstream, as far as records need them. Freight
// that is newer than everything promoted here stands together and is read in one go; older freight is read by its ids.
func upstreamDeployments(
	stages []upstream, found *freightBuilder, freight []promotion.Freight,
) (queries []driver.Query) {
	var older []promotion.FreightID
	for i := range freight {
		if from := found.oldest(freight[i].Warehouse); from == nil || freight[i].Before(*from) {
			older = append(older, freight[i].ID)
		}
	}
	for i := range stages {
		up := &stages[i]
		for k := range found.from {
			if newer := found.from[k].newer; len(newer) > 0 {
				queries = append(queries, up.deploymentsSince(found.key.Pipeline, &newer[0]))
			}
		}
		queries = append(queries, inLists(&up.deployments, recordDest, older,
			`SELECT promotion, freight, entered_at, left_at, verdict, judged_at, cause, drift FROM deployments
			WHERE pipeline = $1 AND stage = $2 AND freight`, found.key.Pipeline, up.stage.Name)...)
	}
	return queries
}

// deploymentsSince reads the deployments of a freight and of all newer freight of its warehouse.
func (up *upstream) deploymentsSince(pipeline int64, f *promotion.Freight) driver.Query {
	return rowsInto(&up.deployments, recordDest,
		`SELECT y.promotion, y.freight, y.entered_at, y.left_at, y.verdict, y.judged_at, y.cause, y.drift
		FROM freight f CROSS JOIN deployments y
		WHERE f.pipeline = $1 AND f.warehouse = $3 AND (f.merged_at, f.number) >= ($4, $5)
			AND y.pipeline = $1 AND y.stage = $2 AND y.freight = f.id`,
		pipeline, up.stage.Name, f.Warehouse, f.Merged.UnixMicro(), f.Number)
}

// withdrawals reads which promotions took freight back in the stages upstream, if any did in the pipeline.
func (b *builder) withdrawals(stages []upstream) (queries []driver.Query) {
	if !b.back {
		return nil
	}
	for i := range stages {
		queries = append(queries, withdrawalsIn(b.Key.Pipeline, stages[i].stage.Name, &stages[i].withdrawals))
	}
	return queries
}

// Withdrawals returns the promotions that took freight back in the stages whose verdicts count for a stage.
func (lg Ledger) Withdrawals(pipeline int64, stage *promotion.Stage) (all []promotion.Withdrawal, err error) {
	stages := upstreamOf(stage)
	var queries []driver.Query
	for i := range stages {
		queries = append(queries, withdrawalsIn(pipeline, stages[i].stage.Name, &stages[i].withdrawals))
	}
	if err := lg.tx.batch(queries); err != nil {
		return nil, fmt.Errorf("list what was taken back before stage %s: %w", stage.Name, err)
	}
	for _, up := range stages {
		all = append(all, up.withdrawals...)
	}
	return all, nil
}

// withdrawalsIn reads the latest promotions that took freight back in a stage, or are about to.
func withdrawalsIn(pipeline int64, stage promotion.StageName, into *[]promotion.Withdrawal) driver.Query {
	return then(rowsInto(into, func(w *promotion.Withdrawal) []any {
		return append(promotionDest(&w.Promotion), &w.To.Warehouse, at(&w.To.Merged), &w.To.Number)
	}, `SELECT `+promotionColumns+`, warehouse, freight_merged_at, freight_number FROM promotions
		WHERE pipeline = $1 AND stage = $2 AND pins AND (ended_at IS NULL OR merged_at IS NOT NULL)
		ORDER BY number DESC LIMIT $3 + 0`, pipeline, stage, maxBack), func() { slices.Reverse(*into) })
}

// upstreamWays reads which freight is on its way to the stages upstream, and how far those have come, if a promotion of
// the snapshot is open: the decision may have it give way to another one, which it may just have added.
func upstreamWays(stages []upstream, s *promotion.Snapshot, pipeline int64) (queries []driver.Query) {
	if !s.Busy() {
		return nil
	}
	for i := range stages {
		up := &stages[i]
		queries = append(queries, rowsInto(&up.coming, single[promotion.FreightID], `SELECT freight FROM promotions
			WHERE pipeline = $1 AND stage = $2 AND ended_at IS NULL`, pipeline, up.stage.Name))
		up.marks = make([]promotion.Mark, len(s.Stage.From))
		for k, from := range s.Stage.From {
			up.marks[k].Warehouse = from.Warehouse
			queries = append(queries, markOf(pipeline, up.stage.Name, &up.marks[k], new(bool)))
		}
	}
	return queries
}

// markOf reads how far a stage has come in the order of a warehouse.
func markOf(pipeline int64, stage promotion.StageName, m *promotion.Mark, found *bool) driver.Query {
	return rowInto(found, []any{at(&m.Merged), &m.Number},
		`SELECT freight_merged_at, freight_number FROM promotions WHERE pipeline = $1 AND stage = $2 AND warehouse = $3
			AND NOT early
		ORDER BY freight_merged_at DESC, freight_number DESC LIMIT 1`, pipeline, stage, m.Warehouse)
}

// records sums up the history of the freight of a snapshot in the stages upstream.
func records(s *promotion.Snapshot, stages []upstream) [][]promotion.Record {
	all := make([][]promotion.Record, len(s.Pipeline.Stages))
	for _, up := range stages {
		all[up.stage.Index] = sum(s.Freight, up.deployments, up.withdrawals)
		up.addWays(s.Freight, all[up.stage.Index])
	}
	return all
}

// addWays notes in the records of freight what is known of its way to the stage.
func (up *upstream) addWays(freight []promotion.Freight, records []promotion.Record) {
	for i := range freight {
		f := &freight[i]
		records[i].Coming = slices.Contains(up.coming, f.ID)
		records[i].Taken = slices.ContainsFunc(up.marks, func(m promotion.Mark) bool {
			return m.Warehouse == f.Warehouse && !m.Before(f)
		})
	}
}

// recordDest scans the columns of a record.
func recordDest(s *promotion.Deployment) []any {
	return []any{&s.Promotion, &s.Freight, at(&s.Entered), at(&s.Left), &s.Verdict, at(&s.Judged), because(&s.Cause),
		driftColumn{&s.Drift}}
}

// sum makes a record for each freight of its deployments.
func sum(
	freight []promotion.Freight, deployments []promotion.Deployment, withdrawals []promotion.Withdrawal,
) []promotion.Record {
	of := make(map[promotion.FreightID][]promotion.Deployment, len(deployments))
	for i := range deployments {
		of[deployments[i].Freight] = append(of[deployments[i].Freight], deployments[i])
	}
	records := make([]promotion.Record, len(freight))
	for i := range freight {
		if mine := of[freight[i].ID]; len(mine) > 0 {
			slices.SortFunc(mine, byBeginning) // mostly one: sorting all together costs more than reading them
			records[i] = promotion.NewRecord(&freight[i], mine, withdrawals)
		}
	}
	return records
}

// byBeginning orders deployments by when they began.
func byBeginning(a, b promotion.Deployment) int {
	return cmp.Or(a.Entered.Compare(b.Entered), cmp.Compare(a.Promotion, b.Promotion))
}

// mergeDeployments adds deployments that are not there yet, and keeps the order of their beginnings.
func mergeDeployments(all, more []promotion.Deployment) []promotion.Deployment {
	for _, s := range more {
		if !slices.ContainsFunc(all, func(have promotion.Deployment) bool { return have.Promotion == s.Promotion }) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, byBeginning)
	return all
}

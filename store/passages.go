package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

// maxPassages bounds how many promotions are looked at, the newest of a pipeline; maxPastHolds the holds.
const (
	maxPassages  = 10_000
	maxPastHolds = 1_000
)

// passageColumns are those of a Passage, with the deployments d, the promotions p and the freight f. A merge uses up
// the sign-offs of a rollout: one that was revoked no earlier than a minute before it, by another clock, has counted.
const passageColumns = `p.number, p.stage, p.warehouse, p.freight, p.class, p.repairs, p.pins,
	p.only_targets NOT IN ('null', '[]'), f.merged_at, f.contents,
	p.queued_at, p.started_at, d.entered_at, d.verdict, d.judged_at,
	(SELECT MAX(a.given_at) FROM approvals a WHERE a.pipeline = p.pipeline AND a.stage = p.stage AND a.freight = p.freight
		AND a.kind = 'sign-off' AND (a.revoked_at IS NULL OR a.revoked_at >= d.entered_at - 60000000)
		AND a.given_at <= d.entered_at)`

// passage is a row of a Passage, with the freight, of which only the time is told.
type passage struct {
	promotion.Passage
	freight promotion.Freight
}

func passageDest(p *passage) []any {
	return []any{&p.Number, &p.Stage, &p.Warehouse, &p.Freight, &p.Class, &p.Repairs, &p.Pins, &p.Partly,
		at(&p.freight.Merged), asJSON(&p.freight.Contents), at(&p.Queued), at(&p.Started), at(&p.Entered), &p.Verdict,
		at(&p.Judged), at(&p.Signed)}
}

// Passages returns the promotions of a pipeline that have brought freight into a stage since a time. It looks at the
// newest promotions only; all is false if some before them were queued after that time.
func (pr Promotions) Passages(pipeline int64, since time.Time) (found []promotion.Passage, all bool, err error) {
	return pr.passages(pipeline, since, maxPassages)
}

// passages looks at a number of promotions.
func (pr Promotions) passages(
	pipeline int64, since time.Time, newest int64,
) (found []promotion.Passage, all bool, err error) {
	var last int64
	if _, err = pr.tx.one([]any{&last}, `SELECT promotions FROM pipelines WHERE id = $1`, pipeline); err != nil {
		return nil, false, fmt.Errorf("find the newest promotion: %w", err)
	}
	before := max(0, last-newest)
	queued, err := pr.tx.oneTime(`SELECT queued_at FROM promotions WHERE pipeline = $1 AND number = $2`, pipeline, before)
	if err != nil {
		return nil, false, fmt.Errorf("read when promotion %d was queued: %w", before, err)
	}
	rows, err := list(pr.tx, passageDest, `SELECT `+passageColumns+` FROM deployments d
		JOIN promotions p ON p.pipeline = d.pipeline AND p.number = d.promotion
		JOIN freight f ON f.pipeline = d.pipeline AND f.id = d.freight
		WHERE d.pipeline = $1 AND d.promotion > $2 AND d.entered_at >= $3`, pipeline, before, micros(since))
	if err != nil {
		return nil, false, fmt.Errorf("list what came into stages: %w", err)
	}
	for _, r := range rows {
		r.Made = r.freight.At()
		found = append(found, r.Passage)
	}
	return found, queued.Before(since), nil
}

// HoldsSince returns the holds of a pipeline that have stood since a time, those that stand included: of very many the
// newest.
func (lg Ledger) HoldsSince(pipeline int64, since time.Time) ([]promotion.Hold, error) {
	all, err := list(lg.tx, holdDest, `SELECT `+holdColumns+` FROM holds WHERE pipeline = $1
		AND (lifted_at IS NULL OR lifted_at >= $2) ORDER BY id DESC LIMIT $3 + 0`, pipeline, micros(since), maxPastHolds)
	return all, wrap("list past holds", err)
}

package store

import (
	"errors"
	"fmt"
	"math"

	"waybill/promotion"
	"waybill/store/driver"
)

const promotionColumns = `number, place, stage, warehouse, freight, freight_name, class, automatic, state, reason,
	actor_id, actor, cause, queued_at, started_at, merged_at, ended_at, merge_sha, pins, early, repairs, only_targets,
	rollout, words, version`

func promotionDest(p *promotion.Promotion) []any {
	return []any{&p.Number, &p.Place, &p.Stage, &p.Freight.Warehouse, &p.Freight.ID, &p.Freight.Name,
		&p.Class, &p.Automatic, &p.State,
		because(&p.Reason), &p.By.ID, &p.By.Login, &p.Cause, at(&p.Queued), at(&p.Started), at(&p.Merged), at(&p.Ended),
		&p.MergeSHA, &p.Pins, &p.Early, &p.Repairs, asJSON(&p.Only), rolloutColumn{&p.Rollout}, &p.Words,
		&p.Version}
}

// ByNumber returns a promotion of a pipeline.
func (pr Promotions) ByNumber(pipeline int64, n promotion.Number) (p promotion.Promotion, err error) {
	found, err := pr.tx.one(promotionDest(&p),
		`SELECT `+promotionColumns+` FROM promotions WHERE pipeline = $1 AND number = $2`, pipeline, n)
	return p, orNotFound(found, err, fmt.Sprintf("read promotion %d", n))
}

// Latest returns the latest promotions of a pipeline, or of one of its stages, newest first; with before only those
// with smaller numbers.
func (pr Promotions) Latest(key StageKey, before promotion.Number, limit int) (all []promotion.Promotion, err error) {
	if before == 0 {
		before = math.MaxInt64
	}
	if key.Stage == "" {
		all, err = list(pr.tx, promotionDest, `SELECT `+promotionColumns+` FROM promotions
			WHERE pipeline = $1 AND number < $2 ORDER BY number DESC LIMIT $3 + 0`, key.Pipeline, before, limit)
	} else {
		all, err = list(pr.tx, promotionDest, `SELECT `+promotionColumns+` FROM promotions
			WHERE pipeline = $1 AND stage = $2 AND number > 0 AND number < $3 ORDER BY number DESC LIMIT $4 + 0`,
			key.Pipeline, key.Stage, before, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("list promotions: %w", err)
	}
	return all, nil
}

// Active returns the promotions of a pipeline that have not ended.
func (pr Promotions) Active(pipeline int64) ([]promotion.Promotion, error) {
	all, err := list(pr.tx, promotionDest, `SELECT `+promotionColumns+` FROM promotions
		WHERE pipeline = $1 AND ended_at IS NULL ORDER BY stage, freight`, pipeline)
	return all, wrap("list promotions that have not ended", err)
}

// save writes a promotion, whose present step writes to a branch. It is new, or replaces the version that was read:
// ErrConflict if another transaction has written a later one.
func (pr Promotions) save(
	pipeline int64, s *promotion.Snapshot, p promotion.Promotion, to promotion.Branch,
) error {
	var err error
	if p.Version == 0 {
		err = pr.insert(pipeline, s, p, to)
	} else {
		err = pr.update(pipeline, p)
	}
	if err == nil && (p.State == promotion.Verifying || p.State.Ended()) {
		err = pr.tx.Turns.end(pipeline, p)
	}
	if err == nil && p.State == promotion.Queued && p.Version > 0 {
		err = pr.tx.Attempts.moveTo(pipeline, p.Number, to)
	}
	if err == nil {
		err = pr.tx.Attempts.beginStep(pipeline, p, to)
	}
	if err != nil {
		return fmt.Errorf("save promotion %d: %w", p.Number, conflict(err))
	}
	return nil
}

// freightIn returns a freight of a snapshot; nil if it has no such freight.
func freightIn(s *promotion.Snapshot, id promotion.FreightID) *promotion.Freight {
	if i := s.FreightAt(id); i >= 0 {
		return &s.Freight[i]
	}
	return nil
}

func (pr Promotions) insert(
	pipeline int64, s *promotion.Snapshot, p promotion.Promotion, to promotion.Branch,
) error {
	f := freightIn(s, p.Freight.ID)
	if f == nil {
		older, err := pr.tx.Freight.ByID(pipeline, p.Freight.ID)
		if err != nil {
			return err
		}
		f = &older
	}
	_, err := pr.tx.exec(
		`INSERT INTO promotions (pipeline, number, place, stage, warehouse, freight, freight_name, freight_merged_at,
			freight_number, class, automatic, state, reason, actor_id, actor, cause, queued_at, started_at, merged_at, ended_at,
			merge_sha, pins, repairs, rollout, only_targets, words, early, version)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
		$24, $25, $26, $27, 1)`,
		pipeline, p.Number, p.Place, p.Stage, p.Freight.Warehouse, p.Freight.ID, p.Freight.Name, micros(f.Merged), f.Number,
		p.Class, p.Automatic, p.State, because(&p.Reason), p.By.ID, p.By.Login, p.Cause, micros(p.Queued), micros(p.Started),
		micros(p.Merged), micros(p.Ended), p.MergeSHA, p.Pins, p.Repairs, rolloutColumn{&p.Rollout}, asJSON(&p.Only),
		p.Words, p.Early,
	)
	if err != nil {
		return err
	}
	return pr.tx.Attempts.insert(pipeline, p, to)
}

func (pr Promotions) update(pipeline int64, p promotion.Promotion) error {
	n, err := pr.tx.exec(`UPDATE promotions SET class = $4, state = $5, reason = $6, actor_id = $7, actor = $8, cause = $9,
			started_at = $10, merged_at = $11, ended_at = $12, merge_sha = $13, pins = $14, rollout = $15, only_targets = $16,
			words = $17, early = $18, version = version + 1
		WHERE pipeline = $1 AND number = $2 AND version = $3`,
		pipeline, p.Number, p.Version, p.Class, p.State, because(&p.Reason), p.By.ID, p.By.Login, p.Cause, micros(p.Started),
		micros(p.Merged), micros(p.Ended), p.MergeSHA, p.Pins, rolloutColumn{&p.Rollout}, asJSON(&p.Only), p.Words,
		p.Early)
	if err == nil && n == 0 {
		err = ErrConflict
	}
	return err
}

// conflict makes ErrConflict of a duplicate key: two decisions have done the same thing.
func conflict(err error) error {
	if errors.Is(err, driver.ErrDuplicate) {
		return fmt.Errorf("%w: %w", ErrConflict, err)
	}
	return err
}

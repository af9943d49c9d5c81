package store

import (
	"fmt"

	"waybill/promotion"
	"waybill/store/driver"
)

// Record records the answer of GitHub about a stage's targets. heard is the count that Heard had returned before it was
// asked: later events may be newer than the answer.
func (ry Readiness) Record(key StageKey, r promotion.Readiness, heard int64) error {
	var before *promotion.Readiness
	err := ry.tx.read(readinessOf(key, &before))
	if err == nil {
		r = r.Follows(before)
		_, err = ry.tx.exec(`INSERT INTO readiness (pipeline, stage, conditions, lacks, asked, tries, asked_at, heard, known)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
			ON CONFLICT (pipeline, stage) DO UPDATE SET conditions = $3, lacks = $4, asked = $5, tries = $6, asked_at = $7,
			known = $8`,
			key.Pipeline, key.Stage, r.Of, lacksColumn{&r.Lacks}, r.Asked, r.Tries, micros(r.At), heard)
	}
	if err != nil {
		return fmt.Errorf("record which targets of %s are ready: %w", key.Stage, err)
	}
	return ry.tx.Stages.Touch(key)
}

// Heard returns how many events have come that may have changed the answer of GitHub about a stage's targets.
func (ry Readiness) Heard(key StageKey) (n int64, err error) {
	if _, err = ry.tx.one([]any{
		&n,
	}, `SELECT heard FROM readiness WHERE pipeline = $1 AND stage = $2`, key.Pipeline, key.Stage); err != nil {
		return 0, fmt.Errorf("ask what was heard of the targets of %s: %w", key.Stage, err)
	}
	return n, nil
}

// readinessOf reads the answer of GitHub about a stage's targets. It leaves into alone if GitHub was never asked.
func readinessOf(key StageKey, into **promotion.Readiness) driver.Query {
	var r promotion.Readiness
	var found bool
	return then(rowInto(&found, []any{&r.Of, lacksColumn{&r.Lacks}, &r.Asked, &r.Tries, at(&r.At), &r.Stale},
		`SELECT conditions, lacks, asked, tries, asked_at, heard > known FROM readiness WHERE pipeline = $1 AND stage = $2`,
		key.Pipeline, key.Stage), func() {
		if found {
			*into = &r
		}
	})
}

// Outdate notes that the answer of GitHub about a stage's targets may be outdated.
func (ry Readiness) Outdate(key StageKey) error {
	n, err := ry.tx.exec(`UPDATE readiness SET heard = heard + 1 WHERE pipeline = $1 AND stage = $2`, key.Pipeline,
		key.Stage)
	if err != nil {
		return fmt.Errorf("note that targets of %s may be ready: %w", key.Stage, err)
	}
	if n == 0 {
		return nil
	}
	return ry.tx.Stages.Touch(key)
}

// OutdateLacking is Outdate for all stages of a pipeline in which targets are not ready.
func (ry Readiness) OutdateLacking(pipeline int64) error {
	keys, err := list(ry.tx, stageKeyDest, `SELECT pipeline, stage FROM readiness WHERE pipeline = $1 AND lacks <> '[]'`,
		pipeline)
	if err != nil {
		return fmt.Errorf("list the stages whose targets are not ready: %w", err)
	}
	for _, key := range keys {
		if err := ry.Outdate(key); err != nil {
			return err
		}
	}
	return nil
}

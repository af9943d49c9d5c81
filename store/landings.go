package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

// Landing is a commit that is put on the branch of the stages without a pull request.
type Landing struct {
	Base, Head promotion.SHA
	At         time.Time // when it was made, as GitHub says
	URL        string
}

// BeginCommit notes that the commit of a round is being put on the branch, before GitHub is asked to. It does not begin when
// the stage has something undecided or the promotion has gone on: a hold that is recorded first always stops it. From here on
// nothing ends the promotion before it is known whether the commit is there.
func (lg Ledger) BeginCommit(pipeline int64, n promotion.Number, step, round int, l Landing) (begun bool, err error) {
	changed, err := lg.fence(pipeline, n)
	if err == nil && changed > 0 {
		changed, err = lg.tx.exec(`UPDATE attempts SET begun = $4, prepared_round = $4, prepared_base = $5, prepared_head = $6, prepared_at = $7,
			prepared_url = $8, prepared_branch = '' WHERE pipeline = $1 AND promotion = $2 AND step = $3 AND plan_round = $4 AND pull = 0 AND failure = ''`,
			pipeline, n, step, round, l.Base, l.Head, micros(l.At), l.URL)
	}
	if err != nil {
		return false, fmt.Errorf("begin the commit of %d: %w", n, err)
	}
	return changed > 0, nil
}

// SaveLanded records that the commit that has begun is on the branch. It came there when it was made, but for a moment.
func (lg Ledger) SaveLanded(pipeline int64, n promotion.Number) error {
	return lg.saveAttempt(pipeline, n, "landing", `UPDATE attempts SET built = begun, begun = 0, landed_at = prepared_at, base_sha = prepared_base,
		head_sha = prepared_head, url = prepared_url WHERE pipeline = $1 AND promotion = $2 AND begun > 0`)
}

// SaveLate records that the commit of a round is not on the branch and never will be, because that has moved.
func (lg Ledger) SaveLate(pipeline int64, n promotion.Number, round int) error {
	return lg.saveAttempt(pipeline, n, "late commit", `UPDATE attempts SET begun = 0, late = $3
		WHERE pipeline = $1 AND promotion = $2 AND late < $3`, round)
}

// SaveUnbegun records that the commit that has begun is not on the branch, so that it is decided anew whether it should be.
func (lg Ledger) SaveUnbegun(pipeline int64, n promotion.Number) error {
	return lg.saveAttempt(pipeline, n, "commit", `UPDATE attempts SET begun = 0 WHERE pipeline = $1 AND promotion = $2 AND begun > 0`)
}

// fence raises the version of the stage of a promotion that runs if nothing about it is undecided, and returns how many
// stages that were. A decision that does not know of the beginning yet is lost.
func (lg Ledger) fence(pipeline int64, n promotion.Number) (int64, error) {
	return lg.tx.exec(`UPDATE stages SET version = version + 1 WHERE pipeline = $1 AND version = decided AND EXISTS (SELECT 1
		FROM promotions p WHERE p.pipeline = $1 AND p.number = $2 AND p.state = 'running' AND p.stage = stages.name)`, pipeline, n)
}

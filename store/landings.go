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
func (lg Ledger) BeginCommit(n promotion.Number, step, round int, l Landing) (begun bool, err error) {
	changed, err := lg.fence(n)
	if err == nil && changed > 0 {
		changed, err = lg.tx.exec(`UPDATE attempts SET begun = $3, prepared_round = $3, prepared_base = $4, prepared_head = $5, prepared_at = $6,
			prepared_url = $7, prepared_branch = '' WHERE promotion = $1 AND step = $2 AND plan_round = $3 AND pull = 0 AND failure = ''`,
			n, step, round, l.Base, l.Head, micros(l.At), l.URL)
	}
	if err != nil {
		return false, fmt.Errorf("begin the commit of %d: %w", n, err)
	}
	return changed > 0, nil
}

// SaveLanded records that the commit that has begun is on the branch. It came there when it was made, but for a moment.
func (lg Ledger) SaveLanded(n promotion.Number) error {
	return lg.saveAttempt(n, "landing", `UPDATE attempts SET built = begun, begun = 0, landed_at = prepared_at, base_sha = prepared_base,
		head_sha = prepared_head, url = prepared_url WHERE promotion = $1 AND begun > 0`, n)
}

// SaveLate records that the commit of a round is not on the branch and never will be, because that has moved.
func (lg Ledger) SaveLate(n promotion.Number, round int) error {
	return lg.saveAttempt(n, "late commit", `UPDATE attempts SET begun = 0, late = $2 WHERE promotion = $1 AND late < $2`, n, round)
}

// SaveUnbegun records that the commit that has begun is not on the branch, so that it is decided anew whether it should be.
func (lg Ledger) SaveUnbegun(n promotion.Number) error {
	return lg.saveAttempt(n, "commit", `UPDATE attempts SET begun = 0 WHERE promotion = $1 AND begun > 0`, n)
}

// fence raises the version of the stage of a promotion that runs if nothing about it is undecided, and returns how many
// stages that were. A decision that does not know of the beginning yet is lost.
func (lg Ledger) fence(n promotion.Number) (int64, error) {
	return lg.tx.exec(`UPDATE stages SET version = version + 1 WHERE version = decided AND EXISTS (SELECT 1 FROM promotions p
		WHERE p.number = $1 AND p.state = 'running' AND p.pipeline = stages.pipeline AND p.stage = stages.name)`, n)
}

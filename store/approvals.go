package store

import (
	"fmt"

	"waybill/promotion"
)

const approvalColumns = `id, stage, freight, kind, actor_id, actor, plan, text, given_at, expires_at, revoked_at, ` +
	`entitled`

func approvalDest(a *promotion.Approval) []any {
	return []any{&a.ID, &a.Stage, &a.Freight, &a.Kind, &a.By.ID, &a.By.Login, &a.Plan, &a.Text, at(&a.At), at(&a.Expires),
		at(&a.Revoked), &a.Entitled}
}

// saveApproval writes a sign-off or an admission. One of the same person for the same thing that no longer counts gives
// way to it.
func (lg Ledger) saveApproval(pipeline int64, a promotion.Approval) error {
	_, err := lg.tx.exec(
		`UPDATE approvals SET revoked_at = $7 WHERE pipeline = $1 AND stage = $2 AND freight = $3 AND kind = $4
			AND actor_id = $5 AND actor = $6 AND plan = $8 AND id <> $9 AND revoked_at IS NULL AND (expires_at <= $7
			OR NOT entitled)`,
		pipeline, a.Stage, a.Freight, a.Kind, a.By.ID, a.By.Login, micros(lg.tx.Now), a.Plan, a.ID,
	)
	if err == nil {
		_, err = lg.tx.exec(`INSERT INTO approvals (pipeline, id, stage, freight, kind, actor_id, actor, plan, text,
			given_at, expires_at, revoked_at, entitled)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
			ON CONFLICT (pipeline, id) DO UPDATE SET expires_at = $11, revoked_at = $12, entitled = $13`,
			pipeline, a.ID, a.Stage, a.Freight, a.Kind, a.By.ID, a.By.Login, a.Plan, a.Text, micros(a.At), micros(a.Expires),
			micros(a.Revoked), a.Entitled)
	}
	if err != nil {
		return fmt.Errorf("save the approval of %s: %w", a.By.Login, conflict(err))
	}
	return nil
}

// SaveEntitled records whether the giver of an approval still has the right to it. It concerns the approval's stage.
func (lg Ledger) SaveEntitled(pipeline, approval int64, entitled bool) error {
	n, err := lg.tx.exec(`UPDATE approvals SET entitled = $3 WHERE pipeline = $1 AND id = $2 AND entitled <> $3`, pipeline,
		approval, entitled)
	if err == nil && n > 0 {
		err = lg.tx.Stages.touch(`SELECT pipeline, stage FROM approvals WHERE pipeline = $1 AND id = $2`, pipeline, approval)
	}
	if err != nil {
		return fmt.Errorf("save the right to approval %d: %w", approval, err)
	}
	return nil
}

// StandingApprovals returns the approvals of a pipeline that have neither been revoked nor expired, so that the rights
// of their givers can be looked up.
func (lg Ledger) StandingApprovals(pipeline int64) ([]promotion.Approval, error) {
	all, err := list(lg.tx, approvalDest, `SELECT `+approvalColumns+` FROM approvals WHERE pipeline = $1
		AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2) ORDER BY id`, pipeline, micros(lg.tx.Now))
	if err != nil {
		return nil, fmt.Errorf("list approvals: %w", err)
	}
	return all, nil
}

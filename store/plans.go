package store

import (
	"fmt"

	"waybill/promotion"
)

// Save records the contents that a promotion would write. The work carries the plan out; it is kept until the promotion
// has ended. A plan of an older round changes nothing. If it finds files missing, readings of their branch at another
// commit are outdated: else a target whose file has gone unheard of would catch up again and again. If a file keeps the
// promotion from starting, every reading of the branch is: the next one, after a push or in a resync, has the files
// looked at again. But a reading stays if a push has replaced the commit already.
func (pn Plans) Save(pipeline int64, n promotion.Number, p promotion.Plan, work []byte) error {
	if len(p.Absent) > 0 {
		if _, err := pn.tx.exec(
			`DELETE FROM readings WHERE pipeline = $1 AND commit_sha <> $3 AND EXISTS (SELECT 1 FROM promotions p
				JOIN attempts a ON a.pipeline = p.pipeline AND a.promotion = p.number
				WHERE p.pipeline = $1 AND p.number = $2 AND p.stage = readings.stage AND a.repo = readings.repo
				AND a.base = readings.branch)`,
			pipeline, n, p.Base,
		); err != nil {
			return fmt.Errorf("forget what the plan of promotion %d has found otherwise: %w", n, err)
		}
	}
	if p.Unreadable() {
		if _, err := pn.tx.exec(
			`DELETE FROM readings WHERE pipeline = $1 AND EXISTS (SELECT 1 FROM promotions p
				JOIN attempts a ON a.pipeline = p.pipeline AND a.promotion = p.number
				WHERE p.pipeline = $1 AND p.number = $2 AND p.stage = readings.stage AND a.repo = readings.repo
				AND a.base = readings.branch AND NOT EXISTS (SELECT 1 FROM pushes u WHERE u.repo = a.repo
					AND u.branch = a.base AND u.before_sha = $3))`,
			pipeline, n, p.Base,
		); err != nil {
			return fmt.Errorf("forget what was read before promotion %d was kept from starting: %w", n, err)
		}
	}
	return pn.tx.Attempts.save(
		pipeline, n, "plan",
		`UPDATE attempts SET plan_round = $3, plan_base = $4, plan_at = $5, plan_paths = $6, plan_hash = $7,
			plan_problem = $8, plan_work = $9, plan_values = $10, plan_absent = $11, plan_notes = $12, plan_asks = $13,
			plan_read = $14
			WHERE pipeline = $1 AND promotion = $2 AND plan_round <= $3`,
		p.Round, p.Base, micros(p.At), asJSON(p.Paths), p.Hash, because(&p.Problem), notNil(work), asValues(&p.Values),
		asJSON(p.Absent), asJSON(p.Notes), p.Asks, micros(p.Read),
	)
}

// SaveSame records that a changed pipeline file asks for the same as the plan whose commit is shown: it is the plan of
// a further round, and its commit stays.
func (pn Plans) SaveSame(pipeline int64, n promotion.Number, p promotion.Plan) error {
	return pn.tx.Attempts.save(pipeline, n, "plan", `UPDATE attempts SET plan_round = $3, plan_asks = $4,
		plan_values = $5, built = $3,
		prepared_round = CASE WHEN prepared_round = plan_round THEN $3 ELSE prepared_round END
		WHERE pipeline = $1 AND promotion = $2 AND plan_round < $3 AND built = plan_round`,
		p.Round, p.Asks, asValues(&p.Values))
}

// SaveCommit records the commit that has been made for a round of the plan, before anything on GitHub shows it. It
// concerns no stage. A rollout that has gone on to another step takes none.
func (pn Plans) SaveCommit(
	pipeline int64, n promotion.Number, step, round int, branch string, base, head promotion.SHA,
) error {
	return pn.tx.mustChange(fmt.Sprintf("save the commit of %d", n), `UPDATE attempts SET prepared_round = $4,
		prepared_branch = $5, prepared_base = $6, prepared_head = $7 WHERE pipeline = $1 AND promotion = $2 AND step = $3`,
		pipeline, n, step, round, branch, base, head)
}

// Prepared returns the work of a round of a promotion's plan, and its commit if that has been made already.
func (pn Plans) Prepared(pipeline int64, n promotion.Number, round int) (work []byte, made promotion.SHA, err error) {
	found, err := pn.tx.one([]any{&work, &made},
		`SELECT plan_work, CASE WHEN prepared_round = $3 THEN prepared_head ELSE '' END
		FROM attempts WHERE pipeline = $1 AND promotion = $2 AND plan_round = $3`, pipeline, n, round)
	return work, made, orNotFound(found, err, fmt.Sprintf("read round %d of the plan of %d", round, n))
}

// SaveComparison records what a head of others has that the plan of a step of a promotion has not.
func (pn Plans) SaveComparison(pipeline int64, n promotion.Number, step int, c promotion.Comparison) error {
	return pn.tx.Attempts.save(pipeline, n, "comparison", `UPDATE attempts SET compared_head = $4, compared_foreign = $5
		WHERE pipeline = $1 AND promotion = $2 AND step = $3`, step, c.Head, asJSON(c.Foreign))
}

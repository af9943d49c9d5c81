package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

// Turn is the turn of a promotion whose pull request has to be made anew because its branch has moved: others that
// would move the branch again wait for it.
type Turn struct {
	Pipeline int64
	Stage    promotion.StageName
	Since    time.Time
	Attempt  promotion.Attempt
}

// In returns the turns in a branch that have begun after a time and are not over, in the order of their beginning.
func (ts Turns) In(on promotion.Branch, after time.Time) ([]Turn, error) {
	dest := func(t *Turn) []any {
		return append([]any{&t.Pipeline, &t.Stage, at(&t.Since)}, attemptDest(&t.Attempt)...)
	}
	all, err := list(ts.tx, dest, `SELECT pipeline, (SELECT stage FROM promotions p WHERE p.pipeline = attempts.pipeline
			AND p.number = attempts.promotion), turn_at, `+attemptColumns+` FROM attempts
		WHERE repo = $1 AND base = $2 AND turn_at > $3 ORDER BY turn_at, pipeline, promotion`,
		on.Repo, on.Name, micros(after))
	if err != nil {
		return nil, fmt.Errorf("list the turns in %s: %w", on, err)
	}
	return all, nil
}

// Take begins the turn of a promotion.
func (ts Turns) Take(pipeline int64, n promotion.Number) error {
	return ts.tx.mustChange(fmt.Sprintf("begin the turn of %d", n),
		`UPDATE attempts SET turn_at = $3 WHERE pipeline = $1 AND promotion = $2`, pipeline, n, micros(ts.tx.Now))
}

// SaveWait records whose turn it is before that of a promotion; the zero wait says that it waits for none.
func (ts Turns) SaveWait(pipeline int64, n promotion.Number, w promotion.Wait) error {
	_, err := ts.tx.Attempts.move(pipeline, n, "wait", func(a *promotion.Attempt, _ prepared) bool { return a.Await(w) })
	return err
}

// Ahead returns the promotions that wait, like one of a pipeline, to be merged or committed into its branch, and go
// before it. There are none if it does not wait.
func (ts Turns) Ahead(pipeline int64, n promotion.Number) ([]promotion.Wait, error) {
	all, err := list(ts.tx, func(w *promotion.Wait) []any { return []any{&w.Stage, &w.Number} },
		`SELECT e.stage, e.promotion FROM effects mine JOIN effects e ON e.lane = mine.lane AND e.run_at IS NOT NULL
			AND (e.priority, e.decided_at, e.pipeline, e.promotion)
				< (mine.priority, mine.decided_at, mine.pipeline, mine.promotion)
		WHERE mine.pipeline = $1 AND mine.promotion = $2 AND mine.run_at IS NOT NULL AND mine.lane <> ''
		ORDER BY e.priority, e.decided_at, e.pipeline, e.promotion`, pipeline, n)
	return all, wrap(fmt.Sprintf("list what goes before promotion %d", n), err)
}

// Pass has the next merge tried that waits for a turn in the branch of a promotion: that of a rollback before others,
// else the one that was decided first.
func (ts Turns) Pass(pipeline int64, n promotion.Number) error {
	_, err := ts.tx.exec(`UPDATE effects SET run_at = $3 WHERE token = '' AND run_at > $3
		AND (pipeline, key) IN (SELECT e.pipeline, e.key FROM attempts mine
			JOIN attempts a ON a.repo = mine.repo AND a.base = mine.base AND a.after_number <> 0
			JOIN effects e ON e.pipeline = a.pipeline AND e.promotion = a.promotion AND e.verb = 'merge'
				AND e.run_at IS NOT NULL AND e.token = ''
			WHERE mine.pipeline = $1 AND mine.promotion = $2
			ORDER BY e.priority, e.decided_at, e.pipeline, e.promotion LIMIT 1)`, pipeline, n, micros(ts.tx.Now))
	return wrap(fmt.Sprintf("pass the turn of promotion %d on", n), err)
}

// end ends the turn of a promotion that was merged or has ended, and passes it on. One whose turn it was not passes on
// the try that it was given when the turn before it ended. The work of the plan of one that has ended is forgotten.
func (ts Turns) end(pipeline int64, p promotion.Promotion) error {
	_, err := ts.tx.exec(`UPDATE attempts SET turn_at = NULL, plan_work = CASE WHEN $3 THEN $4 ELSE plan_work END
		WHERE pipeline = $1 AND promotion = $2 AND ($3 OR turn_at IS NOT NULL)`, pipeline, p.Number, p.State.Ended(),
		[]byte{})
	if err != nil {
		return fmt.Errorf("end the turn of promotion %d: %w", p.Number, err)
	}
	return ts.Pass(pipeline, p.Number)
}

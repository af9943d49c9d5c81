package store

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"waybill/promotion"
)

// The facts of a pipeline are stale while it is not known whether GitHub has more: after the process was away, and when
// the database is a copy that was put in the place of a newer one. Nothing is decided then before a resync, so that
// what has happened meanwhile is known first, and no promotion gets a number that the newer database gave to another.

// AwayFor is how long no process was at work after which pipelines are stale: one at work looks for missed webhooks
// every ten minutes.
const AwayFor = 15 * time.Minute

// onCopy is what a copy of the database is told: no process has had it open.
const onCopy = `UPDATE process SET holder = ''`

// noteAbsence marks every pipeline as stale if this process is the first after a while, or the first on a copy.
func (tx *Tx) noteAbsence() error {
	holder, heard, err := tx.lastHeard()
	switch {
	case err != nil || heard.IsZero(): // it is new
		return err
	case holder == "":
		return tx.Recovery.NoteRestored()
	case tx.Now.Sub(heard) >= AwayFor:
		return tx.Recovery.MarkAllStale()
	}
	return nil
}

// lastHeard returns the last process that had the database open, and when one of them last looked for missed webhooks
// or began to; zero if there was none.
func (tx *Tx) lastHeard() (holder string, heard time.Time, err error) {
	var started time.Time
	if _, err = tx.one([]any{&holder, at(&started)}, `SELECT holder, started_at FROM process WHERE one = 1`); err != nil {
		return "", heard, fmt.Errorf("read when the last process started: %w", err)
	}
	swept, err := tx.oneTime(`SELECT done_at FROM clocks WHERE name = 'sweep' AND pipeline = 0`)
	return holder, promotion.Later(started, swept), wrap("read when missed webhooks were looked for", err)
}

// MarkAllStale marks every pipeline as stale.
func (rc Recovery) MarkAllStale() error { return rc.markStale(func(PipelineRow) bool { return true }) }

// markStale marks some pipelines as stale.
func (rc Recovery) markStale(which func(PipelineRow) bool) error {
	rows, err := rc.tx.Pipelines.All()
	for i := 0; err == nil && i < len(rows); i++ {
		if which(rows[i]) {
			err = rc.MarkStale(rows[i].ID)
		}
	}
	return err
}

// MarkStale notes that the facts of a pipeline may be older than GitHub's. It is resynced at once, and nothing of it is
// decided before that; what its stages were about to do waits, too.
func (rc Recovery) MarkStale(pipeline int64) error {
	_, err := rc.tx.exec(`UPDATE pipelines SET stale_since = COALESCE(stale_since, $2) WHERE id = $1`, pipeline,
		micros(rc.tx.Now))
	if err == nil {
		err = rc.tx.Stages.touchAll(pipeline, "")
	}
	if err == nil {
		err = rc.tx.Clocks.AskResync(pipeline)
	}
	return wrap(fmt.Sprintf("mark pipeline %d as stale", pipeline), err)
}

// unlessUnready is a condition of rows of pipelines that are ready to be decided; pipeline is their column.
func unlessUnready(pipeline string) string { return ` AND NOT ` + isUnready(pipeline) }

// isUnready is the condition of rows of pipelines of which nothing is decided: they are stale, or missed webhooks have
// not been looked for since the start.
func isUnready(pipeline string) string {
	return `EXISTS (SELECT 1 FROM pipelines p WHERE p.id = ` + pipeline + ` AND (p.stale_since IS NOT NULL OR p.unswept))`
}

// MarkFresh notes that the facts of a pipeline are as new as GitHub's.
func (rc Recovery) MarkFresh(pipeline int64) error {
	return rc.tx.mustChange("note that the facts are fresh", `UPDATE pipelines SET stale_since = NULL WHERE id = $1`,
		pipeline)
}

// gap is how many numbers are left out where a newer database may have given some to others. GitHub does not show all
// that were given: a promotion that never began leaves nothing behind.
const gap = 1000

// NoteRestored notes that the database is older than one that was in its place. All pipelines are stale. They give no
// number, hold or request the id of one that is lost, and no promotion goes on under a name that may be taken. What is
// to be done on GitHub is looked up there first. The values that were last written into the files of the stages are not
// known: no difference there is a drift before the next promotion.
func (rc Recovery) NoteRestored() error {
	if err := rc.MarkAllStale(); err != nil {
		return err
	}
	rows, err := rc.tx.Pipelines.All()
	if err != nil {
		return err
	}
	for _, row := range rows {
		newest, err := rc.tx.Promotions.Newest(row.ID)
		if err == nil {
			err = rc.leaveOut(row.ID, newest,
				fmt.Sprintf("the database is a copy that was restored: it may lack promotions behind %d", newest))
		}
		if err == nil {
			_, err = rc.tx.exec(`UPDATE deployments SET wrote = 'null' WHERE pipeline = $1 AND left_at IS NULL`, row.ID)
		}
		if err != nil {
			return fmt.Errorf("note that %s was restored: %w", row.Repo, err)
		}
	}
	// Messages in Slack and check runs say what was so in the lost time, and newer check runs may have been made then.
	// What has ended had no news, unless a stage hosts it still: it may have been judged anew.
	if _, err := rc.tx.exec(`UPDATE views SET shown = '', `+wantedAt(`views`, `$1`)+` WHERE kind IN ('slack', 'check')
		AND remote_id <> '' AND EXISTS (SELECT 1 FROM promotions p WHERE p.pipeline = views.pipeline
			AND (p.number = views.promotion OR views.kind = 'check' AND p.freight = views.freight)
			AND (p.ended_at IS NULL OR EXISTS (SELECT 1 FROM deployments d
				WHERE d.pipeline = p.pipeline AND d.promotion = p.number AND d.left_at IS NULL)))`,
		micros(rc.tx.Now)); err != nil {
		return fmt.Errorf("have what goes on shown again: %w", err)
	}
	for _, table := range []string{"effects", "views"} {
		_, err := rc.tx.exec(`UPDATE ` + table + ` SET attempts = 1 WHERE run_at IS NOT NULL AND attempts = 0`)
		if err != nil {
			return fmt.Errorf("have %s looked up first: %w", table, err)
		}
	}
	// The resyncs make up for everything that GitHub has delivered until now.
	_, err = rc.tx.exec(`UPDATE clocks SET done_at = $1 WHERE name = 'sweep' AND done_at < $1`, micros(rc.tx.Now))
	return wrap("note what a resync makes up for", err)
}

// Newest returns the number of the newest promotion of a pipeline; 0 if there is none.
func (pr Promotions) Newest(pipeline int64) (n promotion.Number, err error) {
	found, err := pr.tx.one([]any{&n}, `SELECT promotions FROM pipelines WHERE id = $1`, pipeline)
	return n, orNotFound(found, err, fmt.Sprintf("read the newest promotion of pipeline %d", pipeline))
}

// NoteLost notes the greatest number of a promotion of a pipeline that GitHub shows and the database does not have, or
// of which GitHub shows more than the database has: only a newer database can have told GitHub of it.
func (rc Recovery) NoteLost(pipeline int64, lost promotion.Number) error {
	known, err := rc.tx.Promotions.Newest(pipeline)
	reused := false
	if err == nil && lost <= known {
		reused, err = rc.tx.one([]any{new(promotion.Number)}, `SELECT p.number FROM promotions p
			JOIN attempts a ON a.pipeline = p.pipeline AND a.promotion = p.number
			WHERE p.pipeline = $1 AND p.number <= $2 AND p.state IN ('queued', 'running') AND a.state = '' AND a.step = 0
			LIMIT 1`, pipeline, lost)
	}
	if err != nil || lost <= known && !reused {
		return wrap("find what the database lacks", err)
	}
	return rc.leaveOut(pipeline, max(lost, known),
		fmt.Sprintf("GitHub shows more of promotion %d than the database", lost))
}

// Made reports whether the database has what GitHub shows of a promotion: a pull request or its branch, or without a
// branch a commit. Waybill writes the branch down before GitHub hears of it: only a newer database can have made
// another one, unless a person has renamed it.
func (rc Recovery) Made(
	pipeline int64, n promotion.Number, on promotion.Repo, pull int, branch string,
) (made bool, err error) {
	_, err = rc.tx.one([]any{&made}, `SELECT EXISTS (SELECT 1 FROM attempts
			WHERE pipeline = $1 AND promotion = $2 AND CASE $3 WHEN '' THEN state <> '' OR step > 0 OR prepared_head <> ''
				ELSE $3 IN (branch, prepared_branch) OR $5 > 0 AND repo = $4 AND pull = $5 END)
		OR EXISTS (SELECT 1 FROM steps WHERE pipeline = $1 AND promotion = $2
			AND (branch = $3 OR $5 > 0 AND repo = $4 AND pull = $5))`, pipeline, n, branch, on, pull)
	return made, wrap(fmt.Sprintf("find what promotion %d has made", n), err)
}

// leaveOut gives no number of a gap behind the newest one, and says why in the audit trail. A promotion that has
// nothing on GitHub may have had something there when the newer database was lost. It gets a new number, and the steps
// of a rollout that are still to come get new numbers: so their branches, commits and runs get new names.
func (rc Recovery) leaveOut(pipeline int64, newest promotion.Number, why string) error {
	next := newest + gap
	all, err := rc.tx.Promotions.Active(pipeline)
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b promotion.Promotion) int { return cmp.Compare(a.Number, b.Number) })
	for _, p := range all {
		a, err := rc.tx.Attempts.Of(pipeline, p.Number)
		switch begun := a.State != promotion.AttemptPending || p.State == promotion.Verifying; {
		case err != nil:
		case p.Rolls():
			err = rc.leaveOutSteps(pipeline, p, begun)
		case !begun:
			next++
			err = rc.renumber(pipeline, p, next)
		}
		if err != nil {
			return err
		}
	}
	_, err = rc.tx.exec(`UPDATE pipelines SET promotions = $2, ids = ids + $3, requests = requests + $3 WHERE id = $1`,
		pipeline, next, gap)
	if err == nil {
		err = rc.tx.Stages.touchAll(pipeline, "")
	}
	if err == nil {
		err = rc.logRestored(pipeline, 0, fmt.Sprintf("%s, so the next one is %d", why, next+1))
	}
	return wrap("leave numbers out", err)
}

// logRestored writes an alert into the audit trail.
func (rc Recovery) logRestored(pipeline int64, n promotion.Number, text string) error {
	return rc.tx.Audit.Log(Event{Pipeline: pipeline, Promotion: n, Kind: EventAlert, Word: "restored", Source: "github",
		Text: text})
}

// renumber gives a promotion that has made nothing another number.
func (rc Recovery) renumber(pipeline int64, p promotion.Promotion, n promotion.Number) error {
	if err := rc.beginAnew(pipeline, p.Number); err != nil {
		return err
	}
	for _, change := range []string{
		`UPDATE promotions SET number = $3, version = version + 1 WHERE pipeline = $1 AND number = $2`, // and its attempt
		`UPDATE effects SET promotion = $3 WHERE pipeline = $1 AND promotion = $2`,
		`UPDATE views SET promotion = $3 WHERE pipeline = $1 AND promotion = $2 AND kind <> 'slack'`,
	} {
		if _, err := rc.tx.exec(change, pipeline, p.Number, n); err != nil {
			return fmt.Errorf("make promotion %d of %d: %w", n, p.Number, err)
		}
	}
	// What its messages say of the lost time is not known. The new number has messages of its own.
	if _, err := rc.tx.exec(`DELETE FROM views WHERE pipeline = $1 AND promotion = $2 AND kind = 'slack'`, pipeline,
		p.Number); err != nil {
		return fmt.Errorf("forget the messages of promotion %d: %w", p.Number, err)
	}
	return rc.logRestored(pipeline, n, fmt.Sprintf(
		"promotion %d has this number from now on: what became of %d in the lost time is not known", n, p.Number))
}

// leaveOutSteps gives the steps of a rollout that have not begun other numbers.
func (rc Recovery) leaveOutSteps(pipeline int64, p promotion.Promotion, begun bool) error {
	r := *p.Rollout
	p.Rollout = &r
	if begun {
		r.LeftOut += gap
		return rc.tx.Promotions.update(pipeline, p)
	}
	if err := rc.beginAnew(pipeline, p.Number); err != nil {
		return err
	}
	r.Step += gap
	if _, err := rc.tx.exec(`UPDATE attempts SET step = $3 WHERE pipeline = $1 AND promotion = $2`, pipeline, p.Number,
		r.Step); err != nil {
		return fmt.Errorf("number the step of promotion %d anew: %w", p.Number, err)
	}
	return rc.tx.Promotions.update(pipeline, p)
}

// beginAnew forgets the commit that was made for an attempt and is not known to be visible, and what was about to be
// done with it.
func (rc Recovery) beginAnew(pipeline int64, n promotion.Number) error {
	_, err := rc.tx.exec(`UPDATE attempts SET prepared_round = 0, prepared_branch = '', prepared_base = '',
		prepared_head = '', prepared_at = NULL, prepared_url = '' WHERE pipeline = $1 AND promotion = $2`, pipeline, n)
	if err == nil {
		_, err = rc.tx.exec(`DELETE FROM effects WHERE pipeline = $1 AND promotion = $2 AND run_at IS NOT NULL AND NOT owed`,
			pipeline, n)
	}
	return wrap(fmt.Sprintf("begin promotion %d anew", n), err)
}

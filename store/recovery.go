package store

import (
	"fmt"
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
	var holder string
	var started, swept time.Time
	opened, err := tx.one([]any{&holder, at(&started)}, `SELECT holder, started_at FROM process WHERE one = 1`)
	if err != nil {
		return fmt.Errorf("read when the last process started: %w", err)
	}
	if swept, err = tx.oneTime(`SELECT done_at FROM clocks WHERE name = 'sweep' AND pipeline = 0`); err != nil {
		return fmt.Errorf("read when the last process was at work: %w", err)
	}
	switch {
	case !opened: // it is new
		return nil
	case holder == "":
		return tx.Ledger.NoteRestored()
	case tx.Now.Sub(promotion.Later(started, swept)) >= AwayFor:
		return tx.Ledger.MarkAllStale()
	}
	return nil
}

// MarkAllStale marks every pipeline as stale.
func (lg Ledger) MarkAllStale() error {
	rows, err := lg.Pipelines()
	for i := 0; err == nil && i < len(rows); i++ {
		err = lg.MarkStale(rows[i].ID)
	}
	return err
}

// MarkStale notes that the facts of a pipeline may be older than GitHub's. It is resynced at once, and nothing of it is
// decided before that; what its stages were about to do waits, too.
func (lg Ledger) MarkStale(pipeline int64) error {
	_, err := lg.tx.exec(`UPDATE pipelines SET stale_since = COALESCE(stale_since, $2) WHERE id = $1`, pipeline,
		micros(lg.tx.Now))
	if err == nil {
		err = lg.touchAll(pipeline, "")
	}
	if err == nil {
		err = lg.tx.Clocks.AskResync(pipeline)
	}
	return wrap(fmt.Sprintf("mark pipeline %d as stale", pipeline), err)
}

// unlessStale is a condition of rows of pipelines that are not stale; pipeline is their column.
func unlessStale(pipeline string) string {
	return ` AND NOT EXISTS (SELECT 1 FROM pipelines p WHERE p.id = ` + pipeline + ` AND p.stale_since IS NOT NULL)`
}

// MarkFresh notes that the facts of a pipeline are as new as GitHub's.
func (lg Ledger) MarkFresh(pipeline int64) error {
	return lg.tx.mustChange("note that the facts are fresh", `UPDATE pipelines SET stale_since = NULL WHERE id = $1`,
		pipeline)
}

// gap is how many numbers are left out where a newer database may have given some to others. GitHub does not show all
// that were given: a promotion that never began leaves nothing behind.
const gap = 1000

// NoteRestored notes that the database is older than one that was in its place. All pipelines are stale. They give no
// number, hold or request the id of one that is lost. What is to be done on GitHub is looked up there first. Nobody
// knows what was last written into the files of the stages: no difference there is a drift before the next promotion.
func (lg Ledger) NoteRestored() error {
	if err := lg.MarkAllStale(); err != nil {
		return err
	}
	rows, err := lg.Pipelines()
	if err != nil {
		return err
	}
	for _, row := range rows {
		newest, err := lg.Newest(row.ID)
		if err == nil {
			err = lg.skipTo(row.ID, newest+gap, fmt.Sprintf("the database is a copy that was restored: it may lack "+
				"promotions behind %d, so the next one is %d", newest, newest+gap+1))
		}
		if err == nil {
			_, err = lg.tx.exec(`UPDATE deployments SET wrote = 'null' WHERE pipeline = $1 AND left_at IS NULL`, row.ID)
		}
		if err != nil {
			return fmt.Errorf("note that %s was restored: %w", row.Repo, err)
		}
	}
	for _, table := range []string{"effects", "views"} {
		_, err := lg.tx.exec(`UPDATE ` + table + ` SET attempts = 1 WHERE run_at IS NOT NULL AND attempts = 0`)
		if err != nil {
			return fmt.Errorf("have %s looked up first: %w", table, err)
		}
	}
	// The resyncs make up for everything that GitHub has delivered until now.
	_, err = lg.tx.exec(`UPDATE clocks SET done_at = $1 WHERE name = 'sweep' AND done_at < $1`, micros(lg.tx.Now))
	return wrap("note what a resync makes up for", err)
}

// Newest returns the number of the newest promotion of a pipeline; 0 if there is none.
func (lg Ledger) Newest(pipeline int64) (n promotion.Number, err error) {
	found, err := lg.tx.one([]any{&n}, `SELECT promotions FROM pipelines WHERE id = $1`, pipeline)
	return n, orNotFound(found, err, fmt.Sprintf("read the newest promotion of pipeline %d", pipeline))
}

// NoteSeen notes the greatest number of a promotion of a pipeline that GitHub shows. Of a greater one than the database
// knows only a newer database can have told.
func (lg Ledger) NoteSeen(pipeline int64, seen promotion.Number) error {
	known, err := lg.Newest(pipeline)
	if err != nil || seen <= known {
		return err
	}
	return lg.skipTo(pipeline, seen+gap, fmt.Sprintf("GitHub shows promotion %d, of which the database knows nothing, so "+
		"the next one is %d", seen, seen+gap+1))
}

// skipTo gives no number up to one, and says why in the audit trail.
func (lg Ledger) skipTo(pipeline int64, n promotion.Number, why string) error {
	_, err := lg.tx.exec(`UPDATE pipelines SET promotions = $2, ids = ids + $3, requests = requests + $3 WHERE id = $1`,
		pipeline, n, gap)
	if err == nil {
		err = lg.touchAll(pipeline, "")
	}
	if err == nil {
		err = lg.tx.Audit.Log(Event{Pipeline: pipeline, Kind: EventAlert, Word: "restored", Source: "github", Text: why})
	}
	return wrap("skip numbers", err)
}

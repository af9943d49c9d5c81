package torture

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"

	_ "modernc.org/sqlite" // the database is looked at from outside

	"waybill/internal/torture/shape"
)

// records is what the database says, read without any of the program's code.
type records struct {
	promotions map[int64]promo
	holds      []hold // of whole stages
	kept       []hold // of single targets
}

// hold is a row of holds that has not been lifted.
type hold struct {
	id    int64
	stage string // "": all of them
	bot   bool
	until sql.NullInt64

	target string // "": the whole stage
}

// promo is a row of promotions.
type promo struct {
	number                                               int64
	stage, warehouse, freight, name, class, state, cause string
	automatic, repairs                                   bool
	freightAt, freightNumber                             int64
	merged                                               sql.NullInt64
	mergeSHA                                             string
	rollout, only                                        string
	version                                              int64
}

var ranks = map[string]int{"rollback": 0, "manual": 1, "automatic": 2}

func (p promo) ended() bool {
	switch p.state {
	case "queued", "running", "waiting-for-merge", "verifying":
		return false
	}
	return true
}

func (p promo) active() bool { return !p.ended() && p.state != "queued" }

// newerThan reports whether the freight of p comes after that of q in their warehouse.
func (p promo) newerThan(q promo) bool {
	return p.freightAt > q.freightAt || p.freightAt == q.freightAt && p.freightNumber > q.freightNumber
}

// openRecords opens a database for looking.
func (w *World) openRecords(file string) (err error) {
	if w.db, err = sql.Open("sqlite", "file:"+file+"?mode=ro&_pragma=query_only(ON)&_pragma=busy_timeout(1000)"); err != nil {
		return err
	}
	w.db.SetMaxOpenConns(1)
	if w.readHolds, err = w.db.Prepare(`SELECT id, stage, actor_id = 0, until_at, target FROM holds WHERE lifted_at IS NULL`); err != nil {
		return err
	}
	w.read, err = w.db.Prepare(`SELECT number, stage, warehouse, freight, freight_name, class, state, reason, automatic, repairs, freight_merged_at,
		freight_number, merged_at, merge_sha, rollout, only_targets, version FROM promotions`)
	return err
}

func (w *World) closeRecords() error {
	if w.db == nil {
		return nil
	}
	var errs []error
	if w.read != nil {
		errs = append(errs, w.read.Close(), w.readHolds.Close())
	}
	return errors.Join(append(errs, w.db.Close())...)
}

// changed reports whether the program has written anything since the last time.
func (w *World) changed() bool {
	var version int64
	if err := w.db.QueryRow(`PRAGMA data_version`).Scan(&version); err != nil {
		w.broken("the database can be read", "%v", err)
	}
	if version == w.version {
		return false
	}
	w.version = version
	return true
}

// load reads what the database says now.
func (w *World) load() records {
	r := records{promotions: map[int64]promo{}}
	rows, err := w.read.Query()
	if err != nil {
		w.broken("the database can be read", "%v", err)
		return r
	}
	defer rows.Close()
	for rows.Next() {
		var p promo
		if err := rows.Scan(&p.number, &p.stage, &p.warehouse, &p.freight, &p.name, &p.class, &p.state, &p.cause, &p.automatic, &p.repairs,
			&p.freightAt, &p.freightNumber, &p.merged, &p.mergeSHA, &p.rollout, &p.only, &p.version); err != nil {
			w.broken("the database can be read", "%v", err)
		}
		r.promotions[p.number] = p
	}
	for _, o := range w.loadHolds() {
		if o.target == "" {
			r.holds = append(r.holds, o)
		} else {
			r.kept = append(r.kept, o)
		}
	}
	return r
}

func (w *World) loadHolds() (all []hold) {
	rows, err := w.readHolds.Query()
	if err != nil {
		w.broken("the database can be read", "%v", err)
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var o hold
		if err := rows.Scan(&o.id, &o.stage, &o.bot, &o.until, &o.target); err != nil {
			w.broken("the database can be read", "%v", err)
		}
		all = append(all, o)
	}
	return all
}

// standing returns the holds of whole stages that have not been lifted and have not ended by the program's clock.
func (w *World) standing() []hold { return w.still(w.seen.holds) }

// still returns those of some holds that have not ended by the program's clock.
func (w *World) still(holds []hold) []hold {
	now := w.programNow().UnixMicro()
	return slices.DeleteFunc(slices.Clone(holds), func(o hold) bool { return o.until.Valid && o.until.Int64 <= now })
}

// count returns what a query counts.
func (w *World) count(query string, args ...any) (n int) {
	if err := w.db.QueryRow(query, args...).Scan(&n); err != nil {
		w.broken("the database can be read", "%s: %v", query, err)
	}
	return n
}

// text returns what a query finds first, "" if it finds nothing.
func (w *World) text(query string, args ...any) string {
	if all := w.texts(query, args...); len(all) > 0 {
		return all[0]
	}
	return ""
}

// texts returns the first column of a query.
func (w *World) texts(query string, args ...any) []string {
	rows, err := w.db.Query(query, args...)
	if err != nil {
		w.broken("the database can be read", "%s: %v", query, err)
		return nil
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s any
		if err := rows.Scan(&s); err != nil {
			w.broken("the database can be read", "%s: %v", query, err)
		}
		all = append(all, fmt.Sprintf("%s", s))
	}
	return all
}

// sight is what a step of a worker could know when it began.
type sight struct {
	holds []hold          // that stood
	kept  []hold          // those of single targets that stood
	heeds *shape.Pipeline // by which everything had been decided; nil: not everything had
	saw   records         // that there were
}

// look returns what a step that begins now can know.
func (w *World) look() sight {
	return sight{holds: w.standing(), kept: w.still(w.seen.kept), heeds: w.decidedBy(), saw: w.seen}
}

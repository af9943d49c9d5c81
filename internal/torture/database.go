package torture

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	_ "modernc.org/sqlite" // the database is looked at from outside

	"waybill/internal/torture/shape"
)

// ruled reports whether a person has given a verdict in a stage.
func (d *Database) ruled(stage string) bool {
	return d.count(`SELECT COUNT(*) FROM requests WHERE stage = ? AND command LIKE '%verdict%'`, stage) > 0
}

// owes reports whether something is still to be done for a stage: what people see of it follows then.
func (d *Database) owes(stage string) bool {
	return d.count(`SELECT COUNT(*) FROM effects WHERE stage = ? AND run_at IS NOT NULL`, stage) > 0
}

// heldByPeople reports whether somebody holds a stage, or a part of it that a job into a target's environment waits
// for.
func (d *Database) heldByPeople(s *shape.Stage, target string) bool {
	return slices.ContainsFunc(append(d.standing(), d.still(d.seen.kept)...), func(o hold) bool {
		return !o.bot && (o.stage == "" || o.stage == s.Name) && (o.target == "" || !s.Settled || o.target == target)
	})
}

// perAccount is how many workers of a kind serve an account at a time.
const perAccount = 2

// due finds what is due and could be worked on. Its parameters are the time, the time of leases and perAccount. A row
// whose lease has run out could be, but keeps others of its repository, line or lane waiting until a worker takes it up
// again.
const due = `WITH
	busy AS (
		SELECT 'deliveries' AS queue, account FROM deliveries WHERE leased_until > ?2 AND account <> ''
			GROUP BY account HAVING COUNT(DISTINCT token) >= ?3
		UNION ALL SELECT 'effects', account FROM effects WHERE leased_until > ?2 AND account <> ''
			GROUP BY account HAVING COUNT(DISTINCT token) >= ?3
		UNION ALL SELECT 'views', account FROM views WHERE leased_until > ?2 AND account <> ''
			GROUP BY account HAVING COUNT(DISTINCT token) >= ?3),
	behind AS ( -- effects that wait until others have been carried out
		SELECT e.*, MAX(b.token) AS holder FROM effects e JOIN effects b
			ON b.pipeline = e.pipeline AND b.line = e.line AND b.line <> '' AND b.seq < e.seq AND b.run_at IS NOT NULL
				OR b.lane = e.lane AND b.lane <> '' AND b.token <> '' AND (b.pipeline, b.key) <> (e.pipeline, e.key)
			WHERE e.run_at <= ?1 GROUP BY e.pipeline, e.key),
	kept AS ( -- effects that wait for leases
		SELECT pipeline, stage FROM behind WHERE token = '' AND holder <> ''
		UNION SELECT pipeline, stage FROM effects WHERE run_at <= ?1 AND token = ''
			AND ('effects', account) IN (SELECT queue, account FROM busy))
	SELECT TRIM('delivery ' || id || ' ' || error) FROM deliveries d
		WHERE state = 'waiting' AND run_at <= ?1 AND leased_until <= ?2
		AND ('deliveries', account) NOT IN (SELECT queue, account FROM busy)
		AND NOT EXISTS (SELECT 1 FROM deliveries b WHERE b.account = d.account AND b.repo = d.repo AND b.source = 'github'
			AND b.token <> '' AND b.id <> d.id)
	UNION ALL SELECT 'stage ' || name FROM stages WHERE not_before <= ?1 AND (version > decided OR wake_at <= ?1)
	UNION ALL SELECT TRIM('effect ' || key || ' ' || error) FROM effects WHERE run_at <= ?1 AND leased_until <= ?2
		AND ('effects', account) NOT IN (SELECT queue, account FROM busy)
		AND (pipeline, key) NOT IN (SELECT pipeline, key FROM behind)
	UNION ALL SELECT TRIM('view ' || surface || ' ' || error) FROM views v WHERE run_at <= ?1 AND leased_until <= ?2
		AND ('views', account) NOT IN (SELECT queue, account FROM busy)
		AND (pipeline, stage) NOT IN (SELECT pipeline, stage FROM kept)
		AND NOT EXISTS (SELECT 1 FROM views b WHERE b.lane = v.lane AND b.lane <> '' AND b.token <> ''
			AND b.surface <> v.surface)`

// overlooked names what is due and could be worked on now. What a worker has leased could not, nor could what waits for
// that: in a line or lane, or because its account has as many leases as it may. Of two processes that share a database
// neither knows that the other has died, so that they wait until its leases have run out.
func (d *Database) overlooked() []string {
	return d.texts(due, d.clock.programNow().UnixMicro(), time.Now().UnixMicro(), perAccount)
}

// found is what the program has found, by glob.
func (d *Database) found() (found map[string][]string) {
	_ = json.Unmarshal([]byte(d.text(`SELECT found FROM pipelines`)), &found) // nothing: there is no glob
	return found
}

// held reports whether a hold stands on a stage; a rollback heeds only those of people.
func (d *Database) held(p promo) bool {
	return slices.ContainsFunc(d.standing(), func(o hold) bool { return o.stops(p) })
}

// unread reports whether a webhook has come that the program has not understood yet.
func (d *Database) unread() bool {
	return d.count(`SELECT COUNT(*) FROM deliveries WHERE state = 'waiting'`) > 0
}

// occupied reports whether a hold stands on a stage, or something is being verified there.
func (d *Database) occupied(stage string) bool {
	for _, p := range d.seen.promotions {
		if p.stage == stage && p.state == "verifying" {
			return true
		}
	}
	return slices.ContainsFunc(append(d.standing(), d.still(d.seen.kept)...), func(o hold) bool { return o.stage == "" || o.stage == stage })
}

// openRecords opens a database for looking.
func (d *Database) openRecords(file string) (err error) {
	if d.db, err = sql.Open("sqlite", "file:"+file+"?mode=ro&_pragma=query_only(ON)&_pragma=busy_timeout(1000)"); err != nil {
		return err
	}
	d.db.SetMaxOpenConns(1)
	if d.readHolds, err = d.db.Prepare(`SELECT id, stage, actor_id = 0, until_at, target FROM holds WHERE lifted_at IS NULL`); err != nil {
		return err
	}
	d.read, err = d.db.Prepare(`SELECT number, stage, warehouse, freight, freight_name, class, state, reason, automatic, repairs, freight_merged_at,
		freight_number, merged_at, merge_sha, rollout, only_targets, version FROM promotions`)
	return err
}

func (d *Database) closeRecords() error {
	if d.db == nil {
		return nil
	}
	var errs []error
	if d.read != nil {
		errs = append(errs, d.read.Close(), d.readHolds.Close())
	}
	return errors.Join(append(errs, d.db.Close())...)
}

// changed reports whether the program has written anything since the last time.
func (d *Database) changed() bool {
	var version int64
	if err := d.db.QueryRow(`PRAGMA data_version`).Scan(&version); err != nil {
		d.log.broken("the database can be read", "%v", err)
	}
	if version == d.version {
		return false
	}
	d.version = version
	return true
}

// load reads what the database says now.
func (d *Database) load() records {
	r := records{promotions: map[int64]promo{}}
	rows, err := d.read.Query()
	if err != nil {
		d.log.broken("the database can be read", "%v", err)
		return r
	}
	defer rows.Close()
	for rows.Next() {
		var p promo
		if err := rows.Scan(&p.number, &p.stage, &p.warehouse, &p.freight, &p.name, &p.class, &p.state, &p.cause, &p.automatic, &p.repairs,
			&p.freightAt, &p.freightNumber, &p.merged, &p.mergeSHA, &p.rollout, &p.only, &p.version); err != nil {
			d.log.broken("the database can be read", "%v", err)
		}
		r.promotions[p.number] = p
	}
	for _, o := range d.loadHolds() {
		if o.target == "" {
			r.holds = append(r.holds, o)
		} else {
			r.kept = append(r.kept, o)
		}
	}
	return r
}

func (d *Database) loadHolds() (all []hold) {
	rows, err := d.readHolds.Query()
	if err != nil {
		d.log.broken("the database can be read", "%v", err)
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var o hold
		if err := rows.Scan(&o.id, &o.stage, &o.bot, &o.until, &o.target); err != nil {
			d.log.broken("the database can be read", "%v", err)
		}
		all = append(all, o)
	}
	return all
}

// standing returns the holds of whole stages that have not been lifted and have not ended by the program's clock.
func (d *Database) standing() []hold { return d.still(d.seen.holds) }

// still returns those of some holds that have not ended by the program's clock.
func (d *Database) still(holds []hold) []hold {
	now := d.clock.programNow().UnixMicro()
	return slices.DeleteFunc(slices.Clone(holds), func(o hold) bool { return o.until.Valid && o.until.Int64 <= now })
}

// count returns what a query counts.
func (d *Database) count(query string, args ...any) (n int) {
	if err := d.db.QueryRow(query, args...).Scan(&n); err != nil {
		d.log.broken("the database can be read", "%s: %v", query, err)
	}
	return n
}

// text returns what a query finds first, "" if it finds nothing.
func (d *Database) text(query string, args ...any) string {
	if all := d.texts(query, args...); len(all) > 0 {
		return all[0]
	}
	return ""
}

// texts returns the first column of a query.
func (d *Database) texts(query string, args ...any) []string {
	rows, err := d.db.Query(query, args...)
	if err != nil {
		d.log.broken("the database can be read", "%s: %v", query, err)
		return nil
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s any
		if err := rows.Scan(&s); err != nil {
			d.log.broken("the database can be read", "%s: %v", query, err)
		}
		all = append(all, fmt.Sprintf("%s", s))
	}
	return all
}

// Database reads what the program has written, without any of the program's code.
type Database struct {
	clock *Clock
	log   *Journal

	db        *sql.DB
	read      *sql.Stmt
	readHolds *sql.Stmt
	version   int64
	seen      records // when it was last looked at
}

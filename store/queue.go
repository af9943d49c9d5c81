package store

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"waybill/promotion"
)

// queue is a table, or a part of one, whose rows wait for a worker. Such a table has these columns, and an index on
// account, repo, priority, run_at of the rows that wait:
//
//	account       pays for the requests: an installation, or Slack; '': none
//	repo          rows of an account take turns by it
//	priority      0 goes before 1
//	run_at        not before; NULL: the row does not wait for a worker
//	again_at      the next run_at, if the row was wanted once more while it was leased
//	attempts      how often it was leased since it was wanted
//	token         names the lease; '': there is none
//	leased_until  by the clock that is never set; 0: there is no lease, or it has run out, or its process has gone
//	deaths        how many processes died in the middle of it since it last ended, well or badly
//	error         of the last attempt that failed
type queue struct {
	name string
	in   tables // that its rows are in

	runOut       string // has leases end whose time is over
	begin        string // whose turn it was, when something may be claimed, and whether there are gates and leases
	next         search // the next group of rows: those of one account, repository and priority
	account      search // the first group of the next account
	claim        string // leases a row of a group
	claimShut    string // leases a row of a group whose account is shut; '': none
	claimScarce  string // leases a row of a group of whose account little is left; '': none
	claimSuspect string // leases a suspect row
	claimLone    string // leases a row where nothing is leased or shut and only one repository has rows
	later        string // when the next row of a group is due
	expires      string // when the next lease runs out
	// when the first and second row without a lease are due, when the first lease runs out, and whether all rows are
	// behind one of their repository that is leased alone
	peek   string
	leased string // how many leases there are of each account and repository
	hold   string
	ends   map[string]string // the statements that end a lease, by their names
}

// queueTable says how queues differ. Its conditions call the table q.
type queueTable struct {
	table   string
	key     []string
	only    string // the rows of the table that belong to the queue; empty: all
	ready   string // the rows that wait for no other row; empty: all
	even    string // the rows that are claimed even if their account is shut; empty: none
	first   string // the rows that are claimed even if little is left of their account; empty: none
	order   string // of the rows of a group
	columns string // that a claim returns
	sets    string // further assignments of a claim; $1 is the time
	done    string // further assignments of the end of work that is done; $2 is the time that it was told
	told    int    // how many parameters those have besides, from $3 on
	content bool   // rows may wait until content may be made
	alone   string // while such a row is leased, no other of its repository is ready; empty: there are none
}

func newQueue(name string, t queueTable) *queue {
	waits := ` FROM ` + t.table + ` q WHERE q.run_at IS NOT NULL` + and(t.only)
	group := `(q.account, q.repo, q.priority)`
	inGroup := group + ` = ($5, $6, $7)`
	ends := t.inRepository(``) + ` AND ` + t.inRepository(` DESC`)
	none := `NOT EXISTS (SELECT 1 FROM `
	free := `UPDATE ` + t.table + ` SET token = '', leased_until = 0, deaths = `
	claims := func(condition string) string {
		return t.leasing(`= `, inGroup+and(condition)+and(t.only)+and(t.ready)+` ORDER BY `+t.order+` LIMIT 1`, `deaths, `)
	}
	q := &queue{
		name: name,
		in:   tablesOf(t.table),
		begin: `SELECT account, repo, suspect, not_before, EXISTS (SELECT 1 FROM gates),
			EXISTS (SELECT 1 FROM ` + t.table + ` q WHERE q.token <> '' AND q.leased_until + 0 > $2` + and(t.only) + `),
			EXISTS (SELECT 1 FROM ` + t.table + ` q WHERE ` + t.hasRunOut(`$2`) + `)
			FROM queues WHERE name = $1`,
		runOut: `UPDATE ` + t.table + ` AS q SET leased_until = 0, deaths = deaths + ` + died + ` WHERE ` +
			t.hasRunOut(`$1`),
		// With run_at the search in the index begins behind all rows of a group, however many they are.
		next: newSearch(waits, ` AND (q.account, q.repo, q.priority, q.run_at) > ($3, $4, $5, `+
			fmt.Sprint(math.MaxInt64)+`)`),
		account:      newSearch(waits, ` AND q.account > $3`),
		claim:        claims(``),
		claimSuspect: t.claimSuspect(),
		claimLone: t.leasing(`= `, ends+and(t.only)+and(t.ready)+and(t.made())+`
			AND `+none+`gates) AND `+none+t.table+` q WHERE q.token <> '' AND q.leased_until + 0 > $2`+and(t.only)+`)
			AND EXISTS (SELECT 1 FROM queues WHERE name = $5 AND COALESCE(not_before, 0) <= $1)
			ORDER BY q.priority, `+t.order+` LIMIT 1`, `deaths, `),
		later:   `SELECT MIN(q.run_at)` + waits + ` AND ` + group + ` = ($1, $2, $3) AND q.run_at > $4`,
		expires: `SELECT MIN(leased_until) FROM ` + t.table + ` WHERE token <> '' AND leased_until + 0 > $1`,
		peek: `SELECT (SELECT MIN(q.run_at)` + waits + ` AND q.token = ''),
			(SELECT q.run_at` + waits + ` AND q.token = '' ORDER BY q.run_at LIMIT 1 OFFSET 1),
			(SELECT MIN(q.leased_until) FROM ` + t.table + ` q WHERE q.token <> ''` + and(t.only) + `),
			EXISTS (SELECT 1 FROM ` + t.table + ` q WHERE q.token <> '' AND q.leased_until + 0 > $1
				AND ` + cmp.Or(t.alone, `FALSE`) + and(t.only) + ` AND ` + ends + `)`,
		leased: `SELECT q.account, q.repo, COUNT(DISTINCT q.token), SUM(CASE WHEN ` + cmp.Or(t.alone, `FALSE`) + `
			THEN 1 ELSE 0 END) FROM ` + t.table + ` q WHERE q.token <> '' AND q.leased_until + 0 > $1` + and(t.only) + `
			GROUP BY q.account, q.repo`,
		hold: `SELECT 1 FROM ` + t.table + ` WHERE ` + t.held(1),
		ends: map[string]string{
			finishing: free + `0, error = '', again_at = NULL,
				attempts = CASE WHEN COALESCE(again_at, $1) IS NULL THEN attempts ELSE 0 END,
				run_at = CASE WHEN again_at IS NULL THEN $1 WHEN again_at < $2 THEN $2 ELSE again_at END` +
				t.done + ` WHERE ` + t.held(3+t.told) + ` RETURNING run_at`,
			retrying: free + onceMore + `, again_at = NULL, error = $1,
				run_at = CASE WHEN ` + shut(t.table+`.account`, `$3`) + ` THEN $3 ELSE $2 END WHERE ` + t.held(4),
			parking: free + `0, again_at = NULL, error = $1, run_at = NULL WHERE ` + t.held(2),
		},
	}
	if t.even != "" {
		q.claimShut = claims(t.even)
	}
	if t.first != "" {
		q.claimScarce = claims(t.first)
	}
	if t.content {
		q.ends[awaiting] = free + `0, again_at = NULL, error = $1, run_at = $2, content = $3, attempts = attempts - $4
			WHERE ` + t.held(5)
	}
	return q
}

// The ways in which a lease ends.
const (
	finishing = "finish"
	retrying  = "retry"
	parking   = "park"
	awaiting  = "await content for"
)

// leasing is the statement that leases the rows of a selection that are not suspect. Its first parameters are the time,
// the time of leases, the token and the length of the lease. It returns more columns before those of a claim. The
// condition stands outside the selection as well: another transaction may have leased a row between the selection and
// the change.
func (t queueTable) leasing(how, selection, more string) string {
	return t.leasingAny(how, unsuspected(`q`)+` AND `+selection, more)
}

// leasingAny is leasing for rows that may be suspect.
func (t queueTable) leasingAny(how, selection, more string) string {
	return `UPDATE ` + t.table + ` SET attempts = attempts + 1, token = $3,
		leased_until = CAST($2 AS BIGINT) + $4` + t.sets + `
		WHERE (` + strings.Join(t.key, `, `) + `) ` + how + `(SELECT q.` + strings.Join(t.key, `, q.`) + `
			FROM ` + t.table + ` q
			WHERE q.run_at IS NOT NULL AND q.run_at <= $1 AND q.leased_until = 0 AND ` + selection + `)
		AND run_at <= $1 AND leased_until = 0 RETURNING ` + more + t.columns
}

// hasRunOut is the condition of a row whose lease has run out, and that has not been noted. time is the time of leases.
func (t queueTable) hasRunOut(time string) string {
	return `q.token <> '' AND q.leased_until > 0 AND q.leased_until + 0 <= ` + time + and(t.only)
}

// inRepository is the condition of a row of the account and repository that come first in an order, waiting rows only.
func (t queueTable) inRepository(order string) string {
	return `(q.account, q.repo) = (SELECT q.account, q.repo FROM ` + t.table + ` q WHERE q.run_at IS NOT NULL` +
		and(t.only) + ` ORDER BY q.account` + order + `, q.repo` + order + ` LIMIT 1)`
}

// made is the condition of a row that needs no content that is counted when it is claimed.
func (t queueTable) made() string {
	if !t.content {
		return ``
	}
	return `q.content = ''`
}

// held is the condition of the row that a lease is on; its first parameter is the token.
func (t queueTable) held(first int) string {
	return fmt.Sprintf(`token = $%d AND (%s) = %s`, first, strings.Join(t.key, `, `), values(first+1, len(t.key)))
}

func and(condition string) string {
	if condition == "" {
		return ""
	}
	return ` AND ` + condition
}

// wantedAt assigns a time to run_at of a row that is wanted; if it is leased, to again_at.
func wantedAt(table, at string) string {
	return `attempts = CASE WHEN ` + table + `.run_at IS NULL THEN 0 ELSE ` + table + `.attempts END,
		run_at = CASE ` + table + `.token WHEN '' THEN ` + at + ` ELSE ` + table + `.run_at END,
		again_at = CASE ` + table + `.token WHEN '' THEN NULL ELSE ` + at + ` END`
}

// AccountSlack is the account of work in Slack: there is one workspace.
const AccountSlack = "slack"

// accountOf is the account of an installation.
func accountOf(installation int64) string { return strconv.FormatInt(installation, 10) }

// args are the first parameters of a statement that leases rows.
func (c Claim) args(tx *Tx, token string) []any {
	return []any{micros(tx.Now), micros(tx.conn.Steady()), token, c.Lease.Microseconds()}
}

// claim leases the next row of a queue. It is nil if no row may be worked on now; then wake is when one may be, the
// zero time if only an event can bring that about. Accounts, and the repositories of each, take turns; a group is one
// step in the index, however many rows wait in it.
//
// The row of the queue in table queues is locked first: of two claims the second sees the lease of the first, so that
// limits, lanes and lines hold.
func claim[T any](tx *Tx, q *queue, c Claim, dest func(*T) []any) (row *T, l Lease, wake time.Time, err error) {
	var served group
	var suspected string
	var gated, leased, ranOut bool
	found, err := tx.one([]any{&served.account, &served.repo, &suspected, at(&wake), &gated, &leased, &ranOut},
		q.begin+tx.conn.ForUpdate(), q.name, micros(tx.conn.Steady()))
	if err = orNotFound(found, err, "lock queue "+q.name); err != nil || wake.After(tx.Now) {
		return nil, l, wake, err
	}
	wake = time.Time{}
	if ranOut {
		if err := tx.runOut(q); err != nil {
			return nil, l, wake, err
		}
	}
	if c.Suspects {
		row, l, err = claimSuspect(tx, q, c, suspected, dest)
		return row, l, wake, err
	}
	l.queue, l.token = q, tx.store.newToken()
	// Where several transactions write at a time, the first statement may not have seen the lease of one that it waited
	// for.
	held := tx.leases(q, leased || tx.conn.ForUpdate() != "")
	var shut map[string]shutAccount
	if gated {
		if shut, err = tx.shutAccounts(); err != nil {
			return nil, l, wake, err
		}
	}
	g, around, passed := served, false, false
	g.priority = lastPriority
	for {
		found, err := tx.nextGroup(q, &g, served, &around, passed)
		passed = false
		switch {
		case err != nil:
			return nil, l, wake, err
		case !found:
			expires, err := tx.nextExpiry(q)
			return nil, l, promotion.Sooner(wake, expires), err
		case g.due.After(tx.Now):
			wake = promotion.Sooner(wake, g.due)
			continue
		}
		query := q.claim
		if one, is := shut[g.account]; is {
			if one.until.After(tx.Now) {
				wake = promotion.Sooner(wake, one.until)
			}
			if query = q.claimShut; one.scarce {
				query = q.claimScarce
			}
			if passed = query == ""; passed {
				continue
			}
		}
		var full bool
		if full, passed, err = held.full(c, g.account, g.repo); err != nil {
			return nil, l, wake, err
		}
		if full {
			continue
		}
		var rows []T
		err = tx.unnoted(q.in, func() error { // it makes none due
			rows, err = list(tx, func(row *T) []any { return append([]any{&l.deaths}, dest(row)...) }, query,
				append(c.args(tx, l.token), g.account, g.repo, g.priority)...)
			return err
		})
		if err != nil {
			return nil, l, wake, fmt.Errorf("claim a %s: %w", q.name, err)
		}
		if len(rows) > 0 {
			return &rows[0], l, time.Time{}, tx.serve(q, served, g)
		}
		later, err := tx.oneTime(q.later, g.account, g.repo, g.priority, micros(tx.Now))
		if err != nil {
			return nil, l, wake, fmt.Errorf("find when a %s is due: %w", q.name, err)
		}
		wake = promotion.Sooner(wake, later)
	}
}

// runOut has leases end whose time is over, so that they keep nothing else waiting.
func (tx *Tx) runOut(q *queue) error {
	n, err := tx.exec(q.runOut, micros(tx.conn.Steady()), tx.store.holder)
	if err == nil && n > 0 {
		tx.store.unsuspected.Store(false)
	}
	return wrap("end the leases of a "+q.name+" that have run out", err)
}

// pause has nothing of a queue claimed for a time.
func (tx *Tx) pause(q *queue, length time.Duration) error {
	return tx.mustChange("pause queue "+q.name, `UPDATE queues SET not_before = $2 WHERE name = $1`, q.name,
		micros(tx.Now.Add(length)))
}

// nextExpiry returns when the next lease runs out, by the clock of due times.
func (tx *Tx) nextExpiry(q *queue) (time.Time, error) {
	expires, err := tx.oneTime(q.expires, micros(tx.conn.Steady()))
	if err != nil || expires.IsZero() {
		return time.Time{}, wrap("find when a "+q.name+" can be taken over", err)
	}
	return tx.Now.Add(expires.Sub(tx.conn.Steady())), nil
}

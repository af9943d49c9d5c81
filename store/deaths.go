package store

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
)

// A row counts the processes that died in the middle of its work. A process does many pieces of work side by side, and
// any of them may have killed it: by using up the memory, or by a bug that cannot be contained. So work in which two
// processes in a row have died is suspect. Of all suspect work, one piece is done at a time, so that the others are not
// under way when it kills again: a worker of its own takes a piece of one kind after the other, those of each kind by
// claims for suspects, which accounts have in turn. Work in which five processes have died is deadly, and is set aside.
const (
	suspectDeaths = 2
	deadlyDeaths  = 5
)

// Deadly reports whether so many processes have died while they did this work that it is set aside.
func (l Lease) Deadly() bool { return l.deaths >= deadlyDeaths }

// holderLength is how many characters of a token name the process that has the lease.
const holderLength = 26

// holderOf is the name of the process that a token belongs to.
func holderOf(token string) string { return fmt.Sprintf(`substr(%s, 1, %d)`, token, holderLength) }

// died is the number of deaths of a row whose lease has run out: one if it was that of another process than $2. If it
// was this process's own lease, it has not died: its result could not be written.
var died = `CASE WHEN ` + holderOf(`token`) + ` <> $2 THEN 1 ELSE 0 END`

// suspectsAtWork is the condition that suspect work of a queue is being done. time is the time of leases.
func suspectsAtWork(time string) string {
	var atWork []string
	for _, w := range waiting {
		atWork = append(atWork, fmt.Sprintf(`EXISTS (SELECT 1 FROM %s
			WHERE token <> '' AND leased_until + 0 > %s AND deaths >= %d)`, w.table, time, suspectDeaths))
	}
	return strings.Join(atWork, ` OR `)
}

// suspect is the condition of a row that two processes in a row have died of. The first half is that of an index.
func suspect(row string) string {
	return fmt.Sprintf(`%s.deaths > 0 AND %[1]s.deaths >= %d`, row, suspectDeaths)
}

// unsuspected is the condition of a row that is not suspect.
func unsuspected(row string) string { return fmt.Sprintf(`%s.deaths < %d`, row, suspectDeaths) }

// claimSuspect is the statement that leases a suspect of a queue, while none is being worked on. $5 is the account
// whose suspect was leased last: others go first. Of an account those go first that the fewest processes have died of:
// what kills comes last.
func (t queueTable) claimSuspect() string {
	even, first := cmp.Or(t.even, `FALSE`), cmp.Or(t.first, `FALSE`)
	return t.leasingAny(`= `, suspect(`q`)+` AND NOT (`+suspectsAtWork(`$2`)+`) AND NOT `+
		gate(`q.account`, `$1`, `NOT CASE WHEN scarce THEN (`+first+`) ELSE (`+even+`) END`)+and(t.only)+and(t.ready)+`
		ORDER BY CASE WHEN q.account > $5 THEN 0 ELSE 1 END, q.account, q.deaths, q.priority, `+t.order+` LIMIT 1`,
		`account, deaths, `)
}

// claimSuspect leases a suspect of a queue; nil if none may be worked on now.
func claimSuspect[T any](tx *Tx, q *queue, c Claim, last string, dest func(*T) []any) (row *T, l Lease, err error) {
	l.queue, l.token = q, tx.store.newToken()
	var account string
	var rows []T
	err = tx.unnoted(q.in, func() error { // it makes none due
		rows, err = list(tx, func(row *T) []any { return append([]any{&account, &l.deaths}, dest(row)...) }, q.claimSuspect,
			append(c.args(tx, l.token), last)...)
		return err
	})
	if err != nil || len(rows) == 0 {
		return nil, l, wrap("claim a suspect "+q.name, err)
	}
	return &rows[0], l, tx.mustChange("note whose suspect it was", `UPDATE queues SET suspect = $2 WHERE name = $1`,
		q.name, account)
}

// Suspects reports whether there may be suspect work to be done, and otherwise when there is; the zero time if only a
// death can bring that about. It is one statement that reads, and none once a process that has the database alone has
// found that no work is suspect: only its own death makes some so.
func (s *Store) Suspects(ctx context.Context) (some bool, next time.Time, err error) {
	if s.unsuspected.Load() {
		return false, time.Time{}, nil
	}
	var all int
	err = s.ViewOne(ctx, func(tx *Tx) error {
		_, err := tx.one([]any{&all, at(&next)}, suspects)
		some = !next.IsZero() && !next.After(tx.Now)
		return wrap("look for suspects", err)
	})
	if err == nil && all == 0 && s.db.Alone() {
		s.unsuspected.Store(true)
	}
	return some, next, err
}

// suspects counts all suspects, those that wait for nothing now included, and finds when the first is due.
var suspects = func() string {
	all := []string{`SELECT CASE WHEN version > decided OR wake_at < not_before THEN not_before ELSE wake_at END AS due
		FROM stages q WHERE ` + suspect(`q`)}
	for _, w := range waiting {
		all = append(all, `SELECT run_at FROM `+w.table+` q WHERE `+suspect(`q`))
	}
	return `SELECT COUNT(*), MIN(due) FROM (` + strings.Join(all, `
		UNION ALL `) + `) AS suspects`
}()

// onceMore are the deaths of work that is tried again after it ended without one. If it was deadly, it is tried once
// before it is deadly again.
var onceMore = fmt.Sprintf(`CASE WHEN deaths >= %d THEN %d ELSE 0 END`, deadlyDeaths, deadlyDeaths-1)

// takeOver has the leases of earlier processes run out: no other process can be at work, so they have died. Leased work
// is claimed at once, and first looked up on GitHub: until then nothing withdraws it.
//
// Where an earlier process may still be waiting for GitHub, the leases of what changes something there run out by
// themselves, within a minute.
func (tx *Tx) takeOver() error {
	for _, w := range waiting {
		if !tx.store.db.Ended() && (w.table == "effects" || w.table == "views") {
			continue
		}
		if _, err := tx.exec(`UPDATE ` + w.table + ` SET leased_until = 0, deaths = deaths + 1
			WHERE token <> '' AND leased_until > 0`); err != nil {
			return fmt.Errorf("end the leases of %s: %w", w.table, err)
		}
	}
	if _, err := tx.exec(`UPDATE stages SET deciding = FALSE, deaths = deaths + 1 WHERE deciding`); err != nil {
		return fmt.Errorf("end the decisions: %w", err)
	}
	return nil
}

// GiveBack has the leases of this process run out, which stops in good order: its work is taken up as after a death,
// and none is counted.
func (s *Store) GiveBack(ctx context.Context) error {
	return s.Update(ctx, func(tx *Tx) error {
		if err := tx.release(s.holder, 0); err != nil {
			return fmt.Errorf("give back: %w", err)
		}
		if !s.db.Alone() {
			_, err := tx.exec(`DELETE FROM replicas WHERE holder = $1`, s.holder)
			return wrap("say that this server has ended", err)
		}
		_, err := tx.exec(`UPDATE stages SET deciding = FALSE WHERE deciding`)
		return wrap("end the decisions", err)
	})
}

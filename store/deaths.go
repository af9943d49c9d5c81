package store

import (
	"context"
	"fmt"
	"strings"
)

// A row counts the processes that died in the middle of its work. A process does many pieces of work side by side, and
// any of them may have killed it: by using up the memory, or by a bug that cannot be contained. So work in which two
// processes in a row have died is suspect. Of all suspect work, one piece is done at a time, so that the others are not
// under way when it kills again. Work in which five processes have died is deadly, and is set aside.
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

// died is the number of deaths that a claim adds to a row: one if the lease of another process has run out. If it was
// this process's own lease, it has not died: its result could not be written.
var died = `CASE WHEN leased_until > 0 AND ` + holderOf(`token`) + ` <> ` + holderOf(`$3`) + ` THEN 1 ELSE 0 END`

// suspectsAtWork is the condition that suspect work of a queue is being done. time is the time of leases.
func suspectsAtWork(time string) string {
	var atWork []string
	for _, w := range waiting {
		atWork = append(atWork, fmt.Sprintf(`EXISTS (SELECT 1 FROM %s
			WHERE token <> '' AND leased_until + 0 > %s AND deaths >= %d)`, w.table, time, suspectDeaths))
	}
	return strings.Join(atWork, ` OR `)
}

// notBesideSuspects is the condition of a row that may be claimed beside the work that is being done. $2 is the time of
// leases.
func notBesideSuspects() string {
	return fmt.Sprintf(`(q.deaths + CASE WHEN q.leased_until > 0 THEN 1 ELSE 0 END < %d OR NOT (%s
		OR EXISTS (SELECT 1 FROM stages WHERE deciding AND deaths >= %[1]d)))`, suspectDeaths, suspectsAtWork(`$2`))
}

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

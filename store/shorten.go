package store

import (
	"fmt"
	"time"
)

// shortenTrail removes the first lines of one chain of the audit trail, as far as they are old, and goes on to the next
// chain when there are no more.
func (up Upkeep) shortenTrail(before time.Time, s Pruning, rows int) (Pruning, error) {
	if before.IsZero() {
		s.Done = true
		return s, nil
	}
	var last int64 = -1
	if s.after != nil {
		last = s.after[0].(int64)
	}
	var c Chain
	found, err := up.tx.one(c.dest(), selectChains+`
		JOIN events e ON e.pipeline = chains.pipeline AND e.seq = removed_seq + 1
		WHERE chains.pipeline > $1 AND e.at < $2 ORDER BY chains.pipeline LIMIT 1 + 0`, last, micros(before))
	if err != nil || !found {
		s.Done = true
		return s, err
	}
	n, err := up.shorten(c, before, rows)
	if err != nil {
		return s, fmt.Errorf("%s: %w", c, err)
	}
	s.Gone += n
	if n < int64(rows) {
		s.after = []any{c.Pipeline}
	}
	return s, nil
}

// shorten removes the first lines of a chain, and makes the last of them the mark that the rest continues. The server's
// chain says so, because otherwise a mark could be moved without a trace.
func (up Upkeep) shorten(c Chain, before time.Time, rows int) (int64, error) {
	if c.Pipeline == ServerChain {
		var err error
		if before, err = up.beforeNotes(before); err != nil {
			return 0, err
		}
	}
	first, err := up.tx.Audit.lines(c.Pipeline, c.Mark.Seq, rows)
	if err != nil {
		return 0, err
	}
	var last *storedEvent
	for i := range first {
		if !first[i].At.Before(before) {
			break
		}
		last = &first[i]
	}
	if last == nil {
		return 0, nil
	}
	err = up.tx.mustChange("move the mark", `UPDATE chains SET removed_seq = $2, removed_hash = $3 WHERE pipeline = $1`,
		c.Pipeline, last.Seq, last.Hash)
	if err != nil {
		return 0, err
	}
	n, err := up.tx.exec(`DELETE FROM events WHERE pipeline = $1 AND seq <= $2`, c.Pipeline, last.Seq)
	if err == nil {
		err = up.tx.Audit.note(c.Pipeline, chainShortened)
	}
	return n, err
}

// beforeNotes returns a time before which the server's chain may be shortened: its last note about each chain stays.
func (up Upkeep) beforeNotes(before time.Time) (time.Time, error) {
	var oldest time.Time
	_, err := up.tx.one([]any{at(&oldest)}, `SELECT MIN(noted_at) FROM chains`)
	if err == nil && !oldest.IsZero() && oldest.Before(before) {
		before = oldest
	}
	return before, err
}

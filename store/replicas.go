package store

import (
	"context"
	"fmt"
	"time"
)

// Servers that share a database say every few seconds that they are at work. If one has not said so for a while, the
// others take up what it had leased. It knows that before they do, and sends nothing under a lease any more. What it
// would write about that work fails, because the leases are the others' by then.
const (
	// BeatEvery is how often a server says that it is at work.
	BeatEvery = 3 * time.Second
	// silentFor is after what time without that it sends nothing any more, and deadAfter when it is taken for dead.
	silentFor = 10 * time.Second
	deadAfter = 15 * time.Second
)

// Beat says that this server is at work, and ends the leases of those that have not said so for a while. It does
// nothing where this server has the database alone.
func (s *Store) Beat(ctx context.Context) error {
	if s.db.Alone() {
		return nil
	}
	began := s.heartbeat()
	err := s.Update(ctx, func(tx *Tx) error {
		now := tx.conn.Steady()
		_, err := tx.exec(`INSERT INTO replicas (holder, seen_at) VALUES ($1, $2)
			ON CONFLICT (holder) DO UPDATE SET seen_at = $2`, s.holder, micros(now))
		if err != nil {
			return err
		}
		dead, err := list(tx, single[string], `DELETE FROM replicas WHERE seen_at < $1 RETURNING holder`,
			micros(now.Add(-deadAfter)))
		for i := 0; err == nil && i < len(dead); i++ {
			err = tx.release(dead[i], 1)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("say that this server is at work: %w", err)
	}
	s.beat.Store(&began)
	return nil
}

// release has the leases of a process run out, which has died as often as deaths says. Work of it is claimed at once,
// and first looked up on GitHub.
func (tx *Tx) release(holder string, deaths int64) error {
	for _, w := range waiting {
		if _, err := tx.exec(`UPDATE `+w.table+` SET leased_until = 0, deaths = deaths + $2
			WHERE token <> '' AND leased_until > 0 AND `+holderOf(`token`)+` = $1`, holder, deaths); err != nil {
			return fmt.Errorf("end the leases of %s: %w", w.table, err)
		}
	}
	return nil
}

// heartbeat is a time by both clocks: one of them goes on while the machine stands still.
type heartbeat struct{ clock, steady time.Time }

func (s *Store) heartbeat() heartbeat { return heartbeat{s.clock().Round(0), s.steady()} }

// Silent reports whether others may have taken up what this server has leased, because it has not said for too long
// that it is at work. It must then send nothing under a lease.
func (s *Store) Silent() bool {
	last := s.beat.Load()
	if last == nil {
		return false // it has not begun to say so: no other one counts on it
	}
	now := s.heartbeat()
	return max(now.clock.Sub(last.clock), now.steady.Sub(last.steady)) > silentFor
}

// Servers returns how many servers are at work.
func (s *Store) Servers(ctx context.Context) (n int, err error) {
	if s.db.Alone() {
		return 1, nil
	}
	err = s.ViewOne(ctx, func(tx *Tx) error {
		_, err := tx.one([]any{&n}, `SELECT COUNT(*) FROM replicas`)
		return err
	})
	return n, wrap("count the servers", err)
}

package store

import (
	"fmt"
	"time"
)

// guards keep the audit trail from being changed by anything that speaks SQL to the file: a line cannot be written over,
// slipped in between others, or removed, unless the anchor has been moved to it or behind it. Whoever may change the
// schema can take them down; that is what the hashes are for. How triggers are written is the database's own matter,
// which is why they are no migration.
const guards = `
CREATE TRIGGER IF NOT EXISTS events_are_not_changed BEFORE UPDATE ON events
	BEGIN SELECT RAISE(ABORT, 'the audit trail is only appended to'); END;
CREATE TRIGGER IF NOT EXISTS events_are_not_slipped_in BEFORE INSERT ON events WHEN NEW.seq <= (SELECT COALESCE(MAX(seq), 0) FROM events)
	BEGIN SELECT RAISE(ABORT, 'the audit trail is only appended to'); END;
CREATE TRIGGER IF NOT EXISTS events_are_not_removed BEFORE DELETE ON events WHEN OLD.seq > (SELECT seq FROM anchor)
	BEGIN SELECT RAISE(ABORT, 'the audit trail is only appended to'); END;
CREATE TRIGGER IF NOT EXISTS anchor_is_a_line BEFORE UPDATE ON anchor
	WHEN NOT EXISTS (SELECT 1 FROM events WHERE seq = NEW.seq AND hash = NEW.hash)
	BEGIN SELECT RAISE(ABORT, 'the anchor of the audit trail must be one of its lines'); END;
CREATE TRIGGER IF NOT EXISTS anchor_stays BEFORE DELETE ON anchor
	BEGIN SELECT RAISE(ABORT, 'the audit trail needs its anchor'); END;
`

// guard puts up the guards that are missing. Where there are none, the trail comes from a time before the chain, and what
// it says already is chained first.
func guard(c *conn) error {
	var up int
	err := c.scan(`SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ('events', 'anchor')`, &up)
	if err == nil && up == 0 {
		err = alone(c, func() error { return chain(openTx(c, time.Time{}, "", 0)) })
	}
	if err == nil {
		err = c.once(guards)
	}
	if err != nil {
		return fmt.Errorf("guard the audit trail: %w", err)
	}
	return nil
}

// chain gives hashes to the lines that have none.
func chain(tx *Tx) error {
	var last storedEvent
	for {
		events, err := list(tx, (*storedEvent).dest, `SELECT `+eventColumns+` FROM events WHERE seq > $1 ORDER BY seq LIMIT $2 + 0`, last.Seq, trailPage)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			if e.Hash == "" {
				e.Hash = hashOf(e.text(last.Hash))
				if _, err := tx.exec(`UPDATE events SET hash = $2 WHERE seq = $1`, e.Seq, e.Hash); err != nil {
					return err
				}
			}
			last = e
		}
	}
}

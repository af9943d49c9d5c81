package sqlite

// guards keep the audit trail from being changed by anything that speaks SQL to the file: a line cannot be overwritten,
// inserted between others, or removed before the anchor has moved to it or behind it. A program that may change the schema
// can drop the triggers; the hashes show what it does then. Triggers are written differently in each database, so they
// are not part of the schema.
const guards = `
CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
	BEGIN SELECT RAISE(ABORT, 'the audit trail is only appended to'); END;
CREATE TRIGGER events_are_not_slipped_in BEFORE INSERT ON events WHEN NEW.seq <= (SELECT COALESCE(MAX(seq), 0) FROM events)
	BEGIN SELECT RAISE(ABORT, 'the audit trail is only appended to'); END;
CREATE TRIGGER events_are_not_removed BEFORE DELETE ON events WHEN OLD.seq > (SELECT seq FROM anchor)
	BEGIN SELECT RAISE(ABORT, 'the audit trail is only appended to'); END;
CREATE TRIGGER anchor_is_a_line BEFORE UPDATE ON anchor
	WHEN NOT EXISTS (SELECT 1 FROM events WHERE seq = NEW.seq AND hash = NEW.hash)
	BEGIN SELECT RAISE(ABORT, 'the anchor of the audit trail must be one of its lines'); END;
CREATE TRIGGER anchor_stays BEFORE DELETE ON anchor
	BEGIN SELECT RAISE(ABORT, 'the audit trail needs its anchor'); END;
`

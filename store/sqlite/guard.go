package sqlite

// guards keep the audit trail from being changed by anything that speaks SQL to the file. A line is appended to the end
// of its chain, is never overwritten, and is removed only after the chain's mark has moved to it or past it. The mark
// and the end of a chain are lines of it, and no chain is removed or begun anew.
//
// A program that may change the schema can drop the triggers; the hashes show its changes then. Triggers are written
// differently in each database, so they are not part of the schema.
const guards = `
CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
	BEGIN SELECT RAISE(ABORT, 'the audit trail is only appended to'); END;
CREATE TRIGGER events_are_not_slipped_in BEFORE INSERT ON events
	WHEN NEW.seq <> 1 + COALESCE((SELECT MAX(seq) FROM events WHERE pipeline = NEW.pipeline),
		(SELECT removed_seq FROM chains WHERE pipeline = NEW.pipeline), NEW.seq)
	BEGIN SELECT RAISE(ABORT, 'the audit trail is only appended to'); END;
CREATE TRIGGER events_are_not_removed BEFORE DELETE ON events
	WHEN OLD.seq > COALESCE((SELECT removed_seq FROM chains WHERE pipeline = OLD.pipeline), 0)
	BEGIN SELECT RAISE(ABORT, 'the audit trail is only appended to'); END;
CREATE TRIGGER chains_only_grow BEFORE UPDATE ON chains
	WHEN NEW.pipeline <> OLD.pipeline OR NEW.seq < OLD.seq OR NEW.removed_seq < OLD.removed_seq
	BEGIN SELECT RAISE(ABORT, 'a chain of the audit trail only grows'); END;
CREATE TRIGGER chains_end_in_a_line BEFORE UPDATE OF hash ON chains
	WHEN NOT EXISTS (SELECT 1 FROM events WHERE pipeline = NEW.pipeline AND seq = NEW.seq AND hash = NEW.hash)
	BEGIN SELECT RAISE(ABORT, 'a chain of the audit trail must end in one of its lines'); END;
CREATE TRIGGER chains_begin_behind_a_line BEFORE UPDATE OF removed_seq, removed_hash ON chains
	WHEN NOT EXISTS (SELECT 1 FROM events
		WHERE pipeline = NEW.pipeline AND seq = NEW.removed_seq AND hash = NEW.removed_hash)
	BEGIN SELECT RAISE(ABORT, 'the mark of a chain of the audit trail must be one of its lines'); END;
CREATE TRIGGER chains_are_begun_once BEFORE INSERT ON chains
	WHEN NEW.seq <> 0 OR EXISTS (SELECT 1 FROM chains WHERE pipeline = NEW.pipeline)
	BEGIN SELECT RAISE(ABORT, 'a chain of the audit trail is begun once'); END;
CREATE TRIGGER chains_stay BEFORE DELETE ON chains
	BEGIN SELECT RAISE(ABORT, 'a chain of the audit trail is never removed'); END;
`

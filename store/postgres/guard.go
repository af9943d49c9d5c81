package postgres

// guards keep the audit trail from being changed by anything that speaks SQL to the database. A line is appended to the
// end of its chain, is never overwritten, and is removed only after the chain's mark has moved to it or past it. The
// mark and the end of a chain are lines of it, and no chain is removed or begun anew.
//
// The owner of the tables can drop the triggers; the hashes show its changes then. Triggers are written differently in
// each database, so they are not part of the schema.
const guards = `
CREATE FUNCTION guard_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' AND NEW.seq = 1 + COALESCE((SELECT MAX(seq) FROM events WHERE pipeline = NEW.pipeline),
			(SELECT removed_seq FROM chains WHERE pipeline = NEW.pipeline), NEW.seq) THEN
		RETURN NEW;
	END IF;
	IF TG_OP = 'DELETE' AND OLD.seq <= COALESCE((SELECT removed_seq FROM chains WHERE pipeline = OLD.pipeline), 0) THEN
		RETURN OLD;
	END IF;
	RAISE EXCEPTION 'the audit trail is only appended to';
END $$;
CREATE TRIGGER events_are_guarded BEFORE INSERT OR UPDATE OR DELETE ON events
	FOR EACH ROW EXECUTE FUNCTION guard_events();
CREATE TRIGGER events_stay BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION guard_events();

CREATE FUNCTION guard_chains() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NEW.seq <> 0 OR EXISTS (SELECT 1 FROM chains WHERE pipeline = NEW.pipeline) THEN
			RAISE EXCEPTION 'a chain of the audit trail is begun once';
		END IF;
		RETURN NEW;
	END IF;
	IF TG_OP <> 'UPDATE' THEN
		RAISE EXCEPTION 'a chain of the audit trail is never removed';
	END IF;
	IF NEW.pipeline <> OLD.pipeline OR NEW.seq < OLD.seq OR NEW.removed_seq < OLD.removed_seq THEN
		RAISE EXCEPTION 'a chain of the audit trail only grows';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER chains_are_guarded BEFORE INSERT OR UPDATE OR DELETE ON chains
	FOR EACH ROW EXECUTE FUNCTION guard_chains();
CREATE FUNCTION guard_chain_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT 1 FROM events WHERE pipeline = NEW.pipeline AND seq = NEW.seq AND hash = NEW.hash) THEN
		RETURN NEW;
	END IF;
	RAISE EXCEPTION 'a chain of the audit trail must end in one of its lines';
END $$;
CREATE TRIGGER chains_end_in_a_line BEFORE UPDATE OF hash ON chains
	FOR EACH ROW EXECUTE FUNCTION guard_chain_ends();
CREATE FUNCTION guard_chain_marks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT 1 FROM events
			WHERE pipeline = NEW.pipeline AND seq = NEW.removed_seq AND hash = NEW.removed_hash) THEN
		RETURN NEW;
	END IF;
	RAISE EXCEPTION 'the mark of a chain of the audit trail must be one of its lines';
END $$;
CREATE TRIGGER chains_begin_behind_a_line BEFORE UPDATE OF removed_seq, removed_hash ON chains
	FOR EACH ROW EXECUTE FUNCTION guard_chain_marks();
CREATE TRIGGER chains_stay BEFORE TRUNCATE ON chains FOR EACH STATEMENT EXECUTE FUNCTION guard_chains();
`

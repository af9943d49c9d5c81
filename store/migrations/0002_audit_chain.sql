-- The audit trail is a chain: every line carries the hash of its text, in which the hash of the line before it stands.
-- What was written before gets its hashes when the guards against changes are put up.

ALTER TABLE events ADD COLUMN outcome TEXT NOT NULL DEFAULT ''; -- of a command: done, already, refused
ALTER TABLE events ADD COLUMN plan    TEXT NOT NULL DEFAULT ''; -- the hash of the plan that was visible
ALTER TABLE events ADD COLUMN typed   TEXT NOT NULL DEFAULT ''; -- the SHA-256 of what a person typed
ALTER TABLE events ADD COLUMN hash    TEXT NOT NULL DEFAULT '';

ALTER TABLE requests ADD COLUMN typed TEXT NOT NULL DEFAULT '';

-- The last line that retention has removed, which the first of the rest continues; 0: none.
CREATE TABLE anchor (
    one  BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    seq  BIGINT NOT NULL,
    hash TEXT NOT NULL
);
INSERT INTO anchor (one, seq, hash) VALUES (1, 0, '');

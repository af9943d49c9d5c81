-- What regular reconciliation remembers: so that a restart neither forgets nor repeats it, and so that a resync of what
-- has not changed asks little and writes nothing.

ALTER TABLE pipelines ADD COLUMN head_sha TEXT NOT NULL DEFAULT '';      -- of the branch, at the last complete resync
ALTER TABLE pipelines ADD COLUMN resync_holder TEXT NOT NULL DEFAULT ''; -- who is at it; its lease ends at resync_due
ALTER TABLE pipelines ADD COLUMN resync_asked BIGINT;                    -- when somebody last asked for one

-- Everything that reports on a commit, as one digest: a commit whose digest is the same is not read again.
CREATE TABLE glances (
    repo       TEXT NOT NULL,
    sha        TEXT NOT NULL,
    digest     TEXT NOT NULL,
    glanced_at BIGINT NOT NULL,
    PRIMARY KEY (repo, sha)
);

-- What is done for the whole server at intervals: by name, when it was last done and when it is due.
CREATE TABLE clocks (
    name     TEXT NOT NULL PRIMARY KEY,
    done_at  BIGINT, -- when the last complete run began
    due_at   BIGINT NOT NULL,
    holder   TEXT NOT NULL,
    failures BIGINT NOT NULL,
    error    TEXT NOT NULL
);
CREATE INDEX clocks_due ON clocks (due_at);
INSERT INTO clocks (name, due_at, holder, failures, error) VALUES ('discovery', 0, '', 0, '');

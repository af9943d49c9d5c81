-- Jobs that wait before a stage's environment are views, too. The program knows the kinds of views by itself.

CREATE TABLE views_anew (
    surface   TEXT NOT NULL PRIMARY KEY, -- 'comment:acme/api#142'
    pipeline  BIGINT NOT NULL REFERENCES pipelines (id),
    stage     TEXT NOT NULL, -- '': of no stage
    kind      TEXT NOT NULL,
    wanted    TEXT NOT NULL,
    shown     TEXT NOT NULL,
    remote_id TEXT NOT NULL,
    node      TEXT NOT NULL, -- of GitHub's GraphQL
    run_at    BIGINT NOT NULL,
    attempts  BIGINT NOT NULL CHECK (attempts >= 0),
    holder    TEXT NOT NULL,
    error     TEXT NOT NULL
);
INSERT INTO views_anew (surface, pipeline, stage, kind, wanted, shown, remote_id, node, run_at, attempts, holder, error)
SELECT surface, pipeline, stage, kind, wanted, shown, remote_id, node, run_at, attempts, holder, error FROM views;
DROP TABLE views;
ALTER TABLE views_anew RENAME TO views;
CREATE INDEX views_due ON views (run_at) WHERE wanted <> shown;
CREATE INDEX views_claimed ON views (surface) WHERE holder <> '';
CREATE INDEX views_age ON views (pipeline, stage, run_at);
CREATE INDEX views_turn ON views (pipeline, run_at, surface) WHERE wanted <> shown;
CREATE INDEX views_remote ON views (remote_id) WHERE kind = 'slack';

-- Stages that start workflows: their runs are signals, and found again by the number of the promotion.

ALTER TABLE attempts ADD COLUMN dispatched_at BIGINT; -- GitHub was asked for a run that nobody knows yet
ALTER TABLE attempts ADD COLUMN heard BOOLEAN NOT NULL DEFAULT FALSE; -- and has said that it starts one

CREATE TABLE signals_anew (
    repo        TEXT NOT NULL,
    kind        TEXT NOT NULL, -- the program knows the kinds by itself
    id          BIGINT NOT NULL,
    sha         TEXT NOT NULL,
    app         TEXT NOT NULL,
    suite       BIGINT NOT NULL,
    name        TEXT NOT NULL,
    state       TEXT NOT NULL,
    url         TEXT NOT NULL,
    started_at  BIGINT,
    ended_at    BIGINT,
    observed_at BIGINT,
    PRIMARY KEY (repo, kind, id)
);
INSERT INTO signals_anew (repo, kind, id, sha, app, suite, name, state, url, started_at, ended_at, observed_at)
    SELECT repo, kind, id, sha, app, suite, name, state, url, started_at, ended_at, observed_at FROM signals;
DROP TABLE signals;
ALTER TABLE signals_anew RENAME TO signals;
CREATE INDEX signals_sha ON signals (repo, sha);

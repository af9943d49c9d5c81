-- Freight is not only merged pull requests: releases and tags are, too, and several of them may name one commit. It is the
-- name of freight that means one content for ever. SQLite cannot change a constraint: the table is made anew.
CREATE TABLE freight_anew (
    pipeline    BIGINT NOT NULL REFERENCES pipelines (id),
    id          TEXT NOT NULL,
    warehouse   TEXT NOT NULL,
    name        TEXT NOT NULL,
    merged_at   BIGINT NOT NULL, -- or published: the order of a warehouse is merged_at as GitHub says it, then number
    number      BIGINT NOT NULL,
    pull        BIGINT NOT NULL, -- the source pull request; 0: there is none
    repo        TEXT NOT NULL,
    sha         TEXT NOT NULL,
    author_id   BIGINT NOT NULL,
    author      TEXT NOT NULL,
    title       TEXT NOT NULL,
    contents    TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (pipeline, id),
    UNIQUE (pipeline, warehouse, repo, name)
);
INSERT INTO freight_anew (pipeline, id, warehouse, name, merged_at, number, pull, repo, sha, author_id, author, title, contents, recorded_at)
SELECT pipeline, id, warehouse, name, merged_at, number, number, repo, sha, author_id, author, title, '{}', recorded_at FROM freight;
DROP TABLE freight;
ALTER TABLE freight_anew RENAME TO freight;
CREATE INDEX freight_order ON freight (pipeline, warehouse, merged_at, number);
CREATE INDEX freight_name ON freight (pipeline, name);
CREATE INDEX freight_pull ON freight (pipeline, pull) WHERE pull <> 0;

-- Since when a pipeline has had a warehouse: what was published before is no freight of it.
CREATE TABLE warehouses (
    pipeline BIGINT NOT NULL REFERENCES pipelines (id),
    name     TEXT NOT NULL,
    kind     TEXT NOT NULL,
    repo     TEXT NOT NULL,
    since_at BIGINT NOT NULL,
    reached  TEXT NOT NULL, -- of pushes: the head of the branch up to which they are known
    PRIMARY KEY (pipeline, name, kind, repo)
);

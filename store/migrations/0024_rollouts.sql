-- Rollouts: a promotion goes through the targets of its stage step by step (SEMANTICS 5).

ALTER TABLE promotions ADD COLUMN rollout TEXT NOT NULL DEFAULT 'null';
ALTER TABLE stays ADD COLUMN parts TEXT NOT NULL DEFAULT 'null';
ALTER TABLE stays ADD COLUMN short BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE effects ADD COLUMN step BIGINT NOT NULL DEFAULT 0;

-- An attempt is that of the present step; what became of those before it is kept for people.
ALTER TABLE attempts ADD COLUMN step BIGINT NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN plan_absent TEXT NOT NULL DEFAULT 'null';
CREATE TABLE steps (
    promotion BIGINT NOT NULL REFERENCES promotions (number),
    step      BIGINT NOT NULL,
    branch    TEXT NOT NULL,
    base_sha  TEXT NOT NULL,
    head_sha  TEXT NOT NULL,
    pull      BIGINT NOT NULL,
    url       TEXT NOT NULL,
    PRIMARY KEY (promotion, step)
);

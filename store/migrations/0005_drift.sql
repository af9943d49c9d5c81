-- What was promoted, and what the files of the stages say: drift (SEMANTICS 6.4). Of what was promoted before this step
-- nobody knows the values, and nothing is said of it.

ALTER TABLE attempts ADD COLUMN plan_values TEXT NOT NULL DEFAULT 'null';
ALTER TABLE stays ADD COLUMN wrote TEXT NOT NULL DEFAULT 'null';
ALTER TABLE stays ADD COLUMN drift TEXT NOT NULL DEFAULT 'null';
ALTER TABLE promotions ADD COLUMN repairs BOOLEAN NOT NULL DEFAULT FALSE;

-- What the files of a stage say at the head of its branch. There is no row when nobody knows.
CREATE TABLE readings (
    pipeline   BIGINT NOT NULL,
    stage      TEXT NOT NULL,
    commit_sha TEXT NOT NULL, -- moves along with pushes that leave the files alone
    actor_id   BIGINT NOT NULL,
    actor      TEXT NOT NULL,
    texts      TEXT NOT NULL,
    PRIMARY KEY (pipeline, stage),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);
CREATE INDEX readings_commit ON readings (commit_sha);

-- The branches that hold files of a stage: one, or several where targets have their files on branches of their own.
CREATE TABLE stage_branches (
    pipeline BIGINT NOT NULL,
    stage    TEXT NOT NULL,
    repo     TEXT NOT NULL,
    branch   TEXT NOT NULL,
    PRIMARY KEY (pipeline, stage, repo, branch),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);
CREATE INDEX stage_branches_on ON stage_branches (repo, branch);
INSERT INTO stage_branches (pipeline, stage, repo, branch) SELECT pipeline, name, repo, branch FROM stages;

-- What the files of a stage say at the head of one of its branches. There is no row when nobody knows.
ALTER TABLE readings RENAME TO readings_before;
DROP INDEX readings_commit;
CREATE TABLE readings (
    pipeline   BIGINT NOT NULL,
    stage      TEXT NOT NULL,
    repo       TEXT NOT NULL,
    branch     TEXT NOT NULL,
    commit_sha TEXT NOT NULL, -- moves along with pushes that leave the files alone
    actor_id   BIGINT NOT NULL,
    actor      TEXT NOT NULL,
    texts      TEXT NOT NULL,
    PRIMARY KEY (pipeline, stage, repo, branch),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);
INSERT INTO readings (pipeline, stage, repo, branch, commit_sha, actor_id, actor, texts)
    SELECT r.pipeline, r.stage, s.repo, s.branch, r.commit_sha, r.actor_id, r.actor, r.texts
    FROM readings_before r JOIN stages s ON s.pipeline = r.pipeline AND s.name = r.stage;
DROP TABLE readings_before;
CREATE INDEX readings_commit ON readings (commit_sha);

-- The branch that a step of a rollout went to.
ALTER TABLE steps ADD COLUMN repo TEXT NOT NULL DEFAULT '';
ALTER TABLE steps ADD COLUMN base TEXT NOT NULL DEFAULT '';
UPDATE steps SET repo = (SELECT a.repo FROM attempts a WHERE a.promotion = steps.promotion),
    base = (SELECT a.base FROM attempts a WHERE a.promotion = steps.promotion);

DROP INDEX stages_files;
ALTER TABLE stages DROP COLUMN repo;
ALTER TABLE stages DROP COLUMN branch;

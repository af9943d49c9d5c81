-- The files of a stage may be on another branch than the one that its pipeline lives on, also in another repository.

ALTER TABLE stages ADD COLUMN repo TEXT NOT NULL DEFAULT '';
ALTER TABLE stages ADD COLUMN branch TEXT NOT NULL DEFAULT '';
UPDATE stages SET repo = (SELECT p.repo FROM pipelines p WHERE p.id = stages.pipeline),
    branch = (SELECT p.branch FROM pipelines p WHERE p.id = stages.pipeline);
CREATE INDEX stages_files ON stages (repo, branch);

-- Where an attempt takes place: pull requests are numbered by repository.
ALTER TABLE attempts ADD COLUMN repo TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN base TEXT NOT NULL DEFAULT '';
UPDATE attempts SET repo = (SELECT p.repo FROM pipelines p WHERE p.id = attempts.pipeline),
    base = (SELECT p.branch FROM pipelines p WHERE p.id = attempts.pipeline);
DROP INDEX attempts_pull;
CREATE UNIQUE INDEX attempts_pull ON attempts (pull, repo, pipeline) WHERE pull <> 0;

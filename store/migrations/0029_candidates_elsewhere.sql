-- Guarded files may be on another branch than the one that the pipeline lives on.

ALTER TABLE candidates ADD COLUMN repo TEXT NOT NULL DEFAULT '';
ALTER TABLE candidates ADD COLUMN branch TEXT NOT NULL DEFAULT '';
UPDATE candidates SET repo = (SELECT p.repo FROM pipelines p WHERE p.id = candidates.pipeline),
    branch = (SELECT p.branch FROM pipelines p WHERE p.id = candidates.pipeline);

-- Targets that a glob has found in the repository (docs/decisions/0013-targets-by-glob.md): kept with the files, so that a restart asks nobody.

ALTER TABLE pipelines ADD COLUMN found BLOB NOT NULL DEFAULT '';

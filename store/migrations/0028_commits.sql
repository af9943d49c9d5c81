-- Stages without pull requests: the commit of a promotion is put on the branch by itself.

ALTER TABLE attempts ADD COLUMN prepared_at BIGINT;
ALTER TABLE attempts ADD COLUMN prepared_url TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN begun BIGINT NOT NULL DEFAULT 0; -- the round whose commit is on its way; 0: none
ALTER TABLE attempts ADD COLUMN late BIGINT NOT NULL DEFAULT 0;  -- the round whose commit came too late; 0: none
ALTER TABLE attempts ADD COLUMN landed_at BIGINT;

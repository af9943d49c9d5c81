-- A promotion may go to some targets of its stage only, and a hold may stop one target (SEMANTICS 5.2, 5.10).

ALTER TABLE promotions ADD COLUMN only_targets TEXT NOT NULL DEFAULT 'null';
ALTER TABLE holds ADD COLUMN target TEXT NOT NULL DEFAULT '';

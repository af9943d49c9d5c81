-- How often a view was made again that somebody has removed, since something new was last wanted of it (SEMANTICS 5.9).

ALTER TABLE views ADD COLUMN remade BIGINT NOT NULL DEFAULT 0;

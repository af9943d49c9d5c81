-- Webhooks that GitHub tried to deliver to us and could not.

CREATE TABLE sweep (
    one      BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    due      BIGINT, -- NULL: nobody has asked for one yet
    swept_at BIGINT, -- when the last complete one began
    read_to  BIGINT, -- up to when GitHub's list has been read, by GitHub's clock
    failures BIGINT NOT NULL,
    error    TEXT NOT NULL
);
INSERT INTO sweep (one, failures, error) VALUES (1, 0, '');

CREATE TABLE missed (
    guid         TEXT NOT NULL PRIMARY KEY,
    attempt      BIGINT NOT NULL, -- GitHub's id of the attempt that it is asked to repeat
    event        TEXT NOT NULL,
    repository   BIGINT NOT NULL,
    installation BIGINT NOT NULL,
    first_at     BIGINT NOT NULL, -- when GitHub first tried, by GitHub's clock
    run_at       BIGINT NOT NULL, -- GitHub is not asked before
    tries        BIGINT NOT NULL CHECK (tries >= 0),
    error        TEXT NOT NULL
);
CREATE INDEX missed_due ON missed (run_at, guid);
CREATE INDEX missed_first ON missed (first_at);

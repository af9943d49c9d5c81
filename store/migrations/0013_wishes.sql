-- A button is pressed on a check run that GitHub names by its number.
CREATE INDEX views_run ON views (remote_id) WHERE kind = 'check';

-- What people ask for by labels on pull requests that are no freight yet: it is done as soon as they are.
CREATE TABLE wishes (
    repo     TEXT NOT NULL,
    number   BIGINT NOT NULL,
    label    TEXT NOT NULL,
    actor_id BIGINT NOT NULL,
    actor    TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    PRIMARY KEY (repo, number, label)
);

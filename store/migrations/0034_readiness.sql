-- What GitHub says of what a stage's targets must show before they take part (`ready`). There is no row while nobody has asked.

CREATE TABLE readiness (
    pipeline    BIGINT NOT NULL,
    stage       TEXT NOT NULL,
    conditions  BIGINT NOT NULL, -- that were asked for: a number made of all of them
    lacks       TEXT NOT NULL,   -- those that are not met
    asked       BIGINT NOT NULL, -- how often GitHub has answered
    tries       BIGINT NOT NULL, -- how often in a row the answer has been the same as the one before
    asked_at    BIGINT NOT NULL,
    heard       BIGINT NOT NULL, -- how often something was heard that may have changed it
    known       BIGINT NOT NULL, -- how often it had been when GitHub was asked last
    PRIMARY KEY (pipeline, stage),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);

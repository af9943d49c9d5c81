-- What people want to have in the branch of stages that guard their files: their open pull requests, and the groups of GitHub's
-- merge queue. There are none where no stage guards anything.

CREATE TABLE candidates (
    pipeline BIGINT NOT NULL,
    ref      TEXT NOT NULL, -- "#12", or the branch of a group
    pull     BIGINT NOT NULL,
    head_sha TEXT NOT NULL,
    files    TEXT NOT NULL, -- of the guarded ones, those that it changes
    seen_at  BIGINT NOT NULL, -- what is older than that changes nothing
    doubted  BOOLEAN NOT NULL, -- other files are guarded since it was looked at
    PRIMARY KEY (pipeline, ref),
    FOREIGN KEY (pipeline) REFERENCES pipelines (id)
);

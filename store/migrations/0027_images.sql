-- Images that warehouses wait for. The first that was pushed for a commit is the one that its freight gets.
CREATE TABLE images (
    image       TEXT NOT NULL, -- ghcr.io/acme/api
    built_of    TEXT NOT NULL, -- the commit, with as many of its digits as the image says
    tag         TEXT NOT NULL,
    digest      TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (image, built_of)
);

-- One SQL text for SQLite and PostgreSQL. Times are microseconds since 1970 in UTC, ids come from Go, lists and reasons
-- are opaque JSON text. Every CHECK lists the words of the promotion package.
--
-- What a decision reads stays few however long the history gets: what is open or lasts, and what has ended or left, have
-- partial indexes of their own.

CREATE TABLE counters (
    name TEXT NOT NULL PRIMARY KEY,
    n    BIGINT NOT NULL CHECK (n >= 0)
);
INSERT INTO counters (name, n) VALUES ('promotion', 0), ('id', 0), ('effect', 0), ('event', 0), ('push', 0);

-- The process that has the database open; written at each start, so that a database that cannot be written to is
-- noticed then.
CREATE TABLE process (
    one        BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    holder     TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    checked_at BIGINT NOT NULL
);

CREATE TABLE deliveries (
    id           TEXT NOT NULL PRIMARY KEY, -- source:guid
    seq          BIGINT NOT NULL,           -- the order of arrival
    source       TEXT NOT NULL CHECK (source IN ('github', 'slack', 'api', 'clock')),
    guid         TEXT NOT NULL,
    event        TEXT NOT NULL,
    action       TEXT NOT NULL,
    repo         TEXT NOT NULL,
    installation BIGINT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('waiting', 'handled', 'parked')),
    received_at  BIGINT NOT NULL,
    run_at       BIGINT NOT NULL, -- not before; a claim moves it to the end of its lease
    attempts     BIGINT NOT NULL CHECK (attempts >= 0),
    holder       TEXT NOT NULL,
    handled_at   BIGINT,
    error        TEXT NOT NULL,
    sha256       TEXT NOT NULL,
    body         BYTEA NOT NULL, -- last, so that looking for work does not read it
    CHECK ((state = 'handled') = (handled_at IS NOT NULL))
);
CREATE INDEX deliveries_seq ON deliveries (seq);
CREATE INDEX deliveries_waiting ON deliveries (seq) WHERE state = 'waiting';
CREATE INDEX deliveries_handled ON deliveries (handled_at) WHERE state = 'handled';

CREATE TABLE pipelines (
    id              BIGINT NOT NULL PRIMARY KEY, -- GitHub's id of the home repository
    repo            TEXT NOT NULL UNIQUE,
    installation    BIGINT NOT NULL,
    branch          TEXT NOT NULL,
    config_sha      TEXT NOT NULL,
    config          BYTEA NOT NULL, -- the last good files
    policy          BYTEA NOT NULL,
    config_error    TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    resync_every    BIGINT NOT NULL CHECK (resync_every BETWEEN 60 AND 604800), -- seconds
    resynced_at     BIGINT,         -- when the last complete one began
    resync_due      BIGINT NOT NULL,
    resync_failures BIGINT NOT NULL,
    resync_error    TEXT NOT NULL
);
CREATE INDEX pipelines_resync ON pipelines (resync_due);

CREATE TABLE stages (
    pipeline   BIGINT NOT NULL REFERENCES pipelines (id),
    name       TEXT NOT NULL,
    position   BIGINT NOT NULL,
    dirty      BIGINT NOT NULL, -- grows with every fact that concerns the stage
    decided    BIGINT NOT NULL, -- what dirty was when it was last decided
    wake_at    BIGINT,
    not_before BIGINT NOT NULL, -- it could not be decided and is left alone until then
    fence      BIGINT NOT NULL,
    removed_at BIGINT,
    PRIMARY KEY (pipeline, name),
    CHECK (decided <= dirty)
);
CREATE INDEX stages_dirty ON stages (pipeline, position) WHERE dirty > decided;
CREATE INDEX stages_wake ON stages (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE sources (
    pipeline  BIGINT NOT NULL,
    stage     TEXT NOT NULL,
    warehouse TEXT NOT NULL,
    PRIMARY KEY (pipeline, warehouse, stage),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);

CREATE TABLE freight (
    pipeline    BIGINT NOT NULL REFERENCES pipelines (id),
    id          TEXT NOT NULL,
    warehouse   TEXT NOT NULL,
    name        TEXT NOT NULL,
    merged_at   BIGINT NOT NULL, -- the order of a warehouse is merged_at as GitHub says it, then number
    number      BIGINT NOT NULL,
    repo        TEXT NOT NULL,
    sha         TEXT NOT NULL,
    author_id   BIGINT NOT NULL,
    author      TEXT NOT NULL,
    title       TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (pipeline, id),
    UNIQUE (pipeline, warehouse, repo, sha)
);
CREATE INDEX freight_order ON freight (pipeline, warehouse, merged_at, number);
CREATE INDEX freight_name ON freight (pipeline, name);
CREATE INDEX freight_number ON freight (pipeline, number);

CREATE TABLE promotions (
    number            BIGINT NOT NULL PRIMARY KEY,
    pipeline          BIGINT NOT NULL,
    stage             TEXT NOT NULL,
    warehouse         TEXT NOT NULL,
    freight           TEXT NOT NULL,
    freight_name      TEXT NOT NULL,
    freight_merged_at BIGINT NOT NULL, -- the freight's place in its warehouse, which never changes
    freight_number    BIGINT NOT NULL,
    class             TEXT NOT NULL CHECK (class IN ('rollback', 'manual', 'automatic')),
    automatic         BOOLEAN NOT NULL,
    state             TEXT NOT NULL CHECK (state IN ('queued', 'running', 'waiting-for-merge', 'verifying',
                          'succeeded', 'failed', 'declined', 'verification-failed', 'cancelled', 'superseded')),
    reason            TEXT NOT NULL,
    actor_id          BIGINT NOT NULL,
    actor             TEXT NOT NULL,
    cause             BIGINT NOT NULL,
    queued_at         BIGINT NOT NULL,
    started_at        BIGINT,
    merged_at         BIGINT,
    ended_at          BIGINT,
    merge_sha         TEXT NOT NULL,
    pins              BOOLEAN NOT NULL,
    version           BIGINT NOT NULL CHECK (version > 0),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name),
    FOREIGN KEY (pipeline, freight) REFERENCES freight (pipeline, id),
    CHECK ((ended_at IS NULL) = (state IN ('queued', 'running', 'waiting-for-merge', 'verifying'))),
    CHECK (state NOT IN ('verifying', 'succeeded', 'verification-failed') OR (merge_sha <> '' AND merged_at IS NOT NULL))
);
CREATE UNIQUE INDEX promotions_active ON promotions (pipeline, stage)
    WHERE state IN ('running', 'waiting-for-merge', 'verifying');
CREATE UNIQUE INDEX promotions_open ON promotions (pipeline, stage, freight) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX promotions_automatic ON promotions (pipeline, stage, freight) WHERE automatic;
CREATE INDEX promotions_ended ON promotions (pipeline, stage, number) WHERE ended_at IS NOT NULL;
CREATE INDEX promotions_order ON promotions (warehouse, pipeline, stage, freight_merged_at, freight_number);

CREATE TABLE attempts (
    promotion       BIGINT NOT NULL PRIMARY KEY REFERENCES promotions (number),
    pipeline        BIGINT NOT NULL,
    plan_round      BIGINT NOT NULL, -- 0: there is no plan
    plan_base       TEXT NOT NULL,
    plan_at         BIGINT,
    plan_paths      TEXT NOT NULL,
    plan_hash       TEXT NOT NULL,
    plan_problem    TEXT NOT NULL,
    plan_work       BYTEA NOT NULL,  -- what the executor needs to carry the plan out, until the promotion has ended
    prepared_round  BIGINT NOT NULL, -- the commit that has been made and may or may not be visible yet
    prepared_branch TEXT NOT NULL,
    prepared_base   TEXT NOT NULL,
    prepared_head   TEXT NOT NULL,
    built           BIGINT NOT NULL, -- the commit that is visible
    branch          TEXT NOT NULL,
    base_sha        TEXT NOT NULL,
    head_sha        TEXT NOT NULL,
    pull            BIGINT NOT NULL,
    url             TEXT NOT NULL,
    failure         TEXT NOT NULL,
    unmergeable     TEXT NOT NULL,
    tried           BIGINT NOT NULL,
    observed_at     BIGINT
);
CREATE UNIQUE INDEX attempts_branch ON attempts (pipeline, branch) WHERE branch <> '';
CREATE UNIQUE INDEX attempts_prepared ON attempts (prepared_branch, pipeline) WHERE prepared_branch <> '';
CREATE UNIQUE INDEX attempts_pull ON attempts (pull, pipeline) WHERE pull <> 0;

CREATE TABLE stays (
    promotion    BIGINT NOT NULL PRIMARY KEY REFERENCES promotions (number),
    pipeline     BIGINT NOT NULL,
    stage        TEXT NOT NULL,
    warehouse    TEXT NOT NULL,
    freight      TEXT NOT NULL,
    entered_at   BIGINT NOT NULL,
    left_at      BIGINT,
    verdict      TEXT NOT NULL CHECK (verdict IN ('', 'passed', 'failed', 'inconclusive')),
    judged_at    BIGINT,
    cause        TEXT NOT NULL,
    judged_by_id BIGINT NOT NULL,
    judged_by    TEXT NOT NULL,
    plan         TEXT NOT NULL,
    commit_sha   TEXT NOT NULL,
    since_at     BIGINT,
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name),
    FOREIGN KEY (pipeline, freight) REFERENCES freight (pipeline, id)
);
CREATE UNIQUE INDEX stays_lasting ON stays (pipeline, stage, warehouse) WHERE left_at IS NULL;
CREATE INDEX stays_past ON stays (pipeline, stage, entered_at, promotion) WHERE left_at IS NOT NULL;
CREATE INDEX stays_freight ON stays (freight, pipeline, stage);
CREATE INDEX stays_commit ON stays (commit_sha) WHERE left_at IS NULL;

CREATE TABLE signals (
    repo        TEXT NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('check', 'status', 'deployment')),
    id          BIGINT NOT NULL,
    sha         TEXT NOT NULL,
    app         TEXT NOT NULL,
    suite       BIGINT NOT NULL,
    name        TEXT NOT NULL,
    state       TEXT NOT NULL,
    url         TEXT NOT NULL,
    started_at  BIGINT,
    ended_at    BIGINT,
    observed_at BIGINT,
    PRIMARY KEY (repo, kind, id)
);
CREATE INDEX signals_sha ON signals (repo, sha);

CREATE TABLE suites (
    repo        TEXT NOT NULL,
    id          BIGINT NOT NULL,
    sha         TEXT NOT NULL,
    app         TEXT NOT NULL,
    branch      TEXT NOT NULL,
    completed   BOOLEAN NOT NULL,
    conclusion  TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (repo, id)
);
CREATE INDEX suites_sha ON suites (repo, sha);

CREATE TABLE pushes (
    repo       TEXT NOT NULL,
    branch     TEXT NOT NULL,
    before_sha TEXT NOT NULL,
    after_sha  TEXT NOT NULL,
    seq        BIGINT NOT NULL,
    pushed_at  BIGINT NOT NULL,
    paths      TEXT NOT NULL,
    PRIMARY KEY (repo, branch, before_sha, after_sha)
);
CREATE INDEX pushes_at ON pushes (repo, branch, pushed_at);
CREATE INDEX pushes_after ON pushes (repo, after_sha);

CREATE TABLE pulls (
    repo       TEXT NOT NULL,
    number     BIGINT NOT NULL,
    head       TEXT NOT NULL,
    head_sha   TEXT NOT NULL,
    base       TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('open', 'merged', 'closed')),
    merge_sha  TEXT NOT NULL,
    merged_at  BIGINT,
    actor_id   BIGINT NOT NULL,
    actor      TEXT NOT NULL,
    url        TEXT NOT NULL,
    conflicts  BOOLEAN NOT NULL,
    revision   BIGINT NOT NULL, -- grows with everything that could change GitHub's mind about merging it
    updated_at BIGINT,
    PRIMARY KEY (repo, number),
    CHECK ((state = 'merged') = (merge_sha <> ''))
);
CREATE INDEX pulls_head ON pulls (repo, head_sha) WHERE state = 'open';
CREATE INDEX pulls_open ON pulls (repo, base) WHERE state = 'open';

CREATE TABLE holds (
    id           BIGINT NOT NULL PRIMARY KEY,
    pipeline     BIGINT NOT NULL REFERENCES pipelines (id),
    stage        TEXT NOT NULL, -- '': the whole pipeline
    actor_id     BIGINT NOT NULL,
    actor        TEXT NOT NULL, -- '': Waybill itself
    reason       TEXT NOT NULL,
    text         TEXT NOT NULL,
    promotion    BIGINT NOT NULL,
    held_at      BIGINT NOT NULL,
    until_at     BIGINT,
    lifted_at    BIGINT,
    lifted_by_id BIGINT NOT NULL,
    lifted_by    TEXT NOT NULL
);
CREATE INDEX holds_standing ON holds (pipeline, id) WHERE lifted_at IS NULL;

CREATE TABLE approvals (
    id         BIGINT NOT NULL PRIMARY KEY,
    pipeline   BIGINT NOT NULL,
    stage      TEXT NOT NULL,
    freight    TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('sign-off', 'admit')),
    actor_id   BIGINT NOT NULL,
    actor      TEXT NOT NULL,
    plan       TEXT NOT NULL,
    text       TEXT NOT NULL,
    given_at   BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    entitled   BOOLEAN NOT NULL,
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name),
    FOREIGN KEY (pipeline, freight) REFERENCES freight (pipeline, id)
);
CREATE UNIQUE INDEX approvals_once ON approvals (pipeline, stage, freight, kind, plan, actor_id, actor)
    WHERE revoked_at IS NULL;

CREATE TABLE requests (
    id          BIGINT NOT NULL PRIMARY KEY,
    pipeline    BIGINT NOT NULL,
    stage       TEXT NOT NULL, -- the stage that answers
    command     TEXT NOT NULL,
    actor_id    BIGINT NOT NULL,
    actor       TEXT NOT NULL,
    surface     TEXT NOT NULL,
    pull_repo   TEXT NOT NULL,
    pull        BIGINT NOT NULL,
    asked_at    BIGINT NOT NULL,
    permission  TEXT NOT NULL,
    teams       TEXT NOT NULL,
    observed_at BIGINT,
    answered_at BIGINT,
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);
CREATE INDEX requests_open ON requests (pipeline, stage, id) WHERE answered_at IS NULL;

CREATE TABLE effects (
    key        TEXT NOT NULL PRIMARY KEY,
    pipeline   BIGINT NOT NULL,
    stage      TEXT NOT NULL,
    promotion  BIGINT NOT NULL,
    seq        BIGINT NOT NULL, -- the order of decision
    verb       TEXT NOT NULL CHECK (verb IN ('plan', 'open', 'merge', 'close', 'observe', 'tell', 'reply')),
    round      BIGINT NOT NULL,
    freight    TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    reason     TEXT NOT NULL,
    request    BIGINT NOT NULL,
    surface    TEXT NOT NULL,
    line       TEXT NOT NULL, -- effects with the same line happen in the order of decision; '': in any
    lane       TEXT NOT NULL, -- of the effects with the same lane one is done at a time; '': any number
    state      TEXT NOT NULL CHECK (state IN ('due', 'doing', 'done', 'failed', 'void')),
    attempts   BIGINT NOT NULL CHECK (attempts >= 0),
    run_at     BIGINT NOT NULL, -- not before; a claim moves it to the end of its lease
    holder     TEXT NOT NULL,
    result     TEXT NOT NULL,
    error      TEXT NOT NULL,
    decided_at BIGINT NOT NULL,
    tried_at   BIGINT,
    done_at    BIGINT,
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name),
    CHECK ((state IN ('done', 'failed')) = (done_at IS NOT NULL))
);
CREATE UNIQUE INDEX effects_lane ON effects (lane) WHERE state = 'doing' AND lane <> '';
CREATE INDEX effects_open ON effects (run_at, seq) WHERE state IN ('due', 'doing');
CREATE INDEX effects_line ON effects (line, seq) WHERE state IN ('due', 'doing') AND line <> '';
CREATE INDEX effects_stage ON effects (pipeline, stage) WHERE state = 'due';
CREATE INDEX effects_promotion ON effects (promotion, seq);

CREATE TABLE views (
    surface   TEXT NOT NULL PRIMARY KEY, -- 'comment:acme/api#142'
    pipeline  BIGINT NOT NULL REFERENCES pipelines (id),
    stage     TEXT NOT NULL, -- '': of no stage
    kind      TEXT NOT NULL CHECK (kind IN ('comment', 'check', 'labels', 'slack')),
    wanted    TEXT NOT NULL,
    shown     TEXT NOT NULL,
    remote_id TEXT NOT NULL,
    run_at    BIGINT NOT NULL,
    attempts  BIGINT NOT NULL CHECK (attempts >= 0),
    holder    TEXT NOT NULL,
    error     TEXT NOT NULL
);
CREATE INDEX views_due ON views (run_at) WHERE wanted <> shown;

CREATE TABLE events (
    seq       BIGINT NOT NULL PRIMARY KEY,
    at        BIGINT NOT NULL,
    pipeline  BIGINT NOT NULL, -- 0: none
    stage     TEXT NOT NULL,
    promotion BIGINT NOT NULL,
    kind      TEXT NOT NULL CHECK (kind IN ('state', 'class', 'stage', 'command', 'effect', 'alert')),
    word      TEXT NOT NULL,
    sha       TEXT NOT NULL,
    reason    TEXT NOT NULL,
    actor_id  BIGINT NOT NULL,
    actor     TEXT NOT NULL,
    source    TEXT NOT NULL,
    text      TEXT NOT NULL
);
CREATE INDEX events_pipeline ON events (pipeline, seq);

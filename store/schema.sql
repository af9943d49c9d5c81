-- The schema. One text for SQLite and PostgreSQL: times are microseconds since 1970 in UTC, ids come from Go, lists and
-- reasons are JSON text that the database does not look into. A CHECK lists the words of package promotion.
--
-- Decisions read few rows however long the history gets: rows that are open or last, and rows that have ended or left,
-- have partial indexes of their own.
--
-- This file is edited in place until the first release, which freezes it as version 1.

-- The process

-- Which text of this file made the database. A database that another text made is refused.
CREATE TABLE schema_version (
    one     BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    version BIGINT NOT NULL,
    digest  TEXT NOT NULL, -- of this file: before the first release one version has many texts
    made_at BIGINT NOT NULL
);

-- The process that has the database open, written at each start: a database that cannot be written to fails then.
CREATE TABLE process (
    one        BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    holder     TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    checked_at BIGINT NOT NULL
);

CREATE TABLE counters (
    name TEXT NOT NULL PRIMARY KEY,
    n    BIGINT NOT NULL CHECK (n >= 0)
);
INSERT INTO counters (name, n) VALUES ('push', 0);

-- What arrives

CREATE TABLE deliveries (
    id           TEXT NOT NULL PRIMARY KEY, -- source:guid
    seq          BIGINT NOT NULL, -- the order of arrival
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
CREATE INDEX deliveries_handled ON deliveries (handled_at) WHERE state = 'handled';
CREATE INDEX deliveries_waiting ON deliveries (repo, run_at, seq) WHERE state = 'waiting';
CREATE INDEX deliveries_parked ON deliveries (seq) WHERE state = 'parked';

-- Webhooks that GitHub tried to deliver and could not.
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

-- The search for missed webhooks. GitHub is asked for one redelivery at a time: not before ask_at; NULL: at once.
CREATE TABLE sweep (
    one      BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    due      BIGINT, -- NULL: nobody has asked for one yet
    swept_at BIGINT, -- when the last complete one began
    read_to  BIGINT, -- up to when GitHub's list has been read, by GitHub's clock
    failures BIGINT NOT NULL,
    error    TEXT NOT NULL,
    ask_at   BIGINT
);
INSERT INTO sweep (one, failures, error) VALUES (1, 0, '');

-- Work for the whole server that comes back at intervals.
CREATE TABLE clocks (
    name     TEXT NOT NULL PRIMARY KEY,
    done_at  BIGINT, -- when the last complete run began
    due_at   BIGINT NOT NULL,
    holder   TEXT NOT NULL,
    failures BIGINT NOT NULL,
    error    TEXT NOT NULL
);
CREATE INDEX clocks_due ON clocks (due_at);
INSERT INTO clocks (name, due_at, holder, failures, error) VALUES ('audit', 0, '', 0, ''), ('discovery', 0, '', 0, '');

-- Pipelines and their stages

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
    resynced_at     BIGINT, -- when the last complete one began
    resync_due      BIGINT NOT NULL,
    resync_failures BIGINT NOT NULL,
    resync_error    TEXT NOT NULL,
    head_sha        TEXT NOT NULL DEFAULT '',
    resync_holder   TEXT NOT NULL DEFAULT '',
    resync_asked    BIGINT,
    found           BYTEA NOT NULL DEFAULT '',
    promotions      BIGINT NOT NULL DEFAULT 0 CHECK (promotions >= 0), -- the number of the newest promotion
    ids             BIGINT NOT NULL DEFAULT 0 CHECK (ids >= 0), -- the id of the newest hold or approval
    requests        BIGINT NOT NULL DEFAULT 0 CHECK (requests >= 0) -- the id of the newest request
);
CREATE INDEX pipelines_resync ON pipelines (resync_due);

CREATE TABLE stages (
    pipeline   BIGINT NOT NULL REFERENCES pipelines (id),
    name       TEXT NOT NULL,
    position   BIGINT NOT NULL,
    version    BIGINT NOT NULL, -- grows with every change of what a snapshot of the stage reads
    decided    BIGINT NOT NULL, -- the version that was decided last
    wake_at    BIGINT,
    not_before BIGINT NOT NULL, -- it could not be decided and is left alone until then
    fence      BIGINT NOT NULL,
    removed_at BIGINT,
    places     BIGINT NOT NULL DEFAULT 0 CHECK (places >= 0), -- the place in the queue of the promotion that was queued last
    effects    BIGINT NOT NULL DEFAULT 0 CHECK (effects >= 0), -- the seq of the effect that was written down last
    PRIMARY KEY (pipeline, name),
    CHECK (decided <= version)
);
CREATE INDEX stages_undecided ON stages (pipeline, position) WHERE version > decided;
CREATE INDEX stages_wake ON stages (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE sources (
    pipeline  BIGINT NOT NULL,
    stage     TEXT NOT NULL,
    warehouse TEXT NOT NULL,
    PRIMARY KEY (pipeline, warehouse, stage),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);

-- The branches that hold files of a stage.
CREATE TABLE stage_branches (
    pipeline BIGINT NOT NULL,
    stage    TEXT NOT NULL,
    repo     TEXT NOT NULL,
    branch   TEXT NOT NULL,
    PRIMARY KEY (pipeline, stage, repo, branch),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);
CREATE INDEX stage_branches_on ON stage_branches (repo, branch);

-- Since when a pipeline has a warehouse: earlier releases and merges are no freight of it.
CREATE TABLE warehouses (
    pipeline BIGINT NOT NULL REFERENCES pipelines (id),
    name     TEXT NOT NULL,
    kind     TEXT NOT NULL,
    repo     TEXT NOT NULL,
    since_at BIGINT NOT NULL,
    reached  TEXT NOT NULL, -- of pushes: the head of the branch up to which they are known
    PRIMARY KEY (pipeline, name, kind, repo)
);

-- Facts

CREATE TABLE freight (
    pipeline    BIGINT NOT NULL REFERENCES pipelines (id),
    id          TEXT NOT NULL,
    warehouse   TEXT NOT NULL,
    name        TEXT NOT NULL,
    merged_at   BIGINT NOT NULL, -- or published: the order of a warehouse is merged_at as GitHub says it, then number
    number      BIGINT NOT NULL,
    pull        BIGINT NOT NULL, -- the source pull request; 0: there is none
    repo        TEXT NOT NULL,
    sha         TEXT NOT NULL,
    author_id   BIGINT NOT NULL,
    author      TEXT NOT NULL,
    title       TEXT NOT NULL,
    contents    TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (pipeline, id),
    UNIQUE (pipeline, warehouse, repo, name)
);
CREATE INDEX freight_order ON freight (pipeline, warehouse, merged_at, number);
CREATE INDEX freight_name ON freight (pipeline, name);
CREATE INDEX freight_pull ON freight (pipeline, pull) WHERE pull <> 0;

-- Images that warehouses wait for. The first one that was pushed for a commit is the one that its freight gets.
CREATE TABLE images (
    image       TEXT NOT NULL, -- ghcr.io/acme/api
    built_of    TEXT NOT NULL, -- the commit, with as many of its digits as the image says
    tag         TEXT NOT NULL,
    digest      TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (image, built_of)
);

CREATE TABLE signals (
    repo        TEXT NOT NULL,
    kind        TEXT NOT NULL, -- the program knows the kinds by itself
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
    pusher_id  BIGINT NOT NULL DEFAULT 0,
    pusher     TEXT NOT NULL DEFAULT '',
    queue      TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (repo, number),
    CHECK ((state = 'merged') = (merge_sha <> ''))
);
CREATE INDEX pulls_head ON pulls (repo, head_sha) WHERE state = 'open';
CREATE INDEX pulls_open ON pulls (repo, base) WHERE state = 'open';

-- Open pull requests, and groups of GitHub's merge queue, into branches of which a stage guards files.
CREATE TABLE candidates (
    pipeline BIGINT NOT NULL,
    ref      TEXT NOT NULL, -- "#12", or the branch of a group
    pull     BIGINT NOT NULL,
    head_sha TEXT NOT NULL,
    files    TEXT NOT NULL, -- of the guarded ones, those that it changes
    seen_at  BIGINT NOT NULL, -- what is older than that changes nothing
    doubted  BOOLEAN NOT NULL,
    repo     TEXT NOT NULL DEFAULT '',
    branch   TEXT NOT NULL DEFAULT '', -- other files are guarded since it was looked at
    PRIMARY KEY (pipeline, ref),
    FOREIGN KEY (pipeline) REFERENCES pipelines (id)
);

-- Labels on pull requests that are no freight yet: they are obeyed as soon as the pull request is.
CREATE TABLE wishes (
    repo     TEXT NOT NULL,
    number   BIGINT NOT NULL,
    label    TEXT NOT NULL,
    actor_id BIGINT NOT NULL,
    actor    TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    PRIMARY KEY (repo, number, label)
);

-- A digest of all that reports on a commit: a commit with the same digest is not read again.
CREATE TABLE glances (
    repo       TEXT NOT NULL,
    sha        TEXT NOT NULL,
    digest     TEXT NOT NULL,
    glanced_at BIGINT NOT NULL,
    PRIMARY KEY (repo, sha)
);

-- The values in a stage's files at the head of one of its branches. Without a row they are not known.
CREATE TABLE readings (
    pipeline   BIGINT NOT NULL,
    stage      TEXT NOT NULL,
    repo       TEXT NOT NULL,
    branch     TEXT NOT NULL,
    commit_sha TEXT NOT NULL, -- moves along with pushes that leave the files alone
    actor_id   BIGINT NOT NULL,
    actor      TEXT NOT NULL,
    texts      TEXT NOT NULL,
    PRIMARY KEY (pipeline, stage, repo, branch),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);
CREATE INDEX readings_commit ON readings (commit_sha);

-- The answers of GitHub to what targets must show before they take part (`ready`).
CREATE TABLE readiness (
    pipeline   BIGINT NOT NULL,
    stage      TEXT NOT NULL,
    conditions BIGINT NOT NULL, -- that were asked for: a number made of all of them
    lacks      TEXT NOT NULL, -- those that are not met
    asked      BIGINT NOT NULL, -- how often GitHub has answered
    tries      BIGINT NOT NULL, -- how often in a row the answer has been the same as the one before
    asked_at   BIGINT NOT NULL,
    heard      BIGINT NOT NULL, -- how often something was heard that may have changed it
    known      BIGINT NOT NULL, -- how often it had been when GitHub was asked last
    PRIMARY KEY (pipeline, stage),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);

-- What is decided. Promotions are numbered within their pipeline, and so are holds and approvals, and requests.

CREATE TABLE promotions (
    pipeline          BIGINT NOT NULL,
    number            BIGINT NOT NULL,
    stage             TEXT NOT NULL,
    place             BIGINT NOT NULL, -- in the queue of the stage: the order of queueing
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
    repairs           BOOLEAN NOT NULL DEFAULT FALSE,
    rollout           TEXT NOT NULL DEFAULT 'null',
    only_targets      TEXT NOT NULL DEFAULT 'null',
    PRIMARY KEY (pipeline, number),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name),
    FOREIGN KEY (pipeline, freight) REFERENCES freight (pipeline, id),
    CHECK ((ended_at IS NULL) = (state IN ('queued', 'running', 'waiting-for-merge', 'verifying'))),
    CHECK (state NOT IN ('verifying',
        'succeeded', 'verification-failed') OR (merge_sha <> '' AND merged_at IS NOT NULL))
);
CREATE UNIQUE INDEX promotions_active ON promotions (pipeline, stage)
    WHERE state IN ('running', 'waiting-for-merge', 'verifying');
CREATE UNIQUE INDEX promotions_open ON promotions (pipeline, stage, freight) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX promotions_automatic ON promotions (pipeline, stage, freight) WHERE automatic;
CREATE INDEX promotions_ended ON promotions (pipeline, stage, place) WHERE ended_at IS NOT NULL;
CREATE INDEX promotions_order ON promotions (warehouse, pipeline, stage, freight_merged_at, freight_number);
CREATE INDEX promotions_stage ON promotions (pipeline, stage, number) WHERE number > 0;

-- An attempt of a rollout is that of its present step; steps keeps the earlier ones for people.
CREATE TABLE attempts (
    pipeline        BIGINT NOT NULL,
    promotion       BIGINT NOT NULL,
    plan_round      BIGINT NOT NULL, -- 0: there is no plan
    plan_base       TEXT NOT NULL,
    plan_at         BIGINT,
    plan_paths      TEXT NOT NULL,
    plan_hash       TEXT NOT NULL,
    plan_problem    TEXT NOT NULL,
    plan_work       BYTEA NOT NULL, -- what the executor needs to carry the plan out, until the promotion has ended
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
    observed_at     BIGINT,
    plan_values     TEXT NOT NULL DEFAULT 'null',
    step            BIGINT NOT NULL DEFAULT 0,
    plan_absent     TEXT NOT NULL DEFAULT 'null',
    repo            TEXT NOT NULL DEFAULT '',
    base            TEXT NOT NULL DEFAULT '',
    prepared_at     BIGINT,
    prepared_url    TEXT NOT NULL DEFAULT '',
    begun           BIGINT NOT NULL DEFAULT 0,
    late            BIGINT NOT NULL DEFAULT 0,
    landed_at       BIGINT,
    dispatched_at   BIGINT,
    heard           BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (pipeline, promotion),
    FOREIGN KEY (pipeline, promotion) REFERENCES promotions (pipeline, number)
);
CREATE UNIQUE INDEX attempts_branch ON attempts (pipeline, branch) WHERE branch <> '';
CREATE UNIQUE INDEX attempts_prepared ON attempts (prepared_branch, pipeline) WHERE prepared_branch <> '';
CREATE UNIQUE INDEX attempts_pull ON attempts (pull, repo, pipeline) WHERE pull <> 0;

CREATE TABLE steps (
    pipeline  BIGINT NOT NULL,
    promotion BIGINT NOT NULL,
    step      BIGINT NOT NULL,
    branch    TEXT NOT NULL,
    base_sha  TEXT NOT NULL,
    head_sha  TEXT NOT NULL,
    pull      BIGINT NOT NULL,
    url       TEXT NOT NULL,
    repo      TEXT NOT NULL DEFAULT '',
    base      TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (pipeline, promotion, step),
    FOREIGN KEY (pipeline, promotion) REFERENCES promotions (pipeline, number)
);

CREATE TABLE stays (
    pipeline     BIGINT NOT NULL,
    promotion    BIGINT NOT NULL,
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
    wrote        TEXT NOT NULL DEFAULT 'null',
    drift        TEXT NOT NULL DEFAULT 'null',
    parts        TEXT NOT NULL DEFAULT 'null',
    short        BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (pipeline, promotion),
    FOREIGN KEY (pipeline, promotion) REFERENCES promotions (pipeline, number),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name),
    FOREIGN KEY (pipeline, freight) REFERENCES freight (pipeline, id)
);
CREATE UNIQUE INDEX stays_lasting ON stays (pipeline, stage, warehouse) WHERE left_at IS NULL;
CREATE INDEX stays_past ON stays (pipeline, stage, entered_at, promotion) WHERE left_at IS NOT NULL;
CREATE INDEX stays_freight ON stays (freight, pipeline, stage);
CREATE INDEX stays_commit ON stays (commit_sha) WHERE left_at IS NULL;

CREATE TABLE holds (
    pipeline     BIGINT NOT NULL REFERENCES pipelines (id),
    id           BIGINT NOT NULL,
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
    lifted_by    TEXT NOT NULL,
    target       TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (pipeline, id)
);
CREATE INDEX holds_standing ON holds (pipeline, id) WHERE lifted_at IS NULL;

CREATE TABLE approvals (
    pipeline   BIGINT NOT NULL,
    id         BIGINT NOT NULL,
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
    PRIMARY KEY (pipeline, id),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name),
    FOREIGN KEY (pipeline, freight) REFERENCES freight (pipeline, id)
);
CREATE UNIQUE INDEX approvals_once ON approvals (pipeline, stage, freight, kind, plan, actor_id, actor)
    WHERE revoked_at IS NULL;

CREATE TABLE requests (
    pipeline    BIGINT NOT NULL,
    id          BIGINT NOT NULL, -- the order of recording
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
    typed       TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (pipeline, id),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);
CREATE INDEX requests_open ON requests (pipeline, stage, id) WHERE answered_at IS NULL;
CREATE INDEX requests_actor ON requests (actor_id, asked_at);
CREATE INDEX requests_surface ON requests (surface);

-- What is done and shown

CREATE TABLE effects (
    pipeline   BIGINT NOT NULL,
    key        TEXT NOT NULL,
    stage      TEXT NOT NULL,
    promotion  BIGINT NOT NULL,
    seq        BIGINT NOT NULL, -- the order of decision in the stage
    verb       TEXT NOT NULL,
    round      BIGINT NOT NULL,
    freight    TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    reason     TEXT NOT NULL,
    request    BIGINT NOT NULL,
    surface    TEXT NOT NULL,
    line       TEXT NOT NULL, -- effects of a stage with the same line happen in the order of decision; '': in any
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
    step       BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (pipeline, key),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name),
    CHECK ((state IN ('done', 'failed')) = (done_at IS NOT NULL))
);
CREATE UNIQUE INDEX effects_lane ON effects (lane) WHERE state = 'doing' AND lane <> '';
CREATE INDEX effects_open ON effects (run_at) WHERE state IN ('due', 'doing');
CREATE INDEX effects_line ON effects (pipeline, line, seq) WHERE state IN ('due', 'doing') AND line <> '';
CREATE INDEX effects_stage ON effects (pipeline, stage) WHERE state = 'due';
CREATE INDEX effects_promotion ON effects (pipeline, promotion, seq);
CREATE INDEX effects_turn ON effects (pipeline, run_at, seq, stage) WHERE state IN ('due', 'doing');

CREATE TABLE views (
    surface   TEXT NOT NULL PRIMARY KEY, -- 'comment:acme/api#142'
    pipeline  BIGINT NOT NULL REFERENCES pipelines (id),
    stage     TEXT NOT NULL, -- '': of no stage
    kind      TEXT NOT NULL,
    wanted    TEXT NOT NULL,
    shown     TEXT NOT NULL,
    remote_id TEXT NOT NULL,
    node      TEXT NOT NULL, -- of GitHub's GraphQL
    run_at    BIGINT NOT NULL,
    attempts  BIGINT NOT NULL CHECK (attempts >= 0),
    holder    TEXT NOT NULL,
    error     TEXT NOT NULL,
    remade    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX views_due ON views (run_at) WHERE wanted <> shown;
CREATE INDEX views_claimed ON views (surface) WHERE holder <> '';
CREATE INDEX views_age ON views (pipeline, stage, run_at);
CREATE INDEX views_turn ON views (pipeline, run_at, surface) WHERE wanted <> shown;
CREATE INDEX views_remote ON views (remote_id) WHERE kind = 'slack';

-- People

-- Slack users and the GitHub users they are, both by ids that people cannot choose; names are for people.
CREATE TABLE links (
    team       TEXT NOT NULL, -- the workspace, or the organization that it belongs to
    slack_user TEXT NOT NULL,
    actor_id   BIGINT NOT NULL CHECK (actor_id > 0),
    actor      TEXT NOT NULL,
    linked_at  BIGINT NOT NULL,
    quiet      BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (team, slack_user)
);
CREATE UNIQUE INDEX links_actor ON links (actor_id);

-- A link that may be completed in a browser, once, for some minutes.
CREATE TABLE link_offers (
    state      TEXT PRIMARY KEY,
    team       TEXT NOT NULL,
    slack_user TEXT NOT NULL,
    name       TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT
);

-- The audit trail

-- A hash chain for each pipeline. The lines about no pipeline are the chain 0, the server's, which also says of every
-- other chain how long it was when.
CREATE TABLE chains (
    pipeline     BIGINT NOT NULL PRIMARY KEY,
    seq          BIGINT NOT NULL, -- of the last line; 0: none
    hash         TEXT NOT NULL,
    removed_seq  BIGINT NOT NULL, -- of the last line that retention has removed; 0: none
    removed_hash TEXT NOT NULL,
    noted_seq    BIGINT NOT NULL, -- what seq was when the server's chain named this one last
    noted_at     BIGINT, -- and when that was; NULL: never
    CHECK (seq >= removed_seq)
);
INSERT INTO chains (pipeline, seq, hash, removed_seq, removed_hash, noted_seq) VALUES (0, 0, '', 0, '', 0);

-- A line. Its hash covers its text, which holds the hash of the line before.
CREATE TABLE events (
    pipeline  BIGINT NOT NULL REFERENCES chains (pipeline),
    seq       BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    stage     TEXT NOT NULL,
    promotion BIGINT NOT NULL,
    kind      TEXT NOT NULL CHECK (kind IN ('state', 'class', 'stage', 'command', 'effect', 'alert', 'chain')),
    word      TEXT NOT NULL,
    sha       TEXT NOT NULL,
    reason    TEXT NOT NULL,
    actor_id  BIGINT NOT NULL,
    actor     TEXT NOT NULL,
    source    TEXT NOT NULL,
    text      TEXT NOT NULL,
    outcome   TEXT NOT NULL,
    plan      TEXT NOT NULL,
    typed     TEXT NOT NULL,
    rule      TEXT NOT NULL,
    hash      TEXT NOT NULL,
    PRIMARY KEY (pipeline, seq)
);

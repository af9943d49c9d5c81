-- The schema. One text for SQLite and PostgreSQL: times are microseconds since 1970 in UTC, lists and
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
    oldest  BIGINT NOT NULL, -- the first version whose program can work with it
    digest  TEXT NOT NULL, -- of this file: before the first release one version has many texts
    made_at BIGINT NOT NULL
);

-- The process that has the database open, written at each start: a database that cannot be written to fails then.
CREATE TABLE process (
    one        BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    holder     TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    checked_at BIGINT NOT NULL -- when it was last tried whether the database can be written
);

-- The servers that share the database, and when each has said last, by the clock of leases, that it is at work.
CREATE TABLE replicas (
    holder  TEXT NOT NULL PRIMARY KEY,
    seen_at BIGINT NOT NULL
);

CREATE TABLE counters (
    name TEXT NOT NULL PRIMARY KEY,
    n    BIGINT NOT NULL CHECK (n >= 0)
);
INSERT INTO counters (name, n) VALUES ('push', 0), ('files', 0);

-- The queues, of which the type queue in the program explains the columns account to error: whose row was claimed last,
-- so that accounts and repositories take turns, the account whose suspect row was, and until when none is claimed.
CREATE TABLE queues (
    name       TEXT NOT NULL PRIMARY KEY,
    account    TEXT NOT NULL DEFAULT '',
    repo       TEXT NOT NULL DEFAULT '',
    suspect    TEXT NOT NULL DEFAULT '',
    not_before BIGINT
);
INSERT INTO queues (name) VALUES ('delivery'), ('missed'), ('discovery'), ('sweep'), ('audit'), ('resync'), ('events'), ('view'), ('effect');

-- The accounts that are shut: nothing of them is claimed, but deliveries that were not tried yet; and those of which
-- little is left: answers, views and resyncs are not claimed.
CREATE TABLE gates (
    account  TEXT NOT NULL PRIMARY KEY,
    until_at BIGINT NOT NULL,
    lasting  BOOLEAN NOT NULL, -- it does not open by itself; until_at is when that may be expected
    scarce   BOOLEAN NOT NULL  -- what is pressing goes on
);

-- The content (pull requests and comments) that installations make on GitHub: of the last hour, and until when no
-- more is made.
CREATE TABLE content (
    token   TEXT NOT NULL PRIMARY KEY, -- of the lease under which it is made
    account TEXT NOT NULL,
    made_at BIGINT NOT NULL, -- at the latest
    words   BOOLEAN NOT NULL -- an answer, news or what shows the state, of which there is less than of promotions
);
CREATE INDEX content_made ON content (account, made_at);
CREATE TABLE content_limits (
    account   TEXT NOT NULL PRIMARY KEY,
    open_at   BIGINT NOT NULL, -- no more is made before
    urgent_at BIGINT NOT NULL, -- nor by a rollback or the end of a promotion before
    words_at  BIGINT NOT NULL, -- nor words before
    shut_at   BIGINT NOT NULL  -- GitHub wants no more before; 0: it has not said so
);

-- Which repositories the names in pipeline files meant when they were first used, by GitHub's ids.
CREATE TABLE allowances (
    repo    TEXT NOT NULL,
    repo_id BIGINT NOT NULL,
    home    TEXT NOT NULL,
    home_id BIGINT NOT NULL,
    PRIMARY KEY (repo, home)
);
CREATE INDEX allowances_home ON allowances (home);

-- Which pipelines the files of repositories allow, by the names of their homes, in small letters.
CREATE TABLE consents (
    repo_id BIGINT NOT NULL,
    repo    TEXT NOT NULL,
    home    TEXT NOT NULL,
    home_id BIGINT NOT NULL DEFAULT 0, -- that the name means; 0: Waybill saw none when it first read the name there
    PRIMARY KEY (repo_id, home)
);
CREATE INDEX consents_home ON consents (home, repo);

-- Whose the names of the owners are that the server works for, by GitHub's ids.
CREATE TABLE owners (
    name TEXT NOT NULL PRIMARY KEY, -- in small letters
    id   BIGINT NOT NULL
);

-- Which repositories the names mean that tokens for the API are bound to, by GitHub's ids.
CREATE TABLE scopes (
    token TEXT NOT NULL, -- its name
    repo  TEXT NOT NULL, -- in small letters
    id    BIGINT NOT NULL,
    PRIMARY KEY (token, repo)
);

-- The channels of Slack in which somebody has said that the pipelines of an installation may be told of.
CREATE TABLE channels (
    id           TEXT NOT NULL, -- Slack's
    installation BIGINT NOT NULL,
    name         TEXT NOT NULL, -- with its #, when it was claimed; empty: not known
    claimed_at   BIGINT NOT NULL,
    PRIMARY KEY (id, installation)
);

-- What arrives

CREATE TABLE deliveries (
    seq          BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, -- the order of arrival
    id           TEXT NOT NULL UNIQUE, -- source:guid
    source       TEXT NOT NULL CHECK (source IN ('github', 'slack', 'api', 'clock')),
    guid         TEXT NOT NULL,
    event        TEXT NOT NULL,
    action       TEXT NOT NULL,
    repo         TEXT NOT NULL,
    installation BIGINT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('waiting', 'handled', 'parked')),
    received_at  BIGINT NOT NULL,
    account      TEXT NOT NULL,
    priority     BIGINT NOT NULL,
    run_at       BIGINT,
    again_at     BIGINT,
    attempts     BIGINT NOT NULL CHECK (attempts >= 0),
    token        TEXT NOT NULL,
    leased_until BIGINT NOT NULL,
    deaths       BIGINT NOT NULL DEFAULT 0 CHECK (deaths >= 0),
    error        TEXT NOT NULL,
    handled_at   BIGINT,
    sha256       TEXT NOT NULL,
    body         BYTEA NOT NULL, -- compressed (s2); last, so that looking for work does not read it
    CHECK ((state = 'handled') = (handled_at IS NOT NULL))
);
CREATE INDEX deliveries_queue ON deliveries (account, repo, priority, run_at, seq) WHERE run_at IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (token) WHERE token <> '';
CREATE INDEX deliveries_died ON deliveries (deaths) WHERE deaths > 0;
CREATE INDEX deliveries_due ON deliveries (run_at) WHERE run_at IS NOT NULL AND token = '';
CREATE INDEX deliveries_parked ON deliveries (seq) WHERE state = 'parked';

-- Webhooks that GitHub tried to deliver and could not.
CREATE TABLE missed (
    guid         TEXT NOT NULL PRIMARY KEY,
    attempt      BIGINT NOT NULL, -- GitHub's id of the attempt that it is asked to repeat
    event        TEXT NOT NULL,
    repository   BIGINT NOT NULL,
    installation BIGINT NOT NULL,
    first_at     BIGINT NOT NULL, -- when GitHub first tried, by GitHub's clock
    account      TEXT NOT NULL,
    repo         TEXT NOT NULL,
    priority     BIGINT NOT NULL,
    run_at       BIGINT, -- GitHub is not asked before
    again_at     BIGINT,
    attempts     BIGINT NOT NULL CHECK (attempts >= 0),
    token        TEXT NOT NULL,
    leased_until BIGINT NOT NULL,
    deaths       BIGINT NOT NULL DEFAULT 0 CHECK (deaths >= 0),
    error        TEXT NOT NULL
);
CREATE INDEX missed_queue ON missed (account, repo, priority, run_at) WHERE run_at IS NOT NULL;
CREATE INDEX missed_leased ON missed (token) WHERE token <> '';
CREATE INDEX missed_died ON missed (deaths) WHERE deaths > 0;
CREATE INDEX missed_due ON missed (run_at) WHERE run_at IS NOT NULL AND token = '';
CREATE INDEX missed_first ON missed (first_at);

-- How far the search for missed webhooks has come.
CREATE TABLE sweep (
    one     BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    read_to BIGINT -- up to when GitHub's list has been read, by GitHub's clock
);
INSERT INTO sweep (one) VALUES (1);

-- Work that comes back at intervals. The clocks of an account are due in the order of time, whatever the repository.
CREATE TABLE clocks (
    name         TEXT NOT NULL,
    pipeline     BIGINT NOT NULL, -- 0: it is the server's
    done_at      BIGINT, -- when the last complete run began
    account      TEXT NOT NULL,
    repo         TEXT NOT NULL CHECK (repo = ''),
    priority     BIGINT NOT NULL,
    run_at       BIGINT,
    again_at     BIGINT,
    attempts     BIGINT NOT NULL CHECK (attempts >= 0),
    token        TEXT NOT NULL,
    leased_until BIGINT NOT NULL,
    deaths       BIGINT NOT NULL DEFAULT 0 CHECK (deaths >= 0),
    error        TEXT NOT NULL,
    PRIMARY KEY (name, pipeline)
);
CREATE INDEX clocks_queue ON clocks (name, account, repo, priority, run_at, pipeline) WHERE run_at IS NOT NULL;
CREATE INDEX clocks_leased ON clocks (token) WHERE token <> '';
CREATE INDEX clocks_died ON clocks (deaths) WHERE deaths > 0;
INSERT INTO clocks (name, pipeline, account, repo, priority, run_at, attempts, token, leased_until, error)
    VALUES ('audit', 0, '', '', 1, 0, 0, '', 0, ''), ('discovery', 0, '', '', 1, 0, 0, '', 0, ''), ('sweep', 0, '', '', 1, NULL, 0, '', 0, ''),
        ('events', 0, '', '', 1, NULL, 0, '', 0, '');

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
    head_sha        TEXT NOT NULL DEFAULT '',
    found           BYTEA NOT NULL DEFAULT '',
    promotions      BIGINT NOT NULL DEFAULT 0 CHECK (promotions >= 0), -- the number of the newest promotion
    ids             BIGINT NOT NULL DEFAULT 0 CHECK (ids >= 0), -- the id of the newest hold or approval
    requests        BIGINT NOT NULL DEFAULT 0 CHECK (requests >= 0), -- the id of the newest request
    stale_since     BIGINT, -- since when its facts may be older than GitHub's: nothing is decided before a resync
    unswept         BOOLEAN NOT NULL DEFAULT FALSE, -- no missed webhooks were looked for since the start: nothing is decided
    lacking         BOOLEAN NOT NULL DEFAULT FALSE -- the App lacked something that it uses, when GitHub was asked last
);

CREATE TABLE stages (
    pipeline   BIGINT NOT NULL REFERENCES pipelines (id),
    name       TEXT NOT NULL,
    position   BIGINT NOT NULL,
    version    BIGINT NOT NULL, -- grows with every change of what a snapshot of the stage reads
    decided    BIGINT NOT NULL, -- the version that was decided last
    wake_at    BIGINT,
    not_before BIGINT NOT NULL, -- it could not be decided and is left alone until then
    fence      BIGINT NOT NULL,
    deciding   BOOLEAN NOT NULL DEFAULT FALSE, -- it is being decided for the first time since the process was started
    deaths     BIGINT NOT NULL DEFAULT 0 CHECK (deaths >= 0), -- how many processes in a row died in the middle of that
    removed_at BIGINT,
    places     BIGINT NOT NULL DEFAULT 0 CHECK (places >= 0), -- the place in the queue of the promotion that was queued last
    effects    BIGINT NOT NULL DEFAULT 0 CHECK (effects >= 0), -- the seq of the effect that was written down last
    PRIMARY KEY (pipeline, name),
    CHECK (decided <= version)
);
CREATE INDEX stages_undecided ON stages (pipeline, position) WHERE version > decided;
CREATE INDEX stages_wake ON stages (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX stages_died ON stages (deaths) WHERE deaths > 0;

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

-- What stages and targets are verified by, so that a signal is only compared with what names it.
CREATE TABLE matchers (
    pipeline BIGINT NOT NULL,
    stage    TEXT NOT NULL,
    target   TEXT NOT NULL, -- '': the stage as a whole
    repo     TEXT NOT NULL,
    branch   TEXT NOT NULL,
    kind     TEXT NOT NULL,
    pattern  TEXT NOT NULL,
    app      TEXT NOT NULL,
    star     BOOLEAN NOT NULL, -- the pattern is more than a name
    listed   BOOLEAN NOT NULL, -- in the pipeline file; else only a verdict keeps it
    shared   BOOLEAN NOT NULL, -- runs count on the merge commit only, because others wait for the same
    common   BOOLEAN NOT NULL, -- a stage of another pipeline is among those others
    PRIMARY KEY (pipeline, stage, target, kind, pattern, app),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);
CREATE INDEX matchers_names ON matchers (repo, kind, pattern, shared);
CREATE INDEX matchers_stars ON matchers (repo, kind, shared) WHERE star;
CREATE INDEX matchers_common ON matchers (pipeline, stage) WHERE common;

-- The files that promotions into stages and targets write.
CREATE TABLE stage_files (
    pipeline BIGINT NOT NULL,
    stage    TEXT NOT NULL,
    target   TEXT NOT NULL, -- '': the stage as a whole
    repo     TEXT NOT NULL,
    branch   TEXT NOT NULL,
    path     TEXT NOT NULL,
    folder   BOOLEAN NOT NULL, -- everything in it is written
    PRIMARY KEY (pipeline, stage, target, path, folder),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);
CREATE INDEX stage_files_path ON stage_files (repo, branch, path);

-- Since when a pipeline has a warehouse: earlier releases and merges are no freight of it.
CREATE TABLE warehouses (
    pipeline BIGINT NOT NULL REFERENCES pipelines (id),
    name     TEXT NOT NULL,
    kind     TEXT NOT NULL,
    repo     TEXT NOT NULL,
    since_at BIGINT NOT NULL,
    reached  TEXT NOT NULL, -- of pushes: the head of the branch up to which they are known
    seen_to  BIGINT,        -- of pull requests: a resync has looked at those that were merged up to then; NULL: at none
    PRIMARY KEY (pipeline, name, kind, repo)
);

-- Facts

CREATE TABLE freight (
    pipeline    BIGINT NOT NULL REFERENCES pipelines (id),
    id          TEXT NOT NULL,
    warehouse   TEXT NOT NULL,
    name        TEXT NOT NULL,
    merged_at   BIGINT NOT NULL, -- or published: the order of a warehouse is merged_at, then number; of versions both stand for these
    number      BIGINT NOT NULL,
    pull        BIGINT NOT NULL, -- the source pull request; 0: there is none
    repo        TEXT NOT NULL,
    sha         TEXT NOT NULL,
    author_id   BIGINT NOT NULL,
    author      TEXT NOT NULL,
    title       TEXT NOT NULL,
    contents    TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    hands       TEXT NOT NULL DEFAULT 'null', -- who has made it, as far as that is known
    unread      BOOLEAN NOT NULL DEFAULT TRUE, -- GitHub has not been asked for the people of its commits
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
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (repo, kind, id)
);
CREATE INDEX signals_sha ON signals (repo, sha);
CREATE INDEX signals_suite ON signals (repo, suite) WHERE suite <> 0;

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

-- The heads of a branch stand in chains: each push follows the one whose head it took the place of, whichever was heard
-- of first. The head before the first push of a chain has the position before it.
CREATE TABLE pushes (
    repo       TEXT NOT NULL,
    branch     TEXT NOT NULL,
    chain      BIGINT NOT NULL,
    position   BIGINT NOT NULL,
    before_sha TEXT NOT NULL,
    after_sha  TEXT NOT NULL,
    seq        BIGINT NOT NULL,
    pushed_at  BIGINT NOT NULL,
    paths      TEXT NOT NULL,
    PRIMARY KEY (repo, branch, chain, position)
);
CREATE INDEX pushes_at ON pushes (repo, branch, pushed_at);
CREATE INDEX pushes_before ON pushes (repo, branch, before_sha);
CREATE INDEX pushes_after ON pushes (repo, after_sha, branch);

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
    head_at    BIGINT, -- since when it shows its head, by GitHub's clock and at the latest
    head_heard_at BIGINT, -- when that was heard, by our clock
    replaced   BOOLEAN NOT NULL DEFAULT FALSE, -- it has shown another head before
    reopened   BIGINT NOT NULL DEFAULT 0, -- how often it was opened again after it had been closed
    base_was   TEXT NOT NULL DEFAULT '', -- the former name of base, if that was renamed
    new_commit BOOLEAN NOT NULL DEFAULT FALSE, -- the merge made merge_sha: nothing has run on it before
    PRIMARY KEY (repo, number),
    CHECK ((state = 'merged') = (merge_sha <> ''))
);
CREATE INDEX pulls_head ON pulls (repo, head_sha) WHERE state = 'open';
CREATE INDEX pulls_open ON pulls (repo, base) WHERE state = 'open';
CREATE INDEX pulls_reopened ON pulls (repo, number) WHERE state = 'open' AND reopened > 0;
CREATE INDEX pulls_closed ON pulls (repo, updated_at) WHERE state = 'closed';

-- Open pull requests, and groups of GitHub's merge queue, into branches of which a stage guards files.
CREATE TABLE candidates (
    pipeline BIGINT NOT NULL,
    ref      TEXT NOT NULL, -- "#12", or the branch of a group
    pull     BIGINT NOT NULL,
    head_sha TEXT NOT NULL,
    files    TEXT NOT NULL, -- of the guarded ones, those that it changes
    seen_at  BIGINT NOT NULL, -- what is older than that changes nothing
    doubted  BOOLEAN NOT NULL, -- other files are guarded since it was looked at
    repo     TEXT NOT NULL DEFAULT '',
    branch   TEXT NOT NULL DEFAULT '',
    unread   BOOLEAN NOT NULL DEFAULT FALSE, -- its files are not known: too much was read for who wants them
    fork     BOOLEAN NOT NULL DEFAULT FALSE, -- it comes from one
    by_id    BIGINT NOT NULL DEFAULT 0, -- for whom its files are read, if it does
    by_login TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (pipeline, ref),
    FOREIGN KEY (pipeline) REFERENCES pipelines (id)
);

-- Labels on pull requests that are no freight yet: they are obeyed as soon as the pull request is.
CREATE TABLE label_requests (
    repo     TEXT NOT NULL,
    number   BIGINT NOT NULL,
    label    TEXT NOT NULL,
    head     TEXT NOT NULL, -- of the pull request when it was put on: a later push ends it
    actor_id BIGINT NOT NULL,
    actor    TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    PRIMARY KEY (repo, number, label)
);

-- A digest of all that reports on a commit: a commit with the same digest is not read again.
CREATE TABLE digests (
    repo       TEXT NOT NULL,
    sha        TEXT NOT NULL,
    digest     TEXT NOT NULL,
    read_at BIGINT NOT NULL,
    PRIMARY KEY (repo, sha)
);

-- What GitHub demands of whoever changes a branch, as it was read last.
CREATE TABLE branch_rules (
    repo    TEXT NOT NULL,
    branch  TEXT NOT NULL,
    rules   TEXT NOT NULL, -- JSON
    read_at BIGINT NOT NULL,
    PRIMARY KEY (repo, branch)
);

-- The values in a stage's files at the head of one of its branches. Without a row they are not known.
CREATE TABLE readings (
    pipeline   BIGINT NOT NULL,
    stage      TEXT NOT NULL,
    repo       TEXT NOT NULL,
    branch     TEXT NOT NULL,
    commit_sha TEXT NOT NULL, -- moves along with pushes that leave the files alone
    read_sha   TEXT NOT NULL, -- where the files were read
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
    freight_merged_at BIGINT NOT NULL, -- the freight's place in its warehouse, as in freight
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
    early             BOOLEAN NOT NULL DEFAULT FALSE, -- it waits until its freight is available, and is no mark till then
    version           BIGINT NOT NULL CHECK (version > 0),
    repairs           BOOLEAN NOT NULL DEFAULT FALSE,
    rollout           TEXT NOT NULL DEFAULT 'null',
    only_targets      TEXT NOT NULL DEFAULT 'null',
    words             TEXT NOT NULL DEFAULT '', -- the reason that a person gave for it
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
CREATE INDEX promotions_queued ON promotions (pipeline, stage, queued_at) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX promotions_automatic ON promotions (pipeline, stage, freight) WHERE automatic;
CREATE INDEX promotions_ended ON promotions (pipeline, stage, place) WHERE ended_at IS NOT NULL;
CREATE INDEX promotions_freight ON promotions (pipeline, freight);
CREATE INDEX promotions_order ON promotions (warehouse, pipeline, stage, freight_merged_at, freight_number);
CREATE INDEX promotions_back ON promotions (pipeline, stage, number) WHERE pins;
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
    state           TEXT NOT NULL,
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
    plan_notes      TEXT NOT NULL DEFAULT 'null', -- what people are told of it
    repo            TEXT NOT NULL DEFAULT '',
    base            TEXT NOT NULL DEFAULT '',
    prepared_at     BIGINT,
    prepared_url    TEXT NOT NULL DEFAULT '',
    late            BIGINT NOT NULL DEFAULT 0,
    landed_at       BIGINT,
    dispatched_at   BIGINT,
    heard           BOOLEAN NOT NULL DEFAULT FALSE,
    behind          TEXT NOT NULL DEFAULT '', -- the commit that rules of the branch want to be up to date
    turn_at         BIGINT, -- since when it is its turn to be made anew; NULL: it is not
    after_stage     TEXT NOT NULL DEFAULT '', -- of the promotion whose turn it waits for
    after_number    BIGINT NOT NULL DEFAULT 0, -- 0: it waits for none
    after_until     BIGINT, -- at most so long
    plan_read       BIGINT, -- when GitHub showed the files, by its clock
    plan_asks       TEXT NOT NULL DEFAULT '', -- a hash of what the pipeline file asked for; '': not known
    asker           BIGINT NOT NULL DEFAULT 0, -- the person whose right was looked up; 0: nobody's was
    asker_lost      TEXT NOT NULL DEFAULT '', -- why that person may not any more
    asker_again     BIGINT, -- GitHub could not say, and is asked again then
    compared_head   TEXT NOT NULL DEFAULT '', -- a head of others that was compared with the plan
    compared_foreign TEXT NOT NULL DEFAULT 'null', -- the paths at which it has something else
    PRIMARY KEY (pipeline, promotion),
    FOREIGN KEY (pipeline, promotion) REFERENCES promotions (pipeline, number) ON UPDATE CASCADE,
    CHECK (state IN ('', 'proposed', 'committing', 'starting', 'delivered', 'failed')),
    CHECK ((state = 'starting') = (dispatched_at IS NOT NULL)),
    CHECK ((state = 'delivered') = (landed_at IS NOT NULL)),
    CHECK ((state = 'failed') = (failure <> '')),
    CHECK (state = 'failed' OR (state = 'proposed') = (pull <> 0)),
    CHECK (state = 'failed' OR (state IN ('proposed', 'delivered')) = (built > 0)),
    CHECK (state NOT IN ('committing', 'starting') OR plan_round > 0),
    CHECK (pull <> 0 OR tried = 0 AND unmergeable = '')
);
CREATE UNIQUE INDEX attempts_branch ON attempts (pipeline, branch) WHERE branch <> '';
CREATE UNIQUE INDEX attempts_prepared ON attempts (prepared_branch, pipeline) WHERE prepared_branch <> '';
CREATE INDEX attempts_turn ON attempts (repo, base, turn_at) WHERE turn_at IS NOT NULL;
CREATE INDEX attempts_after ON attempts (repo, base) WHERE after_number <> 0;
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
CREATE INDEX steps_pull ON steps (pull, repo) WHERE pull <> 0;

CREATE TABLE deployments (
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
    results        TEXT NOT NULL DEFAULT 'null',
    short        BOOLEAN NOT NULL DEFAULT FALSE,
    recovered    BOOLEAN NOT NULL DEFAULT FALSE, -- people were told that the stage is good again
    PRIMARY KEY (pipeline, promotion),
    FOREIGN KEY (pipeline, promotion) REFERENCES promotions (pipeline, number),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name),
    FOREIGN KEY (pipeline, freight) REFERENCES freight (pipeline, id)
);
CREATE UNIQUE INDEX deployments_lasting ON deployments (pipeline, stage, warehouse) WHERE left_at IS NULL;
CREATE INDEX deployments_past ON deployments (pipeline, stage, entered_at, promotion) WHERE left_at IS NOT NULL;
CREATE INDEX deployments_left ON deployments (pipeline, stage, warehouse, entered_at, promotion) WHERE left_at IS NOT NULL;
CREATE INDEX deployments_freight ON deployments (freight, pipeline, stage);
CREATE INDEX deployments_commit ON deployments (commit_sha) WHERE left_at IS NULL;

-- The commits by which what a stage hosts, or one of its targets, is judged: the commit that brought it there, and the
-- heads that followed until a push touched the files.
CREATE TABLE ways (
    id         BIGINT NOT NULL PRIMARY KEY, -- made of what is unique
    pipeline   BIGINT NOT NULL,
    stage      TEXT NOT NULL,
    target     TEXT NOT NULL, -- '': the stage as a whole
    repo       TEXT NOT NULL,
    branch     TEXT NOT NULL,
    commit_sha TEXT NOT NULL,
    chain      BIGINT NOT NULL, -- 0: the commit is not known as a head of the branch
    first      BIGINT NOT NULL, -- the position of the commit
    last       BIGINT NOT NULL, -- the position of the last head that counts; the largest number while no push has touched the files
    folded     TEXT NOT NULL, -- for each matcher up to which id its runs were left out, because newer ones say the same
    fold_at    BIGINT NOT NULL, -- how many runs there are when it is tried to leave some out
    UNIQUE (pipeline, stage, target, commit_sha, repo, branch),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);
CREATE INDEX ways_commit ON ways (repo, commit_sha);
CREATE INDEX ways_chain ON ways (repo, branch, chain, first, last);

-- The signals that judge, as long as they do.
CREATE TABLE evidence (
    way  BIGINT NOT NULL REFERENCES ways (id),
    repo TEXT NOT NULL,
    kind TEXT NOT NULL,
    id   BIGINT NOT NULL,
    PRIMARY KEY (way, kind, id)
);
CREATE INDEX evidence_signal ON evidence (repo, kind, id);

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
    warehouse    TEXT NOT NULL DEFAULT '', -- '': freight of all warehouses
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
CREATE INDEX approvals_of_freight ON approvals (pipeline, stage, freight, kind);

CREATE TABLE rejects (
    pipeline        BIGINT NOT NULL REFERENCES pipelines (id),
    id              BIGINT NOT NULL,
    stage           TEXT NOT NULL, -- '': all
    freight         TEXT NOT NULL,
    freight_name    TEXT NOT NULL,
    warehouse       TEXT NOT NULL,
    merged_at       BIGINT NOT NULL, -- the place of the freight in the order of its warehouse, with number
    number          BIGINT NOT NULL,
    actor_id        BIGINT NOT NULL,
    actor           TEXT NOT NULL,
    text            TEXT NOT NULL,
    given_at        BIGINT NOT NULL,
    lifted_at       BIGINT,
    lifted_by_id    BIGINT NOT NULL,
    lifted_by       TEXT NOT NULL,
    fixed_by        TEXT NOT NULL, -- the name of the freight that repairs it; '': none is known
    fixed_merged_at BIGINT,
    fixed_number    BIGINT NOT NULL,
    PRIMARY KEY (pipeline, id)
);
CREATE INDEX rejects_standing ON rejects (pipeline, id) WHERE lifted_at IS NULL;

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
    worded_at   BIGINT, -- when it got words for an answer in words; NULL: it did not
    worded_in   TEXT NOT NULL DEFAULT '', -- the repository in which they are said
    heard       BOOLEAN NOT NULL DEFAULT FALSE, -- asked_at is when it arrived, by our clock
    late        BOOLEAN NOT NULL DEFAULT FALSE, -- it was told of more than a day after it was given
    unmerged    BOOLEAN NOT NULL DEFAULT FALSE, -- its pull request was not merged when it was given
    together    BIGINT NOT NULL DEFAULT 0, -- the first of the requests of one command to several stages; 0: it is to one
    outcome     TEXT NOT NULL DEFAULT '', -- of its answer
    reason      TEXT NOT NULL DEFAULT '',
    about       BIGINT NOT NULL DEFAULT 0, -- the promotion that the answer is about; 0: none
    PRIMARY KEY (pipeline, id),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name)
);
CREATE INDEX requests_together ON requests (pipeline, together, answered_at) WHERE together <> 0;
CREATE INDEX requests_worded ON requests (worded_in, worded_at) WHERE worded_at IS NOT NULL;
CREATE INDEX requests_repo ON requests (pull_repo, asked_at);
CREATE INDEX requests_open ON requests (pipeline, stage, id) WHERE answered_at IS NULL;
CREATE INDEX requests_actor ON requests (actor_id, asked_at);
CREATE INDEX requests_surface ON requests (surface);

-- Each command that a person has given, by what tells it from all others on its surface.
CREATE TABLE acts (
    act      TEXT NOT NULL PRIMARY KEY,
    given_at BIGINT NOT NULL
);

-- What is done and shown

CREATE TABLE effects (
    pipeline     BIGINT NOT NULL,
    key          TEXT NOT NULL,
    stage        TEXT NOT NULL,
    promotion    BIGINT NOT NULL,
    seq          BIGINT NOT NULL, -- the order of decision in the stage
    verb         TEXT NOT NULL,
    round        BIGINT NOT NULL,
    freight      TEXT NOT NULL,
    outcome      TEXT NOT NULL,
    reason       TEXT NOT NULL,
    request      BIGINT NOT NULL,
    surface      TEXT NOT NULL,
    line         TEXT NOT NULL, -- effects of a stage with the same line happen in the order of decision; '': in any
    lane         TEXT NOT NULL, -- of the effects with the same lane one is done at a time; '': any number
    fenced       BOOLEAN NOT NULL, -- it waits while its stage has something undecided
    owed         BOOLEAN NOT NULL, -- it happens even if no later decision wants it
    state        TEXT NOT NULL CHECK (state IN ('due', 'done', 'failed', 'void')),
    result       TEXT NOT NULL,
    decided_at   BIGINT NOT NULL,
    tried_at     BIGINT,
    done_at      BIGINT,
    step         BIGINT NOT NULL DEFAULT 0,
    account      TEXT NOT NULL,
    repo         TEXT NOT NULL,
    priority     BIGINT NOT NULL,
    run_at       BIGINT,
    again_at     BIGINT,
    attempts     BIGINT NOT NULL CHECK (attempts >= 0),
    token        TEXT NOT NULL,
    leased_until BIGINT NOT NULL,
    deaths       BIGINT NOT NULL DEFAULT 0 CHECK (deaths >= 0),
    error        TEXT NOT NULL,
    refusal      TEXT NOT NULL DEFAULT '', -- GitHub's words, while GitHub refuses it for a reason that may pass
    refused_at   BIGINT,                   -- since when
    given_up_at  BIGINT,                   -- when it is given up if GitHub still refuses it; NULL: never
    content      TEXT NOT NULL DEFAULT '', -- the account that may make no content now, for which it waits
    rank         BIGINT NOT NULL DEFAULT 1, -- its place among those that wait for that; 0: urgent
    PRIMARY KEY (pipeline, key),
    FOREIGN KEY (pipeline, stage) REFERENCES stages (pipeline, name),
    CHECK ((state IN ('done', 'failed')) = (done_at IS NOT NULL)),
    CHECK (NOT owed OR state <> 'void'),
    CHECK ((refusal <> '') = (refused_at IS NOT NULL)),
    CHECK (given_up_at IS NULL OR refused_at IS NOT NULL)
);
CREATE UNIQUE INDEX effects_lane ON effects (lane) WHERE leased_until > 0 AND lane <> '';
CREATE INDEX effects_queue ON effects (account, repo, priority, run_at, seq, stage) WHERE run_at IS NOT NULL;
CREATE INDEX effects_content ON effects (content, rank, run_at) WHERE content <> '' AND run_at IS NOT NULL;
CREATE INDEX effects_leased ON effects (token) WHERE token <> '';
CREATE INDEX effects_died ON effects (deaths) WHERE deaths > 0;
CREATE INDEX effects_due ON effects (run_at) WHERE run_at IS NOT NULL AND token = '';
CREATE INDEX effects_line ON effects (pipeline, line, seq) WHERE run_at IS NOT NULL AND line <> '';
CREATE INDEX effects_stage ON effects (pipeline, stage, run_at) WHERE run_at IS NOT NULL;
CREATE INDEX effects_promotion ON effects (pipeline, promotion, seq);

CREATE TABLE views (
    surface      TEXT NOT NULL PRIMARY KEY, -- 'comment:acme/api#142'
    pipeline     BIGINT NOT NULL REFERENCES pipelines (id),
    stage        TEXT NOT NULL, -- '': of no stage
    kind         TEXT NOT NULL,
    wanted       TEXT NOT NULL,
    shown        TEXT NOT NULL,
    remote_id    TEXT NOT NULL,
    node         TEXT NOT NULL, -- of GitHub's GraphQL
    not_before   BIGINT NOT NULL, -- it stays as it is until then
    remade       BIGINT NOT NULL DEFAULT 0,
    account      TEXT NOT NULL,
    repo         TEXT NOT NULL,
    priority     BIGINT NOT NULL,
    run_at       BIGINT,
    again_at     BIGINT,
    attempts     BIGINT NOT NULL CHECK (attempts >= 0),
    token        TEXT NOT NULL,
    leased_until BIGINT NOT NULL,
    deaths       BIGINT NOT NULL DEFAULT 0 CHECK (deaths >= 0),
    error        TEXT NOT NULL,
    freight      TEXT NOT NULL DEFAULT '', -- that it shows: the one of which there was news last
    promotion    BIGINT NOT NULL DEFAULT 0, -- that it shows; 0: none
    commit_sha   TEXT NOT NULL DEFAULT '', -- that it is shown on, if it is a check run
    outdated_id  BIGINT NOT NULL DEFAULT 0, -- the newest remote_id that is not to be changed any more; 0: none
    content      TEXT NOT NULL DEFAULT '' -- the account that may make no content now, for which it waits
);
CREATE INDEX views_queue ON views (account, repo, priority, run_at, surface) WHERE run_at IS NOT NULL;
CREATE INDEX views_content ON views (content, run_at) WHERE content <> '' AND run_at IS NOT NULL;
CREATE INDEX views_leased ON views (token) WHERE token <> '';
CREATE INDEX views_died ON views (deaths) WHERE deaths > 0;
CREATE INDEX views_due ON views (run_at) WHERE run_at IS NOT NULL AND token = '';
CREATE INDEX views_age ON views (pipeline, stage, not_before);
CREATE INDEX views_remote ON views (remote_id) WHERE kind = 'slack';
CREATE INDEX views_commit ON views (commit_sha) WHERE kind = 'check';

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

-- The last line of each chain that was sent to the receiver of events. There are rows only while there is a receiver:
-- that of the server's chain says so, and a chain without one begins with its first line.
CREATE TABLE sent_events (
    pipeline BIGINT NOT NULL PRIMARY KEY,
    seq      BIGINT NOT NULL
);

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

-- commands that were about a promotion
CREATE INDEX events_commands ON events (pipeline, promotion, seq) WHERE kind = 'command';

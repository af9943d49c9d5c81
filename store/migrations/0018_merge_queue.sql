-- Pull requests stand in GitHub's merge queue, and are taken out of it. The program knows the verbs of effects by itself.

ALTER TABLE pulls ADD COLUMN queue TEXT NOT NULL DEFAULT '';

CREATE TABLE effects_anew (
    key        TEXT NOT NULL PRIMARY KEY,
    pipeline   BIGINT NOT NULL,
    stage      TEXT NOT NULL,
    promotion  BIGINT NOT NULL,
    seq        BIGINT NOT NULL, -- the order of decision
    verb       TEXT NOT NULL,
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
INSERT INTO effects_anew (key, pipeline, stage, promotion, seq, verb, round, freight, outcome, reason, request, surface, line, lane, state,
        attempts, run_at, holder, result, error, decided_at, tried_at, done_at)
    SELECT key, pipeline, stage, promotion, seq, verb, round, freight, outcome, reason, request, surface, line, lane, state,
        attempts, run_at, holder, result, error, decided_at, tried_at, done_at FROM effects;
DROP TABLE effects;
ALTER TABLE effects_anew RENAME TO effects;
CREATE UNIQUE INDEX effects_lane ON effects (lane) WHERE state = 'doing' AND lane <> '';
CREATE INDEX effects_open ON effects (run_at, seq) WHERE state IN ('due', 'doing');
CREATE INDEX effects_line ON effects (line, seq) WHERE state IN ('due', 'doing') AND line <> '';
CREATE INDEX effects_stage ON effects (pipeline, stage) WHERE state = 'due';
CREATE INDEX effects_promotion ON effects (promotion, seq);
CREATE INDEX effects_turn ON effects (pipeline, run_at, seq) WHERE state IN ('due', 'doing');

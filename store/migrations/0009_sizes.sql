-- A start looks for what the process before it had claimed, among as many views as there are promotions; retention keeps
-- the newest check runs of each stage.
CREATE INDEX views_claimed ON views (surface) WHERE holder <> '';
CREATE INDEX views_age ON views (pipeline, stage, run_at);

-- Lists of promotions have indexes that nothing else can use: with (pipeline, stage, number) of all promotions at hand,
-- SQLite looked for the open ones of a stage among all that it ever had.
DROP INDEX promotions_pipeline;
DROP INDEX promotions_stage;
CREATE INDEX promotions_pipeline ON promotions (pipeline, number) WHERE number > 0;
CREATE INDEX promotions_stage ON promotions (pipeline, stage, number) WHERE number > 0;

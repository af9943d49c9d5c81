-- Lists of promotions, newest first, of a pipeline and of a stage.
CREATE INDEX promotions_pipeline ON promotions (pipeline, number);
CREATE INDEX promotions_stage ON promotions (pipeline, stage, number);

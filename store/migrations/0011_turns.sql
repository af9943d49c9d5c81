-- Pipelines take turns in having their effects carried out and their views shown.

CREATE INDEX effects_turn ON effects (pipeline, run_at, seq) WHERE state IN ('due', 'doing');
CREATE INDEX views_turn ON views (pipeline, run_at, surface) WHERE wanted <> shown;

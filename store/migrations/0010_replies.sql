-- How often somebody has been answered of late is looked up before the next answer.
CREATE INDEX requests_actor ON requests (actor_id, asked_at);

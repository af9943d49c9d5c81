-- Who somebody in Slack is on GitHub. Both are known by ids that nobody can choose; the names are for people.

CREATE TABLE links (
	team TEXT NOT NULL, -- the workspace, or the organization that it belongs to
	slack_user TEXT NOT NULL,
	actor_id BIGINT NOT NULL CHECK (actor_id > 0),
	actor TEXT NOT NULL,
	linked_at BIGINT NOT NULL,
	PRIMARY KEY (team, slack_user)
);
CREATE UNIQUE INDEX links_actor ON links (actor_id);

-- Somebody in Slack has asked for a link and may complete it in a browser, once, for some minutes.
CREATE TABLE link_offers (
	state TEXT PRIMARY KEY,
	team TEXT NOT NULL,
	slack_user TEXT NOT NULL,
	name TEXT NOT NULL,
	expires_at BIGINT NOT NULL,
	used_at BIGINT
);

-- A message of ours is found by where it is in Slack: what is said in its thread is about it.
CREATE INDEX views_remote ON views (remote_id) WHERE kind = 'slack';

-- Which rule of the policy decided about a command. Lines from before have none, and their hashes stay as they are.

ALTER TABLE events ADD COLUMN rule TEXT NOT NULL DEFAULT '';

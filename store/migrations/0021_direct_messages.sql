-- Who is linked in Slack may say that they want no direct messages.

ALTER TABLE links ADD COLUMN quiet BOOLEAN NOT NULL DEFAULT FALSE;

-- Who pushed last to a pull request of ours, if that was not Waybill: a policy may keep them from signing it off.
ALTER TABLE pulls ADD COLUMN pusher_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pulls ADD COLUMN pusher TEXT NOT NULL DEFAULT '';

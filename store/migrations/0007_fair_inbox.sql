-- Deliveries are taken from one repository after the other.

DROP INDEX deliveries_waiting;
CREATE INDEX deliveries_waiting ON deliveries (repo, run_at, seq) WHERE state = 'waiting';

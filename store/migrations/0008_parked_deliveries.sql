-- What is parked is found without looking at all that was handled.

CREATE INDEX deliveries_parked ON deliveries (seq) WHERE state = 'parked';

-- GitHub is asked for one redelivery at a time: not before ask_at for the next; NULL: at once.

ALTER TABLE sweep ADD COLUMN ask_at BIGINT;

-- of the node that is gone: the shards of a run clear the outbox apart
ALTER TABLE outbox ADD COLUMN path TEXT NOT NULL DEFAULT '';

-- path of the deleted node: each shard of a run empties its own part of the outbox
ALTER TABLE outbox ADD COLUMN path TEXT NOT NULL DEFAULT '';

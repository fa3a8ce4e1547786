-- 1 if the reason is that the parser was stopped by a limit, which another run may not reach
ALTER TABLE files ADD COLUMN stopped INTEGER NOT NULL DEFAULT 0;
UPDATE files SET stopped = 1 WHERE reason GLOB 'the parser *';

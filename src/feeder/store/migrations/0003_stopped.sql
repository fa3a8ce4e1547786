-- whether the reason is that the parser was stopped, which another time may not hold
ALTER TABLE files ADD COLUMN stopped INTEGER NOT NULL DEFAULT 0;
UPDATE files SET stopped = 1 WHERE reason GLOB 'the parser *';

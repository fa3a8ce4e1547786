-- hash of the description that a node's vector contains; '?' if that is uncertain
ALTER TABLE docs ADD COLUMN vector_line TEXT NOT NULL DEFAULT '';
ALTER TABLE descriptions ADD COLUMN line_sha TEXT NOT NULL DEFAULT '';
-- a value that differs from the hash of any later description of the same text
UPDATE descriptions SET line_sha = 'first ' || seq WHERE line <> '';
DELETE FROM meta WHERE key GLOB '*:vectors' AND EXISTS (SELECT 1 FROM descriptions);

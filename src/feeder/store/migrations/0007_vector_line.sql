-- of which line a node's vector is, as the line's hash; '?' where that is in doubt
ALTER TABLE docs ADD COLUMN vector_line TEXT NOT NULL DEFAULT '';
ALTER TABLE descriptions ADD COLUMN line_sha TEXT NOT NULL DEFAULT '';
-- any name that no other line of the same text will have
UPDATE descriptions SET line_sha = 'first ' || seq WHERE line <> '';
DELETE FROM meta WHERE key GLOB '*:vectors' AND EXISTS (SELECT 1 FROM descriptions);

-- hash of the lines of a node, by which copies are found without reading them; 0 if they are too few
-- to compare, NULL until the file is read again
ALTER TABLE docs ADD COLUMN lines_hash INTEGER;
-- of a part of a node: first line, last line and number of the consecutive parts that it belongs to,
-- as JSON; NULL for other nodes, and until the file is read again
ALTER TABLE docs ADD COLUMN part_run TEXT;

-- language and last line of a file's nodes, so that the map reads no nodes; NULL without nodes
ALTER TABLE files ADD COLUMN language TEXT;
ALTER TABLE files ADD COLUMN lines INTEGER;
UPDATE files SET (language, lines) = (
  SELECT min(d.language), max(d.end_line) FROM docs d
  WHERE d.repo = files.repo AND d.path = files.path
) WHERE nodes > 0;

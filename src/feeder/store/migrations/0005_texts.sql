-- stored source, for readers that have the database only; empty without --texts
CREATE TABLE texts (
  repo TEXT NOT NULL,
  path TEXT NOT NULL,
  part INTEGER NOT NULL,
  first_line INTEGER NOT NULL,
  last_line INTEGER NOT NULL,
  numbers TEXT,
  text BLOB NOT NULL,
  PRIMARY KEY (repo, path, part)
) WITHOUT ROWID;

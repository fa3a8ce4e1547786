-- the lines of files, for who has the database alone; empty unless a feed was told --texts
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

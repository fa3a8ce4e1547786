CREATE TABLE docs (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo TEXT NOT NULL,
  branch TEXT NOT NULL,
  sha_head TEXT NOT NULL,
  path TEXT NOT NULL,
  language TEXT,
  node_type TEXT NOT NULL,
  symbol TEXT,
  signature TEXT,
  logical_path TEXT,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  text_sha TEXT NOT NULL
);
CREATE INDEX docs_path ON docs(path);
CREATE INDEX docs_repo_path ON docs(repo, path);
CREATE INDEX docs_sha ON docs(sha_head);

CREATE VIRTUAL TABLE docs_fts USING fts5(
  id UNINDEXED, symbol, path, body,
  content='', contentless_delete=1, contentless_unindexed=1, tokenize='porter unicode61'
);

CREATE TABLE files (
  repo TEXT NOT NULL,
  path TEXT NOT NULL,
  blob TEXT NOT NULL,
  sha_head TEXT NOT NULL,
  nodes INTEGER NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  PRIMARY KEY (repo, path)
) WITHOUT ROWID;

CREATE TABLE outbox (
  id TEXT PRIMARY KEY NOT NULL,
  repo TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE meta (
  key TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) WITHOUT ROWID;

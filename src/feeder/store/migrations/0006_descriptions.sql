-- descriptions of methods and classes by a language model, by the hash of the text that it is given,
-- which a node has in `describes`; empty without --describe
ALTER TABLE docs ADD COLUMN describes TEXT NOT NULL DEFAULT '';
CREATE INDEX docs_describes ON docs(describes) WHERE describes <> '';
CREATE TABLE descriptions (
  seq INTEGER PRIMARY KEY,
  sha TEXT NOT NULL UNIQUE,
  model TEXT NOT NULL,
  prompt TEXT NOT NULL,
  line TEXT NOT NULL,
  reason TEXT NOT NULL
);
CREATE VIRTUAL TABLE descriptions_fts USING fts5(
  line, content='', contentless_delete=1, tokenize='porter unicode61'
);

-- what a node calls, inherits, uses and imports, by name; empty until the file is read again
ALTER TABLE docs ADD COLUMN relations TEXT NOT NULL DEFAULT '';

-- parser and static model by which the file was read; empty if it was not read, and in rows of
-- earlier versions, for which `REPO:parser` in `meta` is valid
ALTER TABLE files ADD COLUMN parser TEXT NOT NULL DEFAULT '';

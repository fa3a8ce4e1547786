-- names in a node that have no node of their own, with their lines, after a hash of them
ALTER TABLE docs ADD COLUMN members TEXT NOT NULL DEFAULT '';

-- names in a node that are no nodes, with their lines, behind a hash of them
ALTER TABLE docs ADD COLUMN members TEXT NOT NULL DEFAULT '';

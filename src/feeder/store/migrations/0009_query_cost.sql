-- number of nodes of each word, so that a query does not count them
CREATE VIRTUAL TABLE docs_vocab USING fts5vocab('docs_fts', 'row');

-- one index for the nodes of a file, by line, in place of two for the nodes of a path
DROP INDEX docs_path;
DROP INDEX docs_repo_path;
CREATE INDEX docs_place ON docs(repo, path, start_line);

-- 1 for each part of a node that consists of several parts
ALTER TABLE docs ADD COLUMN is_part INTEGER NOT NULL DEFAULT 0;
UPDATE docs SET is_part = 1 WHERE seq IN (
  SELECT seq FROM (
    SELECT seq, count(*) OVER (
      PARTITION BY repo, path, node_type, symbol, signature, logical_path
    ) AS parts
    FROM docs WHERE symbol <> '' OR logical_path <> ''
  ) WHERE parts > 1
);
CREATE INDEX docs_part ON docs(repo, path, symbol, logical_path) WHERE is_part = 1;

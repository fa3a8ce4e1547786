-- nodes with Chinese, Japanese or Korean text lose their postings, which had a whole run of such
-- characters as one word: the next run reads their files again, and writes no other node
CREATE VIRTUAL TABLE docs_words USING fts5vocab('docs_fts', 'instance');
UPDATE files SET blob = '' WHERE (repo, path) IN (
  SELECT d.repo, d.path FROM docs_vocab v CROSS JOIN docs_words w ON w.term = v.term
  CROSS JOIN docs d ON d.seq = w.doc
  WHERE v.term GLOB '*[ᄀ-ᇿ々-鿿ꥠ-ퟻ豈-﫿ｦ-ￜ𛀀-𲎯]*'
);
DELETE FROM docs_fts WHERE rowid IN (
  SELECT w.doc FROM docs_vocab v CROSS JOIN docs_words w ON w.term = v.term
  WHERE v.term GLOB '*[ᄀ-ᇿ々-鿿ꥠ-ퟻ豈-﫿ｦ-ￜ𛀀-𲎯]*'
);
DELETE FROM meta WHERE key IN (SELECT repo || ':tree' FROM files WHERE blob = '' AND nodes > 0);
DROP TABLE docs_words;

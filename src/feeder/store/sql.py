"""SQL statements that write the index, for D1 and SQLite alike.

Bulk data comes as JSON parameters.
"""

CHOSEN_MODEL_KEY = "chosen"
"""Key of the model that `feeder init` was given, with which the first run makes vectors."""

SET_META = """
INSERT INTO meta (key, value) SELECT key, value FROM json_each(?) WHERE true
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
# ?2 the key that is set only if no file is pending, ?3 the repository, ?4 required values of meta
SET_META_IF_COMPLETE = """
INSERT INTO meta (key, value) SELECT key, value FROM json_each(?1)
WHERE (key <> ?2 OR NOT EXISTS (SELECT 1 FROM files WHERE repo = ?3 AND state = 'pending'))
AND NOT EXISTS (
  SELECT 1 FROM json_each(?4) e LEFT JOIN meta m ON m.key = e.key WHERE m.value IS NOT e.value
)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
# deletes only if the key ?2 has the value ?3
DELETE_META_IF = """
DELETE FROM meta WHERE key IN (SELECT value FROM json_each(?1))
AND EXISTS (SELECT 1 FROM meta WHERE key = ?2 AND value = ?3)
"""
DELETE_META = "DELETE FROM meta WHERE key IN (SELECT value FROM json_each(?))"
# also the write numbers of other runs, ?2 to ?3 without the own ones, which begin with ?4: one that
# has ended may have written since the state was read, as it requests descriptions after its end
DELETE_META_OF_RUNS = """
DELETE FROM meta WHERE key IN (SELECT value FROM json_each(?1))
OR key >= ?2 AND key < ?3 AND substr(key, 1, length(?4)) <> ?4
"""
CHECK_OWNER = """
INSERT INTO meta (key, value)
SELECT 'guard', NULL WHERE (SELECT value FROM meta WHERE key = ?) IS NOT ?
"""
# a repeated or late write has a number that is not new, and sets the key to NULL, which fails
RECORD_WRITE_NUMBER = """
INSERT INTO meta (key, value) VALUES (?, ?)
ON CONFLICT (key) DO UPDATE SET
  key = iif(CAST(meta.value AS INTEGER) >= CAST(excluded.value AS INTEGER), NULL, meta.key),
  value = excluded.value
"""
READ_WRITE_NUMBER = "SELECT value FROM meta WHERE key = ?"

# ?1 repositories. Of a shared database, the values of other repositories are not read
READ_META = """
SELECT m.key, m.value FROM (
  VALUES ('model'), ('dimensions'), ('header'), ('index'), ('lookup'), ('chosen'),
  ('index_created_on')
) k CROSS JOIN meta m ON m.key = k.column1
UNION ALL SELECT m.key, m.value FROM json_each(?1) r CROSS JOIN meta m
ON m.key >= r.value || ':' AND m.key < r.value || ';'
"""
# any run, to tell an empty index from one of other repositories
READ_ANY_RUN = "SELECT key, value FROM meta WHERE key LIKE '%:run' LIMIT 1"
READ_WHOLE_META = "SELECT key, value FROM meta"
READ_OUTBOX = "SELECT id, path FROM outbox WHERE repo = ? ORDER BY id"
# ?2 expected values of meta
_DIFFERS_FROM_EXPECTED = """
(?2 = '{}' OR EXISTS (
  SELECT 1 FROM json_each(?2) e LEFT JOIN meta m ON m.key = e.key WHERE m.value IS NOT e.value
))
"""
# if all values are as expected, only files with a reason or unparsed lines are returned; the
# others are counted
READ_FILES = f"""
SELECT path, blob, state, reason, stopped, parser, unparsed FROM files
WHERE repo = ?1 AND path > ?3
AND (coalesce(reason, unparsed) IS NOT NULL OR {_DIFFERS_FROM_EXPECTED})
ORDER BY path LIMIT ?4
"""
COUNT_INDEXED_FILES = (
    "SELECT count(*) FROM files WHERE repo = ?1 AND state <> 'skipped' AND NOT "
    f"{_DIFFERS_FROM_EXPECTED}"
)
READ_FILES_AT = """
SELECT path, blob, state, reason, stopped, parser, unparsed FROM files
WHERE repo = ? AND path IN (SELECT value FROM json_each(?)) ORDER BY path
"""
# equal for equal nodes, as `rows.encode_nodes` makes it
_NODE_KEY = "text_sha || substr(members, 1, 16) || iif(is_part, '+', '')"
READ_NODE_KEYS = f"""
SELECT path, id, {_NODE_KEY} FROM docs
WHERE repo = ? AND path IN (SELECT value FROM json_each(?))
"""
READ_NODES_WRITTEN = """
SELECT id FROM docs WHERE repo = ? AND sha_head = ? AND path IN (SELECT value FROM json_each(?))
"""
COUNT_NODES_WITH_VECTORS = "SELECT coalesce(sum(nodes), 0) FROM files WHERE state = 'clean'"
MARK_ALL_PENDING = "UPDATE files SET state = 'pending' WHERE state = 'clean' AND nodes > 0"
# all repositories share the model; their counts have the files that were not pending
DELETE_ALL_VECTORS_KEYS = "DELETE FROM meta WHERE key GLOB '*:vectors' OR key GLOB '*:counts'"
SET_BRANCH = "UPDATE docs SET branch = ?1 WHERE repo = ?2 AND branch <> ?1"

# ?1 repository, ?2 paths, ?3 {id: key} of the files' new nodes
_IS_CHANGED = f"""
repo = ?1 AND path IN (SELECT value FROM json_each(?2))
AND (id, {_NODE_KEY}) NOT IN (SELECT key, value FROM json_each(?3))
"""
ADD_TO_OUTBOX = """
INSERT OR IGNORE INTO outbox (id, repo, path)
SELECT id, repo, path FROM docs WHERE repo = ?1 AND path IN (SELECT value FROM json_each(?2))
AND id NOT IN (SELECT key FROM json_each(?3)) AND EXISTS (SELECT 1 FROM meta WHERE key = 'model')
"""
DELETE_POSTINGS = f"DELETE FROM docs_fts WHERE rowid IN (SELECT seq FROM docs WHERE {_IS_CHANGED})"
DELETE_NODES = f"DELETE FROM docs WHERE {_IS_CHANGED} RETURNING id, node_type, language"
RESTORE_FROM_OUTBOX = "DELETE FROM outbox WHERE id IN (SELECT key FROM json_each(?))"

# rows of the static model for a Worker, written by earlier versions; the key in `meta` names them
OBSOLETE_TABLE = "lookup"
DROP_OBSOLETE_TABLE = f"DROP TABLE IF EXISTS {OBSOLETE_TABLE}"

LAST_NODE = "SELECT coalesce(max(seq), 0) FROM docs"
# a node of which only relations, nested nodes or other parts have changed is updated: it keeps its
# postings and its vector. New nodes have a `seq` above that of LAST_NODE. With the
# LIMIT, SQLite reads each value of json_each once, not once per column; a temporary table would do
# so too, but D1 would count its rows
ADD_NODES = """
INSERT INTO docs (repo, branch, sha_head, id, path, language, node_type, symbol, signature,
  logical_path, start_line, end_line, text_sha, members, describes, is_part, relations,
  lines_hash, part_run)
SELECT ?1, ?2, ?3, value->>0, value->>1, value->>2, value->>3, value->>4, value->>5,
  value->>6, value->>7, value->>8, value->>9, value->>10, value->>11, value->>12,
  value->>13, value->>14, value->>15
FROM (SELECT value FROM json_each(?4) LIMIT -1) WHERE true
ON CONFLICT (id) DO UPDATE SET relations = excluded.relations, lines_hash = excluded.lines_hash,
  part_run = excluded.part_run
  WHERE (relations, lines_hash, part_run)
    IS NOT (excluded.relations, excluded.lines_hash, excluded.part_run)
RETURNING id, seq, node_type, language
"""
# CROSS JOIN fixes the join order: each row of the parameter looks up its node
ADD_POSTINGS = """
INSERT INTO docs_fts (rowid, id, symbol, path, body)
SELECT d.seq, d.id, j.value->>1, j.value->>2, j.value->>3
FROM json_each(?) j CROSS JOIN docs d ON d.id = j.value->>0
WHERE NOT EXISTS (SELECT 1 FROM docs_fts f WHERE f.rowid = d.seq)
"""
# merges the segments that FTS5 has made of each write: phrases are found in a quarter of the time
MERGE_POSTINGS = "INSERT INTO docs_fts (docs_fts) VALUES ('optimize')"

UPSERT_FILES = """
INSERT INTO files (repo, sha_head, path, blob, nodes, state, reason, stopped, parser, language,
  lines, unparsed)
SELECT ?1, ?2, value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6,
  value->>7, value->>8, value->>9
FROM json_each(?3) WHERE true
ON CONFLICT (repo, path) DO UPDATE SET sha_head = excluded.sha_head, blob = excluded.blob,
  nodes = excluded.nodes, state = excluded.state, reason = excluded.reason,
  stopped = excluded.stopped, parser = excluded.parser, language = excluded.language,
  lines = excluded.lines, unparsed = excluded.unparsed
"""
SET_PARSER = """
UPDATE files SET parser = ?2 WHERE repo = ?1 AND path IN (SELECT value FROM json_each(?3))
"""
DELETE_FILES = "DELETE FROM files WHERE repo = ? AND path IN (SELECT value FROM json_each(?))"
INVALIDATE_FILES = """
UPDATE files SET blob = '' WHERE repo = ? AND path IN (SELECT value FROM json_each(?))
"""
MARK_CLEAN = """
UPDATE files SET state = 'clean'
WHERE repo = ? AND state = 'pending' AND path IN (SELECT value FROM json_each(?))
"""
DELETE_FROM_OUTBOX = "DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?))"

# statements of a repair: ?1 repository, ?2 a page of items; rows repaired by another run meanwhile
# stay
DELETE_ORPHAN_POSTINGS = """
DELETE FROM docs_fts WHERE rowid IN (SELECT value FROM json_each(?2))
AND NOT EXISTS (SELECT 1 FROM docs d WHERE d.seq = docs_fts.rowid AND d.id = docs_fts.id)
"""
DELETE_ORPHAN_NAMES = """
DELETE FROM names_fts WHERE rowid IN (SELECT value FROM json_each(?2))
AND NOT EXISTS (SELECT 1 FROM docs d WHERE d.seq = names_fts.rowid)
"""
DELETE_POSTINGS_BY_ID = """
DELETE FROM docs_fts
WHERE rowid IN (SELECT seq FROM docs WHERE id IN (SELECT value FROM json_each(?2)))
"""
ADD_TO_OUTBOX_BY_ID = """
INSERT OR IGNORE INTO outbox (id, repo, path) SELECT id, ?1, path FROM docs
WHERE id IN (SELECT value FROM json_each(?2)) AND EXISTS (SELECT 1 FROM meta WHERE key = 'model')
"""
DELETE_NODES_BY_ID = "DELETE FROM docs WHERE id IN (SELECT value FROM json_each(?2))"
ADD_ORPHANS_TO_OUTBOX = """
INSERT OR IGNORE INTO outbox (id, repo)
SELECT value, ?1 FROM json_each(?2) j WHERE NOT EXISTS (SELECT 1 FROM docs WHERE id = j.value)
"""
MARK_PENDING = """
UPDATE files SET state = 'pending' WHERE repo = ?1 AND path IN (SELECT value FROM json_each(?2))
"""
REMOVE_LIVE_FROM_OUTBOX = "DELETE FROM outbox WHERE repo = ? AND id IN (SELECT id FROM docs)"

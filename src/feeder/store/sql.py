"""SQL statements that write the index, for D1 and SQLite alike; bulk data comes as JSON
parameters.
"""

SET_META = """
INSERT INTO meta (key, value) SELECT key, value FROM json_each(?) WHERE true
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
# ?2 the key that says that no vector is missing, ?3 the repository, ?4 what meta must hold for it
SET_META_IF_COMPLETE = """
INSERT INTO meta (key, value) SELECT key, value FROM json_each(?1)
WHERE (key <> ?2 OR NOT EXISTS (SELECT 1 FROM files WHERE repo = ?3 AND state = 'pending'))
AND NOT EXISTS (
  SELECT 1 FROM json_each(?4) e LEFT JOIN meta m ON m.key = e.key WHERE m.value IS NOT e.value
)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
# ?2 a key and ?3 its value: only then
DELETE_META_IF = """
DELETE FROM meta WHERE key IN (SELECT value FROM json_each(?1))
AND EXISTS (SELECT 1 FROM meta WHERE key = ?2 AND value = ?3)
"""
DELETE_META = "DELETE FROM meta WHERE key IN (SELECT value FROM json_each(?))"
CHECK_OWNER = """
INSERT INTO meta (key, value)
SELECT 'guard', NULL WHERE (SELECT value FROM meta WHERE key = ?) IS NOT ?
"""
# a write that comes again, or late, has a number that was there already, and breaks this
RECORD_WRITE_NUMBER = """
INSERT INTO meta (key, value) VALUES (?, ?)
ON CONFLICT (key) DO UPDATE SET
  key = iif(CAST(meta.value AS INTEGER) >= CAST(excluded.value AS INTEGER), NULL, meta.key),
  value = excluded.value
"""
READ_WRITE_NUMBER = "SELECT value FROM meta WHERE key = ?"

READ_META = "SELECT key, value FROM meta"
READ_OUTBOX = "SELECT id, path FROM outbox WHERE repo = ? ORDER BY id"
# ?2 what meta is expected to hold
_DIFFERS_FROM_EXPECTED = """
(?2 = '{}' OR EXISTS (
  SELECT 1 FROM json_each(?2) e LEFT JOIN meta m ON m.key = e.key WHERE m.value IS NOT e.value
))
"""
# when all of it is met, only the files that have a reason are told, and how many are not kept out
READ_FILES = f"""
SELECT path, blob, state, reason, stopped FROM files
WHERE repo = ?1 AND path > ?3 AND (reason IS NOT NULL OR {_DIFFERS_FROM_EXPECTED})
ORDER BY path LIMIT ?4
"""
COUNT_INDEXED_FILES = (
    "SELECT count(*) FROM files WHERE repo = ?1 AND state <> 'skipped' AND NOT "
    f"{_DIFFERS_FROM_EXPECTED}"
)
READ_FILES_AT = """
SELECT path, blob, state, reason, stopped FROM files
WHERE repo = ? AND path IN (SELECT value FROM json_each(?)) ORDER BY path
"""
READ_NODE_KEYS = """
SELECT path, id, text_sha || substr(members, 1, 16) FROM docs
WHERE repo = ? AND path IN (SELECT value FROM json_each(?))
"""
READ_NODES_WRITTEN = """
SELECT id FROM docs WHERE repo = ? AND sha_head = ? AND path IN (SELECT value FROM json_each(?))
"""
MARK_ALL_PENDING = "UPDATE files SET state = 'pending' WHERE state = 'clean' AND nodes > 0"
# a model is every repository's
DELETE_ALL_VECTORS_KEYS = "DELETE FROM meta WHERE key GLOB '*:vectors'"
SET_BRANCH = "UPDATE docs SET branch = ?1 WHERE repo = ?2 AND branch <> ?1"

# ?1 repo, ?2 paths, ?3 {id: text_sha and members' hash} of the nodes that the files shall have
_IS_CHANGED = """
repo = ?1 AND path IN (SELECT value FROM json_each(?2))
AND (id, text_sha || substr(members, 1, 16)) NOT IN (SELECT key, value FROM json_each(?3))
"""
ADD_TO_OUTBOX = """
INSERT OR IGNORE INTO outbox (id, repo, path)
SELECT id, repo, path FROM docs WHERE repo = ?1 AND path IN (SELECT value FROM json_each(?2))
AND id NOT IN (SELECT key FROM json_each(?3)) AND EXISTS (SELECT 1 FROM meta WHERE key = 'model')
"""
DELETE_POSTINGS = f"DELETE FROM docs_fts WHERE rowid IN (SELECT seq FROM docs WHERE {_IS_CHANGED})"
DELETE_NODES = f"DELETE FROM docs WHERE {_IS_CHANGED} RETURNING id"
RESTORE_FROM_OUTBOX = "DELETE FROM outbox WHERE id IN (SELECT key FROM json_each(?))"

ADD_NODES = """
INSERT INTO docs (repo, branch, sha_head, id, path, language, node_type, symbol, signature,
  logical_path, start_line, end_line, text_sha, members, describes)
SELECT ?1, ?2, ?3, value->>0, value->>1, value->>2, value->>3, value->>4, value->>5,
  value->>6, value->>7, value->>8, value->>9, value->>10, value->>11
FROM json_each(?4) WHERE true
ON CONFLICT (id) DO NOTHING RETURNING id
"""
# the cross join keeps the order: each row of the parameter looks its node up, and not the reverse
ADD_POSTINGS = """
INSERT INTO docs_fts (rowid, id, symbol, path, body)
SELECT d.seq, d.id, j.value->>1, j.value->>2, j.value->>3
FROM json_each(?) j CROSS JOIN docs d ON d.id = j.value->>0
WHERE NOT EXISTS (SELECT 1 FROM docs_fts f WHERE f.rowid = d.seq)
"""

UPSERT_FILES = """
INSERT INTO files (repo, sha_head, path, blob, nodes, state, reason, stopped)
SELECT ?1, ?2, value->>0, value->>1, value->>2, value->>3, value->>4, value->>5
FROM json_each(?3) WHERE true
ON CONFLICT (repo, path) DO UPDATE SET sha_head = excluded.sha_head, blob = excluded.blob,
  nodes = excluded.nodes, state = excluded.state, reason = excluded.reason,
  stopped = excluded.stopped
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

# what a repair takes out: ?1 the repository, ?2 a page; what another run has mended meanwhile stays
DELETE_ORPHAN_POSTINGS = """
DELETE FROM docs_fts WHERE rowid IN (SELECT value FROM json_each(?2))
AND NOT EXISTS (SELECT 1 FROM docs d WHERE d.seq = docs_fts.rowid AND d.id = docs_fts.id)
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

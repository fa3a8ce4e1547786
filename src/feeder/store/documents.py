"""How many documents does a scope have, whose text is not the file's own?"""

import json
from collections.abc import Iterable

from feeder.store import Database, Statement
from feeder.store.scope import IN_SCOPE, Scope, scope_params

# there are ten times as many nodes as files: those of other files are not looked at
_DOCUMENT_COUNT = f"""
WITH ending(value) AS MATERIALIZED (SELECT '.' || value FROM json_each(?1))
SELECT count(*) FROM files f WHERE f.repo = ?14 AND f.state <> 'skipped'
AND (lower(substr(f.path, -4)) IN (SELECT value FROM ending)
  OR lower(substr(f.path, -5)) IN (SELECT value FROM ending)
  OR lower(substr(f.path, -6)) IN (SELECT value FROM ending))
AND EXISTS (SELECT 1 FROM docs d WHERE d.repo = f.repo AND d.path = f.path AND {IN_SCOPE})
"""


def count_documents(database: Database, scope: Scope, repo: str, extensions: Iterable[str]) -> int:
    """How many files of a repository with nodes in the scope end so, by three to five letters."""
    asked = json.dumps(sorted(extensions)), *scope_params(scope), repo
    [[(count,)]] = database.run([Statement(_DOCUMENT_COUNT, asked)])
    return int(str(count))

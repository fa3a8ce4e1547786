"""In how many nodes is a word? Counted once, as long as nothing is written."""

import json
from collections.abc import Mapping, Sequence

from feeder.store import Database, Statement
from feeder.store.sqlite import SQLite

COUNTED = 10_000
"""Nodes at which counting those of a word ends, or at half of all."""
MOST = f"SELECT max({COUNTED}, coalesce(max(seq), 0) / 2) FROM docs"
"""At how many it ends; one more says that there are more."""
NODES = """
SELECT count(*) FROM (SELECT 1 FROM docs_fts WHERE docs_fts MATCH j.value->>0 LIMIT {0})
"""
"""Those with the word that the row `j` of a JSON parameter begins with, so many at most."""
KEPT_FROM = 1_000
"""Fewer are counted soon: an index has but some thousand words of so many nodes."""

_COUNT = f"SELECT j.value->>0, ({NODES.format(f'1 + ({MOST})')}) FROM json_each(?1) j"


def counted(database: Database, words: Sequence[str]) -> Mapping[str, int]:
    """By word, an FTS5 query each, its nodes, as far as they are known without a question.

    Half of what a common word costs is its number of nodes. A database elsewhere would be asked
    once more: nothing is known of it.
    """
    if not isinstance(database, SQLite):
        return {}
    known = database.kept()
    missing = [[word] for word in dict.fromkeys(words) if word not in known]
    [rows] = database.run([Statement(_COUNT, (json.dumps(missing),))]) if missing else [[]]
    found = {str(word): int(str(nodes)) for word, nodes in rows}
    known.update({word: nodes for word, nodes in found.items() if nodes >= KEPT_FROM})
    return {word: known.get(word, found.get(word, 0)) for word in words}

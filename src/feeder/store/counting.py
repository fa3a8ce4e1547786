"""In how many nodes is a word? Counted once, as long as nothing is written."""

import json
from collections.abc import Mapping, Sequence

from feeder.store import Database, Statement
from feeder.store.sqlite import SQLite

COUNT_LIMIT = 10_000
"""Nodes at which counting those of a word ends, or at half of all."""
COUNT_LIMIT_SQL = f"SELECT max({COUNT_LIMIT}, coalesce(max(seq), 0) / 2) FROM docs"
"""At how many it ends; one more says that there are more."""
NODE_COUNT_SQL = """
SELECT count(*) FROM (SELECT 1 FROM docs_fts WHERE docs_fts MATCH j.value->>0 LIMIT {0})
"""
"""Those with the word that the row `j` of a JSON parameter begins with, so many at most."""
MIN_CACHED_COUNT = 1_000
"""Fewer are counted soon: an index has but some thousand words of so many nodes."""

_NODE_COUNTS = (
    f"SELECT j.value->>0, ({NODE_COUNT_SQL.format(f'1 + ({COUNT_LIMIT_SQL})')}) FROM json_each(?1) "
    "j"
)


def node_counts(database: Database, words: Sequence[str]) -> Mapping[str, int]:
    """By word, an FTS5 query each, its nodes, as far as they are known without a question.

    Half of what a common word costs is its number of nodes. A database elsewhere would be asked
    once more: nothing is known of it.
    """
    if not isinstance(database, SQLite):
        return {}
    known = database.cached_counts()
    missing = [[word] for word in dict.fromkeys(words) if word not in known]
    [rows] = database.run([Statement(_NODE_COUNTS, (json.dumps(missing),))]) if missing else [[]]
    found = {str(word): int(str(nodes)) for word, nodes in rows}
    known.update({word: nodes for word, nodes in found.items() if nodes >= MIN_CACHED_COUNT})
    return {word: known.get(word, found.get(word, 0)) for word in words}

"""Makes example queries from a declaration of the index, so that each of them has hits."""

import json
import re
from typing import NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.store import Statement
from feeder.store.fts_query import phrase
from feeder.store.scope import is_test_path

MAX_READ = 500
"""Nodes that are read, at equal distances in the index."""

MAX_COUNTED = 20
"""Names of which the uses are counted, and uses that are counted of each."""

FOLDER_DEPTH = 2
"""Folders of the path in an example, so that it stays short."""

MIN_WORD_LETTERS = 4
"""Shorter words, such as `is` and `get`, say little about a repository."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NAME = re.compile(r"\w+")
_LIMITS = "SELECT min(seq), max(seq) FROM docs"
_DECLARATIONS = """
SELECT symbol, language, path, signature FROM docs
WHERE repo = ?1 AND node_type IN ('class', 'method') AND symbol IS NOT NULL
AND seq IN (SELECT value FROM json_each(?2))
"""
_USES = f"""
SELECT (
  SELECT count(*) FROM (SELECT 1 FROM docs_fts WHERE docs_fts MATCH json_each.value
  LIMIT {MAX_COUNTED})
) FROM json_each(?1) ORDER BY json_each.key
"""


class ExampleQuery(NamedTuple):
    """A query, and what it shows: `words`, `phrase`, `filters`, `symbol` or `pattern`."""

    query: str
    kind: str


def example_queries(corpus: Corpus) -> list[ExampleQuery]:
    """The queries for a declaration that much of the code names; none without declarations."""
    [[limits]] = corpus.database.run([Statement(_LIMITS)])
    first, last = (int(number or 0) for number in limits)
    numbers = range(first, last + 1, max(1, (last - first) // MAX_READ))
    parameters = (corpus.repo, json.dumps([*numbers]))
    [rows] = corpus.database.run([Statement(_DECLARATIONS, parameters)])
    declarations = [tuple(map(str, row)) for row in rows if not is_test_path(str(row[2]))]
    named = [(_NAME.findall(symbol)[-1:], rest) for symbol, *rest in declarations]
    usable = [(names[0], rest) for names, rest in named if names and names[0].isascii()]
    if not usable:
        return []
    least = min(_rank(name) for name, _ in usable)
    ranked = [node for node in usable if _rank(node[0]) == least]
    best = ranked[:: -(-len(ranked) // MAX_COUNTED)]
    searched = json.dumps([phrase(name) for name, _ in best])
    [counts] = corpus.database.run([Statement(_USES, (searched,))])
    uses = [int(count or 0) for (count,) in counts]
    # of names that are used as much the first
    name, (language, path, signature) = best[uses.index(max(uses))]
    words = [word.lower() for word in _WORD.findall(name)] or [name]
    folder = "/".join(path.split("/")[:-1][:FOLDER_DEPTH])
    narrowed = [f"lang:{language}", *([f"path:{folder}"] if folder and " " not in folder else [])]
    first_line = (signature.splitlines() or [""])[0]
    text = first_line.partition("(")[0].strip() or name
    return [
        ExampleQuery(" ".join(words), "words"),
        ExampleQuery(f'"{name if chr(34) in text else text}"', "phrase"),
        ExampleQuery(" ".join([*narrowed, words[0]]), "filters"),
        ExampleQuery(f"symbol:{name}", "symbol"),
        ExampleQuery(f"/{name[: len(name) // 2 + 1]}\\w*/", "pattern"),
    ]


def _rank(name: str) -> tuple[bool, bool, int]:
    """Names of two words first; private names and short words last."""
    words = _WORD.findall(name)
    has_short_word = any(len(word) < MIN_WORD_LETTERS for word in words)
    return name.startswith("_"), has_short_word, abs(len(words) - 2)

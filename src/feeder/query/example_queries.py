"""Makes example queries from a declaration of the index, so that each of them has hits."""

import re
from typing import NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.store import Statement
from feeder.store.scope import is_test_path

MAX_READ = 300
"""Declarations that are read, the first of the index."""

FOLDER_DEPTH = 2
"""Folders of the path in an example, so that it stays short."""

MIN_WORD_LETTERS = 4
"""Shorter words, such as `is` and `get`, say little about a repository."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NAME = re.compile(r"\w+")
_DECLARATIONS = f"""
SELECT symbol, language, path, signature FROM docs
WHERE repo = ?1 AND node_type IN ('class', 'method') AND symbol IS NOT NULL LIMIT {MAX_READ}
"""


class ExampleQuery(NamedTuple):
    """A query, and what it shows: `words`, `phrase`, `filters`, `symbol` or `pattern`."""

    query: str
    kind: str


def example_queries(corpus: Corpus) -> list[ExampleQuery]:
    """The queries for the declaration whose name has the most words; none without declarations."""
    [rows] = corpus.database.run([Statement(_DECLARATIONS, (corpus.repo,))])
    declarations = [tuple(map(str, row)) for row in rows if not is_test_path(str(row[2]))]
    named = [(_NAME.findall(symbol)[-1:], rest) for symbol, *rest in declarations]
    usable = [(names[0], *rest) for names, rest in named if names and names[0].isascii()]
    if not usable:
        return []
    name, language, path, signature = min(usable, key=lambda one: _rank(one[0]))
    words = [word.lower() for word in _WORD.findall(name)] or [name]
    folder = "/".join(path.split("/")[:-1][:FOLDER_DEPTH])
    narrowed = [f"lang:{language}", *([f"path:{folder}"] if folder and " " not in folder else [])]
    text = signature.splitlines()[0].strip() if signature.strip() else name
    return [
        ExampleQuery(" ".join(words), "words"),
        ExampleQuery(f'"{name if chr(34) in text else text}"', "phrase"),
        ExampleQuery(" ".join([*narrowed, words[0]]), "filters"),
        ExampleQuery(f"symbol:{name}", "symbol"),
        ExampleQuery(f"/{name[: len(name) // 2 + 1]}\\w*/", "pattern"),
    ]


def _rank(name: str) -> tuple[bool, bool, int, int, str]:
    """Names of two words first, then the shorter ones; private names and short words last."""
    words = _WORD.findall(name)
    has_short_word = any(len(word) < MIN_WORD_LETTERS for word in words)
    return name.startswith("_"), has_short_word, abs(len(words) - 2), len(name), name

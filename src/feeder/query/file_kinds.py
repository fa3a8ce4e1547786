"""Classifies files as tests, documents, examples or data, and weighs their nodes down unless
the query asks for that kind. Nodes of minified code are weighed down always.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import NamedTuple

from feeder.query.query_text import QueryText
from feeder.store.hits import Hit
from feeder.store.scope import is_test_path

DOCUMENT_PATH_PATTERN = re.compile(
    r"""
    \.(?:md|markdown|mdx|rst|txt|adoc|org|pdf|docx|docm|odt|pptx|pptm|odp|epub|x?html?|mhtml?|rtf|[1-9])$
    | (?:^|/)(?:changes|changelog|history|news|(?:un)?licen[sc]e|copying|authors)(?:[.-][^/]*)?$
    | (?:^|/)(?:docs?|changelogs?|\.github)/
    """,
    re.IGNORECASE | re.VERBOSE,
)
EXAMPLE_PATH_PATTERN = re.compile(
    r"(?:^|/)_?(?:examples?|samples?|demos?|templates?|fixtures?|testdata|mocks?|__mocks__"
    r"|benchmarks?|playground|website|www)/",
    re.IGNORECASE,
)
DOCUMENT_NODE_TYPES = ("doc", "md", "sheet")
DATA_NODE_TYPES = ("json", "yaml", "toml", "xml")
"""First words of the node types of documents and of data, whatever the file's name."""


class FileKind(NamedTuple):
    """A kind of file: the weight of its nodes, and the words of queries that ask for it."""

    name: str
    weight: float
    query_pattern: re.Pattern[str]


# chosen by `python -m bench answers`; see docs/explanation/ranking.md
# a word that begins with "test": "latest" and "pytest" are no wish for tests
TEST = FileKind("test", 0.3, re.compile(r"(?<![^\W_])(?:unit)?test|\bspecs?\b"))
DOCUMENT = FileKind(
    "document",
    0.4,
    re.compile(
        r"\b(?:docs?|document(?:s|ed|ation)?|manuals?|readme|changelog|guides?|tutorials?"
        r"|release notes|licen[sc]e)\b"
    ),
)
EXAMPLE = FileKind(
    "example", 0.7, re.compile("example|sample|demo|template|fixture|mock|benchmark")
)
DATA = FileKind(
    "data", 0.6, re.compile(r"\b(?:json|ya?ml|toml|xml|config\w*|settings?|manifest)\b")
)


UNNAMED, UNNAMED_WEIGHT = "unnamed", 0.6
"""A node without a symbol, and its weight in a text of several lines: an issue asks for code that
has a name. Chosen by `python -m bench commits`."""


MINIFIED, MINIFIED_WEIGHT = "minified", 0.3
"""A node of minified code, and its weight: a library in a line or two has hundreds of nodes, and
any of them may have the words of a query."""

MIN_NODES_ON_LINE = 5
"""The candidates on one line of a file from which on it is minified; nobody writes so many."""


def kind_weights(hits: Collection[Hit], query_text: QueryText) -> dict[str, tuple[str, float]]:
    """The kind and weight of each candidate, by id."""
    minified = minified_ids(hits)
    kinds = {hit.id: kind_weight(hit, query_text) for hit in hits}
    for id_ in minified:
        kind, weight = kinds[id_]
        kinds[id_] = (kind or MINIFIED, weight * MINIFIED_WEIGHT)
    return kinds


def minified_ids(hits: Iterable[Hit]) -> list[str]:
    """The ids of the named candidates that share their only line with enough others."""
    named = [hit for hit in hits if hit.symbol and hit.start_line == hit.end_line]
    counts = Counter((hit.repo, hit.path, hit.start_line) for hit in named)
    return [
        hit.id for hit in named if counts[hit.repo, hit.path, hit.start_line] >= MIN_NODES_ON_LINE
    ]


def kind_weight(hit: Hit, query_text: QueryText) -> tuple[str, float]:
    """The kind of a node's file and its weight; 1 for code and what the query asks for."""
    kind = _classify(hit.path, hit.node_type)
    if kind and query_text.matches(kind.query_pattern):
        return "", 1.0
    name, weight = (kind.name, kind.weight) if kind else ("", 1.0)
    if query_text.title and not hit.symbol:
        return name or UNNAMED, weight * UNNAMED_WEIGHT
    return name, weight


@lru_cache(10_000)
def _classify(path: str, node_type: str) -> FileKind | None:
    if is_test_path(path):
        return TEST
    part = node_type.partition("_")[0]
    if is_document(path) or part in DOCUMENT_NODE_TYPES:
        return DOCUMENT
    if part in DATA_NODE_TYPES:
        return DATA
    return EXAMPLE if EXAMPLE_PATH_PATTERN.search(path) else None


def is_source(path: str) -> bool:
    """Returns True for a path of neither a test nor a document."""
    return not is_test_path(path) and not is_document(path)


def is_document(path: str) -> bool:
    """Returns True for a path of a document for readers."""
    return DOCUMENT_PATH_PATTERN.search(path) is not None

"""What is a file for? Tests, documents, data and examples count less unless they are asked for."""

import re
from functools import lru_cache
from typing import NamedTuple

from feeder.search.asked import Asked
from feeder.store.reading import Hit
from feeder.store.tests_by_path import is_test

_DOCUMENT = re.compile(
    r"""
    \.(?:md|markdown|mdx|rst|txt|adoc|org|pdf|docx|docm|odt|pptx|pptm|odp|epub|x?html?|mhtml?|rtf|[1-9])$
    | (?:^|/)(?:changes|changelog|history|news|license|licence|copying|authors)(?:[.-][^/]*)?$
    | (?:^|/)(?:docs?|changelogs?|\.github)/
    """,
    re.IGNORECASE | re.VERBOSE,
)
_EXAMPLE = re.compile(
    r"(?:^|/)_?(?:examples?|samples?|demos?|templates?|fixtures?|testdata|mocks?|__mocks__"
    r"|benchmarks?|playground|website|www)/",
    re.IGNORECASE,
)
_DOCUMENT_TYPES = ("doc", "md", "sheet")
_DATA_TYPES = ("json", "yaml", "toml", "xml")
"""What types of nodes begin with, of documents, whatever their files are called, and of data."""


class Kind(NamedTuple):
    """A kind of files: how much its nodes count, and which words ask for it."""

    name: str
    share: float
    asked_by: re.Pattern[str]


# chosen by `python -m bench answers`, as docs/benchmarks/search-quality.md tells
TEST = Kind("test", 0.3, re.compile("test|spec"))
DOCUMENT = Kind(
    "document",
    0.4,
    re.compile(
        r"\b(?:docs?|document(?:s|ed|ation)?|manuals?|readme|changelog|guides?|tutorials?"
        r"|release notes|licen[sc]e)\b"
    ),
)
EXAMPLE = Kind("example", 0.7, re.compile("example|sample|demo|template|fixture|mock|benchmark"))
DATA = Kind("data", 0.6, re.compile(r"\b(?:json|ya?ml|toml|xml|config\w*|settings?|manifest)\b"))


def share(hit: Hit, asked: Asked) -> tuple[str, float]:
    """What kind a node is of and how much it counts; 1 for code and for what is asked for."""
    kind = _kind(hit.path, hit.node_type)
    return (kind.name, kind.share) if kind and not asked.says(kind.asked_by) else ("", 1.0)


@lru_cache(10_000)
def _kind(path: str, node_type: str) -> Kind | None:
    if is_test(path):
        return TEST
    part = node_type.partition("_")[0]
    if is_document(path) or part in _DOCUMENT_TYPES:
        return DOCUMENT
    if part in _DATA_TYPES:
        return DATA
    return EXAMPLE if _EXAMPLE.search(path) else None


def is_document(path: str) -> bool:
    """Whether it is for people to read."""
    return _DOCUMENT.search(path) is not None

"""Compares file names by the conventions for tests: `test_cart.py` is a test of `cart.py`."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

_PREFIX = re.compile(r"^(?:tests?[_.-]|Test(?=[A-Z]))")
_SUFFIX = re.compile(r"(?:[_.-](?:tests?|specs?)|(?<=[a-z0-9])(?:Tests?|Specs?|IT))$")
_HELPER_WORDS = frozenset(
    {"base", "common", "data", "env", "fixture", "fixtures", "helper", "helpers", "mock", "mocks"}
    | {"setup", "support", "util", "utils"}
)
_WHOLE_TEST_NAME = re.compile(r"(?:tests?|specs?)", re.IGNORECASE)
_GENERIC_STEMS = frozenset({"init", "index", "main", "mod", "lib", "types", "util", "utils"})

MIN_PART = 4
"""Letters and digits of a part of a name that says something."""

SAME_NAME, SIMILAR_NAME = 1.0, 0.5
"""Scores of a test with the name of the file, and of one whose name begins or ends like it."""


def name_score(path: str, test_path: str) -> float:
    """The score of a test's name for a file: 0 without agreement.

    The stem decides, without leading underscores, endings such as `_test`, and case. A generic name
    such as `index` is compared together with its folder.
    """
    stem, tested = _stem(path), _tested_stem(test_path)
    if not stem or not tested:
        return 0.0
    if stem in _GENERIC_STEMS:
        folder = _folded(posixpath.basename(posixpath.dirname(path)))
        if tested == stem:
            same = posixpath.dirname(path) == posixpath.dirname(test_path)
            return SAME_NAME if same else 0.0
        return SAME_NAME if folder and tested == folder else 0.0
    if tested == stem:
        return SAME_NAME
    longer, shorter = sorted((stem, tested), key=len, reverse=True)
    is_part = len(shorter) >= MIN_PART and (longer.startswith(shorter) or longer.endswith(shorter))
    return SIMILAR_NAME if is_part else 0.0


def symbol_score(symbol: str, test_path: str) -> float:
    """The score of a test's name for a changed symbol: `res.download.js` is a test of
    `res.download`, and `test_download.py` one of `Response.download`.

    Names of fewer than four letters and digits say too little, unless the type around is named too.
    """
    tested, name = _tested_name(test_path), _folded(symbol.rpartition(".")[2])
    if tested and tested == _folded(symbol):
        return SAME_NAME
    if len(name) < MIN_PART or not tested:
        return 0.0
    if tested == name:
        return SAME_NAME
    is_part = tested.startswith(name) or tested.endswith(name)
    return SIMILAR_NAME if is_part else 0.0


class NameScores:
    """Scores the names of tests for changed files and symbols.

    `score` is the highest `name_score` and `symbol_score`, without comparing each pair.
    """

    def __init__(self, paths: Iterable[str], symbols: Iterable[str]) -> None:
        paths = [path for path in paths if _stem(path)]
        self._generic = [path for path in paths if _stem(path) in _GENERIC_STEMS]
        self._stems = {_stem(path) for path in paths} - _GENERIC_STEMS
        self._stem_parts = {part for stem in self._stems for part in _ends(stem)}
        symbols = [*symbols]
        self._symbols = {_folded(symbol) for symbol in symbols}
        names = {_folded(symbol.rpartition(".")[2]) for symbol in symbols}
        self._names = {name for name in names if len(name) >= MIN_PART}

    def score(self, test_path: str) -> float:
        """The score of a test: 0 if its name agrees with none."""
        tested, name = _tested_stem(test_path), _tested_name(test_path)
        best = max((name_score(path, test_path) for path in self._generic), default=0.0)
        if (tested and tested in self._stems) or (
            name and (name in self._symbols or name in self._names)
        ):
            return SAME_NAME
        is_similar = tested in self._stem_parts or not self._stems.isdisjoint(_ends(tested))
        if is_similar or not self._names.isdisjoint(_ends(name)):
            return max(best, SIMILAR_NAME)
        return best


def _ends(name: str) -> Iterator[str]:
    """The beginnings and endings of a name that are long enough to say something."""
    for size in range(MIN_PART, len(name) + 1):
        yield name[:size]
        yield name[-size:]


def is_named_as_test(path: str) -> bool:
    """Tells whether a file's name says that it is a test, as `cart_test.go` or `tests.py`.

    `test_helper.rb` and `test-utils.ts` are named as what helps tests.
    """
    stem = _test_stem(path)
    if _WHOLE_TEST_NAME.fullmatch(stem) or _SUFFIX.search(stem):
        return True
    return bool(_PREFIX.match(stem)) and _folded(_unmarked(stem)) not in _HELPER_WORDS


_cached = lru_cache(2**14)  # each changed file and symbol is compared with each test


@_cached
def _stem(path: str) -> str:
    return _folded(posixpath.basename(path).partition(".")[0].lstrip("_") or "")


@_cached
def _tested_stem(path: str) -> str:
    """The stem of a test without what marks it as one; empty if nothing is left."""
    return _folded(_unmarked(_test_stem(path)).partition(".")[0])


@_cached
def _tested_name(path: str) -> str:
    """The same with what follows a dot in the stem."""
    return _folded(_unmarked(_test_stem(path)))


def _test_stem(path: str) -> str:
    name = posixpath.basename(path)
    return name[: name.rfind(".")] if "." in name else name


def _unmarked(stem: str) -> str:
    """The stem of a test without what marks it as one."""
    previous = ""
    while stem != previous:
        previous, stem = stem, _SUFFIX.sub("", _PREFIX.sub("", stem))
    return stem


@_cached
def _folded(stem: str) -> str:
    return re.sub(r"[\W_]", "", stem).casefold()

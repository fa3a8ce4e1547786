"""Compares file names by the conventions for tests: `test_cart.py` is a test of `cart.py`."""

import posixpath
import re
from functools import lru_cache

_PREFIX = re.compile(r"^(?:tests?[_.-]|Test(?=[A-Z]))")
_SUFFIX = re.compile(r"(?:[_.-](?:tests?|specs?)|(?<=[a-z0-9])(?:Tests?|Specs?|IT))$")
_HELPER_WORDS = frozenset(
    {"base", "common", "data", "env", "fixture", "fixtures", "helper", "helpers", "mock", "mocks"}
    | {"setup", "support", "util", "utils"}
)
_WHOLE_TEST_NAME = re.compile(r"(?:tests?|specs?)", re.IGNORECASE)
_GENERIC_STEMS = frozenset({"init", "index", "main", "mod", "lib", "types", "util", "utils"})

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
    is_part = len(shorter) >= 4 and (longer.startswith(shorter) or longer.endswith(shorter))
    return SIMILAR_NAME if is_part else 0.0


def symbol_score(symbol: str, test_path: str) -> float:
    """The score of a test's name for a changed symbol: `res.download.js` is a test of
    `res.download`, and `test_download.py` one of `Response.download`.

    Names of fewer than four letters and digits say too little, unless the type around is named too.
    """
    tested, name = _tested_name(test_path), _folded(symbol.rpartition(".")[2])
    if tested and tested == _folded(symbol):
        return SAME_NAME
    if len(name) < 4 or not tested:
        return 0.0
    if tested == name:
        return SAME_NAME
    is_part = tested.startswith(name) or tested.endswith(name)
    return SIMILAR_NAME if is_part else 0.0


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

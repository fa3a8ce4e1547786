"""Compares file names by the conventions for tests: `test_cart.py` is a test of `cart.py`."""

import posixpath
import re

_AFFIXES = re.compile(
    r"^(?:tests?[_.-]|Test(?=[A-Z]))|(?:[_.-](?:tests?|specs?)|(?<=[a-z0-9])(?:Tests?|Specs?|IT))$"
)
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


def _stem(path: str) -> str:
    return _folded(posixpath.basename(path).partition(".")[0].lstrip("_") or "")


def _tested_stem(path: str) -> str:
    """The stem of a test without what marks it as one; empty if nothing is left."""
    name = posixpath.basename(path)
    stem = name[: name.rfind(".")] if "." in name else name
    previous = ""
    while stem != previous:
        previous, stem = stem, _AFFIXES.sub("", stem)
    return _folded(stem.partition(".")[0])


def _folded(stem: str) -> str:
    return re.sub(r"[\W_]", "", stem).casefold()

"""What do the program and the Worker both know? Printed as JSON, from the program's own sources.

Nothing of it is written a second time: `build.mjs` puts it beside the Worker's sources.
"""

import json
import re
from types import ModuleType
from typing import Any

import served
import sql
from lexis import LEXIS
from regexes import javascript

from feeder import symbols
from feeder.search import (
    engine,
    facets,
    frames,
    fusion,
    grouping,
    kinds,
    models,
    names,
    ranking,
    rules,
)
from feeder.store import pieces
from feeder.store.tests_by_path import TEST_PATH_GLOBS


def _of(module: ModuleType, *names: str) -> dict[str, Any]:
    """A module's constants, by their names there."""
    return {name: _plain(getattr(module, name)) for name in names}


def _plain(value: Any) -> Any:
    """As JSON has it: a regular expression as JavaScript's, a tuple with names as an object."""
    if isinstance(value, re.Pattern):
        return javascript(value)
    if hasattr(value, "_asdict"):
        return {name: _plain(one) for name, one in value._asdict().items()}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


CONSTANTS = {
    **{room: _of(*known) for room, known in sql.CONSTANTS.items()},
    "cloudflare": {"MODELS": sql.MODELS},
    "tests": list(TEST_PATH_GLOBS),
    "engine": _of(
        engine,
        *("BY_WORD", "BY_MODEL", "MOST", "BY_MEANING_ALONE"),
        *("NEAR_NAMES", "NO_WORD", "WORDS_ALONE"),
    ),
    "facets": _of(facets, "MOST"),
    "frames": _of(
        frames, "FRAMES", "_PLACE", "_PYTHON", "_RUBY", "_BEFORE", "_ABOVE", "_ANONYMOUS"
    ),
    "fusion": _of(
        fusion,
        *("FRAME", "NAME", "PATH", "WRITTEN", "RARE", "ALIKE", "SPELLED", "WORD", "LINE"),
        *("NAMED_WEIGHT", "SPELLED_WEIGHT", "WORD_WEIGHT", "LINE_WEIGHT"),
        *("RANK_CONSTANT", "FLOOR"),
    ),
    "grouping": _of(grouping, "COMPARED", "COPIED_LINES", "COPIED_WORDS"),
    "kinds": _of(
        kinds,
        *("TEST", "DOCUMENT", "EXAMPLE", "DATA"),
        *("_DOCUMENT", "_EXAMPLE", "_DOCUMENT_TYPES", "_DATA_TYPES"),
    ),
    "models": _of(models, "MEANING", "VECTOR", "VECTOR_WEIGHT"),
    "names": _of(
        names,
        *("LEAST_ALIKE", "HAS_IT", "ALIKE", "ALIKE_LETTERS", "RARE_IN", "COMPOUND_IN"),
        *("SPELLED_WORDS", "_DEFINITIONS", "_DECLARED_IN"),
    ),
    "pieces": _of(pieces, "_GAP"),
    "ranking": _of(ranking, "PREFERRED"),
    "rules": _of(rules, "FILE_SHARE", "PATH_SHARE", "NAME_SHARE", "LEAST_OF_BEST", "LEAST_OF_PATH"),
    "symbols": _of(symbols, "_JOINTS"),
}

SHARED = {
    "sql": sql.SQL,
    "common": sql.COMMON,
    "constants": CONSTANTS,
    "lexis": LEXIS,
    "serve": served.FACTS,
}

if __name__ == "__main__":
    print(json.dumps(SHARED, ensure_ascii=False, indent=1))

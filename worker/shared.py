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

from feeder import text
from feeder.search import engine, file_kinds, name_matching, ranking, results, retrieval
from feeder.store import node_parts
from feeder.store.scope import TEST_PATH_GLOBS


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
        *("MAX_BY_WORD", "MAX_BY_MODEL", "CANDIDATE_LIMITS", "MAX_BY_VECTOR_ONLY"),
        *("MAX_SUGGESTED_NAMES", "NO_WORD_NOTE", "WORDS_ONLY_PREFIX"),
    ),
    "facets": _of(results, "MAX_FACET_VALUES"),
    "frames": _of(
        retrieval,
        "MAX_FRAMES",
        "LOCATION",
        "PYTHON_NAME",
        "RUBY_NAME",
        "NAME_BEFORE",
        "NAME_ABOVE",
        "ANONYMOUS_PATTERN",
    ),
    "fusion": _of(
        ranking,
        *(
            "STACK_FRAME",
            "NAME",
            "PATH",
            "COMPOSED_NAME",
            "RARE_WORD",
            "SIMILAR_NAME",
            "NAME_WORDS",
            "WORD",
            "DESCRIPTION",
        ),
        *("NAME_WEIGHT", "NAME_WORDS_WEIGHT", "WORD_WEIGHT", "DESCRIPTION_WEIGHT"),
        *("RANK_CONSTANT", "COSINE_FLOOR"),
    ),
    "grouping": _of(results, "MAX_DEDUPLICATED", "MIN_DUPLICATE_LINES", "MIN_DUPLICATE_WORDS"),
    "kinds": _of(
        file_kinds,
        *("TEST", "DOCUMENT", "EXAMPLE", "DATA"),
        *(
            "DOCUMENT_PATH_PATTERN",
            "EXAMPLE_PATH_PATTERN",
            "DOCUMENT_NODE_TYPES",
            "DATA_NODE_TYPES",
        ),
    ),
    "models": _of(retrieval, "STATIC_VECTORS", "MODEL_VECTORS", "MODEL_WEIGHT"),
    "names": _of(
        name_matching,
        *(
            "MIN_SIMILARITY",
            "CONTAINS_BONUS",
            "MAX_SIMILAR",
            "MIN_SIMILAR_LETTERS",
            "RARE_WORD_NODES",
            "RARE_COMPOUND_NODES",
        ),
        *("MAX_NAME_WORDS", "DEFINITION_TYPES", "DECLARATION_SUFFIXES"),
    ),
    "pieces": _of(node_parts, "MAX_GAP_LINES"),
    "ranking": _of(ranking, "PREFERENCE_BOOST"),
    "rules": _of(
        ranking, "FILE_BOOST", "PATH_BOOST", "NAME_BOOST", "MIN_SHARE_OF_BEST", "MIN_PATH_SHARE"
    ),
    "symbols": _of(text, "SEPARATOR_PATTERN"),
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

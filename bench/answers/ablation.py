"""Disables single parts of the ranking, to measure what each contributes (ablation)."""

from collections.abc import Iterable
from typing import Any

from feeder.query import file_kinds, query_text
from feeder.ranking import name_matching, query_ranking, ranking, results

PARTS: dict[str, tuple[Any, str, Any]] = {
    "files": (ranking, "FILE_BOOST", 0.0),
    "paths": (ranking, "PATH_BOOST", 0.0),
    "naming": (ranking, "NAME_BOOST", 0.0),
    "kinds": (file_kinds, "kind_weights", lambda hits, _: {hit.id: ("", 1.0) for hit in hits}),
    "small-words": (query_text, "RANKING_STOP_WORDS", frozenset()),
    "spelling": (name_matching, "MAX_NAME_WORDS", 0),
    "nearly": (name_matching, "MAX_SIMILAR", 0),
    "lines": (query_ranking, "DESCRIPTION_WEIGHT", 0.0),
    "grouping": (results, "group_results", lambda ranked, *_: list(ranked)),
}
"""The parts that can be disabled: module, attribute, and the value that disables it."""


def disable(parts: Iterable[str]) -> None:
    """Disables these parts for the rest of this process."""
    for part in parts:
        module, attribute, disabled_value = PARTS[part]
        setattr(module, attribute, disabled_value)

"""Compiles the queries of a folder one by one, so that an error names its file and line."""

import re
from collections.abc import Iterable, Mapping

from tree_sitter import Language, Query, QueryError

from feeder.errors import UserError
from feeder.parse.languages.folders import LanguageFolder
from feeder.parse.languages.query_source import Pattern, query_error
from feeder.parse.query_checks import (
    capture_names,
    has_late_setting,
    load_language,
    unknown_captures,
)

_PLACE = re.compile(r" at row (\d+), column \d+")

_PREDICATE = re.compile(
    r"#(?:(?:any-)?(?:not-)?(?:eq|match)|(?:not-)?any-of|has-parent|is(?:-not)?)\?|#set!"
)
"""The predicates that are evaluated; py-tree-sitter takes any other one for true."""


def check_queries(folders: Iterable[LanguageFolder], packages: Mapping[str, str]) -> None:
    """Raises UserError for the first query or pattern of a folder that is wrong.

    `packages` are those of the shipped languages.
    """
    for folder in folders:
        grammar = load_language(folder.name, folder.package or packages.get(folder.name))
        for pattern in folder.read_queries():
            _check_pattern(grammar, pattern)
        for index, expression in enumerate(folder.patterns()):
            if unknown := unknown_captures(set(re.compile(expression.encode()).groupindex)):
                raise UserError(
                    f"{folder.path / 'patterns.toml'}: patterns[{index}].pattern has the group "
                    f"'{unknown[0]}', but there is no capture of this name.",
                    "Correct it; the name of a group of your own begins with _.",
                )


def _check_pattern(grammar: Language, pattern: Pattern) -> None:
    path, first = pattern.path, pattern.words[0].line
    for word in pattern.words:
        if word.text.startswith("#") and not _PREDICATE.fullmatch(word.text):
            raise query_error(path, word.line, f"there is no predicate {word.text}")
    if has_late_setting(pattern.text):
        raise query_error(path, first, "this pattern has #set! after a predicate; put it before")
    try:
        # each word on a row of its own: the row of an error is the index of its word
        query = Query(grammar, "\n".join(word.text for word in pattern.words))
    except QueryError as exc:
        raise _located_error(pattern, str(exc)) from exc
    if unknown := unknown_captures(capture_names(query)):
        problem = f"there is no capture @{unknown[0]}; one of your own begins with @_"
        raise query_error(path, first, problem)


def _located_error(pattern: Pattern, message: str) -> UserError:
    place = _PLACE.search(message)
    index = min(int(place[1]), len(pattern.words) - 1) if place else 0
    problem = f"this pattern does not compile: {_PLACE.sub('', message)}, in {pattern.text}"
    return query_error(pattern.path, pattern.words[index].line, problem)

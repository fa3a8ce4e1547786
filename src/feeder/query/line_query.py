"""Reads a query as the pattern and the filters of a search for every matching line."""

import re
from typing import NamedTuple

from feeder.bigrams import is_part_of_word
from feeder.errors import UserError
from feeder.query.literals import token_literal
from feeder.query.query import Query, parse_query
from feeder.query.query_text import QueryText
from feeder.source.grep import PatternOptions

_SPACES = re.compile(r"\s+")
_NOT_IN_WORD = r"(?<!\w)"
"""A pattern for the start of a word, in git's grep."""


class LineQuery(NamedTuple):
    """A pattern with its options, and the query's filters."""

    pattern: str
    options: PatternOptions
    filters: Query


def parse_line_query(text: str) -> LineQuery:
    """Parses a query that has one phrase, pattern, prefix or word; several words are a phrase.

    A word is found as a token of code: whole, and in its case unless it is in lower case. Phrases
    and patterns match in any case, unless the query has `case:yes`. Raises UserError for a query
    with several of them or none, and for excluded words.
    """
    query = parse_query(text)
    parts = [*filter(None, [query.words, query.regex]), *query.phrases, *query.prefixes]
    parts += query.either_texts
    if query.without:
        excluded = ", ".join(f"-{word}" for word in query.without)
        raise UserError(
            f"A search for every line cannot use {excluded}, which excludes whole nodes.",
            "Leave it out, or write a pattern such as /open(?!_)/.",
        )
    if not parts:
        raise UserError(
            "The query has no text to search lines for.", "Write a word, a phrase or a /pattern/."
        )
    if len(parts) > 1:
        raise UserError(
            f"A search for every line takes one text, but the query has {len(parts)}: "
            f"{', '.join(parts)}.",
            "Write one phrase, or a pattern such as /one|other/.",
        )
    pattern, options = _pattern(query)
    filters = query._replace(words="", phrases=(), regex=None, prefixes=(), case=False)
    return LineQuery(pattern, options, filters)


def _pattern(query: Query) -> tuple[str, PatternOptions]:
    any_case = PatternOptions(ignore_case=not query.case)
    if query.regex:
        return query.regex, any_case
    if query.prefixes:
        [prefix, *_] = query.prefixes
        return f"{_NOT_IN_WORD * is_part_of_word(prefix[0])}{re.escape(prefix)}", any_case
    text = query.phrases[0] if query.phrases else query.words
    if query.phrases or not QueryText(text).is_one_token:
        return _SPACES.sub(" ", text), any_case._replace(fixed_strings=True)
    [token] = QueryText(text).code_tokens or [text]
    ignores_case = not query.case and not token_literal(token).case_sensitive
    ends = {is_part_of_word(token[0]), is_part_of_word(token[-1])}
    if len(ends) == 1:
        return token, PatternOptions(True, ignores_case, True in ends)
    # only one end is a letter or digit, and git compares both ends of a whole word
    bounds = (_NOT_IN_WORD, "") if is_part_of_word(token[0]) else ("", r"(?!\w)")
    return re.escape(token).join(bounds), PatternOptions(ignore_case=ignores_case)

"""Tells whether a pattern matches the name that a line declares."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence

from feeder.query.file_kinds import DATA_NODE_TYPES
from feeder.source.grep import MatchingLine, PatternOptions
from feeder.store.hits import Hit
from feeder.store.rows import decode_members

MAX_SPAN_CHARS = 10_000
"""Longer lines are shown without highlighted matches."""

SPAN_TIMEOUT_S = 0.1
"""Time in which the matches of a line must be found; some patterns would take years."""

_DATA_KEY = re.compile(r"\s*(?:-\s+)?[\"']?(\w[\w./-]*)[\"']?\s*[:=]")
"""A key of JSON, YAML or TOML: small values have no node of their own."""

_REPETITION = re.compile(r"[*+?{(]")
"""A pattern without one of these needs no time limit."""

_QUOTES = ("'", '"')

_ESCAPED = re.compile(r"\\.")

FindSpans = Callable[[str], Sequence[tuple[int, int]]]
"""Finds the ranges of characters of a line that match."""


def make_span_finder(pattern: str, options: PatternOptions) -> FindSpans:
    """Finds matches as git does, as far as the syntax of both regular expressions is the same.

    After a line that takes too long, no matches are found: the next ones would take as long.
    """
    source = re.escape(pattern) if options.fixed_strings else pattern
    if not _REPETITION.search(_ESCAPED.sub("", source)):
        return _make_simple_finder(source, options)
    import regex  # 35 ms; `re` may take for ever where a pattern repeats something

    if options.whole_words:
        source = rf"(?<!\w)(?:{source})(?!\w)"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compiled = regex.compile(source, regex.IGNORECASE if options.ignore_case else 0)
    except (regex.error, FutureWarning, DeprecationWarning, OverflowError, RecursionError):
        return lambda text: ()
    is_slow = False

    def find(text: str) -> Sequence[tuple[int, int]]:
        nonlocal is_slow
        if is_slow or len(text) > MAX_SPAN_CHARS:
            return ()
        try:
            matches = list(compiled.finditer(text, timeout=SPAN_TIMEOUT_S))
        except TimeoutError:
            is_slow = True
            return ()
        return [match.span() for match in matches if match[0]]

    return find


def _make_simple_finder(source: str, options: PatternOptions) -> FindSpans:
    """Finds the matches of a pattern without groups and repetitions."""
    bounded = rf"(?<!\w)(?:{source})(?!\w)" if options.whole_words else source
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compiled = re.compile(bounded, re.IGNORECASE if options.ignore_case else 0)
    except (re.error, FutureWarning, DeprecationWarning):
        return lambda text: ()
    return lambda text: (
        [match.span() for match in compiled.finditer(text) if match[0]]
        if len(text) <= MAX_SPAN_CHARS
        else ()
    )


def declares_match(node: Hit, line: MatchingLine, find_spans: FindSpans, defined: set[str]) -> bool:
    """Returns True if the pattern matches a name that the line declares: the node's, a member's or
    a key.

    A signature of several lines, or a call that looks like one, counts once: `defined` has the ids
    of the nodes whose declaration was found.
    """
    text = line.content.decode("utf-8", "replace")
    members = {member.name for member in decode_members(node.members) if member.line == line.number}
    if node.node_type.partition("_")[0] in DATA_NODE_TYPES and (key := _DATA_KEY.match(text)):
        members.add(key[1])
    names = (
        []
        if node.id in defined
        else [name for name in _short_names(node) if _is_declaration(node, name, line.number, text)]
    )
    if not any(name in text for name in (*names, *members)):
        return False
    spans = find_spans(text)
    # in a signature, such as an annotation's, a quoted name is a value; in data it is a key
    is_quoted = not node.signature
    if any(_overlaps_word(name, text, spans, may_be_quoted=is_quoted) for name in names):
        defined.add(node.id)
        return True
    return any(_overlaps_word(name, text, spans, may_be_quoted=True) for name in members)


def _is_declaration(node: Hit, name: str, number: int, text: str) -> bool:
    """Returns True for a line of the node's signature; without one for the node's first line."""
    if not node.signature or name not in text:
        return number == node.start_line
    line = " ".join(text.split())
    signature = node.signature.removesuffix("…").rstrip(" {:=")
    if signature in line or line.rstrip(" {:=") in signature:
        return True
    # the last line of a signature, and the body behind it
    ends = range(line.find(name) + len(name), min(len(line), len(signature)) + 1)
    return any(signature.endswith(line[:end]) for end in ends)


def _short_names(node: Hit) -> tuple[str, ...]:
    """The last part of the node's name; of a key also with the dots in it."""
    if node.symbol:
        return (node.symbol.rpartition(".")[2],)
    name = (node.logical_path or "").rpartition(" > ")[2]
    return tuple(filter(None, dict.fromkeys((name, name.rpartition(".")[2]))))


def _overlaps_word(
    name: str, text: str, spans: Iterable[tuple[int, int]], *, may_be_quoted: bool
) -> bool:
    """Returns True if a span has a part of the name where it stands as a whole word."""
    words = list(_whole_words(name, text, may_be_quoted=may_be_quoted))
    return any(
        start < end and first < end and start < last
        for start, end in spans
        for first, last in words
    )


def _whole_words(name: str, text: str, *, may_be_quoted: bool) -> Iterator[tuple[int, int]]:
    """The ranges of a name where it is no part of a longer word."""
    start = text.find(name) if name else -1
    while start >= 0:
        end = start + len(name)
        before, after = text[start - 1 : start], text[end : end + 1]
        is_quoted = not may_be_quoted and before in _QUOTES and before
        if not (_is_word_character(before) or is_quoted or _is_word_character(after)):
            yield start, end
            start = text.find(name, end)
        else:
            start = text.find(name, start + 1)


def _is_word_character(character: str) -> bool:
    return character.isalnum() or character == "_"

"""Finds a query's words in text, tokenized and stemmed by FTS5's own tokenizer, so that
highlights agree with the index.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, repeat
from operator import add
from typing import NamedTuple

from feeder.bigrams import has_run, runs_and_rest, split_words
from feeder.query.stopwords import HIGHLIGHT_STOP_WORDS
from feeder.store.tokenizer import tokenize
from feeder.text import split_compound

MAX_CACHED_TOKENS = 20_000
"""Tokens of which a matcher remembers how they match."""


class TermMatch(NamedTuple):
    """A matched word: the index of its line, and its characters from `start` up to `end`."""

    row: int
    start: int
    end: int
    stems: frozenset[str]


class TermMatcher:
    """Finds words in lines, without stop words unless there are no others.

    A word that ends in `*` matches all that begin with it.
    """

    def __init__(self, words: Iterable[str]) -> None:
        terms = [word for word in words if word.strip("*")]
        terms = [word for word in terms if word.casefold() not in HIGHLIGHT_STOP_WORDS] or terms
        self._stems = frozenset(stem for word in terms for stem in _word_stems(word))
        self._prefixes = tuple(word.strip("*").casefold() for word in terms if word[-1] == "*")
        self._beginnings = {stem[: max(1, len(stem) - 2)] for stem in self._stems}
        # most tokens of a file occur often in it
        self._parts_by_token: dict[bytes, list[tuple[int, int, frozenset[str]]]] = {}
        # parts of one long line are searched one after another
        self._last_line: tuple[str, list[TermMatch]] = ("", [])

    def find_matches(self, lines: Sequence[str]) -> Iterator[TermMatch]:
        """Matches in the order of the lines; a compound word as a whole or by its parts."""
        for row in self._possible_rows(lines):
            line = lines[row]
            if len(self._parts_by_token) > MAX_CACHED_TOKENS:
                self._parts_by_token.clear()
            last = self._last_line
            if last[0] != line:
                last = self._last_line = (line, list(self._match_line(line)))
            for _, start, end, stems in last[1]:
                yield TermMatch(row, start, end, stems)

    def _possible_rows(self, lines: Sequence[str]) -> Iterable[int]:
        """The rows of all lines with one of the stems, and of few others.

        A stem may differ from its words in its last letters and in accents. The lines are searched
        as one text: a pattern of the stems takes longer to compile than to use.
        """
        text = "\n".join(lines)
        if not text.isascii() or text.count("\n") != len(lines) - 1:
            return [row for row, line in enumerate(lines) if self._is_possible(line)]
        text = text.lower()
        starts = list(accumulate(map(add, map(len, lines), repeat(1)), initial=0))
        rows = set[int]()
        for beginning in self._beginnings:
            at = text.find(beginning)
            while at >= 0:
                row = bisect_right(starts, at) - 1
                rows.add(row)
                at = text.find(beginning, starts[row + 1])
        return sorted(rows)

    def _is_possible(self, line: str) -> bool:
        text = line.lower()
        is_found = any(beginning in text for beginning in self._beginnings)
        return bool(self._beginnings) and (is_found or not line.isascii())

    def _match_line(self, line: str) -> Iterator[TermMatch]:
        text = line.encode("utf-8", "replace")
        column, counted = 0, 0
        for start, end, stem in tokenize(text):
            token = text[start:end]
            parts = self._parts_by_token.get(token)
            if parts is None:
                parts = self._parts_by_token[token] = self._match_token(token.decode(), stem)
            if parts:
                column += len(text[counted:start].decode())
                counted = start
                for first, last, stems in parts:
                    yield TermMatch(0, column + first, column + last, stems)

    def _match_token(self, word: str, stem: str) -> list[tuple[int, int, frozenset[str]]]:
        """The match of a token, else those of its parts: characters in the token, and stems."""
        if has_run(word):
            return [match for part in runs_and_rest(word) for match in self._match_part(*part)]
        own = [
            (at, part, name)
            for at, part in split_compound(word)
            if (name := self._matching_stem(part))
        ]
        if whole := self._matching_stem(word, stem):
            return [(0, len(word), frozenset([whole, *(stem[2] for stem in own)]))]
        return [(at, at + len(part), frozenset([name])) for at, part, name in own]

    def _match_part(
        self, offset: int, text: str, is_run: bool
    ) -> Iterator[tuple[int, int, frozenset[str]]]:
        """The matches in a run of a token, or in what is between runs."""
        matches = self._match_run(text) if is_run else self._match_token(text, _stem(text))
        yield from ((offset + start, offset + end, stems) for start, end, stems in matches)

    def _match_run(self, run: str) -> list[tuple[int, int, frozenset[str]]]:
        """The pairs and characters of the query in a run; those that overlap are one match."""
        matches: list[tuple[int, int, frozenset[str]]] = []
        for at, character in enumerate(run):
            stems = self._stems & {character, run[at : at + 2]}
            if not stems:
                continue
            start, end = at, at + max(map(len, stems))
            if matches and at < matches[-1][1]:
                start, last_end, last_stems = matches.pop()
                end, stems = max(end, last_end), stems | last_stems
            matches.append((start, end, stems))
        return matches

    def _matching_stem(self, word: str, stem: str = "") -> str:
        """The stem or prefix of the query that a word matches; empty if none."""
        stem = stem or _stem(word)
        if stem in self._stems:
            return stem
        return next((prefix for prefix in self._prefixes if word.casefold().startswith(prefix)), "")


def text_stems(text: str) -> frozenset[str]:
    """The stems of a text's words and of their parts, without stop words."""
    terms = (word for word in text.split() if word.casefold() not in HIGHLIGHT_STOP_WORDS)
    return frozenset(stem for word in terms for stem in _word_stems(word))


def _word_stems(word: str) -> list[str]:
    """The stems of each token of a word and of each part of it, without stop words unless there
    are no others: `toObject` → toobject, object.
    """
    text = split_words(word).encode("utf-8", "replace")
    stems: list[tuple[str, str]] = []
    for start, end, stem in tokenize(text):
        token = text[start:end].decode()
        stems.append((token, stem))
        stems += [(part, _stem(part)) for _, part in split_compound(token)]
    meaningful = [stem for part, stem in stems if part.casefold() not in HIGHLIGHT_STOP_WORDS]
    return meaningful or [stem for _, stem in stems]


@lru_cache(10_000)
def _stem(word: str) -> str:
    return next((stem for _, _, stem in tokenize(word.encode("utf-8", "replace"))), "")

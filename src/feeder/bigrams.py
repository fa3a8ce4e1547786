"""Splits runs of Chinese, Japanese and Korean characters into overlapping pairs.

These languages put no spaces between words, or attach particles to them, so FTS5 would take a run
for one word. `适者生存` is indexed as `适者 者生 生存 存`: a word at each character. A part of the
run is then a phrase: `"者生 生存"`; a single character is the beginning of a word.
"""

import re
from functools import cache

_CHARACTERS = (
    "\u1100-\u11ff"  # Hangul letters of decomposed syllables
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c"  # repetition marks, numerals
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3105-\u312f\u31a0-\u31bf\u3131-\u318e"  # Bopomofo, Hangul letters
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"  # Hangul syllables, more letters
    "\uff66-\uff9f\uffa0-\uffdc"  # half width
    "\U0001b000-\U0001b16f\U00020000-\U0002fa1f\U00030000-\U000323af"  # rare Kana and Han
)
"""Letters as the inside of a character class. Punctuation such as `・` separates words."""

RUN = f"[{_CHARACTERS}]+"
"""A regular expression for a run."""

RUN_GLOB = (
    "[\u1100-\u11ff\u3005-\u9fff\ua960-\ud7fb\uf900-\ufaff\uff66-\uffdc\U0001b000-\U000323af]"
)
"""Nearly the same characters for SQL: D1 allows patterns of 50 bytes."""


@cache
def _run_pattern() -> re.Pattern[str]:
    """Compiled for the first text beyond ASCII: that takes 3 ms."""
    return re.compile(RUN)


def has_run(text: str) -> bool:
    """Tells whether a text has a character that begins a word of its own."""
    return not text.isascii() and _run_pattern().search(text) is not None


def split_text(text: str) -> str:
    """Returns a text as it is indexed: with a word for each character of a run.

    Words are pairs, and the last character of each run.
    """
    return text if text.isascii() else _run_pattern().sub(_spaced_pairs, text)


def split_phrase(phrase: str) -> tuple[str, bool]:
    """Returns a phrase as it is searched for, and whether its last word is only a beginning.

    The run at its end may go on in the text.
    """
    *_, (start, run, is_run) = runs_and_rest(phrase) or [(0, "", False)]
    if not is_run:
        return split_text(phrase), False
    words = [split_text(phrase[:start]), *(pairs(run) or [run])]
    return " ".join(filter(None, words)), len(run) == 1


def split_words(text: str) -> str:
    """Returns a text with the words that any of its parts may have: pairs, and single characters of
    runs of one.
    """
    return text if text.isascii() else _run_pattern().sub(_spaced_words, text)


def pairs(run: str) -> list[str]:
    """Returns the pairs of a run, none of a single character."""
    return [run[at : at + 2] for at in range(len(run) - 1)]


def runs_and_rest(word: str) -> list[tuple[int, str, bool]]:
    """Returns the runs of a word and what is between them: offset, text, and True for a run."""
    if word.isascii():
        return [(0, word, False)] if word else []
    parts = []
    end = 0
    for run in _run_pattern().finditer(word):
        parts += [(end, word[end : run.start()], False), (run.start(), run[0], True)]
        end = run.end()
    return [part for part in [*parts, (end, word[end:], False)] if part[1]]


def is_part_of_word(character: str) -> bool:
    """Tells whether a letter, digit or `_` beside a text makes both one word.

    Where words have no spaces between them, a text is never a part of a longer word.
    """
    return (character.isalnum() or character == "_") and not has_run(character)


def _spaced_pairs(match: re.Match[str]) -> str:
    run = match[0]
    return f" {' '.join([*pairs(run), run[-1]])} "


def _spaced_words(match: re.Match[str]) -> str:
    return f" {' '.join(pairs(match[0]) or [match[0]])} "

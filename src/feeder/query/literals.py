"""Finds texts that a query wants literally: phrases, words in their case and tokens of code.

The Worker has the same in `literals.ts`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from feeder.bigrams import is_part_of_word
from feeder.query.query import Query
from feeder.text import unicode_forms

_SPACE = re.compile(r"\s")


class Literal(NamedTuple):
    """A text to find; spaces and line ends in it are equivalent.

    A whole word is not part of a longer one, at those of its ends that are letters or digits.
    """

    text: str
    case_sensitive: bool = False
    whole_word: bool = False


def token_literal(token: str) -> Literal:
    """A token of code as a literal; a plain word in lower case matches in any case."""
    return Literal(token, not (token.isalpha() and token.islower()), True)


KEY_BEFORE = re.compile(r"""\s*(?:(?:export|ENV|ARG|set|declare)\s+)?[\s{(,|*-]*["'`]?-{0,2}""")
KEY_AFTER = re.compile(r"""["'`]?\??\s*(?:=>|:(?!:)|=(?![=>~])(?!.*,\s*$))""")
"""What precedes and follows a key in its line: `'KEY': 1`, `key: 1`, `KEY=1`; no named argument."""

CALL_BEFORE = re.compile(
    r"(?<!\w)(?!get|has|is|read|parse|remove)(?!\w*_(?:get|has|is|read|parse|remove)(?![a-z]))"
    r"(?!\w*[a-z](?:Get|Has|Is|Read|Parse|Remove)(?![a-z]))"
    r"\w*(?:[Ff]lag|[Oo]ption|[Aa]rg|[Dd]efine|DEFINE"
    r"|[Ss]etting|[Pp]aram|[Rr]egister|String|Bool|Int|Uint|Float|Duration)\w*(?:::new)?"
    r"""\((?:[^()"'`]*|.*,\s*)["'`](?:-\w,?\ )?-{0,2}$"""
)
CALL_AFTER = re.compile(r"""(?:[ =,|<\[][^"'`]*)?["'`]""")
"""What precedes and follows a name that a call defines: `Flag("name")`, `option("--name <n>")`."""

NAME_BEFORE = re.compile(
    r"(?:(?<!\w)[\"'`]?(?:[Nn]ames?|[Kk]ey|[Ff]lag|[Ll]ong|[Rr]ename|[Ee]nv(?:_?[Vv]ars?)?)[\"'`]?"
    r"\s*(?:=>|[:=](?!=))\s*(?:\[\]string)?[\[({]?\s*"
    r"|(?<![\w.])[A-Z][A-Z0-9_]{2,}(?:\s*:\s*[^\"'`=(]{1,60})?\s*:?=\s*"
    r"|(?<!\w)(?:const|final|#\s*define)\s[^\"'`=(]*=?\s*)[\"'`]-{0,2}$"
)
NAME_AFTER = re.compile(r"""["'`]""")
"""What precedes and follows a text that becomes a name: `name = "x"`, `long: "x"`, `FLAG = "x"`."""

MAX_DEFINITION_CHARS = 300
"""Characters of a line before and after a literal that are compared with these patterns."""


class LiteralMatch(NamedTuple):
    """The index of a line, and the characters from `start` up to `end` of it."""

    row: int
    start: int
    end: int


def required_literals(query: Query) -> list[Literal]:
    """The phrases, the alternatives and, with `case`, the words that a hit must have; one of the
    words is enough.
    """
    words = query.words.split() if query.case else []
    return [
        *(Literal(phrase, query.case) for phrase in query.phrases),
        *(Literal(text.removesuffix("*"), query.case) for text in query.either_texts),
        *(Literal(word, True, True) for word in words),
    ]


def find_literals(lines: Sequence[str], literals: Iterable[Literal]) -> list[LiteralMatch]:
    """All matches in the order of the lines; one that spans lines is a match in each of them."""
    text = "\n".join(lines)
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    matches = {
        match
        for literal in literals
        for start, end in find_spans(text, literal)
        for match in _split_at_lines(start, end, starts, lines)
    }
    return sorted(matches)


def has_literal(text: str, literal: Literal) -> bool:
    """Returns True if the text has the literal."""
    return next(find_spans(text, literal), None) is not None


def defines_literal(text: str, start: int, end: int) -> bool:
    """Returns True if the line of a literal makes it a key, or the name of a flag or setting."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    before = text[max(first, start - MAX_DEFINITION_CHARS) : start]
    after = text[end : min(last if last >= 0 else len(text), end + MAX_DEFINITION_CHARS)]
    is_key = KEY_BEFORE.fullmatch(before) and KEY_AFTER.match(after)
    if is_key or (CALL_AFTER.match(after) and CALL_BEFORE.search(before)):
        return True
    return bool(NAME_AFTER.match(after) and NAME_BEFORE.search(before))


def find_spans(text: str, literal: Literal) -> Iterator[tuple[int, int]]:
    """The ranges of characters that match, in their order; in any Unicode form."""
    if literal.text.isascii() or text.isascii():
        yield from _find_form(text, literal)
        return
    forms = (literal._replace(text=form) for form in unicode_forms(literal.text))
    yield from sorted({span for form in forms for span in _find_form(text, form)})


def _find_form(text: str, literal: Literal) -> Iterator[tuple[int, int]]:
    if literal.case_sensitive and not _SPACE.search(literal.text):
        yield from _find_exactly(text, literal)
        return
    if literal.case_sensitive:
        yield from _find_words(text, literal)
        return
    folded = text.casefold()
    if len(folded) == len(text):
        yield from _find_words(folded, literal)
        return
    # a character such as `ß` becomes several
    ends = list(accumulate(len(character.casefold()) for character in text))
    for start, end in _find_words(folded, literal):
        yield bisect_right(ends, start), bisect_right(ends, end - 1) + 1


def _find_words(text: str, literal: Literal) -> Iterator[tuple[int, int]]:
    """The spans of the literal in a text that is in the literal's case.

    The pattern is compared only where its first word is, and not at each character of the text.
    """
    first_word, pattern = _compile(literal)
    at = text.find(first_word) if first_word else -1
    while at >= 0:
        match = pattern.match(text, at)
        if match and literal.whole_word and _is_inside_word(text, *match.span()):
            match = None
        if match:
            yield match.span()
        at = text.find(first_word, match.end() if match else at + 1)


def _find_exactly(text: str, literal: Literal) -> Iterator[tuple[int, int]]:
    """The spans of a literal without spaces, found without a pattern."""
    token, size = literal.text, len(literal.text)
    start = text.find(token) if token else -1
    while start >= 0:
        end = start + size
        if literal.whole_word and _is_inside_word(text, start, end):
            start = text.find(token, start + 1)
            continue
        yield start, end
        start = text.find(token, end)


def _is_inside_word(text: str, start: int, end: int) -> bool:
    """Tells whether a letter or digit goes on at an end of the range that is one, too."""
    return (is_part_of_word(text[start - 1 : start]) and is_part_of_word(text[start])) or (
        is_part_of_word(text[end : end + 1]) and is_part_of_word(text[end - 1])
    )


@lru_cache(50)
def _compile(literal: Literal) -> tuple[str, re.Pattern[str]]:
    """The first word, empty if there is none, and the pattern of the whole literal."""
    text = literal.text if literal.case_sensitive else literal.text.casefold()
    words = text.split()
    pattern = r"\s+".join(map(re.escape, words))
    return words[0] if words else "", re.compile(pattern)


def _split_at_lines(
    start: int, end: int, starts: Sequence[int], lines: Sequence[str]
) -> Iterator[LiteralMatch]:
    row = bisect_right(starts, start) - 1
    while row < len(lines) and starts[row] < end:
        first, last = max(start - starts[row], 0), min(end - starts[row], len(lines[row]))
        if first < last:
            yield LiteralMatch(row, first, last)
        row += 1

"""Is an answer a description? It is text, never an instruction: a line of it, or why not."""

import html
import re
import unicodedata
from enum import StrEnum
from typing import NamedTuple

from feeder.describe import Told
from feeder.parse.secrets import mask_text

LINE_CHARS = 240
"""Of a line, which is cut at a word."""
ANSWER_CHARS = 2_000
"""Of an answer behind its thoughts: what comes after is not looked at."""
LEAST_WORDS = 3
TOO_LONG = "the text is too long for the model"


class Reason(StrEnum):
    """Why a node stands without a line."""

    REFUSED = "the model refused"
    EMPTY = "the answer was empty"
    ENDLESS = "the answer did not come to its end"
    REPEATS = "the answer repeats the code"
    NONSENSE = "the answer is no sentence"
    TOO_LONG = TOO_LONG


class Line(NamedTuple):
    """A description, or why there is none."""

    text: str = ""
    reason: str = ""


# with or without its beginning, which some servers leave in the prompt
_THOUGHTS = re.compile(r"^.*</(think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"\s*(```|~~~)")
_TAG = re.compile(r"</?[A-Za-z!][^<>]*>")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"[`*]+|(?<!\w)_+|_+(?!\w)")
_BEGINNING = re.compile(
    r"^[\s>#*+\-\u2022\"'\u201c\u201d\u2018\u2019]+|^\d+[.)]\s+|^(description|summary|answer):\s+",
    re.IGNORECASE,
)
_QUOTES = "\"'\u201c\u201d\u2018\u2019 "
# by which detect-secrets leaves a line alone: whoever writes the answer has no say in that
_ALLOWED = re.compile(r"pragma\W*(allow|white)list", re.IGNORECASE)
_REFUSAL = re.compile(
    r"i('?m| am) (sorry|unable|not able)|sorry\b|i (can ?not|can'?t|won'?t)\b"
    r"|as an? (ai|language) ",
    re.IGNORECASE,
)
_CODE = re.compile(r"[{}();=\[\]]|->|=>|::|^\s*(def|func|fn|class|public|private|static)\s", re.M)
_WORD = re.compile(r"[^\W\d_]{2,}")


def line_of(told: Told, code: str, *, mask_secrets: bool = True) -> Line:
    """The answer to a text with that code."""
    text = _THOUGHTS.sub("", told.text)[:ANSWER_CHARS]
    if told.refused:
        return Line(reason=Reason.REFUSED)
    if not told.whole or _THINKING.search(text):
        return Line(reason=Reason.ENDLESS)
    said = _first_line(text)
    if not said:
        return Line(reason=Reason.EMPTY)
    if _REFUSAL.match(said):
        return Line(reason=Reason.REFUSED)
    if _repeats(said, code):
        return Line(reason=Reason.REPEATS)
    line = _cut(_masked(said) if mask_secrets else said)
    return Line(line) if len(_WORD.findall(line)) >= LEAST_WORDS else Line(reason=Reason.NONSENSE)


def _first_line(text: str) -> str:
    """The first that says something, without markup, control characters and what hides."""
    for raw in text.splitlines():
        if not _FENCE.match(raw) and (line := _cleaned(raw)):
            return line
    return ""


def _cleaned(raw: str) -> str:
    line = "".join(one if _is_seen(one) else " " for one in html.unescape(raw))
    line = _LINK.sub(r"\1", _TAG.sub(" ", line))
    while (rest := _BEGINNING.sub("", line)) != line:
        line = rest
    return " ".join(_MARKUP.sub("", line).split()).strip(_QUOTES)


def _is_seen(character: str) -> bool:
    """No control character, none that is invisible or turns the writing, no half of one."""
    return unicodedata.category(character)[0] != "C"


def _masked(line: str) -> str:
    return mask_text("answer.txt", _ALLOWED.sub(" ", line).encode()).content.decode()


def _repeats(line: str, code: str) -> bool:
    """Whether it is a piece of the code rather than a sentence; a doc comment's is one."""
    squeezed = "".join(line.split())
    return bool(_CODE.search(line)) and squeezed in _squeezed(code)


def _squeezed(code: str) -> str:
    """As an answer would have it: without blanks, and without what is taken for markup."""
    return "".join(_MARKUP.sub("", code).split())


def _cut(line: str) -> str:
    if len(line) <= LINE_CHARS:
        return line
    return f"{line[: LINE_CHARS - 1].rsplit(' ', 1)[0]}…"

"""Turns a model's answer into a one-line description, or into the reason why it has none.

An answer is data, never an instruction.
"""

import html
import re
import unicodedata
from enum import StrEnum
from typing import NamedTuple

from feeder.descriptions import ModelAnswer
from feeder.parse.secrets import mask_text

MAX_DESCRIPTION_CHARS = 240
"""Of a line, which is cut at a word."""
MAX_ANSWER_CHARS = 2_000
"""Of an answer behind its thoughts: what comes after is not looked at."""
MIN_WORDS = 3
TOO_LONG = "the text is too long for the model"


class RejectReason(StrEnum):
    """Why a node stands without a line."""

    REFUSED = "the model refused"
    EMPTY = "the answer was empty"
    INCOMPLETE = "the answer did not come to its end"
    REPEATS_CODE = "the answer repeats the code"
    NOT_A_SENTENCE = "the answer is no sentence"
    TOO_LONG = TOO_LONG


class SanitizedAnswer(NamedTuple):
    """A description, or why there is none."""

    text: str = ""
    reason: str = ""


# with or without its beginning, which some servers leave in the prompt
_CLOSED_REASONING = re.compile(r"^.*</(think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_OPEN_REASONING = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"\s*(```|~~~)")
_TAG = re.compile(r"</?[A-Za-z!][^<>]*>")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"[`*]+|(?<!\w)_+|_+(?!\w)")
_LEADING_MARKUP = re.compile(
    r"^[\s>#*+\-\u2022\"'\u201c\u201d\u2018\u2019]+|^\d+[.)]\s+|^(description|summary|answer):\s+",
    re.IGNORECASE,
)
_QUOTES = "\"'\u201c\u201d\u2018\u2019 "
# by which detect-secrets leaves a line alone: whoever writes the answer has no say in that
_SECRET_ALLOWLIST_PRAGMA = re.compile(r"pragma\W*(allow|white)list", re.IGNORECASE)
_REFUSAL_PHRASE = re.compile(
    r"i('?m| am) (sorry|unable|not able)|sorry\b|i (can ?not|can'?t|won'?t)\b"
    r"|as an? (ai|language) ",
    re.IGNORECASE,
)
_CODE = re.compile(r"[{}();=\[\]]|->|=>|::|^\s*(def|func|fn|class|public|private|static)\s", re.M)
_WORD = re.compile(r"[^\W\d_]{2,}")


def parse_description(
    answer: ModelAnswer, code: str, *, mask_secrets: bool = True
) -> SanitizedAnswer:
    """The answer to a text with that code."""
    text = _CLOSED_REASONING.sub("", answer.text)[:MAX_ANSWER_CHARS]
    if answer.refused:
        return SanitizedAnswer(reason=RejectReason.REFUSED)
    if not answer.is_complete or _OPEN_REASONING.search(text):
        return SanitizedAnswer(reason=RejectReason.INCOMPLETE)
    said = _first_line(text)
    if not said:
        return SanitizedAnswer(reason=RejectReason.EMPTY)
    if _REFUSAL_PHRASE.match(said):
        return SanitizedAnswer(reason=RejectReason.REFUSED)
    if _repeats_code(said, code):
        return SanitizedAnswer(reason=RejectReason.REPEATS_CODE)
    line = _truncate_at_word(_mask_secrets(said) if mask_secrets else said)
    return (
        SanitizedAnswer(line)
        if len(_WORD.findall(line)) >= MIN_WORDS
        else SanitizedAnswer(reason=RejectReason.NOT_A_SENTENCE)
    )


def _first_line(text: str) -> str:
    """The first that says something, without markup, control characters and what hides."""
    for raw in text.splitlines():
        if not _FENCE.match(raw) and (line := _strip_markup(raw)):
            return line
    return ""


def _strip_markup(raw: str) -> str:
    line = "".join(one if _is_visible(one) else " " for one in html.unescape(raw))
    line = _LINK.sub(r"\1", _TAG.sub(" ", line))
    while (rest := _LEADING_MARKUP.sub("", line)) != line:
        line = rest
    return " ".join(_MARKUP.sub("", line).split()).strip(_QUOTES)


def _is_visible(character: str) -> bool:
    """No control character, none that is invisible or turns the writing, no half of one."""
    return unicodedata.category(character)[0] != "C"


def _mask_secrets(line: str) -> str:
    return mask_text(
        "answer.txt", _SECRET_ALLOWLIST_PRAGMA.sub(" ", line).encode()
    ).content.decode()


def _repeats_code(line: str, code: str) -> bool:
    """Whether it is a piece of the code rather than a sentence; a doc comment's is one."""
    squeezed = "".join(line.split())
    return bool(_CODE.search(line)) and squeezed in _without_blanks(code)


def _without_blanks(code: str) -> str:
    """As an answer would have it: without blanks, and without what is taken for markup."""
    return "".join(_MARKUP.sub("", code).split())


def _truncate_at_word(line: str) -> str:
    if len(line) <= MAX_DESCRIPTION_CHARS:
        return line
    return f"{line[: MAX_DESCRIPTION_CHARS - 1].rsplit(' ', 1)[0]}…"

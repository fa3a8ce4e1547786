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
"""Limit of a description, which is cut at a word."""
MAX_ANSWER_CHARS = 2_000
"""Characters of an answer that are read, after its reasoning."""
MIN_WORDS = 3
TOO_LONG = "the text is too long for the model"


class RejectReason(StrEnum):
    """The reason why a node has no description."""

    REFUSED = "the model refused"
    EMPTY = "the answer was empty"
    INCOMPLETE = "the answer did not come to its end"
    REPEATS_CODE = "the answer repeats the code"
    NOT_A_SENTENCE = "the answer is not a sentence"
    TOO_LONG = TOO_LONG


class SanitizedAnswer(NamedTuple):
    """A description, or why there is none."""

    text: str = ""
    reason: str = ""


# the opening tag may be missing: some servers leave it in the prompt
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
# detect-secrets skips lines with this pragma; an answer must not be able to request that
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
    """Returns the description in an answer about some code, or why it has none."""
    text = _CLOSED_REASONING.sub("", answer.text)[:MAX_ANSWER_CHARS]
    if answer.refused:
        return SanitizedAnswer(reason=RejectReason.REFUSED)
    if not answer.is_complete or _OPEN_REASONING.search(text):
        return SanitizedAnswer(reason=RejectReason.INCOMPLETE)
    line = _first_line(text)
    if not line:
        return SanitizedAnswer(reason=RejectReason.EMPTY)
    if _REFUSAL_PHRASE.match(line):
        return SanitizedAnswer(reason=RejectReason.REFUSED)
    if _repeats_code(line, code):
        return SanitizedAnswer(reason=RejectReason.REPEATS_CODE)
    line = _truncate_at_word(_mask_secrets(line) if mask_secrets else line)
    return (
        SanitizedAnswer(line)
        if len(_WORD.findall(line)) >= MIN_WORDS
        else SanitizedAnswer(reason=RejectReason.NOT_A_SENTENCE)
    )


def _first_line(text: str) -> str:
    """The first line that is not empty without markup, control and invisible characters."""
    for raw in text.splitlines():
        if not _FENCE.match(raw) and (line := _strip_markup(raw)):
            return line
    return ""


def _strip_markup(raw: str) -> str:
    line = "".join(character if _is_visible(character) else " " for character in html.unescape(raw))
    line = _LINK.sub(r"\1", _TAG.sub(" ", line))
    while (rest := _LEADING_MARKUP.sub("", line)) != line:
        line = rest
    return " ".join(_MARKUP.sub("", line).split()).strip(_QUOTES)


def _is_visible(character: str) -> bool:
    """False for control, formatting and bidi characters, and for lone surrogates."""
    return unicodedata.category(character)[0] != "C"


def _mask_secrets(line: str) -> str:
    return mask_text(
        "answer.txt", _SECRET_ALLOWLIST_PRAGMA.sub(" ", line).encode()
    ).content.decode()


def _repeats_code(line: str, code: str) -> bool:
    """True if the line is a part of the code; a sentence of a doc comment is not."""
    squeezed = "".join(line.split())
    return bool(_CODE.search(line)) and squeezed in _without_blanks(code)


def _without_blanks(code: str) -> str:
    """The code without blanks and markup, to compare with an answer."""
    return "".join(_MARKUP.sub("", code).split())


def _truncate_at_word(line: str) -> str:
    if len(line) <= MAX_DESCRIPTION_CHARS:
        return line
    return f"{line[: MAX_DESCRIPTION_CHARS - 1].rsplit(' ', 1)[0]}…"

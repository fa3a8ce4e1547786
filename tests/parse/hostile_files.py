"""Generators of hostile source files, by kind, for every grammar."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from parse.language_samples import LANGUAGES, LanguageConstructs, real_files
from parse.mutations import splice

_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
_MARKS = (
    *('"', "'", "`", "/*", "//", "#", "<!--", "\\", "\\\n", "$", "@", "=", "-", "!", "a.", "a "),
    *(";", ",", ":", "\n", " ", "\t", "\x0c", "a\n", "&", "|", "0", "A", "é", "\u200b"),
)
_DEPTHS = (250, 1100, 30_000)
_INVISIBLE = (
    *("\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u2028", "\x85", "\x0b", "\x1c", "\x7f"),
    *("\u202a", "\u202e", "\u2066", "\u2069", "\u200f", "\u0301", "\U000e0041", "\ufffd"),
)
_BAD_UTF8 = (
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf5\x80\x80\x80",
    b"\xe2\x82",
    b"\x80",
    b"\xe9",
)


class Case(NamedTuple):
    """The input of a generator; `size` is the maximum number of bytes."""

    language_constructs: LanguageConstructs
    real: Sequence[bytes]
    size: int
    random: Random

    def sample(self) -> bytes:
        return self.random.choice(self.real)[: self.size]


Kind = Callable[[Case], Iterator[bytes]]


def _nested(case: Case) -> Iterator[str]:
    for opening, closing in (*_BRACKETS, *case.language_constructs.nests):
        for depth in _DEPTHS:
            yield _nest(opening, closing, min(depth, _deepest(opening, closing, case.size)))
        yield _nest(opening, "", _deepest(opening, "", case.size))


def _nest(opening: str, closing: str, depth: int) -> str:
    if opening.endswith("\n") and opening[0] != "#":
        return "".join(" " * level + opening for level in range(depth))
    return opening * depth + "a" + closing * depth


def _deepest(opening: str, closing: str, size: int) -> int:
    if opening.endswith("\n") and opening[0] != "#":
        return int((2 * size) ** 0.5) - len(opening)
    return size // len(opening + closing)


def _endless(case: Case) -> Iterator[str]:
    words = case.sample().decode("utf-8", "replace")
    for mark in (*_MARKS, *case.language_constructs.endless):
        yield mark * (case.size // len(mark.encode()))
        yield f"{words}\n{mark}{words}"


def _one_line(case: Case) -> Iterator[bytes]:
    line = b" ".join(case.sample().split())
    yield line * (case.size // max(1, len(line)))
    yield b'a = "' + b"\\n\\u0041 text " * (case.size // 13) + b'"\n'
    yield b"f(1, [2, 3]);" * (case.size // 13)


def _many_lines(case: Case) -> Iterator[bytes]:
    sample = case.sample()
    yield sample * (case.size // max(1, len(sample)))
    lines = sample.splitlines(keepends=True) or [b""]
    yield b"".join(case.random.choices(lines, k=case.size // (1 + len(sample) // len(lines))))


def _noise(case: Case) -> Iterator[bytes]:
    some = case.random
    size = case.size // 2
    yield some.randbytes(size)
    yield bytes(some.choices(range(1, 256), k=size))
    yield bytes(some.choices(range(32, 127), k=size))
    yield bytes(some.choices(b"\n !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", k=size))
    words = case.sample().split() or [b""]
    yield b" ".join(some.choices(words, k=size // 8))[:size]
    marks = "".join(
        (*_MARKS, *case.language_constructs.endless, *sum(case.language_constructs.nests, ()))
    ).encode()
    yield bytes(some.choices(marks, k=size))


def _truncated(case: Case) -> Iterator[bytes]:
    for _ in range(10):
        sample = case.sample()
        yield sample[: case.random.randrange(len(sample) + 1)]
        yield sample[case.random.randrange(len(sample) + 1) :]


def _spliced(case: Case) -> Iterator[bytes]:
    for _ in range(10):
        yield splice(case.sample(), case.sample(), case.random)
    for language in LANGUAGES:
        yield splice(case.sample(), real_files(language)[0], case.random)


def _invisible(case: Case) -> Iterator[bytes]:
    for mark in _INVISIBLE:
        yield _strewn(case, mark.encode(), 1 / 20)
    yield b"".join(mark.encode() for mark in _INVISIBLE) * (case.size // 60)


def _invalid_utf8(case: Case) -> Iterator[bytes]:
    for mark in _BAD_UTF8:
        yield _strewn(case, mark, 1 / 500)
        yield _strewn(case, mark, 1 / 10)
        yield mark * (case.size // len(mark))
        yield (mark + b"word ") * (case.size // 9)


def _line_ends(case: Case) -> Iterator[bytes]:
    sample = case.sample().replace(b"\r", b"")
    for end in (b"\r", b"\r\n", b"\n\r", b"\r\r\n", b"\x0c", b"\x85"):
        yield sample.replace(b"\n", end)
    yield _strewn(case, b"\r", 1 / 20)
    yield b"\r" * case.size
    yield b"a\r" * (case.size // 2) + b"\n"


def _nuls(case: Case) -> Iterator[bytes]:
    yield case.sample() + b"\0"
    yield _strewn(case, b"\0", 1 / 50)
    yield b"\0" * case.size


def _marked(case: Case) -> Iterator[bytes]:
    text = case.sample().decode("utf-8", "replace")
    for encoding in ("utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"):
        content = text.encode(encoding)
        yield content
        yield content[:-1]
        yield content[: case.random.randrange(len(content) + 1)] + b"\0\xd8" * 9
    yield b"\xef\xbb\xbf" * 3 + text.encode()
    yield _strewn(case, b"\xef\xbb\xbf", 1 / 50)


def _payloads(case: Case) -> Iterator[bytes]:
    for run in (b"A" * 459 + b" ", b"A" * 60 + b"\\n", b"A" * 1000, b"A_B ", b"#if A\\\n"):
        yield run * (case.size // len(run))


KINDS: dict[str, Kind] = {
    "nested without an end or deeply": lambda case: (text.encode() for text in _nested(case)),
    "strings and comments without an end": lambda case: (text.encode() for text in _endless(case)),
    "all on one line": _one_line,
    "many lines": _many_lines,
    "random bytes, marks and words": _noise,
    "truncated": _truncated,
    "spliced": _spliced,
    "bidirectional and zero-width characters": _invisible,
    "invalid UTF-8": _invalid_utf8,
    "carriage returns": _line_ends,
    "NULs": _nuls,
    "byte order marks": _marked,
    "runs against patterns": _payloads,
}


def _strewn(case: Case, mark: bytes, share: float) -> bytes:
    """Inserts a mark at a random share of a sample's positions."""
    sample = case.sample()
    places = sorted(case.random.sample(range(len(sample)), int(len(sample) * share)))
    parts = [sample[start:end] for start, end in zip([0, *places], [*places, None], strict=True)]
    return mark.join(parts)

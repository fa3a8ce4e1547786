"""Splits identifiers into words for indexing and search, and normalizes symbol names."""

import re
from collections.abc import Iterable
from functools import lru_cache

# FTS5's unicode61 parts words at all that is no letter or digit; what is left to part is case. A
# letter beyond ASCII counts as a small one.
WORD_PATTERN = re.compile(r"[^\W_]+")

# what is no sign of ASCII but a-z: said of what is beyond, it takes 8 ms to compile
_LOWERCASE = r"[^\x00-`{-\x7f]"

PART_PATTERN = re.compile(rf"[A-Z]+(?!{_LOWERCASE})|[A-Z]?{_LOWERCASE}+|[0-9]+")

_CHARACTER_CLASSES = bytes(range(256))

for _kind, _bytes in (
    (b"a", rb"[a-z\x80-\xff]"),
    (b"A", rb"[A-Z]"),
    (b"0", rb"\d"),
    (b" ", rb"[^aA0]"),
):
    _CHARACTER_CLASSES = re.sub(_bytes, _kind, _CHARACTER_CLASSES)

_PART_BOUNDARIES = (b"aA", b"a0", b"0a", b"0A", b"A0", b"AAa")
"""Where a compound word goes on with another part, in the kinds of its letters."""


class _CompoundCache(dict[bytes, str]):
    """The parts of compound words, by what stands between two of ASCII's signs.

    Made when first asked for, which is far faster than asking `lru_cache`.
    """

    def __missing__(self, compound: bytes) -> str:
        if len(self) == _CACHE_ENTRIES:
            self.clear()
        parted = map(
            PART_PATTERN.findall, WORD_PATTERN.findall(compound.decode("utf-8", "surrogatepass"))
        )
        found = " ".join(part for parts in parted if len(parts) > 1 for part in parts)
        if len(compound) <= _CACHE_KEY_BYTES:
            self[compound] = found
        return found


_CACHE_ENTRIES, _CACHE_KEY_BYTES = 100_000, 100
"""How many are kept, and of how many bytes: 40 MB at most."""

_cached_parts = _CompoundCache().__getitem__


def expand_words(text: str) -> str:
    """The text, followed by the parts of its compound words.

    `parseDeltaFile` is then found by "parse delta file" too, `HTTPServer` by "server".
    """
    return append_compounds(text, compound_parts(text))


def compound_parts(text: str) -> str:
    """The parts of the text's compound words, of each once, in their order."""
    content = text.encode("utf-8", "surrogatepass")
    return " ".join(filter(None, map(_cached_parts, _find_compounds(content))))


def split_compound(word: str) -> list[tuple[int, str]]:
    """The parts of a compound word, and where each begins; none of a simple one."""
    found = [(part.start(), part[0]) for part in PART_PATTERN.finditer(word)]
    return found if len(found) > 1 else []


def lowercase_parts(name: str) -> list[str]:
    """The words that a name is made of, one at least where it has a letter, in small letters."""
    return [part.lower() for part in PART_PATTERN.findall(name)]


def _find_compounds(content: bytes) -> Iterable[bytes]:
    """What stands between two of ASCII's signs and turns; a search for turns skips all the rest."""
    kinds = content.translate(_CHARACTER_CLASSES)
    found = {}
    for turn in _PART_BOUNDARIES:
        at = kinds.find(turn)
        while at >= 0:
            end = kinds.find(b" ", at)
            end = end if end >= 0 else len(kinds)
            start = kinds.rfind(b" ", 0, at) + 1
            found[start] = content[start:end]
            at = kinds.find(turn, end)
    return dict.fromkeys(stretch for _, stretch in sorted(found.items()))


def append_compounds(text: str, parts: str) -> str:
    """The text as it is indexed by word."""
    return f"{text}\n{parts}" if parts else text


# an operator is made of such signs too: what joins has a name behind it
SEPARATOR_PATTERN = re.compile(r"(?:::|->|#| > )(?=[^:>#\s])")


@lru_cache(10_000)
def normalize_symbol(name: str) -> str:
    """`A::b()`, `A#b` and `A > b` as `A.b`; an operator, such as `List.::`, as it is."""
    typed = name.strip().removesuffix("()")
    return SEPARATOR_PATTERN.sub(".", typed).strip(".") or typed


def symbol_ends_with(name: str, suffix: str) -> bool:
    """Whether a name is the one asked for or ends with its parts: `a.Cart.add` with `Cart.add`.

    Both are as `dotted` writes them.
    """
    return f".{name}".endswith(f".{suffix}")

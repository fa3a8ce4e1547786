"""Splits identifiers into words for indexing and search, and normalizes symbol names."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import normalize

# FTS5's unicode61 splits at everything but letters and digits; splitting by case is left to do
# here. A letter beyond ASCII counts as lowercase.
WORD_PATTERN = re.compile(r"[^\W_]+")

# everything but the ASCII characters outside a-z; naming the others takes 8 ms to compile
_LOWERCASE = r"[^\x00-`{-\x7f]"

PART_PATTERN = re.compile(rf"[A-Z]+(?!{_LOWERCASE})|[A-Z]?{_LOWERCASE}+|[0-9]+")

_CHARACTER_CLASSES = bytes(range(256))

for _class, _bytes in (
    (b"a", rb"[a-z\x80-\xff]"),
    (b"A", rb"[A-Z]"),
    (b"0", rb"\d"),
    (b" ", rb"[^aA0]"),
):
    _CHARACTER_CLASSES = re.sub(_bytes, _class, _CHARACTER_CLASSES)

_COMPOUNDS = (
    re.compile(rb"A(?:(?<=[a0]A)|(?<!AA)A++a)[aA0]*+"),
    re.compile(rb"0(?:(?<=[aA]0)|(?<!00)0*+(?=[aA]))[aA0]*+"),
)
"""Compound words in character classes, from where their first part or digits end: `aA`, `0A` and
`AAa`; `a0`, `A0`, `0a` and `0A`. A pattern that begins with one rare byte is searched for twice as
fast as each of these pairs.
"""


class _CompoundCache(dict[bytes, str]):
    """Parts of compound words, by the bytes between two ASCII separators.

    A dict with `__missing__` is far faster than `lru_cache`.
    """

    def __missing__(self, compound: bytes) -> str:
        if len(self) == _CACHE_ENTRIES:
            self.clear()
        words = WORD_PATTERN.findall(compound.decode("utf-8", "surrogatepass"))
        split_words = map(PART_PATTERN.findall, words)
        joined = " ".join(part for parts in split_words if len(parts) > 1 for part in parts)
        if len(compound) <= _CACHE_KEY_BYTES:
            self[compound] = joined
        return joined


_CACHE_ENTRIES, _CACHE_KEY_BYTES = 100_000, 100
"""Entries, and bytes of a key: 40 MB at most."""

_cached_parts = _CompoundCache().__getitem__


def expand_words(text: str) -> str:
    """Returns the text, followed by the parts of its compound words.

    `parseDeltaFile` is then found by "parse delta file" too, `HTTPServer` by "server".
    """
    return append_compounds(text, compound_parts(text))


def compound_parts(text: str) -> str:
    """Returns the parts of the text's distinct compound words, in their order."""
    [parts] = compound_parts_of([text])
    return parts


def compound_parts_of(texts: Iterable[str]) -> list[str]:
    """Returns `compound_parts` of each text; all at once take less time than one by one."""
    contents = [text.encode("utf-8", "surrogatepass") for text in texts]
    sizes = list(map(len, contents))
    joined = b"\n".join(contents)
    del contents  # the texts of a file may be large
    ends = _find_compounds(joined)
    starts = sorted(ends)
    parts: list[str] = []
    first = end = 0
    for size in sizes:
        end += size + 1
        last = bisect_left(starts, end, first)
        compounds = dict.fromkeys([joined[start : ends[start]] for start in starts[first:last]])
        parts.append(" ".join(filter(None, map(_cached_parts, compounds))))
        first = last
    return parts


def split_compound(word: str) -> list[tuple[int, str]]:
    """Returns the parts of a compound word with their offsets; empty for a simple word."""
    parts = [(part.start(), part[0]) for part in PART_PATTERN.finditer(word)]
    return parts if len(parts) > 1 else []


def lowercase_parts(name: str) -> list[str]:
    """Returns the lowercase parts of a name; at least one if it contains a letter."""
    return [part.lower() for part in PART_PATTERN.findall(name)]


def _find_compounds(content: bytes) -> dict[int, int]:
    """Returns the ends, by start, of what lies between two ASCII separators and contains a part
    boundary.
    """
    classes = content.translate(_CHARACTER_CLASSES)
    start_of_word = classes.rfind
    ends = {}
    for pattern in _COMPOUNDS:
        for match in pattern.finditer(classes):
            at, end = match.span()
            ends[start_of_word(b" ", 0, at) + 1] = end
    return ends


def append_compounds(text: str, parts: str) -> str:
    """Returns the text as it is indexed by word."""
    return f"{text}\n{parts}" if parts else text


# operators contain these characters too: a separator is followed by a name
SEPARATOR_PATTERN = re.compile(r"(?:::|->|#| > )(?=[^:>#\s])")


_SELECTOR_COLON = re.compile(r"(?<=[A-Za-z0-9_])(:[A-Za-z_][A-Za-z0-9_]*):\Z")
"""The end of a selector with several labels in Objective-C: `:upload:` of `setRates:upload:`."""


@lru_cache(10_000)
def normalize_symbol(name: str) -> str:
    """Writes `A::b()`, `A#b` and `A > b` as `A.b`, and the selector `A.b:c:` as `A.b:c`.

    Keeps an operator, such as `List.::`.
    """
    typed = _SELECTOR_COLON.sub(r"\1", name.strip().removesuffix("()"))
    return SEPARATOR_PATTERN.sub(".", typed).strip(".") or typed


def composed(text: str) -> str:
    """Writes letters and their marks as one character each (NFC), as most editors do."""
    return text if text.isascii() else normalize("NFC", text)


def unicode_forms(text: str) -> list[str]:
    """Returns a text as it is, composed (NFC) and decomposed (NFD), each different one once.

    A file may have either: `größe` of four letters or of five.
    """
    if text.isascii():
        return [text]
    return list(dict.fromkeys([text, normalize("NFC", text), normalize("NFD", text)]))


def symbol_ends_with(name: str, suffix: str) -> bool:
    """Tells whether a name equals a suffix or ends with its parts: `a.Cart.add` with `Cart.add`.

    Both are as `normalize_symbol` writes them.
    """
    return f".{name}".endswith(f".{suffix}")


def last_name(symbol: str) -> str:
    """The name after the last dot: `add` of `shop.Cart.add`."""
    return symbol.rpartition(".")[2]


def trigrams(text: str) -> list[str]:
    """Returns each three letters in a row: `cart` has `car` and `art`."""
    return [text[at : at + 3] for at in range(len(text) - 2)]


def common_prefix_length(one: str, other: str) -> int:
    """Returns the number of letters with which both texts begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))

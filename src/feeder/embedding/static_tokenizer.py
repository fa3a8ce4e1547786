"""Tokenizer of the static model: words, parts of compound words, character n-grams hashed into
buckets. `static_tokenizer.mjs` is the same in JavaScript, and one set of cases tests both.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

MAX_WORD_CHARS, MAX_TOKEN_CHARS = 500, 24
"""Code points of a word and of a part that count: what is longer is no language."""


NGRAM_SIZES = (3, 5)
"""Code points of a run."""


_WORD = re.compile(r"[^\x00-/:-@\[-`{-\x7f]+")

_NON_ASCII = re.compile(r"[^\x00-\x7f]+")

_ASCII_SEPARATORS = re.sub(rb"[^A-Za-z0-9\x80-\xff]", b" ", bytes(range(256)))

# what is no sign of ASCII but a-z: said of what is beyond, it takes 8 ms to compile
_LOWERCASE = r"[^\x00-`{-\x7f]"

_TOKEN = re.compile(rf"[A-Z]+(?!{_LOWERCASE})|[A-Z]?{_LOWERCASE}+|[0-9]+")


def split_words(text: str) -> list[str]:
    """The words of the text, folded beyond ASCII, not yet parted."""
    return _WORD.findall(_fold_text(text))


def split_words_utf8(text: str) -> list[bytes]:
    """The same in UTF-8, which takes half the time."""
    return _fold_text(text).encode().translate(_ASCII_SEPARATORS).split()


def split_tokens(word: str) -> list[str]:
    """The parts of one of `words`."""
    found = [part.lower()[:MAX_TOKEN_CHARS] for part in _TOKEN.findall(word[:MAX_WORD_CHARS])]
    if word.isascii():
        return found
    return [piece for part in found for piece in _split_caseless(part)]


def ngrams(part: str) -> list[str]:
    """The runs of 3 and of 5 code points in `<part>`."""
    framed = f"<{part}>"
    return [framed[at : at + size] for size in NGRAM_SIZES for at in range(len(framed) - size + 1)]


def fnv1a(text: str) -> int:
    """FNV-1a, 32 bits, of the text in UTF-8."""
    digest = 0x811C9DC5
    for byte in text.encode():
        digest = (digest ^ byte) * 0x01000193 & 0xFFFFFFFF
    return digest


class _FoldCache(dict[str, str]):
    """What a sign becomes, remembered: a page of Greek has few."""

    def __missing__(self, sign: str) -> str:
        kept = []
        for one in unicodedata.normalize("NFKD", sign):
            kind = unicodedata.category(one)[0]
            if one.isascii():
                kept.append(one)
            elif kind in "LN":
                kept.append(one.lower())
            elif kind != "M":
                kept.append(" ")
        self[sign] = folded = "".join(kept)
        return folded


class _CaselessCache(dict[str, bool]):
    """Whether a sign is a letter without case, remembered."""

    def __missing__(self, sign: str) -> bool:
        self[sign] = found = unicodedata.category(sign) == "Lo"
        return found


_fold_char = _FoldCache().__getitem__

_is_caseless = _CaselessCache().__getitem__


def _fold_text(text: str) -> str:
    if text.isascii():
        return text
    return _NON_ASCII.sub(lambda found: "".join(map(_fold_char, found[0])), text)


def _split_caseless(part: str) -> list[str]:
    if len(part) < 2 or not any(map(_is_caseless, part)):
        return [part]
    return [part[at : at + 2] for at in range(len(part) - 1)]


if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[np.signedinteger]
    Hashes = npt.NDArray[np.uint32]
    Rows = npt.NDArray[np.float32]


_FNV_OFFSET, _FNV_PRIME = np.uint32(0x811C9DC5), np.uint32(0x01000193)


class NgramRows:
    """The runs of parts, which are given in the order of their lengths, the longest first."""

    def __init__(self, parts: Sequence[str], first_row: int, buckets: int) -> None:
        """Bucket 0 is row `base`; `rows` are those of all runs."""
        framed = [f"<{part}>" for part in parts]
        sizes = np.array([len(one) for one in framed])
        starts = np.cumsum(sizes) - sizes
        counts = np.array([np.maximum(sizes - run + 1, 0) for run in NGRAM_SIZES])
        self._counts = counts.sum(axis=0)
        self._first_ngram = np.cumsum(self._counts) - self._counts
        # for each run in order: where in all signs it begins, and its size
        each = counts.T.ravel()
        within = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
        begins = np.repeat(np.repeat(starts, len(NGRAM_SIZES)), each) + within
        lengths = np.repeat(np.tile(np.array(NGRAM_SIZES), len(parts)), each)
        self.rows = first_row + (_fnv1a_slices("".join(framed), begins, lengths) % buckets).astype(
            np.int64
        )

    def mean(self, table: "Rows") -> "Rows":
        """Of each part, the mean of the rows of its runs."""
        sums = np.zeros((len(self._counts), table.shape[1]), np.float32)
        most = int(self._counts[0])
        live = np.searchsorted(-self._counts, -np.arange(most))  # parts with more runs than that
        for number, count in enumerate(live.tolist()):
            sums[:count] += table.take(self.rows[self._first_ngram[:count] + number], 0)
        found: Rows = sums / self._counts[:, None].astype(np.float32)
        return found


def _fnv1a_slices(text: str, begins: "Numbers", lengths: "Numbers") -> "Hashes":
    """FNV-1a of the stretches of a text, which are given in code points, in UTF-8."""
    raw = np.frombuffer(text.encode(), np.uint8)
    signs = np.append(np.flatnonzero((raw & 0xC0) != 0x80), len(raw))
    at, ends = signs[begins], signs[begins + lengths]
    hashes = np.full(len(at), _FNV_OFFSET)
    for step in range(int((ends - at).max())):
        live = np.flatnonzero(at + step < ends)
        hashes[live] = (hashes[live] ^ raw[at[live] + step]) * _FNV_PRIME
    return hashes

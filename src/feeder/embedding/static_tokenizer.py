"""Tokenizer of the static model: words, parts of compound words, character n-grams hashed into
buckets. `static_tokenizer.mjs` is the same in JavaScript, and one set of cases tests both.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.signedinteger]
    Hashes = npt.NDArray[np.uint32]
    Rows = npt.NDArray[np.float32]

MAX_WORD_CHARS, MAX_TOKEN_CHARS = 500, 24
"""Code points of a word and of a token that count; longer ones are data, not language."""
NGRAM_SIZES = (3, 5)
"""Lengths of an n-gram in code points."""

_WORD = re.compile(r"[^\x00-/:-@\[-`{-\x7f]+")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_ASCII_SEPARATORS = re.sub(rb"[^A-Za-z0-9\x80-\xff]", b" ", bytes(range(256)))
# a negated class, since the class of everything beyond ASCII takes 8 ms to compile
_LOWERCASE = r"[^\x00-`{-\x7f]"
_TOKEN = re.compile(rf"[A-Z]+(?!{_LOWERCASE})|[A-Z]?{_LOWERCASE}+|[0-9]+")
_FNV_OFFSET, _FNV_PRIME = 0x811C9DC5, 0x01000193
_UINT32 = 0xFFFFFFFF


def split_words(text: str) -> list[str]:
    """Splits a text into words, with characters beyond ASCII folded."""
    return _WORD.findall(_fold_text(text))


def split_words_utf8(text: str) -> list[bytes]:
    """Splits like `split_words` in UTF-8, which takes half the time."""
    return _fold_text(text).encode().translate(_ASCII_SEPARATORS).split()


def split_tokens(word: str) -> list[str]:
    """Splits a word of `split_words` into lowercase tokens, as `parseDelta` into its two words."""
    tokens = [token.lower()[:MAX_TOKEN_CHARS] for token in _TOKEN.findall(word[:MAX_WORD_CHARS])]
    if word.isascii():
        return tokens
    return [piece for token in tokens for piece in _split_caseless(token)]


def ngrams(token: str) -> list[str]:
    """Returns the n-grams of `<token>`, those of 3 code points first."""
    framed = f"<{token}>"
    return [framed[at : at + size] for size in NGRAM_SIZES for at in range(len(framed) - size + 1)]


def fnv1a(text: str) -> int:
    """Returns the 32-bit FNV-1a hash of a text in UTF-8."""
    digest = _FNV_OFFSET
    for byte in text.encode():
        digest = (digest ^ byte) * _FNV_PRIME & _UINT32
    return digest


class _FoldCache(dict[str, str]):
    """Cache of folded characters: compatibility forms decomposed, accents dropped, lowercase."""

    def __missing__(self, character: str) -> str:
        parts = []
        for part in unicodedata.normalize("NFKD", character):
            category = unicodedata.category(part)[0]
            if part.isascii():
                parts.append(part)
            elif category in "LN":
                parts.append(part.lower())
            elif category != "M":
                parts.append(" ")
        self[character] = folded = "".join(parts)
        return folded


class _CaselessCache(dict[str, bool]):
    """Cache of which characters are letters without case."""

    def __missing__(self, character: str) -> bool:
        self[character] = is_caseless = unicodedata.category(character) == "Lo"
        return is_caseless


_fold_char = _FoldCache().__getitem__

_is_caseless = _CaselessCache().__getitem__


def _fold_text(text: str) -> str:
    if text.isascii():
        return text
    return _NON_ASCII.sub(lambda match: "".join(map(_fold_char, match[0])), text)


def _split_caseless(token: str) -> list[str]:
    """Splits a token of a script without case, such as Chinese, into overlapping pairs."""
    if len(token) < 2 or not any(map(_is_caseless, token)):
        return [token]
    return [token[at : at + 2] for at in range(len(token) - 1)]


class NgramRows:
    """The n-grams of several tokens as rows of the model; computed in numpy for all at once."""

    def __init__(self, tokens: Sequence[str], first_row: int, buckets: int) -> None:
        """Hashes the n-grams of tokens, which are sorted by length, longest first.

        `first_row` is the row of bucket 0; `rows` are those of all n-grams, token by token.
        """
        import numpy as np

        framed = [f"<{token}>" for token in tokens]
        sizes = np.array([len(tokens) for tokens in framed])
        starts = np.cumsum(sizes) - sizes
        counts = np.array([np.maximum(sizes - size + 1, 0) for size in NGRAM_SIZES])
        self._counts = counts.sum(axis=0)
        self._first_ngram = np.cumsum(self._counts) - self._counts
        # for each n-gram in order: its start in the joined text, and its length
        each = counts.T.ravel()
        within = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
        begins = np.repeat(np.repeat(starts, len(NGRAM_SIZES)), each) + within
        lengths = np.repeat(np.tile(np.array(NGRAM_SIZES), len(tokens)), each)
        hashes = _fnv1a_slices("".join(framed), begins, lengths)
        self.rows = first_row + (hashes % buckets).astype(np.int64)

    def mean(self, table: "Rows") -> "Rows":
        """Returns (tokens, columns): the mean of each token's rows of a (rows, columns) table."""
        import numpy as np

        sums = np.zeros((len(self._counts), table.shape[1]), np.float32)
        max_count = int(self._counts[0])
        # for each i: the number of tokens with more than i n-grams, which come first
        longer = np.searchsorted(-self._counts, -np.arange(max_count))
        for number, count in enumerate(longer.tolist()):
            sums[:count] += table.take(self.rows[self._first_ngram[:count] + number], 0)
        means: Rows = sums / self._counts[:, None].astype(np.float32)
        return means


def _fnv1a_slices(text: str, begins: "Numbers", lengths: "Numbers") -> "Hashes":
    """Returns the FNV-1a hashes of slices of a text, given in code points and hashed in UTF-8."""
    import numpy as np

    raw = np.frombuffer(text.encode(), np.uint8)
    characters = np.append(np.flatnonzero((raw & 0xC0) != 0x80), len(raw))
    at, ends = characters[begins], characters[begins + lengths]
    hashes = np.full(len(at), _FNV_OFFSET, np.uint32)
    for step in range(int((ends - at).max())):
        live = np.flatnonzero(at + step < ends)
        hashes[live] = (hashes[live] ^ raw[at[live] + step]) * np.uint32(_FNV_PRIME)
    return hashes

"""What is a text's direction by the static model? The weighted mean of its parts' vectors."""

from array import array
from collections.abc import Sequence
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from feeder.embed.static_tokens import parts, raw_words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Rows = npt.NDArray[np.float32]
    Numbers = npt.NDArray[np.signedinteger]

_PARTS_LIMIT = 1000
"""Parts of a field that count: a node of 3,000 characters has fewer."""
_NUMBER_BYTES = 4
_REMEMBERED, _MADE = 50_000, 8_192
"""Words and parts outside the vocabulary that are kept in mind: 20 MB."""
_FEW = 1_000
"""Rows that are looked up one by one, as a question's are: all take 10 to 40 ms to be made."""


class Field(IntEnum):
    """Where a text stands: a part weighs otherwise in a path than in code."""

    BODY = 0
    NAME = 1
    QUESTION = 2


class Table(NamedTuple):
    """What the file holds: (count, dimensions) rows, and their scales and weights, (count,)."""

    rows: "Numbers"
    scales: "Rows"
    in_name: "Rows"
    in_question: "Rows"
    words: dict[str, int]
    buckets: int
    name_share: float


class Parts(dict[bytes, bytes]):
    """The numbers of each word's parts, 32 bits each, remembered.

    Numbers are the vocabulary's rows, and above them those of other parts: such a one has the mean
    of its runs' vectors and of their weights, made for all new ones of a call at once. The file's
    rows become vectors when they are first asked for, all of them where many are.
    """

    def __init__(self, table: Table) -> None:
        import numpy as np

        self._known, self._buckets = table.words, table.buckets
        self._first = count = len(table.rows)
        self._made: dict[str, int] = {}
        self._new: list[str] = []
        self._rows, self._scales = table.rows, table.scales
        self._lacking = np.ones(count, np.bool_)
        self._is_whole = False
        self._vectors = np.empty((count + _MADE, table.rows.shape[1]), np.float32)
        self._weights = np.ones((count + _MADE, len(Field)), np.float32)
        self._weights[:count, Field.NAME] = table.in_name
        self._weights[:count, Field.QUESTION] = table.in_question

    @property
    def dimensions(self) -> int:
        """Of each vector."""
        return int(self._vectors.shape[1])

    def __missing__(self, word: bytes) -> bytes:
        known = self._known
        text = word.decode()
        # one of the vocabulary is its only part
        found = [text] if text in known else parts(text)
        numbers = [known[part] if part in known else self._number(part) for part in found]
        self[word] = raw = array("i", numbers).tobytes()
        return raw

    def means(self, texts: Sequence[str], fields: Sequence[Field]) -> "Rows":
        """The unit vector of each text, (texts, dimensions); zeros for one without parts.

        Each field is that of as many texts, in their order. A part that is there n times weighs
        1 + ln n, times its own weight.
        """
        import numpy as np

        numbers, sizes = self._numbers(texts)
        # each number of a text once: the key is text · 2³² + number, sorted
        keys = np.sort(numbers + np.repeat(np.arange(len(texts)) << 32, sizes))
        firsts = np.flatnonzero(np.diff(keys, prepend=-1))
        of_text, at = keys[firsts] >> 32, keys[firsts] & 0xFFFFFFFF
        share = 1 + np.log(np.diff(firsts, append=len(keys)), dtype=np.float32)
        share *= self._weights[at, np.repeat(fields, len(texts) // len(fields))[of_text]]
        ends = np.searchsorted(of_text, np.arange(len(texts) + 1)).tolist()
        sums = np.zeros((len(texts), self.dimensions), np.float32)
        vectors = self._with(at)
        for text, (start, end) in enumerate(pairwise(ends)):
            np.dot(share[start:end], vectors.take(at[start:end], 0), out=sums[text])
        return unit(sums)

    def _numbers(self, texts: Sequence[str]) -> tuple["Numbers", list[int]]:
        """The numbers of all texts' parts, and how many each has."""
        import numpy as np

        if len(self) > _REMEMBERED or len(self._made) > _MADE // 2:
            self.clear()
            self._made.clear()
            self._new.clear()
        most = _PARTS_LIMIT * _NUMBER_BYTES
        found = [b"".join(map(self.__getitem__, raw_words(text)))[:most] for text in texts]
        if self._new:
            self._make()
        sizes = [len(numbers) // _NUMBER_BYTES for numbers in found]
        return np.frombuffer(b"".join(found), np.int32).astype(np.int64), sizes

    def _with(self, numbers: "Numbers") -> "Rows":
        """The vectors, those of these numbers among them."""
        import numpy as np

        if self._is_whole:
            return self._vectors
        known = numbers[numbers < self._first]
        lacking = known[self._lacking[known]]
        if len(lacking) < _FEW:
            self._vectors[lacking] = self._rows[lacking] * self._scales[lacking, None]
            self._lacking[lacking] = False
        else:
            np.multiply(self._rows, self._scales[:, None], out=self._vectors[: self._first])
            self._is_whole = True
        return self._vectors

    def _number(self, part: str) -> int:
        """That of a part outside the vocabulary."""
        if part not in self._made:
            self._made[part] = self._first + len(self._made)
            self._new.append(part)
        return self._made[part]

    def _make(self) -> None:
        """The vectors and weights of the new parts."""
        import numpy as np

        from feeder.embed.static_grams import Runs

        new, self._new = sorted(self._new, key=len, reverse=True), []
        at = [self._made[part] for part in new]
        while len(self._vectors) < self._first + len(self._made):
            more = np.empty((_MADE, self.dimensions), np.float32)
            self._vectors = np.concatenate([self._vectors, more])
            self._weights = np.concatenate([self._weights, more[:, : len(Field)]])
        runs = Runs(new, len(self._known), self._buckets)
        self._vectors[at] = runs.mean(self._with(runs.rows))
        self._weights[at] = runs.mean(self._weights)


def unit(vectors: "Rows") -> "Rows":
    """The vectors in length 1; zeros stay zeros."""
    import numpy as np

    squares = np.einsum("td,td->t", vectors, vectors)
    lengths = np.sqrt(np.where(squares > 0, squares, 1)).astype(np.float32)
    found: Rows = vectors / lengths[:, None]
    return found

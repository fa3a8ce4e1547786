"""How are texts embedded with nothing but numpy? The model of the project's own, by looking up.

A text's vector is the weighted mean of its parts' vectors; `docs/model.md` tells the file's format
and how it was trained.
"""

import hashlib
import struct
from collections.abc import Sequence
from enum import IntEnum
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from feeder.embed import Embedder
from feeder.embed.static_tokens import fnv1a, grams, parts, words
from feeder.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from feeder.embed import Vector

    Rows = npt.NDArray[np.float32]
    Numbers = npt.NDArray[np.signedinteger]

MODEL = Path(__file__).with_name("static_model.bin")
MODEL_SHA256 = "af7866e74dda8694d87d89701a61e0932ee7aa2c86f984992e9e84ef181628ef"
_MAGIC, _VERSION = b"FEEDERSM", 1
_HEADER = struct.Struct("<8s5If")
_HEADER_BYTES = 64
_PARTS_LIMIT = 1000
"""Parts of a field that count: a node of 3,000 characters has fewer."""
_BLOCK = 64
"""Texts that are summed up at a time."""
_REMEMBERED, _MADE = 50_000, 8_192
"""Words and parts outside the vocabulary that are kept in mind: 20 MB."""


class _Field(IntEnum):
    """Where a text stands: a part weighs otherwise in a path than in code."""

    BODY = 0
    NAME = 1
    QUESTION = 2


class _Table(NamedTuple):
    """What the file holds: (count, dimensions) rows, and their scales and weights, (count,)."""

    rows: "Numbers"
    scales: "Rows"
    in_name: "Rows"
    in_question: "Rows"
    words: dict[str, int]
    buckets: int
    name_share: float


class StaticEmbedder(Embedder):
    """An `Embedder` by nothing but a text's parts; some 20,000 texts a second on one core."""

    batch = 1024

    def __init__(self, path: Path = MODEL, sha256: str = MODEL_SHA256) -> None:
        """Reads the whole file; `UserError` when it is not the one that this version ships."""
        self._name = f"feeder-static-{sha256[:8]}"
        self._table = _read(path, sha256)
        self._parts = _Parts(self._table)

    @property
    def model(self) -> str:
        return self._name

    @property
    def dimensions(self) -> int:
        return int(self._table.rows.shape[1])

    def embed(self, texts: Sequence[str]) -> list["Vector"]:
        """The first line of a text is its name, as `nodes.embedding_text` makes them."""
        return self.embed_fields([_fields(text) for text in texts])

    def embed_fields(self, fields: Sequence[tuple[str, str]]) -> list["Vector"]:
        """Of each name and body, unit(unit(body) + share · unit(name)).

        For neither, all numbers alike: a service may refuse a vector without a direction.
        """
        found: list[Vector] = []
        for at in range(0, len(fields), _BLOCK):
            block = fields[at : at + _BLOCK]
            bodies = self._parts.means([body for _, body in block], _Field.BODY)
            names = self._parts.means([name for name, _ in block], _Field.NAME)
            found += list(_directed(_unit(bodies + self._table.name_share * names)))
        return found

    def embed_query(self, text: str) -> "Vector":
        vector: Vector = self._parts.means([text], _Field.QUESTION)[0]
        return vector

    def close(self) -> None:
        """Nothing is held but memory."""


class _Parts(dict[str, tuple[int, ...]]):
    """Each word's parts as numbers, remembered: the vocabulary's rows, and above them the others.

    A part outside the vocabulary has the mean of its runs' vectors and of their weights.
    """

    def __init__(self, table: _Table) -> None:
        import numpy as np

        self._known, self._buckets = table.words, table.buckets
        self._first = count = len(table.rows)
        self._made: dict[str, int] = {}
        self._vectors = np.empty((count + _MADE, table.rows.shape[1]), np.float32)
        np.multiply(table.rows, table.scales[:, None], out=self._vectors[:count])
        self._weights = np.ones((len(_Field), count + _MADE), np.float32)
        self._weights[_Field.NAME, :count] = table.in_name
        self._weights[_Field.QUESTION, :count] = table.in_question

    def __missing__(self, word: str) -> tuple[int, ...]:
        known = self._known
        self[word] = found = tuple(
            known[part] if part in known else self._number(part) for part in parts(word)
        )
        return found

    def means(self, texts: list[str], field: _Field) -> "Rows":
        """The unit vector of each text, (texts, dimensions); zeros for one without parts.

        A part that is there n times weighs 1 + ln n, times its own weight.
        """
        import numpy as np

        numbers, starts = self._numbers(texts)
        # each number of a text once: the key is text · 2³² + number, sorted
        keys = np.sort(numbers + np.repeat(np.arange(len(texts)) << 32, np.diff(starts)))
        firsts = np.flatnonzero(np.diff(keys, prepend=-1))
        of_text, at = keys[firsts] >> 32, keys[firsts] & 0xFFFFFFFF
        share = 1 + np.log(np.diff(firsts, append=len(keys)), dtype=np.float32)
        share *= self._weights[field][at]
        ends = np.searchsorted(of_text, np.arange(len(texts) + 1)).tolist()
        sums = np.zeros((len(texts), self._vectors.shape[1]), np.float32)
        for text, (start, end) in enumerate(pairwise(ends)):
            np.dot(share[start:end], self._vectors[at[start:end]], out=sums[text])
        return _unit(sums)

    def _numbers(self, texts: list[str]) -> tuple["Numbers", list[int]]:
        """The numbers of all texts' parts, and where each text's begin."""
        import numpy as np

        if len(self) > _REMEMBERED or len(self._made) > _MADE - _BLOCK:
            self.clear()
            self._made.clear()
        flat: list[int] = []
        starts = [0]
        for text in texts:
            flat += islice(chain.from_iterable(map(self.__getitem__, words(text))), _PARTS_LIMIT)
            starts.append(len(flat))
        return np.array(flat, np.int64), starts

    def _number(self, part: str) -> int:
        """That of a part outside the vocabulary."""
        if part not in self._made:
            number = self._made[part] = self._first + len(self._made)
            base = len(self._known)
            runs = [base + fnv1a(run) % self._buckets for run in grams(part)]
            if number == len(self._vectors):
                self._grow()
            self._vectors[number] = self._vectors[runs].sum(axis=0) / len(runs)
            self._weights[:, number] = self._weights[:, runs].sum(axis=1) / len(runs)
        return self._made[part]

    def _grow(self) -> None:
        import numpy as np

        self._vectors = np.concatenate([self._vectors, np.empty_like(self._vectors)])
        self._weights = np.concatenate([self._weights, np.empty_like(self._weights)], axis=1)


def _fields(text: str) -> tuple[str, str]:
    name, line, body = text.partition("\n")
    return (name, body) if line else ("", text)


def _directed(vectors: "Rows") -> "Rows":
    """The vectors, of equal numbers where there were zeros."""
    vectors[~vectors.any(axis=1)] = vectors.shape[1] ** -0.5
    return vectors


def _unit(vectors: "Rows") -> "Rows":
    import numpy as np

    squares = np.einsum("td,td->t", vectors, vectors)
    lengths = np.sqrt(np.where(squares > 0, squares, 1)).astype(np.float32)
    unit: Rows = vectors / lengths[:, None]
    return unit


def _read(path: Path, sha256: str) -> _Table:
    import numpy as np

    try:
        content = path.read_bytes()
    except OSError as exc:
        raise UserError(f"The static model cannot be read ({exc}). Install feeder again.") from exc
    if hashlib.sha256(content).hexdigest() != sha256:
        raise UserError(
            f"The static model {path} is damaged or another version's. Install feeder again: "
            "pip install --force-reinstall feeder."
        )
    _, _, dimensions, known, buckets, text, share = _HEADER.unpack_from(content)
    count = known + buckets
    scales = np.frombuffer(content, "<f4", 3 * count, _HEADER_BYTES).reshape(3, count)
    at = _HEADER_BYTES + scales.nbytes
    rows = np.frombuffer(content, np.int8, count * dimensions, at).reshape(count, dimensions)
    names = content[at + rows.nbytes :][:text].decode().split("\n")
    words_of = dict(zip(names, range(known), strict=True))
    return _Table(rows, scales[0], scales[1], scales[2], words_of, buckets, share)

"""The shipped static model: reads its file and embeds texts as weighted means of their tokens'
vectors, with numpy alone. docs/explanation/models.md has the format and the training.
"""

import hashlib
import struct
from array import array
from collections.abc import Sequence
from enum import IntEnum
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from feeder.embedding import STATIC_MODEL_SHA256, Embedder
from feeder.embedding.static_tokenizer import split_tokens, split_words_utf8
from feeder.errors import UserError

if TYPE_CHECKING:
    from feeder.embedding import Vector


if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Rows = npt.NDArray[np.float32]
    Numbers = npt.NDArray[np.signedinteger]


_MAX_TOKENS = 1000
"""Parts of a field that count: a node of 3,000 characters has fewer."""

_NUMBER_BYTES = 4

_MAX_CACHED_WORDS, _MAX_CACHED_TOKENS = 50_000, 8_192
"""Words and parts outside the vocabulary that are kept in mind: 20 MB."""

_FEW_ROWS = 1_000
"""Rows that are looked up one by one, as a question's are: all take 10 to 40 ms to be made."""


class TextField(IntEnum):
    """Where a text stands: a part weighs otherwise in a path than in code."""

    BODY = 0
    NAME = 1
    QUERY = 2


class StaticModel(NamedTuple):
    """What the file holds: (count, dimensions) rows, and their scales and weights, (count,)."""

    rows: "Numbers"
    scales: "Rows"
    name_weights: "Rows"
    query_weights: "Rows"
    vocabulary: dict[str, int]
    buckets: int
    name_field_weight: float


class TokenVectors(dict[bytes, bytes]):
    """The numbers of each word's parts, 32 bits each, remembered.

    Numbers are the vocabulary's rows, and above them those of other parts: such a one has the mean
    of its runs' vectors and of their weights, made for all new ones of a call at once. The file's
    rows become vectors when they are first asked for, all of them where many are.
    """

    def __init__(self, table: StaticModel) -> None:
        import numpy as np

        self._vocabulary, self._buckets = table.vocabulary, table.buckets
        self._vocabulary_size = count = len(table.rows)
        self._new_numbers: dict[str, int] = {}
        self._pending: list[str] = []
        self._rows, self._scales = table.rows, table.scales
        self._is_missing = np.ones(count, np.bool_)
        self._is_complete = False
        self._vectors = np.empty((count + _MAX_CACHED_TOKENS, table.rows.shape[1]), np.float32)
        self._weights = np.ones((count + _MAX_CACHED_TOKENS, len(TextField)), np.float32)
        self._weights[:count, TextField.NAME] = table.name_weights
        self._weights[:count, TextField.QUERY] = table.query_weights

    @property
    def dimensions(self) -> int:
        """Of each vector."""
        return int(self._vectors.shape[1])

    def __missing__(self, word: bytes) -> bytes:
        known = self._vocabulary
        text = word.decode()
        # one of the vocabulary is its only part
        found = [text] if text in known else split_tokens(text)
        numbers = [known[part] if part in known else self._number_of(part) for part in found]
        self[word] = raw = array("i", numbers).tobytes()
        return raw

    def embed_texts(self, texts: Sequence[str], fields: Sequence[TextField]) -> "Rows":
        """The unit vector of each text, (texts, dimensions); zeros for one without parts.

        Each field is that of as many texts, in their order. A part that is there n times weighs
        1 + ln n, times its own weight.
        """
        import numpy as np

        numbers, sizes = self._token_numbers(texts)
        # each number of a text once: the key is text · 2³² + number, sorted
        keys = np.sort(numbers + np.repeat(np.arange(len(texts)) << 32, sizes))
        firsts = np.flatnonzero(np.diff(keys, prepend=-1))
        of_text, at = keys[firsts] >> 32, keys[firsts] & 0xFFFFFFFF
        share = 1 + np.log(np.diff(firsts, append=len(keys)), dtype=np.float32)
        share *= self._weights[at, np.repeat(fields, len(texts) // len(fields))[of_text]]
        ends = np.searchsorted(of_text, np.arange(len(texts) + 1)).tolist()
        sums = np.zeros((len(texts), self.dimensions), np.float32)
        vectors = self._vectors_of(at)
        for text, (start, end) in enumerate(pairwise(ends)):
            np.dot(share[start:end], vectors.take(at[start:end], 0), out=sums[text])
        return normalize(sums)

    def _token_numbers(self, texts: Sequence[str]) -> tuple["Numbers", list[int]]:
        """The numbers of all texts' parts, and how many each has."""
        import numpy as np

        if len(self) > _MAX_CACHED_WORDS or len(self._new_numbers) > _MAX_CACHED_TOKENS // 2:
            self.clear()
            self._new_numbers.clear()
            self._pending.clear()
        most = _MAX_TOKENS * _NUMBER_BYTES
        found = [b"".join(map(self.__getitem__, split_words_utf8(text)))[:most] for text in texts]
        if self._pending:
            self._compute_pending()
        sizes = [len(numbers) // _NUMBER_BYTES for numbers in found]
        return np.frombuffer(b"".join(found), np.int32).astype(np.int64), sizes

    def _vectors_of(self, numbers: "Numbers") -> "Rows":
        """The vectors, those of these numbers among them."""
        import numpy as np

        if self._is_complete:
            return self._vectors
        known = numbers[numbers < self._vocabulary_size]
        lacking = known[self._is_missing[known]]
        if len(lacking) < _FEW_ROWS:
            self._vectors[lacking] = self._rows[lacking] * self._scales[lacking, None]
            self._is_missing[lacking] = False
        else:
            np.multiply(
                self._rows, self._scales[:, None], out=self._vectors[: self._vocabulary_size]
            )
            self._is_complete = True
        return self._vectors

    def _number_of(self, part: str) -> int:
        """That of a part outside the vocabulary."""
        if part not in self._new_numbers:
            self._new_numbers[part] = self._vocabulary_size + len(self._new_numbers)
            self._pending.append(part)
        return self._new_numbers[part]

    def _compute_pending(self) -> None:
        """The vectors and weights of the new parts."""
        import numpy as np

        from feeder.embedding.static_tokenizer import NgramRows

        new, self._pending = sorted(self._pending, key=len, reverse=True), []
        at = [self._new_numbers[part] for part in new]
        while len(self._vectors) < self._vocabulary_size + len(self._new_numbers):
            more = np.empty((_MAX_CACHED_TOKENS, self.dimensions), np.float32)
            self._vectors = np.concatenate([self._vectors, more])
            self._weights = np.concatenate([self._weights, more[:, : len(TextField)]])
        runs = NgramRows(new, len(self._vocabulary), self._buckets)
        self._vectors[at] = runs.mean(self._vectors_of(runs.rows))
        self._weights[at] = runs.mean(self._weights)


def normalize(vectors: "Rows") -> "Rows":
    """The vectors in length 1; zeros stay zeros."""
    import numpy as np

    squares = np.einsum("td,td->t", vectors, vectors)
    lengths = np.sqrt(np.where(squares > 0, squares, 1)).astype(np.float32)
    found: Rows = vectors / lengths[:, None]
    return found


MODEL_FILE = Path(__file__).with_name("static_model.bin")

_MAGIC, _VERSION = b"FEEDERSM", 1

_HEADER = struct.Struct("<8s5If")

_HEADER_BYTES = 64

_BATCH_TEXTS = 256
"""Texts that are summed up at a time."""

_REINSTALL_HINT = (
    "Install it again: pip install --force-reinstall headfeed; or go on with --no-vectors."
)


class StaticEmbedder(Embedder):
    """An `Embedder` by nothing but a text's parts; some 20,000 texts a second on one core."""

    batch = 1024

    def __init__(self, path: Path = MODEL_FILE, sha256: str = STATIC_MODEL_SHA256) -> None:
        """Reads the whole file; `UserError` when it is not the one that this version ships."""
        self._name = f"feeder-static-{sha256[:8]}"
        table = read_model(path, sha256)
        self._name_weight = table.name_field_weight
        self._token_vectors = TokenVectors(table)

    @property
    def model(self) -> str:
        return self._name

    @property
    def dimensions(self) -> int:
        return self._token_vectors.dimensions

    def embed(self, texts: Sequence[str]) -> list["Vector"]:
        """The first line of a text is its name, as `nodes.embedding_text` makes them."""
        return self.embed_fields([_split_name(text) for text in texts])

    def embed_fields(self, fields: Sequence[tuple[str, str]]) -> list["Vector"]:
        """Of each name and body, unit(unit(body) + share · unit(name)).

        For neither, all numbers alike: a service may refuse a vector without a direction.
        """
        found: list[Vector] = []
        for at in range(0, len(fields), _BATCH_TEXTS):
            block = fields[at : at + _BATCH_TEXTS]
            texts = [body for _, body in block] + [name for name, _ in block]
            means = self._token_vectors.embed_texts(texts, [TextField.BODY, TextField.NAME])
            bodies, names = means[: len(block)], means[len(block) :]
            found += list(_replace_zeros(normalize(bodies + self._name_weight * names)))
        return found

    def embed_query(self, text: str) -> "Vector":
        vector: Vector = self._token_vectors.embed_texts([text], [TextField.QUERY])[0]
        return vector

    def close(self) -> None:
        """Nothing is held but memory."""


def _split_name(text: str) -> tuple[str, str]:
    name, line, body = text.partition("\n")
    return (name, body) if line else ("", text)


def _replace_zeros(vectors: "Rows") -> "Rows":
    """The vectors, of equal numbers where there were zeros."""
    vectors[~vectors.any(axis=1)] = vectors.shape[1] ** -0.5
    return vectors


def read_model(path: Path = MODEL_FILE, sha256: str = STATIC_MODEL_SHA256) -> StaticModel:
    """What the file holds; raises UserError as the model does."""
    import numpy as np

    try:
        content = path.read_bytes()
    except OSError as exc:
        raise UserError(f"The static model cannot be read ({exc}). {_REINSTALL_HINT}") from exc
    if hashlib.sha256(content).hexdigest() != sha256:
        raise UserError(
            f"The static model {path} is damaged or another version's. {_REINSTALL_HINT}"
        )
    _, _, dimensions, known, buckets, text, share = _HEADER.unpack_from(content)
    count = known + buckets
    scales = np.frombuffer(content, "<f4", 3 * count, _HEADER_BYTES).reshape(3, count)
    at = _HEADER_BYTES + scales.nbytes
    rows = np.frombuffer(content, np.int8, count * dimensions, at).reshape(count, dimensions)
    names = content[at + rows.nbytes :][:text].decode().split("\n")
    words_of = dict(zip(names, range(known), strict=True))
    return StaticModel(rows, scales[0], scales[1], scales[2], words_of, buckets, share)

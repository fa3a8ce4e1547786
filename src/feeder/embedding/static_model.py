"""The shipped static model: reads its file and embeds texts as weighted means of their tokens'
vectors, with numpy alone. docs/explanation/models.md has the format and the training.
"""

import hashlib
import struct
from array import array
from collections.abc import Sequence
from enum import IntEnum
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from feeder.embedding import STATIC_MODEL_SHA256, Embedder
from feeder.embedding.static_tokenizer import NgramRows, split_tokens, split_words_utf8
from feeder.errors import UserError, os_reason

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from feeder.embedding import Vector

    Rows = npt.NDArray[np.float32]
    Numbers = npt.NDArray[np.signedinteger]


MODEL_FILE = Path(__file__).with_name("static_model.bin")
_HEADER = struct.Struct("<8s5If")
_HEADER_BYTES = 64

_BATCH_TEXTS = 256
"""Texts that are summed in one numpy call."""
MAX_TOKENS = 1000
"""Tokens of a field that count; a node of 3,000 characters has fewer."""
_NUMBER_BYTES = 4
_MAX_CACHED_WORDS, _MAX_CACHED_TOKENS = 50_000, 8_192
"""Cached words, and tokens outside the vocabulary: 20 MB."""
_FEW_ROWS = 1_000
"""Fewer rows, as of a query, are computed alone: computing all takes 10 to 40 ms."""


class TextField(IntEnum):
    """The field that a text is from; a token's weight depends on it."""

    BODY = 0
    NAME = 1
    QUERY = 2


class StaticModel(NamedTuple):
    """The file's content: (count, dimensions) int8 rows, with (count,) scales and weights."""

    rows: "Numbers"
    scales: "Rows"
    name_weights: "Rows"
    query_weights: "Rows"
    vocabulary: dict[str, int]
    buckets: int
    name_field_weight: float


class TokenVectors(dict[bytes, bytes]):
    """Cache of each word's token numbers (int32), and the tokens' vectors and weights.

    A number is a row of the vocabulary, or above them a token outside it, whose vector and weights
    are the mean of its n-grams'; those of all new tokens of a call are computed together. Rows of
    the file are dequantized at their first use, or all at once when many are needed.
    """

    def __init__(self, model: StaticModel) -> None:
        import numpy as np

        self._vocabulary, self._buckets = model.vocabulary, model.buckets
        self._vocabulary_size = count = len(model.rows)
        self._new_numbers: dict[str, int] = {}
        self._pending: list[str] = []
        self._rows, self._scales = model.rows, model.scales
        self._is_missing = np.ones(count, np.bool_)
        self._is_complete = False
        self._vectors = np.empty((count + _MAX_CACHED_TOKENS, model.rows.shape[1]), np.float32)
        self._weights = np.ones((count + _MAX_CACHED_TOKENS, len(TextField)), np.float32)
        self._weights[:count, TextField.NAME] = model.name_weights
        self._weights[:count, TextField.QUERY] = model.query_weights

    @property
    def dimensions(self) -> int:
        return int(self._vectors.shape[1])

    def __missing__(self, word: bytes) -> bytes:
        vocabulary = self._vocabulary
        text = word.decode()
        # a word of the vocabulary is a single token
        tokens = [text] if text in vocabulary else split_tokens(text)
        numbers = [
            vocabulary[token] if token in vocabulary else self._number_of(token) for token in tokens
        ]
        self[word] = raw = array("i", numbers).tobytes()
        return raw

    def embed_texts(self, texts: Sequence[str], fields: Sequence[TextField]) -> "Rows":
        """Returns the unit vector of each text, (texts, dimensions); zeros for one without tokens.

        The texts are len(fields) groups of equal size, each of one field. A token that occurs
        n times weighs 1 + ln n, times its own weight.
        """
        import numpy as np

        numbers, sizes = self._token_numbers(texts)
        # unique numbers of each text: the sorted key is text · 2³² + number
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

    def knows_word(self, text: str) -> bool:
        """Returns True if a token of the text is in the vocabulary."""
        numbers, _ = self._token_numbers([text])
        return bool((numbers < self._vocabulary_size).any())

    def _token_numbers(self, texts: Sequence[str]) -> tuple["Numbers", list[int]]:
        """Returns the token numbers of all texts, concatenated, and how many each text has."""
        import numpy as np

        if len(self) > _MAX_CACHED_WORDS or len(self._new_numbers) > _MAX_CACHED_TOKENS // 2:
            self.clear()
            self._new_numbers.clear()
            self._pending.clear()
        end = MAX_TOKENS * _NUMBER_BYTES
        per_text = [b"".join(map(self.__getitem__, split_words_utf8(text)))[:end] for text in texts]
        if self._pending:
            self._compute_pending()
        sizes = [len(numbers) // _NUMBER_BYTES for numbers in per_text]
        return np.frombuffer(b"".join(per_text), np.int32).astype(np.int64), sizes

    def _vectors_of(self, numbers: "Numbers") -> "Rows":
        """Returns the array of all vectors, in which the rows of these numbers are computed."""
        import numpy as np

        if self._is_complete:
            return self._vectors
        in_file = numbers[numbers < self._vocabulary_size]
        missing = in_file[self._is_missing[in_file]]
        if len(missing) < _FEW_ROWS:
            self._vectors[missing] = self._rows[missing] * self._scales[missing, None]
            self._is_missing[missing] = False
        else:
            np.multiply(
                self._rows, self._scales[:, None], out=self._vectors[: self._vocabulary_size]
            )
            self._is_complete = True
        return self._vectors

    def _number_of(self, token: str) -> int:
        """Returns the number of a token outside the vocabulary, a new one if it has none."""
        if token not in self._new_numbers:
            self._new_numbers[token] = self._vocabulary_size + len(self._new_numbers)
            self._pending.append(token)
        return self._new_numbers[token]

    def _compute_pending(self) -> None:
        """Computes vectors and weights of the new tokens."""
        import numpy as np

        new, self._pending = sorted(self._pending, key=len, reverse=True), []
        at = [self._new_numbers[token] for token in new]
        while len(self._vectors) < self._vocabulary_size + len(self._new_numbers):
            more = np.empty((_MAX_CACHED_TOKENS, self.dimensions), np.float32)
            self._vectors = np.concatenate([self._vectors, more])
            self._weights = np.concatenate([self._weights, more[:, : len(TextField)]])
        ngrams = NgramRows(new, len(self._vocabulary), self._buckets)
        self._vectors[at] = ngrams.mean(self._vectors_of(ngrams.rows))
        self._weights[at] = ngrams.mean(self._weights)


def normalize(vectors: "Rows") -> "Rows":
    """Scales (n, dimensions) vectors to length 1; zeros stay zeros."""
    import numpy as np

    squares = np.einsum("td,td->t", vectors, vectors)
    lengths = np.sqrt(np.where(squares > 0, squares, 1)).astype(np.float32)
    unit: Rows = vectors / lengths[:, None]
    return unit


class StaticEmbedder(Embedder):
    """An `Embedder` that needs only numpy; about 20,000 texts per second on one core."""

    batch = 1024

    def __init__(self, path: Path = MODEL_FILE, sha256: str = STATIC_MODEL_SHA256) -> None:
        """Reads the file; raises UserError when its SHA-256 is not `sha256`."""
        self._name = f"feeder-static-{sha256[:8]}"
        model = read_model(path, sha256)
        self._name_weight = model.name_field_weight
        self._token_vectors = TokenVectors(model)

    @property
    def model(self) -> str:
        return self._name

    @property
    def dimensions(self) -> int:
        return self._token_vectors.dimensions

    def embed(self, texts: Sequence[str]) -> list["Vector"]:
        """Embeds texts whose first line is the name, as in `nodes.embedding_text`."""
        return self.embed_fields([_split_name(text) for text in texts])

    def embed_fields(self, fields: Sequence[tuple[str, str]]) -> list["Vector"]:
        """Returns unit(unit(body) + weight · unit(name)) for each name and body.

        If both are empty, all numbers are equal: a service may refuse a zero vector.
        """
        vectors: list[Vector] = []
        for at in range(0, len(fields), _BATCH_TEXTS):
            block = fields[at : at + _BATCH_TEXTS]
            texts = [body for _, body in block] + [name for name, _ in block]
            means = self._token_vectors.embed_texts(texts, [TextField.BODY, TextField.NAME])
            bodies, names = means[: len(block)], means[len(block) :]
            vectors += list(_replace_zeros(normalize(bodies + self._name_weight * names)))
        return vectors

    def embed_query(self, text: str) -> "Vector":
        """Returns the vector of a query; zeros if no word of it is in the vocabulary.

        N-grams alone would put nonsense as near to some node as a word with a meaning.
        """
        vector: Vector = self._token_vectors.embed_texts([text], [TextField.QUERY])[0]
        return vector if self._token_vectors.knows_word(text) else vector * 0

    def close(self) -> None:
        """Does nothing: only memory is held."""


def _split_name(text: str) -> tuple[str, str]:
    name, line, body = text.partition("\n")
    return (name, body) if line else ("", text)


def _replace_zeros(vectors: "Rows") -> "Rows":
    """Replaces zero vectors by vectors of equal numbers, in place."""
    vectors[~vectors.any(axis=1)] = vectors.shape[1] ** -0.5
    return vectors


class ModelLayout(NamedTuple):
    """Offsets of the file's parts in bytes, and their sizes."""

    dimensions: int
    words: int
    buckets: int
    words_bytes: int
    name_field_weight: float

    @classmethod
    def of(cls, content: bytes | mmap) -> "ModelLayout":
        """Reads the header."""
        return cls(*_HEADER.unpack_from(content)[2:])

    @property
    def row_count(self) -> int:
        """Number of rows: words, then buckets."""
        return self.words + self.buckets

    @property
    def scales_at(self) -> int:
        """Float32 scales, name weights and query weights, `row_count` of each."""
        return _HEADER_BYTES

    @property
    def query_weights_at(self) -> int:
        return _HEADER_BYTES + 2 * _NUMBER_BYTES * self.row_count

    @property
    def rows_at(self) -> int:
        return _HEADER_BYTES + 3 * _NUMBER_BYTES * self.row_count

    @property
    def words_at(self) -> int:
        """The words in UTF-8, separated by newlines."""
        return self.rows_at + self.row_count * self.dimensions


def map_file(path: Path = MODEL_FILE) -> mmap:
    """Maps the model's file into memory, where all processes share it.

    Raises UserError when it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return mmap(file.fileno(), 0, access=ACCESS_READ)
    except (OSError, ValueError) as exc:  # ValueError: an empty file
        raise UserError(
            f"The static model cannot be read ({os_reason(exc)}).", _reinstall_hint()
        ) from exc


def damaged_model_error(path: Path) -> UserError:
    """Returns the error of a file that is not the one of this version."""
    return UserError(
        f"The static model {path} is damaged or belongs to another version.", _reinstall_hint()
    )


def read_model(path: Path = MODEL_FILE, sha256: str = STATIC_MODEL_SHA256) -> StaticModel:
    """Reads the model's file; raises UserError when its SHA-256 is not `sha256`."""
    content = map_file(path)
    if hashlib.sha256(content).hexdigest() != sha256:
        raise damaged_model_error(path)
    import numpy as np

    layout = ModelLayout.of(content)
    count, dimensions = layout.row_count, layout.dimensions
    scales = np.frombuffer(content, "<f4", 3 * count, layout.scales_at).reshape(3, count)
    rows = np.frombuffer(content, np.int8, count * dimensions, layout.rows_at)
    text = content[layout.words_at :][: layout.words_bytes].decode()
    return StaticModel(
        rows.reshape(count, dimensions),
        scales[0],
        scales[1],
        scales[2],
        dict(zip(text.split("\n"), range(layout.words), strict=True)),
        layout.buckets,
        layout.name_field_weight,
    )


def _reinstall_hint() -> str:
    from feeder.installation import install_steps

    return f"Install it again: {install_steps()}; or use --no-vectors."

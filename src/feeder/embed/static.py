"""How are texts embedded with nothing but numpy? The model of the project's own, by looking up.

A text's vector is the weighted mean of its parts' vectors; `docs/explanation/models.md` has the
file's format and how it was trained.
"""

import hashlib
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from feeder.embed import Embedder
from feeder.embed.static_name import MODEL_SHA256
from feeder.embed.static_parts import Field, Parts, Table, unit
from feeder.errors import UserError

if TYPE_CHECKING:
    from feeder.embed import Vector
    from feeder.embed.static_parts import Rows

MODEL = Path(__file__).with_name("static_model.bin")
_MAGIC, _VERSION = b"FEEDERSM", 1
_HEADER = struct.Struct("<8s5If")
_HEADER_BYTES = 64
_BLOCK = 256
"""Texts that are summed up at a time."""
_AGAIN = "Install it again: pip install --force-reinstall headfeed; or go on with --no-vectors."


class StaticEmbedder(Embedder):
    """An `Embedder` by nothing but a text's parts; some 20,000 texts a second on one core."""

    batch = 1024

    def __init__(self, path: Path = MODEL, sha256: str = MODEL_SHA256) -> None:
        """Reads the whole file; `UserError` when it is not the one that this version ships."""
        self._name = f"feeder-static-{sha256[:8]}"
        table = read_table(path, sha256)
        self._name_share = table.name_share
        self._parts = Parts(table)

    @property
    def model(self) -> str:
        return self._name

    @property
    def dimensions(self) -> int:
        return self._parts.dimensions

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
            texts = [body for _, body in block] + [name for name, _ in block]
            means = self._parts.means(texts, [Field.BODY, Field.NAME])
            bodies, names = means[: len(block)], means[len(block) :]
            found += list(_directed(unit(bodies + self._name_share * names)))
        return found

    def embed_query(self, text: str) -> "Vector":
        vector: Vector = self._parts.means([text], [Field.QUESTION])[0]
        return vector

    def close(self) -> None:
        """Nothing is held but memory."""


def _fields(text: str) -> tuple[str, str]:
    name, line, body = text.partition("\n")
    return (name, body) if line else ("", text)


def _directed(vectors: "Rows") -> "Rows":
    """The vectors, of equal numbers where there were zeros."""
    vectors[~vectors.any(axis=1)] = vectors.shape[1] ** -0.5
    return vectors


def read_table(path: Path = MODEL, sha256: str = MODEL_SHA256) -> Table:
    """What the file holds; raises UserError as the model does."""
    import numpy as np

    try:
        content = path.read_bytes()
    except OSError as exc:
        raise UserError(f"The static model cannot be read ({exc}). {_AGAIN}") from exc
    if hashlib.sha256(content).hexdigest() != sha256:
        raise UserError(f"The static model {path} is damaged or another version's. {_AGAIN}")
    _, _, dimensions, known, buckets, text, share = _HEADER.unpack_from(content)
    count = known + buckets
    scales = np.frombuffer(content, "<f4", 3 * count, _HEADER_BYTES).reshape(3, count)
    at = _HEADER_BYTES + scales.nbytes
    rows = np.frombuffer(content, np.int8, count * dimensions, at).reshape(count, dimensions)
    names = content[at + rows.nbytes :][:text].decode().split("\n")
    words_of = dict(zip(names, range(known), strict=True))
    return Table(rows, scales[0], scales[1], scales[2], words_of, buckets, share)

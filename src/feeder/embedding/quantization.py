"""Vectors as 8-bit codes with a scale: quantizes and dequantizes them, mixes a node's vector
with its description's, and embeds with the static model into codes.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from feeder.errors import UserError
from feeder.store.static_vectors import SCALE_BYTES

if TYPE_CHECKING:
    from feeder.embedding.static_model import StaticEmbedder


if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from feeder.embedding import Vector

    Vectors = npt.NDArray[np.float32]


DESCRIPTION_WEIGHT = 0.5
"""Weight of a description in its node's vector; the text has weight 1 (see
docs/how-to/descriptions.md)."""


def mix_vectors(text_vector: "Vector", description_vector: "Vector") -> "Vector":
    """unit(text + share · line), of two vectors in length 1, or of two rows of many."""
    import numpy as np

    both: Vector = text_vector + np.float32(DESCRIPTION_WEIGHT) * description_vector
    lengths = np.linalg.norm(both, axis=-1, keepdims=True)
    found: Vector = both / np.maximum(lengths, np.float32(1e-9))
    return found


def mix_codes(texts: Sequence[bytes], descriptions: Sequence[bytes]) -> list[bytes]:
    """The same of vectors that rest as codes, one or more, all equally long."""
    return quantize(mix_vectors(dequantize(texts), dequantize(descriptions)))


def quantize(vectors: "Vectors") -> list[bytes]:
    """Eight bits a number, after a scale: of (n, dimensions) vectors so many codes."""
    import numpy as np

    scales = np.maximum(vectors.max(axis=1), -vectors.min(axis=1)) / np.float32(127)
    scales[scales == 0] = 1
    codes = np.rint(vectors / scales[:, None]).astype(np.int8)
    rows = np.hstack([scales.astype("<f4")[:, None].view(np.int8), codes])
    raw, size = rows.tobytes(), rows.shape[1]
    return [raw[at : at + size] for at in range(0, len(raw), size)]


def dequantize(codes: Sequence[bytes]) -> "Vectors":
    """The vectors of codes that are equally long, (n, dimensions)."""
    import numpy as np

    raw = np.frombuffer(b"".join(codes), np.int8).reshape(len(codes), -1)
    scales = np.ascontiguousarray(raw[:, :SCALE_BYTES]).view("<f4")
    found: Vectors = raw[:, SCALE_BYTES:] * scales
    return found


class StaticQuantizer(NamedTuple):
    """A `Meaning` for the processes that parse, where the model is loaded for the first text."""

    model: str

    def __call__(self, texts: Sequence[str]) -> list[bytes]:
        model = load_static_model()  # first: it tells why, where numpy does not load
        import numpy as np

        return quantize(np.stack(model.embed(texts)))


@cache
def load_static_model() -> "StaticEmbedder":
    """The model, once a process."""
    try:
        from feeder.embedding.static_model import StaticEmbedder

        return StaticEmbedder()
    except (ImportError, RuntimeError) as exc:  # numpy is not there, or not for this machine
        raise UserError(
            f"The static model cannot be asked: numpy does not load ({exc}). "
            "Install it again, or go on with --no-vectors."
        ) from exc

"""Vectors as 8-bit codes with a scale: quantizes and dequantizes them, mixes a node's vector
with its description's, and embeds with the static model into codes.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from feeder.errors import UserError
from feeder.store.static_vectors import SCALE_BYTES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from feeder.embedding import Vector
    from feeder.embedding.static_model import StaticEmbedder

    Vectors = npt.NDArray[np.float32]


DESCRIPTION_WEIGHT = 0.5
"""Weight of a description in its node's vector; the text has weight 1 (see
docs/how-to/descriptions.md)."""


def mix_vectors(text_vector: "Vector", description_vector: "Vector") -> "Vector":
    """Returns unit(text + DESCRIPTION_WEIGHT · description).

    Both are unit vectors, (dimensions,), or arrays of them, (n, dimensions).
    """
    import numpy as np

    both: Vector = text_vector + np.float32(DESCRIPTION_WEIGHT) * description_vector
    lengths = np.linalg.norm(both, axis=-1, keepdims=True)
    mixed: Vector = both / np.maximum(lengths, np.float32(1e-9))
    return mixed


def mix_codes(texts: Sequence[bytes], descriptions: Sequence[bytes]) -> list[bytes]:
    """Mixes quantized vectors pair by pair; all have the same length."""
    return quantize(mix_vectors(dequantize(texts), dequantize(descriptions)))


def quantize(vectors: "Vectors") -> list[bytes]:
    """Quantizes (n, dimensions) vectors: for each a float32 scale, then an int8 per dimension."""
    import numpy as np

    scales = np.maximum(vectors.max(axis=1), -vectors.min(axis=1)) / np.float32(127)
    scales[scales == 0] = 1
    codes = np.rint(vectors / scales[:, None]).astype(np.int8)
    rows = np.hstack([scales.astype("<f4")[:, None].view(np.int8), codes])
    raw, size = rows.tobytes(), rows.shape[1]
    return [raw[at : at + size] for at in range(0, len(raw), size)]


def dequantize(codes: Sequence[bytes]) -> "Vectors":
    """Returns the (n, dimensions) vectors of n codes of equal length."""
    import numpy as np

    raw = np.frombuffer(b"".join(codes), np.int8).reshape(len(codes), -1)
    scales = np.ascontiguousarray(raw[:, :SCALE_BYTES]).view("<f4")
    vectors: Vectors = raw[:, SCALE_BYTES:] * scales
    return vectors


class StaticQuantizer(NamedTuple):
    """Embeds texts with the static model into codes, in parser processes.

    The model is loaded at the first call.
    """

    model: str

    def __call__(self, texts: Sequence[str]) -> list[bytes]:
        model = load_static_model()  # before numpy: its error says why numpy does not load
        import numpy as np

        return quantize(np.stack(model.embed(texts)))


@cache
def load_static_model() -> "StaticEmbedder":
    """Loads the shipped model, once per process; raises UserError where numpy does not load."""
    try:
        from feeder.embedding.static_model import StaticEmbedder

        return StaticEmbedder()
    except (ImportError, RuntimeError) as exc:  # numpy is missing or built for another CPU
        raise UserError(
            f"The static model cannot be used: the package numpy cannot be loaded ({exc}).",
            "Install it again, or use --no-vectors.",
        ) from exc

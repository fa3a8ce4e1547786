"""Checks vectors before they are used: those that a model returns, and those that a cache has.

One number that is not finite makes Vectorize refuse a whole batch, and nothing is near a zero
vector.
"""

from collections.abc import Sequence

from feeder.embedding import Embedder, Vector
from feeder.errors import ServiceError

MAX_LENGTH_ERROR = 0.01
"""Vectors have length 1. float16 models are off by 0.001."""


def are_unit_vectors(blobs: Sequence[bytes], dimensions: int) -> list[bool]:
    """Tells for each blob of little-endian float32 whether its length is 1: finite and not zero."""
    if not blobs:
        return []
    import numpy as np

    return _are_unit(np.frombuffer(b"".join(blobs), "<f4").reshape(-1, dimensions))


def checked_vectors(embedder: Embedder, vectors: Sequence[Vector]) -> list[Vector]:
    """Returns the vectors of a model; raises ServiceError if one is not as `Embedder` promises."""
    import numpy as np

    expected = (embedder.dimensions,)
    shapes = {vector.shape for vector in vectors} - {expected}
    if shapes or not all(_are_unit(np.stack(vectors)) if vectors else ()):
        problem = f"of shape {min(shapes)}" if shapes else "that are zero or not finite"
        raise ServiceError(
            f"{embedder.model} returned vectors {problem}.",
            "Run again; if it happens again, choose another --model.",
        )
    return list(vectors)


def _are_unit(vectors: Vector) -> list[bool]:
    import numpy as np

    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(vectors, axis=1)
        unit: list[bool] = (abs(lengths - 1) < MAX_LENGTH_ERROR).tolist()
    return unit

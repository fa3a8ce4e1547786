"""What is a node with a line on it near to? Its text, and somewhat what the line says."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from feeder.store.meanings import SCALE_BYTES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from feeder.embed import Vector

    Vectors = npt.NDArray[np.float32]

LINE_SHARE = 0.5
"""Of a line in a node's vector, beside its text's 1; docs/benchmarks/descriptions.md has what it
was chosen by."""


def blended(text: "Vector", line: "Vector") -> "Vector":
    """unit(text + share · line), of two vectors in length 1, or of two rows of many."""
    import numpy as np

    both: Vector = text + np.float32(LINE_SHARE) * line
    lengths = np.linalg.norm(both, axis=-1, keepdims=True)
    found: Vector = both / np.maximum(lengths, np.float32(1e-9))
    return found


def blended_codes(texts: Sequence[bytes], lines: Sequence[bytes]) -> list[bytes]:
    """The same of vectors that rest as codes, one or more, all equally long."""
    return coded(blended(decoded(texts), decoded(lines)))


def coded(vectors: "Vectors") -> list[bytes]:
    """Eight bits a number, after a scale: of (n, dimensions) vectors so many codes."""
    import numpy as np

    scales = np.maximum(vectors.max(axis=1), -vectors.min(axis=1)) / np.float32(127)
    scales[scales == 0] = 1
    codes = np.rint(vectors / scales[:, None]).astype(np.int8)
    rows = np.hstack([scales.astype("<f4")[:, None].view(np.int8), codes])
    raw, size = rows.tobytes(), rows.shape[1]
    return [raw[at : at + size] for at in range(0, len(raw), size)]


def decoded(codes: Sequence[bytes]) -> "Vectors":
    """The vectors of codes that are equally long, (n, dimensions)."""
    import numpy as np

    raw = np.frombuffer(b"".join(codes), np.int8).reshape(len(codes), -1)
    scales = np.ascontiguousarray(raw[:, :SCALE_BYTES]).view("<f4")
    found: Vectors = raw[:, SCALE_BYTES:] * scales
    return found

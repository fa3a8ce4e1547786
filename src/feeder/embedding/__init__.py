"""Embedding models: text in, vectors out.

Declares `Embedder`, `Vector` and `ServiceUsage`, and the identity of the shipped static model.
Start with `Embedder`; `static_model`, `onnx` and `endpoint_embedder` implement it. This package
never opens the index; only `endpoint` uses the network.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from feeder.nodes import STATIC_MODEL_PREFIX

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector: TypeAlias = npt.NDArray[np.float32]
else:
    # `feeder --help` must not import numpy; Any still allows `Vector | None` at run time.
    Vector = Any


class ServiceUsage(NamedTuple):
    """Requests, tokens and neurons that a service counts; tokens and neurons are estimates."""

    requests: int = 0
    tokens: int = 0
    neurons: float = 0.0
    """Cloudflare's unit of price for Workers AI."""


NO_USAGE = ServiceUsage()
"""The usage of a model that runs on this machine."""


class Embedder(Protocol):
    """Turns texts into vectors: float32 arrays of length `dimensions`, L2-normalised."""

    @property
    def model(self) -> str:
        """The model's identity in an index; two names never share an index or a cached vector."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        ...

    @property
    def batch(self) -> int:
        """The best number of texts for one call; an interrupt loses at most one such batch."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Returns one vector for each text, in the same order; texts do not affect each other.

        Accepts any number of texts. An implementation splits them by the limits of its model or
        service and may run several requests at once.
        """
        ...

    def embed_query(self, text: str) -> Vector:
        """Returns the vector of a query; some models embed queries differently from documents."""
        ...

    @property
    def usage(self) -> ServiceUsage:
        """The usage so far."""
        return NO_USAGE

    def estimate(self, text_bytes: Sequence[int]) -> ServiceUsage:
        """Returns the usage that texts of these sizes in bytes would cause."""
        return NO_USAGE

    def close(self) -> None:
        """Releases threads, files and connections; a second call does nothing."""
        ...


STATIC_MODEL_SHA256 = "faea3b647497ab4d12f7072dedc2c899243198d508e7157ff9c891640ab67185"
"""SHA-256 of the model file that this version ships."""

STATIC_MODEL_CRC32 = 0x4E7DAC99
"""CRC-32 of the same file, which takes a quarter of the time: for processes that answer a query."""

STATIC_MODEL_NAME = f"{STATIC_MODEL_PREFIX}{STATIC_MODEL_SHA256[:8]}"
"""The model's identity in an index; it changes when the model is trained again."""

"""Embedding models: text in, vectors out.

Declares `Embedder`, `Vector` and `ServiceUsage`, and the identity of the shipped static model.
Never opens the index; only `endpoint` uses the network.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from feeder.store.index_state import STATIC_MODEL_PREFIX

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector: TypeAlias = npt.NDArray[np.float32]
else:
    # `feeder --help` must not import numpy; Any still allows `Vector | None` at run time.
    Vector = Any


class ServiceUsage(NamedTuple):
    """What embedding takes of a service, tokens and neurons as an estimate."""

    requests: int = 0
    tokens: int = 0
    neurons: float = 0.0
    """As Workers AI bills them."""


NO_USAGE = ServiceUsage()
"""What a model on this machine takes."""


class Embedder(Protocol):
    """Turns texts into vectors: float32 arrays of length `dimensions`, L2-normalised."""

    @property
    def model(self) -> str:
        """The name that the index keeps; two names never share an index or a cached vector."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        ...

    @property
    def batch(self) -> int:
        """How many texts are worth handing over in one call: what a Ctrl-C may lose."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, in the caller's order; a text's vector does not depend on the others.

        Any number of texts is right. An implementation splits them to its model's or service's
        limits and may have several parts under way at once.
        """
        ...

    def embed_query(self, text: str) -> Vector:
        """The vector of what someone searches for; some models read queries unlike documents."""
        ...

    @property
    def usage(self) -> ServiceUsage:
        """What has been taken of a service so far."""
        return NO_USAGE

    def estimate(self, text_bytes: Sequence[int]) -> ServiceUsage:
        """What texts of so many bytes each would take."""
        return NO_USAGE

    def close(self) -> None:
        """Give back threads, files and connections; a second call does nothing."""
        ...


STATIC_MODEL_SHA256 = "faea3b647497ab4d12f7072dedc2c899243198d508e7157ff9c891640ab67185"
"""Of the file that this version ships."""

STATIC_MODEL_NAME = f"{STATIC_MODEL_PREFIX}{STATIC_MODEL_SHA256[:8]}"
"""The name of the model in an index; one that was trained anew has another."""

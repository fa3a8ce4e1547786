"""How do vectors of the static model travel and rest? As eight bits a number and a scale."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from feeder.embedding.quantization import quantize
from feeder.errors import UserError

if TYPE_CHECKING:
    from feeder.embedding.static_model import StaticEmbedder


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

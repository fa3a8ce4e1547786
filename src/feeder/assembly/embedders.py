"""Which model makes the vectors? Each kind is asked in turn whether it is meant."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from feeder.config import Settings
from feeder.embed import Embedder
from feeder.embed.static_codes import StaticCodes, loaded
from feeder.embed.static_name import NAME
from feeder.errors import UserError

if TYPE_CHECKING:
    from feeder.cloudflare.api import Api

_NOTHING: Mapping[str, str] = MappingProxyType({})
WORDS, STATIC, MINILM = "words", "static", "minilm"
"""What `--model` may say besides a model's own name."""


class Wish(NamedTuple):
    """What decides: the model's name and dimensions, where said, and whether there is an API.

    `made_with` is what the index says of its model, where that is known by now; one that was made
    without any says "".
    """

    model: str | None
    dimensions: int | None
    api: Api | None
    made_with: Mapping[str, str]


Kind = Callable[[Wish], Embedder | None]
"""The model that is meant; None where it is not of this kind. Raises UserError where it is, and
cannot be had."""


def embedder_of(
    settings: Settings, api: Api | None = None, made_with: Mapping[str, str] = _NOTHING
) -> Embedder | None:
    """The model that the settings mean, or the store's own; None where words are to do.

    With an `api` the index is at Cloudflare. Raises UserError for a model that there is not, and
    for dimensions that it cannot make.
    """
    if not settings.vectors or settings.model == WORDS or (settings.model == STATIC and not api):
        return None
    wish = Wish(settings.model, settings.dimensions, api, made_with)
    made = next((embedder for kind in KINDS if (embedder := kind(wish))), None)
    if made is None and wish.model:
        raise UserError(
            f"--model {wish.model} is no folder with an ONNX model. Name one, or {WORDS}, {STATIC} "
            f"or {MINILM}, or an address as URL#name, or take --store cloudflare for the models of "
            "Workers AI."
        )
    if made and wish.dimensions and wish.dimensions != made.dimensions:
        raise UserError(
            f"The model {made.model} makes vectors of {made.dimensions} dimensions. "
            "Leave --dimensions out."
        )
    return made


def meaning_of(settings: Settings) -> StaticCodes | None:
    """The model that is asked with the words, in an index on this machine; None for words alone."""
    return StaticCodes(NAME) if settings.vectors and settings.model != WORDS else None


def dimensions_at_cloudflare(settings: Settings) -> int:
    """Of the vectors of an index there, whether or not this run makes any.

    No request, but to a model at an address that is unknown.
    """
    from feeder.cloudflare.api import Api

    with closing(Api("none", "none")) as api:
        embedder = embedder_of(replace(settings, vectors=True), api)
        assert embedder is not None  # there is always a model at Cloudflare
        with closing(embedder):
            return embedder.dimensions


def _of_a_folder(wish: Wish) -> Embedder | None:
    from feeder.embed.onnx import LocalEmbedder

    if not (wish.model and Path(wish.model).is_dir()):
        return None
    return LocalEmbedder.from_folder(Path(wish.model))


def _at_an_address(wish: Wish) -> Embedder | None:
    from feeder.embed.address import AddressEmbedder
    from feeder.embed.endpoint import Endpoint, address_of, is_address
    from feeder.embed.refused import KEY

    if not (wish.model and is_address(wish.model)):
        return None
    endpoint = Endpoint(address_of(wish.model), os.environ.get(KEY, ""))
    return AddressEmbedder(endpoint, wish.dimensions, wish.made_with)


def _of_workers_ai(wish: Wish) -> Embedder | None:
    from feeder.cloudflare.workers_ai import WorkersAI

    return WorkersAI(wish.api, wish.model, wish.dimensions) if wish.api else None


def _static(wish: Wish) -> Embedder | None:
    return loaded() if wish.model == STATIC else None


def _minilm(wish: Wish) -> Embedder | None:
    """Unnamed where it is installed, but for an index that was made without it: that takes long."""
    from feeder.embed import onnx

    if wish.model == MINILM:
        return onnx.LocalEmbedder()
    if wish.model is not None or wish.api is not None or not onnx.available():
        return None
    installed = onnx.LocalEmbedder()
    is_its = wish.made_with.get("model", installed.model) == installed.model
    return installed if is_its else None


def left_out(settings: Settings, made_with: Mapping[str, str]) -> str:
    """What to say of MiniLM, where it is installed and the index goes on without it."""
    from feeder.embed import onnx

    if not settings.vectors or settings.model is not None or not onnx.available():
        return ""
    own = made_with.get("model")
    has = f"with its vectors by {own}, which need --model," if own else "without MiniLM"
    return f"The index stays {has} as it was made. To give it MiniLM's: feeder sync --model minilm"


def out_of_reach(settings: Settings, made_with: Mapping[str, str]) -> str:
    """What to say of MiniLM, where the index has its vectors and it is not installed."""
    from feeder.embed import onnx

    is_meant = settings.vectors and settings.model is None
    if not is_meant or onnx.available() or made_with.get("model") != onnx.MINILM:
        return ""
    return f"The index has vectors by {onnx.MINILM}, which is not installed. {onnx.INSTALL}"


KINDS: tuple[Kind, ...] = (_of_a_folder, _at_an_address, _static, _minilm, _of_workers_ai)

"""Selects the embedding model and the language model that the settings name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from feeder.config import Settings
from feeder.descriptions import Describer
from feeder.embedding import STATIC_MODEL_NAME, Embedder
from feeder.embedding.quantization import StaticQuantizer, load_static_model
from feeder.errors import UserError
from feeder.store.lookup_table import LookupTable
from feeder.sync.context import DescriptionOptions

if TYPE_CHECKING:
    from feeder.cloudflare.api import Api


_UNKNOWN_MODEL: Mapping[str, str] = MappingProxyType({})

WORDS, STATIC, MINILM = "words", "static", "minilm"
"""What `--model` may say besides a model's own name."""


class ModelRequest(NamedTuple):
    """What decides: the model's name and dimensions, where said, and whether there is an API.

    `made_with` is what the index says of its model, where that is known by now; one that was made
    without any says "".
    """

    model: str | None
    dimensions: int | None
    api: Api | None
    index_model: Mapping[str, str]


EmbedderFactory = Callable[[ModelRequest], Embedder | None]
"""The model that is meant; None where it is not of this kind. Raises UserError where it is, and
cannot be had."""


def select_embedder(
    settings: Settings, api: Api | None = None, index_model: Mapping[str, str] = _UNKNOWN_MODEL
) -> Embedder | None:
    """The model that the settings mean, or the store's own; None where words are to do.

    With an `api` the index is at Cloudflare. Raises UserError for a model that there is not, and
    for dimensions that it cannot make.
    """
    if not settings.vectors or settings.model == WORDS or (settings.model == STATIC and not api):
        return None
    wish = ModelRequest(settings.model, settings.dimensions, api, index_model)
    made = next((embedder for kind in EMBEDDER_FACTORIES if (embedder := kind(wish))), None)
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


def select_static_model(settings: Settings) -> StaticQuantizer | None:
    """The model that is asked with the words, in an index on this machine; None for words alone."""
    return (
        StaticQuantizer(STATIC_MODEL_NAME) if settings.vectors and settings.model != WORDS else None
    )


def cloudflare_dimensions(settings: Settings) -> int:
    """Of the vectors of an index there, whether or not this run makes any.

    No request, but to a model at an address that is unknown.
    """
    from feeder.cloudflare.api import Api

    with closing(Api("none", "none")) as api:
        embedder = select_embedder(replace(settings, vectors=True), api)
        assert embedder is not None  # there is always a model at Cloudflare
        with closing(embedder):
            return embedder.dimensions


def _onnx_folder(request: ModelRequest) -> Embedder | None:
    from feeder.embedding.onnx import OnnxEmbedder

    if not (request.model and Path(request.model).is_dir()):
        return None
    return OnnxEmbedder.from_folder(Path(request.model))


def _endpoint_embedder(request: ModelRequest) -> Embedder | None:
    from feeder.embedding.endpoint import Endpoint, is_address, parse_address
    from feeder.embedding.endpoint_embedder import EndpointEmbedder
    from feeder.embedding.endpoint_errors import API_KEY_VARIABLE

    if not (request.model and is_address(request.model)):
        return None
    endpoint = Endpoint(parse_address(request.model), os.environ.get(API_KEY_VARIABLE, ""))
    return EndpointEmbedder(endpoint, request.dimensions, request.index_model)


def _workers_ai_embedder(request: ModelRequest) -> Embedder | None:
    from feeder.cloudflare.workers_ai import WorkersAIEmbedder

    return (
        WorkersAIEmbedder(request.api, request.model, request.dimensions) if request.api else None
    )


def _static_embedder(request: ModelRequest) -> Embedder | None:
    return load_static_model() if request.model == STATIC else None


def _minilm_embedder(request: ModelRequest) -> Embedder | None:
    """Unnamed where it is installed, but for an index that was made without it: that takes long."""
    from feeder.embedding import onnx

    if request.model == MINILM:
        return onnx.OnnxEmbedder()
    if request.model is not None or request.api is not None or not onnx.is_available():
        return None
    installed = onnx.OnnxEmbedder()
    is_its = request.index_model.get("model", installed.model) == installed.model
    return installed if is_its else None


def unused_minilm_note(settings: Settings, index_model: Mapping[str, str]) -> str:
    """What to say of MiniLM, where it is installed and the index goes on without it."""
    from feeder.embedding import onnx

    if not settings.vectors or settings.model is not None or not onnx.is_available():
        return ""
    own = index_model.get("model")
    has = f"with its vectors by {own}, which need --model," if own else "without MiniLM"
    return f"The index stays {has} as it was made. To give it MiniLM's: feeder sync --model minilm"


def missing_minilm_note(settings: Settings, index_model: Mapping[str, str]) -> str:
    """What to say of MiniLM, where the index has its vectors and it is not installed."""
    from feeder.embedding import onnx

    is_meant = settings.vectors and settings.model is None
    if not is_meant or onnx.is_available() or index_model.get("model") != onnx.MINILM:
        return ""
    return f"The index has vectors by {onnx.MINILM}, which is not installed. {onnx.INSTALL_HINT}"


EMBEDDER_FACTORIES: tuple[EmbedderFactory, ...] = (
    _onnx_folder,
    _endpoint_embedder,
    _static_embedder,
    _minilm_embedder,
    _workers_ai_embedder,
)


DESCRIBE_OFF = "off"
"""What `--describe` says to take the descriptions out."""


def select_describer(settings: Settings, api: Api | None = None) -> Describer | None:
    """The model that the settings mean; None where none is named.

    With an `api` the index is at Cloudflare. Raises UserError for what is no model.
    """
    from feeder.embedding.endpoint import is_address

    said = settings.describe
    if not said or said == DESCRIBE_OFF:
        return None
    if is_address(said):
        return _endpoint_describer(said)
    return _workers_ai_describer(said, api)


def description_options(
    settings: Settings, describer: Describer | None
) -> DescriptionOptions | None:
    """Who is asked for lines, if anybody; raises UserError for more of it without a model."""
    if settings.redescribe and not describer:
        raise UserError("--redescribe asks a model again: name it with --describe.")
    if not settings.describe:
        return None
    return DescriptionOptions(
        describer,
        settings.redescribe,
        settings.max_descriptions,
        settings.max_description_tokens,
        settings.mask_secrets,
    )


def _endpoint_describer(address: str) -> Describer:
    from feeder.descriptions.chat_completions import EndpointDescriber
    from feeder.embedding.endpoint import CHAT_COMPLETIONS, Endpoint, parse_address
    from feeder.embedding.endpoint_errors import API_KEY_VARIABLE

    return EndpointDescriber(
        Endpoint(parse_address(address, CHAT_COMPLETIONS), os.environ.get(API_KEY_VARIABLE, ""))
    )


def _workers_ai_describer(model: str, api: Api | None) -> Describer:
    from feeder.cloudflare.workers_ai_text import WorkersAIDescriber
    from feeder.embedding.endpoint import CHAT_COMPLETIONS

    if api is None:
        raise UserError(
            "--describe names no address. Write one as URL#name, such as "
            f"{CHAT_COMPLETIONS.example}, or {DESCRIBE_OFF}; models of Workers AI come with "
            "--store cloudflare."
        )
    return WorkersAIDescriber(api, model)


def worker_lookup_table(embedder: Embedder | None) -> LookupTable | None:
    """A Worker has no static model, and asks for the rows that it needs of it."""
    from feeder.embedding.static_lookup import build_lookup
    from feeder.embedding.static_model import StaticEmbedder

    return build_lookup() if isinstance(embedder, StaticEmbedder) else None

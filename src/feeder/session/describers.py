"""Which language model describes methods and classes? The one that is named, if any."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from feeder.config import Settings
from feeder.descriptions import Describer
from feeder.errors import UserError
from feeder.sync.context import DescriptionOptions

if TYPE_CHECKING:
    from feeder.cloudflare.api import Api

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

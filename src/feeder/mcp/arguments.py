"""Are these arguments a tool's? By the schema that it shows; what is meant is understood."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from feeder.errors import UserError
from feeder.suggestions import did_you_mean

Schema = Mapping[str, Any]

_INTEGER = re.compile(r"-?\d{1,15}")
_MAX_SHOWN_CHARS = 60
"""Characters of a wrong value that are shown."""


def validate_arguments(tool: str, schema: Schema, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the schema's defaults; null is as if it were not there.

    Raises UserError for one that is missing, unknown or of another kind.
    """
    known = schema["properties"]
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in given:
        if name not in known:
            raise UserError(_unknown_argument_message(tool, name, known))
    for name in schema["required"]:
        if name not in given:
            raise UserError(f"{tool} needs `{name}`.")
    defaults = {name: one["default"] for name, one in known.items() if "default" in one}
    return defaults | {
        name: _validate_value(name, known[name], value) for name, value in given.items()
    }


def _unknown_argument_message(tool: str, name: str, known: Iterable[str]) -> str:
    sentences = (f"{tool} has no argument `{_truncate(name)}`.", did_you_mean(name, known))
    return " ".join(filter(None, [*sentences, f"It has {', '.join(known)}."]))


def _validate_value(name: str, schema: Schema, value: Any) -> Any:
    if "anyOf" in schema:
        return _validate_string_list(name, schema["anyOf"][0], value)
    if schema["type"] == "integer":
        return _validate_integer(name, schema, value)
    if not isinstance(value, str):
        raise UserError(f"`{name}` is a text, not {_format_value(value)}.")
    value = _validate_string(name, schema, value)
    if value not in schema.get("enum", [value]):
        raise UserError(
            f"`{name}` is one of {', '.join(schema['enum'])}, not {_format_value(value)}."
        )
    return value


def _validate_string_list(name: str, schema: Schema, value: Any) -> list[str]:
    """One text is a list of one; so is a list that was written as a text."""
    if isinstance(value, str) and value.startswith("["):
        value = _parse_list(value)
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(one, str) for one in texts):
        raise UserError(f"`{name}` is a text or a list of texts, not {_format_value(value)}.")
    return [_validate_string(name, schema, one) for one in texts]


def _validate_string(name: str, schema: Schema, value: str) -> str:
    """Without halves of characters, and without the one that no name has."""
    most = schema.get("maxLength", len(value))
    if len(value) > most:
        raise UserError(f"`{name}` has {len(value):,} characters: write {most:,} at most.")
    return value.encode("utf-8", "replace").decode().replace("\0", " ")


def _parse_list(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _validate_integer(name: str, schema: Schema, value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        value = int(value)
    least, most = schema["minimum"], schema["maximum"]
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise UserError(f"`{name}` is a number from {least} to {most}, not {_format_value(value)}.")
    return value


def _format_value(value: Any) -> str:
    if isinstance(value, int) and abs(value) > 10**_MAX_SHOWN_CHARS:
        return "one so large"
    return _truncate(json.dumps(value, ensure_ascii=False))


def _truncate(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"

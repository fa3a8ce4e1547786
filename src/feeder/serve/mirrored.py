"""Do the headers of a request say what the message in it says, and which status has its answer?

Revision 2026-07-28 repeats parts of a message in headers, so that what stands between a client and
a server need not read it: one that says something else in each is refused. Pure.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

from feeder.serve.protocol import (
    INVALID,
    LEGACY,
    MODERN,
    NO_METHOD,
    PARAMS,
    PARSE,
    UNSUPPORTED,
    VERSION,
    Refused,
    is_request,
)

MISMATCH = -32020
UNSAID = "2025-03-26"
"""The revision of a message that says none: the header is younger than that."""
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Which parameter the header `Mcp-Name` repeats."""

_BEFORE, _AFTER = "=?base64?", "?="
_STATUS = {NO_METHOD: 404, **dict.fromkeys((PARSE, INVALID, PARAMS, MISMATCH, UNSUPPORTED), 400)}

Header = Callable[[str], list[str]]
"""The values of a header; none where it is not there."""


def agreed(message: object, header: Header) -> str:
    """The revision that a message is said in; raises Refused where its headers say another thing.

    A client that shakes hands says its revision in a header only; one of 2026-07-28 in both.
    """
    if isinstance(message, list):
        return _agreed_in_array(message, header)
    said, own = _one("MCP-Protocol-Version", header), version(message)
    if own is None:
        return _agreed_by_hand(message, said)
    if said != own:
        raise _mismatch("MCP-Protocol-Version", said, own)
    if own in MODERN and is_request(message):
        _check_names(message, header)
    return own


def version(message: object) -> str | None:
    """The revision that the message itself says; None where it says none."""
    params = message.get("params") if isinstance(message, Mapping) else None
    meta = params.get("_meta") if isinstance(params, Mapping) else None
    own = meta.get(VERSION) if isinstance(meta, Mapping) else None
    return own if isinstance(own, str) else None


def status(message: object, answer: object) -> int:
    """The HTTP status of an answer; before 2026-07-28 an error of a request is a good answer."""
    if not isinstance(answer, Mapping) or "error" not in answer:
        return 200
    code: Any = answer["error"]["code"]
    if code in (PARSE, INVALID) or version(message) is not None:
        return _STATUS.get(code, 200)
    return 200


def _agreed_in_array(messages: list[object], header: Header) -> str:
    """No header speaks for several messages of the revision that has to have them."""
    if any(version(message) is not None for message in messages):
        raise Refused(INVALID, "Send one message, not an array of them.")
    return _agreed_by_hand(messages, _one("MCP-Protocol-Version", header))


def _agreed_by_hand(message: object, said: str | None) -> str:
    """That of a client that shakes hands: today's say `initialize` after `server/discover` too."""
    is_hand = isinstance(message, Mapping) and message.get("method") == "initialize"
    if said in LEGACY or (said in MODERN and is_hand):
        return str(said)
    if said in MODERN and is_request(message):
        raise Refused(PARAMS, f"`params._meta[{VERSION}]` is missing.")
    if said is not None and said not in MODERN:
        known = {"supported": list(MODERN), "requested": said}
        raise Refused(UNSUPPORTED, "Unsupported protocol version", known)
    return said or UNSAID


def _check_names(message: Mapping[str, Any], header: Header) -> None:
    method = message["method"]
    if (said := _one("Mcp-Method", header)) != method:
        raise _mismatch("Mcp-Method", said, method)
    if method in NAMED:
        name = message["params"].get(NAMED[method])
        if (said := _decoded(_one("Mcp-Name", header))) != name:
            raise _mismatch("Mcp-Name", said, name)


def _one(name: str, header: Header) -> str | None:
    values = header(name)
    if len(values) > 1:
        raise Refused(MISMATCH, f"Header mismatch: {name} is there {len(values)} times")
    return values[0].strip(" \t") if values else None


def _decoded(value: str | None) -> str | None:
    """A name that no header can hold is written in base 64."""
    if value is None or not (value.startswith(_BEFORE) and value.endswith(_AFTER)):
        return value
    text = value.removeprefix(_BEFORE).removesuffix(_AFTER)
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as exc:
        raise Refused(MISMATCH, "Header mismatch: Mcp-Name is not what base 64 makes") from exc


def _mismatch(name: str, said: str | None, own: object) -> Refused:
    if said is None:
        return Refused(MISMATCH, f"Header mismatch: {name} is missing")
    text = f"Header mismatch: {name} header value {said!r} does not match body value {own!r}"
    return Refused(MISMATCH, text)

"""What does a server answer to a message? Both eras of the protocol, by what each message carries.

Pure but for the tools: a message in, an answer or None out. `tests/serve/transcripts` has it by
example: whatever speaks the protocol runs these.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple, TypeGuard

from feeder.serve import Tell, Toolbox

MODERN = ("2026-07-28",)
"""Revisions in which each message says its own."""
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Revisions that are agreed on by `initialize`, the newest first."""
BATCHED = "2025-03-26"
"""The only revision that knows arrays of messages."""
TTL_MS = 3_600_000
"""How long a client need not ask again for what changes with the program alone."""

MESSAGES = 20
"""Of an array, which counts once where questions are limited."""
NAME_CHARS = 128
"""Of a name that is not known, in the answer; a tool has no longer one."""

PREFIX = "io.modelcontextprotocol/"
VERSION, CAPABILITIES = f"{PREFIX}protocolVersion", f"{PREFIX}clientCapabilities"
CANCELLED = "notifications/cancelled"

PARSE, INVALID, NO_METHOD, PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
UNSUPPORTED = -32022

Message = Mapping[str, Any]
Id = str | int | float | None


class Refused(Exception):
    """A message that is answered by an error of the protocol."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.facts = {"code": code, "message": message} | ({"data": data} if data else {})


class Server(NamedTuple):
    """Who answers: a name, a version, what it tells a model of itself, and its tools."""

    name: str
    version: str
    instructions: str
    tools: Toolbox


def parsed(line: bytes | str) -> Any:
    """The JSON of a line; raises Refused for what is none."""
    try:
        text = line.decode() if isinstance(line, bytes) else line
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as exc:
        raise Refused(PARSE, "Parse error") from exc


def error(refused: Refused, id_: Id = None) -> Message:
    """The answer that says why there is none."""
    return {"jsonrpc": "2.0", "id": id_, "error": refused.facts}


def id_of(message: object) -> Id:
    """By which whoever sent it knows its answer; None where it has none."""
    id_ = message.get("id") if isinstance(message, Mapping) else None
    return id_ if _is_id(id_) else None


def is_request(message: object) -> TypeGuard[Message]:
    """Whether it waits for an answer, which may take its time."""
    return isinstance(message, Mapping) and "method" in message and "id" in message


def is_call(message: object) -> bool:
    """Whether its answer may take time: a call of a tool, or an array of messages."""
    is_one = is_request(message) and message["method"] == "tools/call"
    return is_one or isinstance(message, list)


def cancelled(message: object) -> Id:
    """The id of the request that is no longer wanted; None for every other message."""
    if not isinstance(message, Mapping) or message.get("method") != CANCELLED:
        return None
    id_ = _params(message).get("requestId")
    return id_ if _is_id(id_) else None


def progressed(token: str | int, step: int, text: str) -> Message:
    """What a client is told of a call: how far it is, which only grows, and what it does."""
    params = {"progressToken": token, "progress": step, "message": text}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def progress_token(message: object) -> str | int | None:
    """By which the client knows what it is told of a call's progress; None where it wants none."""
    if not is_request(message):
        return None
    meta = _params(message).get("_meta")
    token = meta.get("progressToken") if isinstance(meta, Mapping) else None
    is_token = isinstance(token, str | int) and not isinstance(token, bool)
    return token if is_token else None


class Conversation:
    """One client's messages; only what it last agreed on by `initialize` is kept, for arrays."""

    def __init__(self, server: Server, agreed: str | None = None) -> None:
        self._server = server
        self._agreed = agreed

    def answer(self, message: object, tell: Tell = lambda _: None) -> object:
        """The answer to a message; None where none is due."""
        if isinstance(message, list):
            return self._batch(message, tell)
        return self._answer(message, tell)

    def _batch(self, messages: list[object], tell: Tell) -> object:
        if self._agreed != BATCHED or not messages:
            return error(Refused(INVALID, "Send one message, not an array of them."))
        if len(messages) > MESSAGES:
            return error(Refused(INVALID, f"An array has at most {MESSAGES} messages."))
        return [one for one in (self._answer(each, tell) for each in messages) if one] or None

    def _answer(self, message: object, tell: Tell) -> Message | None:
        id_: Id = None
        try:
            if not isinstance(message, Mapping):
                raise Refused(INVALID, "A message is an object.")
            id_ = message["id"] if _is_id(message.get("id")) else None
            if _is_response(message) or _checked(message) is None:
                return None
            return {"jsonrpc": "2.0", "id": id_, "result": self._result(message, tell)}
        except Refused as refused:
            return error(refused, id_)
        except Exception as exc:  # a fault of ours costs one answer, not the server
            return error(Refused(INTERNAL, f"Internal error: {type(exc).__name__}: {exc}"), id_)

    def _result(self, message: Message, tell: Tell) -> Message:
        method, params = message["method"], message.get("params") or {}
        if not isinstance(params, Mapping):
            raise Refused(PARAMS, "`params` is an object.")
        if _is_modern(params):
            result = _found(_MODERN, method)(self._server, params, tell)
            about = {f"{PREFIX}serverInfo": _about(self._server)}
            return {"resultType": "complete", **result, "_meta": about}
        result = _found(_LEGACY, method)(self._server, params, tell)
        self._agreed = result.get("protocolVersion", self._agreed)
        return result


def _checked(message: Message) -> Message | None:
    """The message where it is a request, None for a notification; raises Refused for neither."""
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        raise Refused(INVALID, 'A message has "jsonrpc": "2.0" and a method.')
    if "id" not in message:
        return None
    if not _is_id(message["id"]):
        raise Refused(INVALID, "The id of a request is a string or a number.")
    return message


def _is_id(value: object) -> TypeGuard[str | int | float]:
    """A number that JSON cannot write, as 1e999 becomes one, is none."""
    is_finite = not isinstance(value, float) or isfinite(value)
    return isinstance(value, str | int | float) and not isinstance(value, bool) and is_finite


def _is_response(message: Message) -> bool:
    return "method" not in message and ("result" in message or "error" in message)


def _params(message: Message) -> Message:
    params = message.get("params")
    return params if isinstance(params, Mapping) else {}


def _is_modern(params: Message) -> bool:
    """Whether the message says its revision; raises Refused where it is none that is known."""
    meta = params.get("_meta")
    if not isinstance(meta, Mapping) or VERSION not in meta:
        return False
    asked = meta[VERSION]
    if not isinstance(asked, str):
        raise Refused(PARAMS, f"`_meta[{VERSION}]` is a string.")
    if asked not in MODERN:
        known = {"supported": list(MODERN), "requested": asked}
        raise Refused(UNSUPPORTED, "Unsupported protocol version", known)
    if not isinstance(meta.get(CAPABILITIES), Mapping):
        raise Refused(PARAMS, f"`_meta[{CAPABILITIES}]` is missing, or no object.")
    return True


Method = Callable[[Server, Message, Tell], Message]


def _found(methods: Mapping[str, Method], name: str) -> Method:
    if name in methods:
        return methods[name]
    if name == "server/discover":
        raise Refused(PARAMS, f"`params._meta[{VERSION}]` is missing.")
    raise Refused(NO_METHOD, f"Method not found: {name[:NAME_CHARS]}")


def _about(server: Server) -> Message:
    return {"name": server.name, "version": server.version}


def _discover(server: Server, _: Message, __: Tell) -> Message:
    return {
        "supportedVersions": list(MODERN),
        "capabilities": {"tools": {}},
        "instructions": server.instructions,
        "ttlMs": TTL_MS,
        "cacheScope": "public",
    }


def _initialize(server: Server, params: Message, _: Tell) -> Message:
    asked = params.get("protocolVersion")
    if not isinstance(asked, str):
        raise Refused(PARAMS, "`protocolVersion` is missing, or no string.")
    return {
        "protocolVersion": asked if asked in LEGACY else LEGACY[0],
        "capabilities": {"tools": {}},
        "serverInfo": _about(server),
        "instructions": server.instructions,
    }


def _ping(_: Server, __: Message, ___: Tell) -> Message:
    return {}


def _list(server: Server, params: Message, _: Tell) -> Message:
    if params.get("cursor") is not None:
        raise Refused(PARAMS, "There is no such cursor: the list has one page.")
    return {"tools": list(server.tools.listed)}


def _cached_list(server: Server, params: Message, tell: Tell) -> Message:
    return {**_list(server, params, tell), "ttlMs": TTL_MS, "cacheScope": "public"}


def _call(server: Server, params: Message, tell: Tell) -> Message:
    name, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str):
        raise Refused(PARAMS, "`name` is missing, or no string.")
    if not any(tool["name"] == name for tool in server.tools.listed):
        raise Refused(PARAMS, f"Unknown tool: {name[:NAME_CHARS]}")
    if not isinstance(arguments, Mapping):
        raise Refused(PARAMS, "`arguments` is an object.")
    text, is_error = server.tools.call(name, arguments, tell)
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


_MODERN: Mapping[str, Method] = {
    "server/discover": _discover,
    "tools/list": _cached_list,
    "tools/call": _call,
}
_LEGACY: Mapping[str, Method] = {
    "initialize": _initialize,
    "ping": _ping,
    "tools/list": _list,
    "tools/call": _call,
}


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")

"""Answers JSON-RPC messages of the Model Context Protocol, in both generations: revisions
agreed on by `initialize`, and those that each message names. Pure but for the tools it calls;
`tests/mcp/transcripts` holds example messages that every implementation runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple, TypeGuard

from feeder.mcp import ProgressCallback, ToolProvider

MODERN_REVISIONS = ("2026-07-28",)
"""Revisions in which each message says its own."""

LEGACY_REVISIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Revisions that are agreed on by `initialize`, the newest first."""

BATCH_REVISION = "2025-03-26"
"""The only revision that knows arrays of messages."""

TTL_MS = 3_600_000
"""How long a client need not ask again for what changes with the program alone."""


MAX_BATCH_MESSAGES = 20
"""Of an array, which counts once where questions are limited."""

MAX_NAME_CHARS = 128
"""Of a name that is not known, in the answer; a tool has no longer one."""


META_PREFIX = "io.modelcontextprotocol/"

VERSION_KEY, CAPABILITIES_KEY = f"{META_PREFIX}protocolVersion", f"{META_PREFIX}clientCapabilities"

CANCELLED_METHOD = "notifications/cancelled"


PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)

UNSUPPORTED_VERSION = -32022


Message = Mapping[str, Any]

Id = str | int | float | None


class ProtocolError(Exception):
    """A message that is answered by an error of the protocol."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.payload = {"code": code, "message": message} | ({"data": data} if data else {})


class McpServer(NamedTuple):
    """Who answers: a name, a version, what it tells a model of itself, and its tools."""

    name: str
    version: str
    instructions: str
    tools: ToolProvider


def parse_message(line: bytes | str) -> Any:
    """The JSON of a line; raises Refused for what is none."""
    try:
        text = line.decode() if isinstance(line, bytes) else line
        return json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as exc:
        raise ProtocolError(PARSE_ERROR, "Parse error") from exc


def error_response(exc: ProtocolError, id_: Id = None) -> Message:
    """The answer that says why there is none."""
    return {"jsonrpc": "2.0", "id": id_, "error": exc.payload}


def request_id(message: object) -> Id:
    """By which whoever sent it knows its answer; None where it has none."""
    id_ = message.get("id") if isinstance(message, Mapping) else None
    return id_ if _is_valid_id(id_) else None


def is_request(message: object) -> TypeGuard[Message]:
    """Whether it waits for an answer, which may take its time."""
    return isinstance(message, Mapping) and "method" in message and "id" in message


def is_long_running(message: object) -> bool:
    """Whether its answer may take time: a call of a tool, or an array of messages."""
    is_one = is_request(message) and message["method"] == "tools/call"
    return is_one or isinstance(message, list)


def cancelled_request_id(message: object) -> Id:
    """The id of the request that is no longer wanted; None for every other message."""
    if not isinstance(message, Mapping) or message.get("method") != CANCELLED_METHOD:
        return None
    id_ = _params(message).get("requestId")
    return id_ if _is_valid_id(id_) else None


def progress_notification(token: str | int, step: int, text: str) -> Message:
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


class MessageHandler:
    """One client's messages; only what it last agreed on by `initialize` is kept, for arrays."""

    def __init__(self, server: McpServer, revision: str | None = None) -> None:
        self._server = server
        self._revision = revision

    def handle(self, message: object, on_progress: ProgressCallback = lambda _: None) -> object:
        """The answer to a message; None where none is due."""
        if isinstance(message, list):
            return self._handle_batch(message, on_progress)
        return self._handle_one(message, on_progress)

    def _handle_batch(self, messages: list[object], on_progress: ProgressCallback) -> object:
        if self._revision != BATCH_REVISION or not messages:
            return error_response(
                ProtocolError(INVALID_REQUEST, "Send one message, not an array of them.")
            )
        if len(messages) > MAX_BATCH_MESSAGES:
            return error_response(
                ProtocolError(
                    INVALID_REQUEST, f"An array has at most {MAX_BATCH_MESSAGES} messages."
                )
            )
        return [
            one for one in (self._handle_one(each, on_progress) for each in messages) if one
        ] or None

    def _handle_one(self, message: object, on_progress: ProgressCallback) -> Message | None:
        id_: Id = None
        try:
            if not isinstance(message, Mapping):
                raise ProtocolError(INVALID_REQUEST, "A message is an object.")
            id_ = message["id"] if _is_valid_id(message.get("id")) else None
            if _is_response(message) or _as_request(message) is None:
                return None
            return {"jsonrpc": "2.0", "id": id_, "result": self._call_method(message, on_progress)}
        except ProtocolError as refused:
            return error_response(refused, id_)
        except Exception as exc:  # a fault of ours costs one answer, not the server
            return error_response(
                ProtocolError(INTERNAL_ERROR, f"Internal error: {type(exc).__name__}: {exc}"), id_
            )

    def _call_method(self, message: Message, on_progress: ProgressCallback) -> Message:
        method, params = message["method"], message.get("params") or {}
        if not isinstance(params, Mapping):
            raise ProtocolError(INVALID_PARAMS, "`params` is an object.")
        if _is_modern(params):
            result = _find_method(_MODERN_METHODS, method)(self._server, params, on_progress)
            about = {f"{META_PREFIX}serverInfo": _server_info(self._server)}
            return {"resultType": "complete", **result, "_meta": about}
        result = _find_method(_LEGACY_METHODS, method)(self._server, params, on_progress)
        self._revision = result.get("protocolVersion", self._revision)
        return result


def _as_request(message: Message) -> Message | None:
    """The message where it is a request, None for a notification; raises Refused for neither."""
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        raise ProtocolError(INVALID_REQUEST, 'A message has "jsonrpc": "2.0" and a method.')
    if "id" not in message:
        return None
    if not _is_valid_id(message["id"]):
        raise ProtocolError(INVALID_REQUEST, "The id of a request is a string or a number.")
    return message


def _is_valid_id(value: object) -> TypeGuard[str | int | float]:
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
    if not isinstance(meta, Mapping) or VERSION_KEY not in meta:
        return False
    asked = meta[VERSION_KEY]
    if not isinstance(asked, str):
        raise ProtocolError(INVALID_PARAMS, f"`_meta[{VERSION_KEY}]` is a string.")
    if asked not in MODERN_REVISIONS:
        known = {"supported": list(MODERN_REVISIONS), "requested": asked}
        raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", known)
    if not isinstance(meta.get(CAPABILITIES_KEY), Mapping):
        raise ProtocolError(
            INVALID_PARAMS, f"`_meta[{CAPABILITIES_KEY}]` is missing, or no object."
        )
    return True


MethodHandler = Callable[[McpServer, Message, ProgressCallback], Message]


def _find_method(methods: Mapping[str, MethodHandler], name: str) -> MethodHandler:
    if name in methods:
        return methods[name]
    if name == "server/discover":
        raise ProtocolError(INVALID_PARAMS, f"`params._meta[{VERSION_KEY}]` is missing.")
    raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {name[:MAX_NAME_CHARS]}")


def _server_info(server: McpServer) -> Message:
    return {"name": server.name, "version": server.version}


def _discover_server(server: McpServer, _: Message, __: ProgressCallback) -> Message:
    return {
        "supportedVersions": list(MODERN_REVISIONS),
        "capabilities": {"tools": {}},
        "instructions": server.instructions,
        "ttlMs": TTL_MS,
        "cacheScope": "public",
    }


def _initialize(server: McpServer, params: Message, _: ProgressCallback) -> Message:
    asked = params.get("protocolVersion")
    if not isinstance(asked, str):
        raise ProtocolError(INVALID_PARAMS, "`protocolVersion` is missing, or no string.")
    return {
        "protocolVersion": asked if asked in LEGACY_REVISIONS else LEGACY_REVISIONS[0],
        "capabilities": {"tools": {}},
        "serverInfo": _server_info(server),
        "instructions": server.instructions,
    }


def _ping(_: McpServer, __: Message, ___: ProgressCallback) -> Message:
    return {}


def _list_tools(server: McpServer, params: Message, _: ProgressCallback) -> Message:
    if params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, "There is no such cursor: the list has one page.")
    return {"tools": list(server.tools.definitions)}


def _list_tools_cacheable(
    server: McpServer, params: Message, on_progress: ProgressCallback
) -> Message:
    return {**_list_tools(server, params, on_progress), "ttlMs": TTL_MS, "cacheScope": "public"}


def _call_tool(server: McpServer, params: Message, on_progress: ProgressCallback) -> Message:
    name, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str):
        raise ProtocolError(INVALID_PARAMS, "`name` is missing, or no string.")
    if not any(tool["name"] == name for tool in server.tools.definitions):
        raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name[:MAX_NAME_CHARS]}")
    if not isinstance(arguments, Mapping):
        raise ProtocolError(INVALID_PARAMS, "`arguments` is an object.")
    text, is_error = server.tools.call(name, arguments, on_progress)
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


_MODERN_METHODS: Mapping[str, MethodHandler] = {
    "server/discover": _discover_server,
    "tools/list": _list_tools_cacheable,
    "tools/call": _call_tool,
}

_LEGACY_METHODS: Mapping[str, MethodHandler] = {
    "initialize": _initialize,
    "ping": _ping,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}


def _reject_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


MAX_BODY_BYTES = 1024 * 1024

DEFAULT_REVISION = "2025-03-26"
"""The revision of a message that says none: the header is younger than that."""

"""Answers JSON-RPC messages of the Model Context Protocol, in both generations: revisions
agreed on by `initialize`, and those that each message names.

Pure but for the tools it calls; `tests/mcp_server/transcripts` holds example messages that every
implementation runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple, TypeGuard

from feeder.mcp import ProgressCallback, ToolProvider

MODERN_REVISIONS = ("2026-07-28",)
"""Revisions in which each message names its revision."""
LEGACY_REVISIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Revisions that are agreed on by `initialize`, the newest first."""
BATCH_REVISION = "2025-03-26"
"""The only revision with arrays of messages."""
DEFAULT_REVISION = "2025-03-26"
"""The revision of an HTTP request without a version header: the header is younger than it."""

TTL_MS = 3_600_000
"""The time that a client may cache what changes with the program only."""
MAX_BATCH_MESSAGES = 20
"""Messages in an array, which counts as one call where calls are limited."""
MAX_NAME_CHARS = 128
"""Characters of an unknown name that an error repeats; no tool has a longer name."""
MAX_BODY_BYTES = 1024 * 1024
"""Bytes of a message over HTTP."""

META_PREFIX = "io.modelcontextprotocol/"
VERSION_KEY, CAPABILITIES_KEY = f"{META_PREFIX}protocolVersion", f"{META_PREFIX}clientCapabilities"
CANCELLED_METHOD = "notifications/cancelled"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022

Message = Mapping[str, Any]
Id = str | int | float | None


class ProtocolError(Exception):
    """Ends the handling of a message; it is answered with this JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.payload = {"code": code, "message": message} | ({"data": data} if data else {})


class McpServer(NamedTuple):
    """A server: name, version, instructions for the language model, and tools."""

    name: str
    version: str
    instructions: str
    tools: ToolProvider


def parse_message(line: bytes | str) -> Any:
    """Parses a message; raises ProtocolError if it is not JSON in UTF-8."""
    try:
        text = line.decode() if isinstance(line, bytes) else line
        return json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as exc:
        raise ProtocolError(PARSE_ERROR, "Parse error") from exc


def error_response(exc: ProtocolError, id_: Id = None) -> Message:
    """The JSON-RPC error response for an exception."""
    return {"jsonrpc": "2.0", "id": id_, "error": exc.payload}


def request_id(message: object) -> Id:
    """The id of a message; None if it has no valid one."""
    id_ = message.get("id") if isinstance(message, Mapping) else None
    return id_ if _is_valid_id(id_) else None


def is_request(message: object) -> TypeGuard[Message]:
    """True for a message that has to be answered; a notification is not."""
    return isinstance(message, Mapping) and "method" in message and "id" in message


def is_long_running(message: object) -> bool:
    """True for a message whose answer may take seconds: a tool call or an array of messages."""
    is_call = is_request(message) and message["method"] == "tools/call"
    return is_call or isinstance(message, list)


def cancelled_request_id(message: object) -> Id:
    """The id of the request that this notification cancels; None for any other message."""
    if not isinstance(message, Mapping) or message.get("method") != CANCELLED_METHOD:
        return None
    id_ = _params(message).get("requestId")
    return id_ if _is_valid_id(id_) else None


def progress_notification(token: str | int, step: int, text: str) -> Message:
    """A notification about a running call; `step` has to grow from one to the next."""
    params = {"progressToken": token, "progress": step, "message": text}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def progress_token(message: object) -> str | int | None:
    """The token for progress notifications; None if the client wants none."""
    if not is_request(message):
        return None
    meta = _params(message).get("_meta")
    token = meta.get("progressToken") if isinstance(meta, Mapping) else None
    is_token = isinstance(token, str | int) and not isinstance(token, bool)
    return token if is_token else None


class MessageHandler:
    """Handles the messages of one client.

    Its only state is the revision that the last `initialize` agreed on, which decides whether
    arrays of messages are allowed.
    """

    def __init__(self, server: McpServer, revision: str | None = None) -> None:
        self._server = server
        self._revision = revision

    def handle(self, message: object, on_progress: ProgressCallback = lambda _: None) -> object:
        """The answer to a message or an array of them; None if no answer is due."""
        if isinstance(message, list):
            return self._handle_batch(message, on_progress)
        return self._handle_one(message, on_progress)

    def _handle_batch(self, messages: list[object], on_progress: ProgressCallback) -> object:
        if self._revision != BATCH_REVISION or not messages:
            error = ProtocolError(INVALID_REQUEST, "Send one message, not an array of them.")
            return error_response(error)
        if len(messages) > MAX_BATCH_MESSAGES:
            text = f"An array may have at most {MAX_BATCH_MESSAGES} messages."
            return error_response(ProtocolError(INVALID_REQUEST, text))
        answers = [self._handle_one(message, on_progress) for message in messages]
        return [answer for answer in answers if answer] or None

    def _handle_one(self, message: object, on_progress: ProgressCallback) -> Message | None:
        id_: Id = None
        try:
            if not isinstance(message, Mapping):
                raise ProtocolError(INVALID_REQUEST, "A message must be an object.")
            id_ = message["id"] if _is_valid_id(message.get("id")) else None
            if _is_response(message) or not _expects_answer(message):
                return None
            return {"jsonrpc": "2.0", "id": id_, "result": self._call_method(message, on_progress)}
        except ProtocolError as exc:
            return error_response(exc, id_)
        except Exception as exc:  # a bug costs one answer, not the server
            text = f"Internal error: {type(exc).__name__}: {exc}"
            return error_response(ProtocolError(INTERNAL_ERROR, text), id_)

    def _call_method(self, message: Message, on_progress: ProgressCallback) -> Message:
        method, params = message["method"], message.get("params") or {}
        if not isinstance(params, Mapping):
            raise ProtocolError(INVALID_PARAMS, "`params` must be an object.")
        if _is_modern(params):
            result = _find_method(_MODERN_METHODS, method)(self._server, params, on_progress)
            meta = {f"{META_PREFIX}serverInfo": _server_info(self._server)}
            return {"resultType": "complete", **result, "_meta": meta}
        result = _find_method(_LEGACY_METHODS, method)(self._server, params, on_progress)
        self._revision = result.get("protocolVersion", self._revision)
        return result


def _expects_answer(message: Message) -> bool:
    """True for a request, False for a notification; raises ProtocolError for anything else."""
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        raise ProtocolError(INVALID_REQUEST, 'A message must have "jsonrpc": "2.0" and a method.')
    if "id" in message and not _is_valid_id(message["id"]):
        raise ProtocolError(INVALID_REQUEST, "The id of a request must be a string or a number.")
    return "id" in message


def _is_valid_id(value: object) -> TypeGuard[str | int | float]:
    """True for a string or a number that JSON can represent (1e999 parses to infinity)."""
    is_finite = not isinstance(value, float) or isfinite(value)
    return isinstance(value, str | int | float) and not isinstance(value, bool) and is_finite


def _is_response(message: Message) -> bool:
    return "method" not in message and ("result" in message or "error" in message)


def _params(message: Message) -> Message:
    params = message.get("params")
    return params if isinstance(params, Mapping) else {}


def _is_modern(params: Message) -> bool:
    """True if the message names its revision; raises ProtocolError for an unsupported one."""
    meta = params.get("_meta")
    if not isinstance(meta, Mapping) or VERSION_KEY not in meta:
        return False
    revision = meta[VERSION_KEY]
    if not isinstance(revision, str):
        raise ProtocolError(INVALID_PARAMS, f"`_meta[{VERSION_KEY}]` must be a string.")
    if revision not in MODERN_REVISIONS:
        raise unsupported_version(revision)
    if not isinstance(meta.get(CAPABILITIES_KEY), Mapping):
        text = f"`_meta[{CAPABILITIES_KEY}]` is missing or not an object."
        raise ProtocolError(INVALID_PARAMS, text)
    return True


def unsupported_version(revision: str) -> ProtocolError:
    """The error for a revision that this server does not speak."""
    data = {"supported": list(MODERN_REVISIONS), "requested": revision}
    return ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def missing_version() -> ProtocolError:
    """The error for a message of a modern revision that does not name it."""
    return ProtocolError(INVALID_PARAMS, f"`params._meta[{VERSION_KEY}]` is missing.")


MethodHandler = Callable[[McpServer, Message, ProgressCallback], Message]


def _find_method(methods: Mapping[str, MethodHandler], name: str) -> MethodHandler:
    if name in methods:
        return methods[name]
    if name == "server/discover":
        raise missing_version()
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
    requested = params.get("protocolVersion")
    if not isinstance(requested, str):
        raise ProtocolError(INVALID_PARAMS, "`protocolVersion` is missing or not a string.")
    return {
        "protocolVersion": requested if requested in LEGACY_REVISIONS else LEGACY_REVISIONS[0],
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
        raise ProtocolError(INVALID_PARAMS, "`name` is missing or not a string.")
    if not any(tool["name"] == name for tool in server.tools.definitions):
        raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name[:MAX_NAME_CHARS]}")
    if not isinstance(arguments, Mapping):
        raise ProtocolError(INVALID_PARAMS, "`arguments` must be an object.")
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
    raise ValueError(f"{name} is not JSON")

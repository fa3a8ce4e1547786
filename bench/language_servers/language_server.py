"""A client of language servers: declarations, references and definitions of a folder's files."""

import json
import queue
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple, Self
from urllib.parse import unquote, urlsplit

REQUEST_S, READY_S, QUIET_S = 120, 600, 4
"""Limits of a request and of the first analysis, and how long a server that reports no progress
has to be silent until it counts as ready."""

Json = Any
Line = tuple[str, int]
"""A path and a line from 1."""


class ServerFailure(Exception):
    """A language server ended, refused a request or did not answer in time."""


class RefusedRequest(ServerFailure):
    """A language server answered a request with an error; it can answer others."""


class Place(NamedTuple):
    """A path with a line and a column from 0, as the protocol counts them."""

    path: str
    line: int
    column: int

    @property
    def site(self) -> Line:
        """The path and the line from 1."""
        return self.path, self.line + 1


class Declaration(NamedTuple):
    """A declared name and the place of its identifier; `around` are the declarations around it."""

    name: str
    place: Place
    kind: int
    around: tuple["Declaration", ...]


class LanguageServer:
    """A running server of one folder."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        language: str,
        environment: Mapping[str, str],
        *,
        reports_progress: bool,
    ) -> None:
        self._command, self._environment = command, {**environment}
        self._folder, self._language = folder, language
        self._reports_progress = reports_progress

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def restart(self, path: str) -> None:
        """Replaces a server that ended, and waits until it has analyzed the folder."""
        self._stop()
        self._start()
        self.wait_until_ready(path)

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [*self._command],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._messages: queue.Queue[Json] = queue.Queue()
        arguments = self._process.stdout, self._messages
        threading.Thread(target=_read_messages, args=arguments, daemon=True).start()
        self._next_id = 0
        self._opened: set[str] = set()
        self._running: set[str] = set()
        self._has_finished = False
        about = self._request("initialize", self._initialization())
        self.has_implementations = bool(about["capabilities"].get("implementationProvider"))
        self._notify("initialized", {})
        self._notify("workspace/didChangeConfiguration", {"settings": {}})  # pyright waits for it

    def _stop(self) -> None:
        self._process.kill()
        self._process.wait()

    def wait_until_ready(self, path: str) -> None:
        """Opens a file and waits until the folder is analyzed."""
        self._open(path)
        self.declarations(path)
        deadline = time.monotonic() + READY_S
        last_message = time.monotonic()
        while time.monotonic() < deadline:
            try:
                self._handle(self._messages.get(timeout=1))
                last_message = time.monotonic()
            except queue.Empty:
                is_silent = time.monotonic() > last_message + QUIET_S
                has_finished = self._has_finished or not self._reports_progress
                if is_silent and has_finished and not self._running:
                    return
        raise ServerFailure("its first analysis took too long")

    def declarations(self, path: str) -> list[Declaration]:
        """The declarations of a file."""
        self._open(path)
        result = self._request("textDocument/documentSymbol", {"textDocument": self._id(path)})
        return list(_declarations(path, result or []))

    def references(self, place: Place) -> set[Line]:
        """The lines of the folder that refer to what is declared at a place."""
        self._open(place.path)
        context = {"context": {"includeDeclaration": False}}
        result = self._request("textDocument/references", {**self._position(place), **context})
        return {place.site for place in self._places(result or [])}

    def definitions(self, place: Place) -> set[Line]:
        """The lines that define the name at a place, those outside the folder with a whole path."""
        self._open(place.path)
        result = self._request("textDocument/definition", self._position(place)) or []
        places = self._places(result if isinstance(result, list) else [result])
        return {place.site for place in places}

    def implementations(self, place: Place) -> set[Place]:
        """The places of what implements the type or method at a place; empty if it refuses."""
        self._open(place.path)
        try:
            result = self._request("textDocument/implementation", self._position(place)) or []
        except RefusedRequest:  # the name is no method of an interface
            return set()
        return set(self._places(result if isinstance(result, list) else [result]))

    def _initialization(self) -> Json:
        symbols = {"hierarchicalDocumentSymbolSupport": True}
        uri = self._folder.as_uri()
        return {
            "processId": None,
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": self._folder.name}],
            "capabilities": {
                "textDocument": {"documentSymbol": symbols},
                "workspace": {"workspaceFolders": True},
                "window": {"workDoneProgress": True},
            },
        }

    def _open(self, path: str) -> None:
        if path in self._opened:
            return
        self._opened.add(path)
        text = (self._folder / path).read_bytes().decode("utf-8", "replace")
        document = {**self._id(path), "languageId": self._language, "version": 1, "text": text}
        self._notify("textDocument/didOpen", {"textDocument": document})

    def _id(self, path: str) -> dict[str, str]:
        return {"uri": (self._folder / path).as_uri()}

    def _position(self, place: Place) -> Json:
        position = {"line": place.line, "character": place.column}
        return {"textDocument": self._id(place.path), "position": position}

    def _places(self, locations: Sequence[Json]) -> Iterator[Place]:
        for location in locations:
            path = Path(unquote(urlsplit(location.get("uri") or location["targetUri"]).path))
            if path.is_relative_to(self._folder):
                path = path.relative_to(self._folder)
            start = (location.get("range") or location["targetSelectionRange"])["start"]
            yield Place(path.as_posix(), start["line"], start["character"])

    def _request(self, method: str, params: Json) -> Json:
        self._next_id += 1
        number = self._next_id
        self._send({"id": number, "method": method, "params": params})
        deadline = time.monotonic() + REQUEST_S
        while (remaining := deadline - time.monotonic()) > 0:
            try:
                message = self._messages.get(timeout=remaining)
            except queue.Empty:
                break
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise RefusedRequest(f"{method}: {message['error'].get('message')}")
                return message.get("result")
            self._handle(message)
        raise ServerFailure(f"{method}: no answer within {REQUEST_S} s")

    def _handle(self, message: Json) -> None:
        """Answers a request of the server, and notes the progress it reports."""
        method, params = message.get("method"), message.get("params")
        if method is None and message.get("id") is None:
            raise ServerFailure("it ended")
        if method == "$/progress" and "kind" in params["value"]:
            token = str(params["token"])
            if params["value"]["kind"] == "end":
                self._running.discard(token)
                self._has_finished = True
            else:
                self._running.add(token)
        elif method and "id" in message:
            is_configuration = method == "workspace/configuration"
            result = [None] * len(params["items"]) if is_configuration else None
            self._send({"id": message["id"], "result": result})

    def _notify(self, method: str, params: Json) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: Json) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin
        try:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self._process.stdin.flush()
        except OSError as exc:
            raise ServerFailure("it ended") from exc


def _read_messages(output: IO[bytes], messages: queue.Queue[Json]) -> None:
    """Puts all messages of a server into a queue, and an empty one when it ends."""
    length = 0
    while header := output.readline():
        if header.lower().startswith(b"content-length:"):
            length = int(header.partition(b":")[2])
        elif not header.strip():
            messages.put(json.loads(output.read(length)))
    messages.put({})


def _declarations(
    path: str, symbols: Sequence[Json], around: tuple[Declaration, ...] = ()
) -> Iterator[Declaration]:
    for symbol in symbols:
        position = (symbol.get("selectionRange") or symbol["location"]["range"])["start"]
        place = Place(path, position["line"], position["character"])
        declared = Declaration(symbol["name"], place, symbol["kind"], around)
        yield declared
        yield from _declarations(path, symbol.get("children") or [], (*around, declared))

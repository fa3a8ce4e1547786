"""A stand-in for GitHub's releases on this machine, which refuses what GitHub refuses.

Files are sent by a second server, to which the first one redirects. As the real storage, it refuses
a request with a signature in its address that has an `Authorization` header too.
"""

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

REPOSITORY = "acme/shop"
WRITER, READER = "ghs_writerwriterwriter", "ghs_readerreaderreader"
MAX_ASSETS = 1_000
_MOMENTS = ("before", "within", "after")


class Request(NamedTuple):
    method: str
    path: str
    query: dict[str, list[str]]
    token: str | None
    accept: str
    body: bytes


class Reply(NamedTuple):
    status: int
    body: Any = b""
    headers: tuple[tuple[str, str], ...] = ()


class Lost(Exception):
    """The connection ends without a response."""


def refusal(status: int, message: str, *codes: str) -> Reply:
    """Returns a response with GitHub's form of an error."""
    return Reply(status, {"message": message, "errors": [{"code": code} for code in codes]})


NOT_FOUND = refusal(404, "Not Found")


class File:
    """An asset of a release."""

    def __init__(self, number: int, name: str, data: bytes, state: str = "uploaded") -> None:
        self.number, self.name, self.data, self.state = number, name, data, state
        self.changed_s = time.time()


class GitHubServer:
    """The repository acme/shop. `requests` are those that the API has received."""

    def __init__(self) -> None:
        self.is_private = False
        self.asks_to_sign_in = False
        """Shows a page to whoever is not signed in, as a server of an enterprise does."""
        self.releases: dict[str, tuple[int, dict[str, File]]] = {}
        self.prereleases: set[str] = set()
        self.requests: list[Request] = []
        self.storage_tokens: list[str | None] = []
        self.replies: list[Reply] = []
        """Sent in place of the next responses."""
        self.dies_at: int | None = None
        """The number of the request during which the client ends, counted from now on."""
        self.dies_in = _MOMENTS[0]
        self.before: Callable[[Request], None] | None = None
        """Called before each request is answered."""
        self.api = self.storage = ""
        self._numbers = count(1)
        self._lock = threading.RLock()

    def files(self, tag: str = "feeder-index") -> dict[str, File]:
        """The files of a release by name."""
        return self.releases[tag][1]

    def add(self, name: str, data: bytes = b"", state: str = "uploaded") -> File:
        """Adds a file to the release, which is made if necessary."""
        _, files = self.releases.setdefault("feeder-index", (next(self._numbers), {}))
        files[name] = File(next(self._numbers), name, data, state)
        return files[name]

    def pass_time(self, seconds: float) -> None:
        """Makes all files older."""
        for _, files in self.releases.values():
            for file in files.values():
                file.changed_s -= seconds

    def count_from_now(self, dies_at: int | None, moment: str = "before") -> None:
        self.requests.clear()
        self.dies_at, self.dies_in = dies_at, moment

    def answer(self, request: Request) -> Reply:
        """Returns the response of the API or of the web pages; raises Lost."""
        if self.before:
            self.before(request)
        with self._lock:
            self.requests.append(request)
            if self.replies:
                return self.replies.pop(0)
            if self.dies_at is None or len(self.requests) < self.dies_at:
                return self._answer(request)
            if len(self.requests) == self.dies_at and self.dies_in == "within":
                self._store_part(request)
            if len(self.requests) == self.dies_at and self.dies_in == "after":
                self._answer(request)
            raise Lost

    def stored(self, number: int, token: str | None) -> Reply:
        """Returns the response of the storage."""
        self.storage_tokens.append(token)
        if token is not None:
            return refusal(400, "Only one auth mechanism allowed")
        file = self._file(number)
        return Reply(200, file.data) if file else NOT_FOUND

    def _answer(self, request: Request) -> Reply:
        if found := re.fullmatch(r"/([\w-]+/[\w.-]+)/releases/download/(.+)/(.+)", request.path):
            return self._public_file(*found.groups())
        found = re.fullmatch(r"/api/(v3|uploads)/repos/([\w-]+/[\w.-]+)(/.*)?", request.path)
        if not found:
            return NOT_FOUND
        return self._denied(request, found[2]) or self._act(request, found[1], found[3] or "")

    def _denied(self, request: Request, repository: str) -> Reply | None:
        if request.token not in (None, WRITER, READER):
            return refusal(401, "Bad credentials")
        if repository != REPOSITORY or (self.is_private and not request.token):
            return NOT_FOUND
        if request.method == "GET" or request.token == WRITER:
            return None
        if not request.token:
            return refusal(401, "Requires authentication")
        return refusal(403, "Resource not accessible by integration")

    def _act(self, request: Request, kind: str, rest: str) -> Reply:
        for method, of, pattern, act in (
            ("GET", "v3", r"", lambda _: Reply(200, {"private": self.is_private})),
            ("GET", "v3", r"/releases/tags/(.+)", self._release),
            ("POST", "v3", r"/releases()", self._create),
            ("GET", "v3", r"/releases/(\d+)/assets", self._assets),
            ("POST", "uploads", r"/releases/(\d+)/assets", self._upload),
            ("GET", "v3", r"/releases/assets/(\d+)", self._asset),
            ("DELETE", "v3", r"/releases/assets/(\d+)", self._delete),
        ):
            matched = re.fullmatch(pattern, rest)
            if (request.method, kind) == (method, of) and matched:
                self._request = request
                return act(*(matched.groups() or ("",)))
        return NOT_FOUND

    def _public_file(self, repository: str, tag: str, name: str) -> Reply:
        if self.asks_to_sign_in:
            return Reply(200, b"<html>Sign in" + bytes(100_000))
        if self.is_private or repository != REPOSITORY or tag not in self.releases:
            return NOT_FOUND
        file = self.files(tag).get(name)
        return self._redirect(file) if file and file.state == "uploaded" else NOT_FOUND

    def _redirect(self, file: File) -> Reply:
        return Reply(302, b"", (("Location", f"{self.storage}/{file.number}?signature=abc"),))

    def _release(self, tag: str) -> Reply:
        return Reply(200, {"id": self.releases[tag][0]}) if tag in self.releases else NOT_FOUND

    def _create(self, _: str) -> Reply:
        asked = json.loads(self._request.body)
        tag = asked["tag_name"]
        if tag in self.releases:
            return refusal(422, "Validation Failed", "already_exists")
        if asked["prerelease"]:
            self.prereleases.add(tag)
        self.releases[tag] = next(self._numbers), {}
        return Reply(201, {"id": self.releases[tag][0]})

    def _assets(self, release: str) -> Reply:
        tag = self._tag(release)
        if tag is None:
            return NOT_FOUND
        query = self._request.query
        size = min(100, int(query.get("per_page", ["30"])[0]))
        start = (int(query.get("page", ["1"])[0]) - 1) * size
        shown = list(self.files(tag).values())[start : start + size]
        return Reply(200, [self._facts(tag, file) for file in shown])

    def _upload(self, release: str) -> Reply:
        tag, name = self._tag(release), self._request.query["name"][0]
        if tag is None:
            return NOT_FOUND
        if name in self.files(tag):
            return refusal(422, "Validation Failed", "already_exists")
        if len(self.files(tag)) >= MAX_ASSETS:
            return refusal(422, "Validation Failed", "file_count_exceeded")
        file = self.files(tag)[name] = File(next(self._numbers), name, self._request.body)
        return Reply(201, self._facts(tag, file))

    def _asset(self, number: str) -> Reply:
        file = self._file(int(number))
        if file is None or self._request.accept != "application/octet-stream":
            return NOT_FOUND
        return self._redirect(file)

    def _delete(self, number: str) -> Reply:
        file = self._file(int(number))
        for _, files in self.releases.values():
            if file and files.get(file.name) is file:
                del files[file.name]
        return Reply(204) if file else NOT_FOUND

    def _store_part(self, request: Request) -> None:
        """What an upload leaves whose connection ends."""
        if "name" in request.query and request.method == "POST":
            name = request.query["name"][0]
            files = self.files()
            files.setdefault(name, File(next(self._numbers), name, b"", "starter"))

    def _tag(self, release: str) -> str | None:
        found = [tag for tag, (number, _) in self.releases.items() if number == int(release)]
        return found[0] if found else None

    def _file(self, number: int) -> File | None:
        files = (file for _, files in self.releases.values() for file in files.values())
        return next((file for file in files if file.number == number), None)

    def _facts(self, tag: str, file: File) -> dict[str, Any]:
        changed = datetime.fromtimestamp(file.changed_s, UTC)
        return {
            "id": file.number,
            "name": file.name,
            "state": file.state,
            "size": len(file.data),
            "digest": f"sha256:{hashlib.sha256(file.data).hexdigest()}",
            "updated_at": changed.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "browser_download_url": f"{self.api.removesuffix('/api/v3')}/{REPOSITORY}/releases/"
            f"download/{tag}/{file.name}",
        }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    app: GitHubServer
    is_storage = False

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        said = self.headers.get("Authorization")
        token = said.removeprefix("Bearer ") if said else None
        accept = self.headers.get("Accept", "")
        request = Request(self.command, parts.path, parse_qs(parts.query), token, accept, body)
        try:
            if self.is_storage:
                reply = self.app.stored(int(parts.path[1:]), token)
            else:
                reply = self.app.answer(request)
        except Lost:
            self.close_connection = True
            return
        content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        if reply.status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content if reply.status != 204 else b"")

    do_POST = do_DELETE = do_GET


@contextmanager
def github_server() -> Iterator[GitHubServer]:
    """Runs the stand-in and its storage."""
    app = GitHubServer()
    servers = [
        ThreadingHTTPServer(
            ("127.0.0.1", 0), type("Handler", (_Handler,), {"app": app, "is_storage": is_storage})
        )
        for is_storage in (False, True)
    ]
    threads = [threading.Thread(target=server.serve_forever, args=(0.01,)) for server in servers]
    for thread, server in zip(threads, servers, strict=True):
        server.daemon_threads = True
        thread.start()
    api, storage = (f"http://127.0.0.1:{server.server_port}" for server in servers)
    app.api, app.storage = f"{api}/api/v3", storage
    try:
        yield app
    finally:
        for thread, server in zip(threads, servers, strict=True):
            server.shutdown()
            server.server_close()
            thread.join()

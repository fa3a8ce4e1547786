"""A local server for GitHub: the files of a repository at a commit, at both of its addresses."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from source.repos import Repo


class FileRequest(NamedTuple):
    """A request: site, file, commit and token."""

    host: str
    path: str
    commit: str
    token: str | None


class GitHub:
    """Serves the files of a repository, or a fixed response for a path."""

    def __init__(self, repo: Repo, slug: str) -> None:
        self.repo, self.slug = repo, slug
        self.token: str | None = None
        self.asked: list[FileRequest] = []
        self.told: dict[str, tuple[int, bytes]] = {}
        self.cache_ttls: dict[str, int] = {}
        """Seconds for which the last request lets Cloudflare cache a response, by its status."""

    def answer(self, address: str, token: str | None) -> tuple[int, bytes]:
        asked = self._read(address, token)
        self.asked.append(asked)
        if asked.path in self.told:
            return self.told[asked.path]
        if self.token != token:
            return 404, b"404: Not Found"
        return 200, self.repo.git("show", f"{asked.commit}:{asked.path}").encode() + b"\n"

    def _read(self, address: str, token: str | None) -> FileRequest:
        url = urlsplit(address)
        _, host, *parts = unquote(url.path).split("/")
        if host == "raw.githubusercontent.com":
            assert "/".join(parts[:2]) == self.slug
            return FileRequest(host, "/".join(parts[3:]), parts[2], token)
        assert ("/".join(parts[1:3]), parts[3]) == (self.slug, "contents")
        return FileRequest(host, "/".join(parts[4:]), parse_qs(url.query)["ref"][0], token)


@contextmanager
def running_github(github: GitHub) -> Iterator[str]:
    """Runs the server and yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = github.answer(self.path, self.headers.get("authorization"))
            github.cache_ttls = json.loads(self.headers["x-cache-ttl-by-status"])
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Logs nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

"""A stand-in for GitHub's sign-in: its page, its tokens and the user, refusing as GitHub does."""

import base64
import hashlib
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT_ID, CLIENT_SECRET = "Iv1.feeder", "the-secret-of-the-app"

METADATA_PATH = "/oauth/metadata.json"
"""Path of a client's metadata document, which the Worker reads from a host of the client."""


class GitHubLogin:
    """An OAuth app, and the user who is signed in at GitHub.

    `decision` is what the user does: allow or deny. `status` is that of the answers with a token.
    `calls` lists the paths that were requested.
    """

    def __init__(self) -> None:
        self.user: dict[str, Any] = {"id": 583231, "login": "octocat"}
        self.decision = "allow"
        self.callback = ""
        self.status = 200
        self.client_metadata: dict[str, Any] = {}
        self.calls: list[str] = []
        self._codes: dict[str, dict[str, Any]] = {}
        self._tokens: dict[str, dict[str, Any]] = {}

    def authorize(self, query: dict[str, str]) -> str | None:
        """Returns where GitHub's page sends the browser; None for its page of an unknown app."""
        if query.get("client_id") != CLIENT_ID:
            return None
        if query.get("redirect_uri") != self.callback:
            error = {"error": "redirect_uri_mismatch", "state": query.get("state", "")}
            return f"{self.callback}?{urlencode(error)}"
        if self.decision == "deny":
            error = {"error": "access_denied", "state": query.get("state", "")}
            return f"{self.callback}?{urlencode(error)}"
        code = secrets.token_hex(10)
        self._codes[code] = {**query, "user": self.user}
        return f"{self.callback}?{urlencode({'code': code, 'state': query['state']})}"

    def access_token(self, form: dict[str, str]) -> dict[str, Any]:
        """Errors have status 200, as at GitHub; a code can be used once."""
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            return {"error": "incorrect_client_credentials"}
        asked = self._codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if asked is None or asked.get("code_challenge") != challenge:
            return {"error": "bad_verification_code"}
        if form.get("redirect_uri") != asked["redirect_uri"]:
            return {"error": "redirect_uri_mismatch"}
        token = f"gho_{secrets.token_hex(18)}"
        self._tokens[token] = asked["user"]
        return {"access_token": token, "token_type": "bearer", "scope": ""}

    def user_of(self, authorization: str) -> dict[str, Any] | None:
        return self._tokens.get(authorization.removeprefix("Bearer "))


@contextmanager
def github_login() -> Iterator[tuple[GitHubLogin, str]]:
    """Runs the stand-in and yields it with its address."""
    github = GitHubLogin()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(place.query).items()}
            if place.path == "/login/oauth/authorize":
                address = github.authorize(query)
                self._answer(302 if address else 404, {}, {"location": address or ""})
            elif place.path == METADATA_PATH:
                self._answer(200, github.client_metadata)
            elif place.path == "/user" and not self.headers.get("user-agent"):
                self._answer(403, {"message": "Request forbidden by administrative rules."})
            elif place.path == "/user":
                user = github.user_of(self.headers.get("authorization", ""))
                self._answer(200 if user else 401, user or {"message": "Bad credentials"})
            else:
                self._answer(404, {"message": "Not Found"})
            github.calls.append(place.path)

        def do_POST(self) -> None:
            size = int(self.headers.get("content-length") or 0)
            form = {name: values[0] for name, values in parse_qs(self._body(size)).items()}
            github.calls.append(urlsplit(self.path).path)
            self._answer(github.status, github.access_token(form))

        def _body(self, size: int) -> str:
            if self.headers.get("transfer-encoding") != "chunked":
                return self.rfile.read(size).decode()
            text = ""
            while length := int(self.rfile.readline(), 16):
                text += self.rfile.read(length).decode()
                self.rfile.readline()
            self.rfile.readline()
            return text

        def _answer(self, status: int, facts: Any, headers: dict[str, str] | None = None) -> None:
            body = json.dumps(facts).encode()
            self.send_response(status)
            for name, value in {"content-type": "application/json", **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield github, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()

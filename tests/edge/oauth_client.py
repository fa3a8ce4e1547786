"""An MCP client and a browser that sign in to a Worker by OAuth, one step at a time."""

import base64
import hashlib
import re
import secrets
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx

from edge.github_login import GitHubLogin

REDIRECT = "https://claude.ai/api/mcp/auth_callback"
RESOURCE_METADATA = "/.well-known/oauth-protected-resource"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def random_address() -> str:
    """An address that has made no requests."""
    return f"10.{secrets.randbelow(256)}.{secrets.randbelow(256)}.{secrets.randbelow(256)}"


class Browser:
    """Follows no redirect by itself and sends cookies of `__Host-` also over HTTP."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.cookies: dict[str, str] = {}
        self._address = random_address()
        self._client = httpx.Client(trust_env=False, timeout=60)

    def get(self, url: str) -> httpx.Response:
        return self._kept(self._client.get(url, headers=self._headers()))

    def post(self, url: str, form: dict[str, str]) -> httpx.Response:
        return self._kept(self._client.post(url, data=form, headers=self._headers()))

    def _headers(self) -> dict[str, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {"cf-connecting-ip": self._address}
        return {**sent, "cookie": cookies} if cookies else sent

    def _kept(self, response: httpx.Response) -> httpx.Response:
        self._client.cookies.clear()
        for line in response.headers.get_list("set-cookie"):
            for name, morsel in SimpleCookie(line).items():
                assert name.startswith("__Host-") and morsel["secure"] and morsel["httponly"]
                assert morsel["samesite"] == "Lax"
                self.cookies[name] = morsel.value
        return response

    def close(self) -> None:
        self._client.close()


class OAuthClient:
    """A public client as claude.ai is one: registered dynamically, with PKCE."""

    def __init__(self, origin: str, redirect: str = REDIRECT) -> None:
        self.origin, self.redirect = origin, redirect
        address = {"cf-connecting-ip": random_address()}
        self.http = httpx.Client(base_url=origin, headers=address, trust_env=False, timeout=60)
        self.verifier = secrets.token_urlsafe(48)
        self.state = secrets.token_urlsafe(16)
        self.id = ""

    def register(self, **changed: Any) -> httpx.Response:
        facts = {
            "client_name": "Claude",
            "redirect_uris": [self.redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }
        response = self.http.post("/oauth/register", json={**facts, **changed})
        if response.is_success:
            self.id = response.json()["client_id"]
        return response

    def authorize_url(self, **changed: str | None) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        query: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": self.redirect,
            "state": self.state,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            "resource": f"{self.origin}/mcp",
            **changed,
        }
        sent = {name: value for name, value in query.items() if value is not None}
        return f"{self.origin}/oauth/authorize?{urlencode(sent)}"

    def exchange(self, code: str, **changed: str | None) -> httpx.Response:
        form: dict[str, str | None] = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.id,
            "redirect_uri": self.redirect,
            "code_verifier": self.verifier,
            "resource": f"{self.origin}/mcp",
            **changed,
        }
        sent = {name: value for name, value in form.items() if value is not None}
        return self.http.post("/oauth/token", data=sent)

    def refresh(self, token: str, **changed: str) -> httpx.Response:
        form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.id}
        return self.http.post("/oauth/token", data={**form, **changed})

    def call(self, token: str | None, message: dict[str, Any] | None = None) -> httpx.Response:
        """Sends a message to MCP."""
        headers = {"accept": "application/json, text/event-stream"}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        return self.http.post("/mcp", json=message or INITIALIZE, headers=headers)


def handle_of(page: httpx.Response) -> str:
    """Returns the handle in the form of the consent page."""
    assert page.status_code == 200, page.text
    [handle] = re.findall(r'name="handle" value="([^"]+)"', page.text)
    return str(handle)


def query_of(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def github_url(browser: Browser, client: OAuthClient, **changed: str | None) -> str:
    """Opens the consent page and allows the client; returns the address of GitHub's page."""
    url = client.authorize_url(**changed)
    handle = handle_of(browser.get(url))
    allowed = browser.post(url, {"handle": handle, "decision": "allow"})
    assert allowed.status_code == 302, allowed.text
    return str(allowed.headers["location"])


def callback_url(browser: Browser, client: OAuthClient, github: GitHubLogin) -> str:
    """Signs in at GitHub; returns the address of the Worker to which it sends the browser."""
    address = github.authorize(query_of(github_url(browser, client)))
    assert address
    return address


def signed_in(client: OAuthClient, github: GitHubLogin) -> dict[str, str]:
    """Goes through all steps in a new browser; returns the query that the client gets."""
    browser = Browser(client.origin)
    answer = browser.get(callback_url(browser, client, github))
    browser.close()
    assert answer.status_code == 302, answer.text
    location = answer.headers["location"]
    assert location.startswith(f"{client.redirect}?")
    return query_of(location)


def access(client: OAuthClient, github: GitHubLogin) -> dict[str, Any]:
    """Returns the answer with the tokens for a user who signs in."""
    answer = client.exchange(signed_in(client, github)["code"])
    assert answer.status_code == 200, answer.text
    facts: dict[str, Any] = answer.json()
    return facts

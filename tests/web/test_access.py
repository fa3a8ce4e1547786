"""Access control of the HTTP server: host names, origins and the token."""

import hashlib
import hmac
import json
import socket
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest

from required_extras import require_extras

require_extras("serve")

from starlette.datastructures import Headers  # noqa: E402 - of the extra

from feeder.web.access import AccessControl  # noqa: E402 - of the extra
from web.http_client import JSON, Web, request, web  # noqa: E402 - of the extra

TOKEN = "0123456789abcdef"


@pytest.fixture(scope="module")
def asked() -> Iterator[Web]:
    with web() as one:
        yield one


def of(host: str) -> AccessControl:
    return AccessControl(host, 8421, TOKEN)


def status(access: AccessControl, path: str = "/mcp", **headers: str) -> int:
    """The status of a response; 200 if access control allows the request."""
    own = {name.replace("_", "-"): value for name, value in headers.items()}
    error = access.check_request(path, Headers({"authorization": f"Bearer {TOKEN}", **own}))
    return error.status if error else 200


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8421", "127.0.0.1:8421", "[::1]:8421", "127.0.0.1:9000"]
)
def test_local_host_names_are_accepted(host: str) -> None:
    """With any port, which may be forwarded, as by ssh."""
    assert status(of("127.0.0.1"), host=host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example:8421",
        "evil.example#localhost",
        "",
        "[::1",
        "[::1]x",
        "evil.example@127.0.0.1",
        "2130706433",
        socket.gethostname() + ".evil.example",
    ],
)
def test_foreign_host_name_is_refused(host: str) -> None:
    """Otherwise a page from that name would have the same origin (DNS rebinding)."""
    assert status(of("127.0.0.1"), host=host) == 421
    assert status(of("0.0.0.0"), host=host) == 421


def test_host_names_of_a_public_server() -> None:
    """The configured one, and this machine's own if it listens on all addresses."""
    assert status(of("index.example"), host="index.example:8421") == 200
    assert status(of("0.0.0.0"), host=socket.gethostname()) == 200
    assert status(of("0.0.0.0"), host="192.0.2.7:8421") == 200


@pytest.mark.parametrize(
    ("origin", "answer"),
    [
        ("http://localhost:8421", 200),
        ("https://localhost:8421", 200),
        ("http://localhost:3000", 403),
        ("http://localhost", 403),
        ("http://127.0.0.1:8421", 403),
        ("https://evil.example", 403),
        ("null", 403),
        ("", 403),
    ],
)
def test_requests_of_other_origins_are_refused(origin: str, answer: int) -> None:
    """Also behind a TLS proxy; a page on another port is another origin."""
    assert status(of("127.0.0.1"), host="localhost:8421", origin=origin) == answer


@pytest.mark.parametrize(
    ("site", "answer"),
    [("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403)],
)
def test_sec_fetch_site_is_checked(site: str, answer: int) -> None:
    """For requests without an origin, such as images; a link may lead to public pages."""
    access = of("127.0.0.1")
    assert status(access, host="localhost", sec_fetch_site=site) == answer
    assert status(access, "/", host="localhost", sec_fetch_site=site) == 200


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", "Bearer 0123456789abcdeg", f"Basic {TOKEN}", TOKEN, "Bearer é"],
)
def test_request_without_the_token_is_refused(authorization: str) -> None:
    for path in ("/mcp", "/api/search", "/mcp/", "//", "/anything"):
        assert status(of("127.0.0.1"), path, host="localhost", authorization=authorization) == 401


def test_session_key_is_derived_from_the_token() -> None:
    """With a salt, so that the key of an earlier process is refused; a cookie is ignored."""
    access = AccessControl("127.0.0.1", 8421, TOKEN, b"salt")
    made = hmac.new(TOKEN.encode(), b"salt", hashlib.sha256).hexdigest()
    assert status(access, host="localhost", authorization=f"Bearer {made}") == 200
    earlier = hmac.new(TOKEN.encode(), b"pepper", hashlib.sha256).hexdigest()
    assert status(access, host="localhost", authorization=f"Bearer {earlier}") == 401
    for cookie in (f"feeder-8421={made}", f"feeder-8421={TOKEN}", f"key={made}"):
        assert status(access, host="localhost", authorization="", cookie=cookie) == 401


def test_processes_have_different_salts() -> None:
    code = "from feeder.web.access import PROCESS_SALT; print(PROCESS_SALT.hex())"
    command = [sys.executable, "-c", code]
    first, second = (subprocess.check_output(command, text=True) for _ in range(2))
    assert len(first.strip()) == 64
    assert first != second


@pytest.mark.parametrize(
    ("headers", "answer"),
    [
        ({"authorization": "Bearer no"}, 401),
        ({"origin": "https://evil.example"}, 403),
        ({"host": "evil.example"}, 421),
    ],
)
def test_refused_request_calls_no_tool(asked: Web, headers: dict[str, str], answer: int) -> None:
    """The response is JSON and names the remedy."""
    body = json.dumps(request("tools/call", name="say"))
    response = asked.client.post("/mcp", content=body, headers={**JSON, **headers})
    assert response.status_code == answer
    assert response.json().keys() == {"error", "remedy"}
    assert (response.headers.get("www-authenticate") == "Bearer") is (answer == 401)
    assert asked.tools.called == []


def test_request_is_refused_before_its_body_is_read(asked: Web) -> None:
    """A foreign page cannot fill the memory."""
    assert asked.raw("Content-Length: 1000", host="evil.example").startswith("HTTP/1.1 421 ")


@pytest.mark.parametrize("path", ["/", "/mcp", "/nowhere"])
def test_security_headers_are_in_every_response(asked: Web, path: str) -> None:
    for headers in ({}, {"authorization": "no"}):
        response: httpx.Response = asked.client.get(path, headers=headers)
        policy = response.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in response.headers
        assert "server" not in response.headers


def test_unknown_address_is_not_found(asked: Web) -> None:
    response = asked.client.get("/nowhere")
    assert (response.status_code, response.json()["error"]) == (404, "Not Found.")


def test_root_address_describes_the_server(asked: Web) -> None:
    response = httpx.get(asked.base, trust_env=False, timeout=60)
    assert response.status_code == 200
    assert "POST /mcp" in response.text

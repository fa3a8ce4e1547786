"""Who may ask the Worker: nobody by default, and nothing is touched for those who may not."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from edge.workerd import TOKEN, client, running

SEARCH = "/api/search?q=exchange"
SITE = "https://team.example"
NO_ACCESS = "No access is configured, so every request is rejected."


def refused(response: httpx.Response, status: int) -> dict[str, str]:
    """What is said; every refusal is JSON with what is wrong and what to do."""
    assert response.status_code == status, response.text
    facts: dict[str, str] = response.json()
    assert set(facts) == {"error", "remedy"}
    assert facts["error"]
    return facts


@pytest.fixture(scope="module")
def bare(folder: Path, standin: Path) -> Iterator[httpx.Client]:
    """A Worker without a database: what touches it is a fault. Who asks has no token."""
    said = {"FEEDER_TOKEN": TOKEN}
    with (
        running(folder=folder, script=standin, vars=said, database=False) as address,
        client(address, None) as one,
    ):
        yield one


def test_who_has_the_token_is_answered(known: httpx.Client) -> None:
    facts = known.get(SEARCH).json()
    assert facts["params"] == {"q": ["exchange"]}
    assert facts["results"] == [{"one": 1}]


def test_the_scheme_is_known_in_any_letters(stranger: httpx.Client) -> None:
    headers = {"authorization": f"bEARER   {TOKEN}"}
    assert stranger.get(SEARCH, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer"},
        {"authorization": f"Bearer {TOKEN}x"},
        {"authorization": f"Bearer {TOKEN[:-1]}"},
        {"authorization": f"Bearer {TOKEN} {TOKEN}"},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": TOKEN},
        {"cookie": f"__Host-feeder={TOKEN}"},
        {"cookie": "__Host-feeder="},
        {"cf-access-jwt-assertion": "e30.e30.e30"},
    ],
    ids=str,
)
def test_who_has_another_is_not(bare: httpx.Client, headers: dict[str, str]) -> None:
    """Also for what there is not, and before a binding is touched: here is none."""
    for method, path in (("GET", SEARCH), ("POST", "/mcp"), ("GET", "/api/nothing")):
        response = bare.request(method, path, headers=headers)
        assert refused(response, 401)["error"] == "The token is missing or wrong."
        assert response.headers["www-authenticate"] == "Bearer"


def test_a_browser_gets_a_cookie_for_the_token(known: httpx.Client, bare: httpx.Client) -> None:
    """It does not tell the token, no script reads it, and it opens the same."""
    response = known.post("/api/session")
    assert response.status_code == 204
    cookie, *flags = response.headers["set-cookie"].split("; ")
    assert sorted(flags) == ["HttpOnly", "Path=/", "SameSite=Strict", "Secure"]
    assert TOKEN not in cookie
    # from here on it is the database that is missing
    assert bare.get(SEARCH, headers={"cookie": f"a=b; {cookie}; c=d"}).status_code == 500
    refused(bare.get(SEARCH, headers={"cookie": f"{cookie[:-1]}x"}), 401)
    refused(bare.post("/api/session"), 401)


@pytest.mark.parametrize(
    ("settings", "error", "remedy"),
    [
        ({}, NO_ACCESS, "wrangler secret put FEEDER_TOKEN"),
        ({"PUBLIC": "false"}, NO_ACCESS, 'PUBLIC = "true"'),
        ({"PUBLIC": True}, NO_ACCESS, 'PUBLIC = "true"'),
        ({"FEEDER_TOKEN": ""}, NO_ACCESS, "ACCESS_TEAM"),
        ({"FEEDER_TOKEN": "short"}, "FEEDER_TOKEN has fewer than 16 characters.", "openssl"),
        (
            {"FEEDER_TOKEN": TOKEN, "ACCESS_TEAM": "acme"},
            "One of ACCESS_TEAM and ACCESS_AUD is not set.",
            "Set both",
        ),
        (
            {"PUBLIC": "true", "ACCESS_AUD": "a"},
            "One of ACCESS_TEAM and ACCESS_AUD is not set.",
            "Set both",
        ),
    ],
    ids=str,
)
def test_nobody_may_ask_before_it_is_said_who(
    folder: Path, standin: Path, settings: dict[str, object], error: str, remedy: str
) -> None:
    """Nor where only half of it is said; the sentence says what to set."""
    with (
        running(folder=folder, script=standin, vars=settings) as address,
        client(address) as one,
    ):
        facts = refused(one.get(SEARCH), 503)
        refused(one.post("/mcp", json={}), 503)
    assert facts["error"] == error
    assert remedy in facts["remedy"]


def test_everybody_may_where_that_is_said(folder: Path, standin: Path) -> None:
    """So often as the limit lets them."""
    with (
        running(folder=folder, script=standin, vars={"PUBLIC": "true"}, limit=3) as address,
        client(address, None) as one,
    ):
        here, there = ({"cf-connecting-ip": ip} for ip in ("192.0.2.1", "192.0.2.2"))
        assert [one.get(SEARCH, headers=here).status_code for _ in range(3)] == [200] * 3
        response = one.get(SEARCH, headers=here)
        assert refused(response, 429)["remedy"] == "Try again in 60 seconds."
        assert response.headers["retry-after"] == "60"
        assert one.get(SEARCH, headers=there).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": f"{SITE}.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_another_sites_page_may_not(known: httpx.Client, headers: dict[str, str]) -> None:
    """With the token, too; and no page learns what it would be allowed."""
    for path in (SEARCH, "/mcp", "/api/session"):
        response = known.request("GET" if path == SEARCH else "POST", path, headers=headers)
        assert refused(response, 403)["error"] == "The request comes from another site's page."
        assert "access-control-allow-origin" not in response.headers
    asks = {**headers, "access-control-request-method": "GET"}
    refused(known.options(SEARCH, headers=asks), 403)


def test_our_own_page_may(known: httpx.Client) -> None:
    own = {"origin": str(known.base_url).rstrip("/"), "sec-fetch-site": "same-origin"}
    assert known.get(SEARCH, headers=own).status_code == 200


def test_a_site_that_is_named_may(folder: Path, standin: Path) -> None:
    """It is told so before it has sent a token; the answer is for that site alone."""
    said = {"FEEDER_TOKEN": TOKEN, "ORIGINS": f"https://other.example, {SITE}"}
    with running(folder=folder, script=standin, vars=said) as address, client(address) as one:
        from_there = {"origin": SITE, "sec-fetch-site": "cross-site"}
        asks = {**from_there, "access-control-request-method": "POST"}
        told = httpx.options(f"{address}/mcp", headers=asks, trust_env=False)
        assert told.status_code == 204
        assert told.headers["access-control-allow-origin"] == SITE
        assert "authorization" in told.headers["access-control-allow-headers"]
        answer = one.get(SEARCH, headers=from_there)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == SITE
        assert answer.headers["vary"] == "origin"
        assert "access-control-allow-credentials" not in answer.headers
        refused(one.get(SEARCH, headers={"origin": "https://evil.example"}), 403)
        unknown = httpx.get(address + SEARCH, headers=from_there, trust_env=False)
        assert refused(unknown, 401)
        assert unknown.headers["access-control-allow-origin"] == SITE

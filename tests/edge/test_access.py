"""Access to the Worker: nobody by default; refused requests touch no binding."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from edge.worker_process import Worker
from edge.workerd import TOKEN, client, running

SEARCH = "/api/search?q=exchange"
SITE = "https://team.example"
NO_TOKEN = "The request has no token."
WRONG_TOKEN = "The token in the header `Authorization` is not one of this Worker's."
NO_BEARER = "The header `Authorization` does not begin with `Bearer`."
WRONG_COOKIE = "The cookie is not of a token that this Worker has now."
NO_ACCESS = "No access is configured, so every request is rejected."
NO_TABLE = "RIGHTS is not a table of lists of repositories."
NO_LIST = "RIGHTS has a client whose repositories are not a list of names."
NO_CLIENT = "RIGHTS has a name that is not a client's name."
NO_REPOSITORIES = "RIGHTS is set without REPOSITORIES."


def refused(response: httpx.Response, status: int) -> dict[str, str]:
    """Returns the error of a response; every refusal is JSON with reason and remedy."""
    assert response.status_code == status, response.text
    facts: dict[str, str] = response.json()
    assert set(facts) == {"error", "remedy"}
    assert facts["error"]
    return facts


@pytest.fixture(scope="module")
def bare(folder: Path, standin: Path) -> Iterator[httpx.Client]:
    """A Worker without a database, so that access to it fails; the client has no token."""
    said = {"FEEDER_TOKEN": TOKEN}
    with (
        running(folder=folder, script=standin, vars=said, database=False) as address,
        client(address, None) as one,
    ):
        yield one


def test_request_with_the_token_is_answered(authorized_client: httpx.Client) -> None:
    facts = authorized_client.get(SEARCH).json()
    assert facts["params"] == {"q": ["exchange"]}
    assert facts["results"] == [{"one": 1}]


def test_authorization_scheme_ignores_case(anonymous_client: httpx.Client) -> None:
    headers = {"authorization": f"bEARER   {TOKEN}"}
    assert anonymous_client.get(SEARCH, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("headers", "error"),
    [
        ({}, NO_TOKEN),
        ({"authorization": "Bearer"}, WRONG_TOKEN),
        ({"authorization": f"Bearer {TOKEN}x"}, WRONG_TOKEN),
        ({"authorization": f"Bearer {TOKEN[:-1]}"}, WRONG_TOKEN),
        ({"authorization": f"Bearer {TOKEN} {TOKEN}"}, WRONG_TOKEN),
        ({"authorization": f"Basic {TOKEN}"}, NO_BEARER),
        ({"authorization": TOKEN}, NO_BEARER),
        ({"cookie": f"__Host-feeder={TOKEN}"}, WRONG_COOKIE),
        ({"cookie": "__Host-feeder="}, NO_TOKEN),
        ({"cf-access-jwt-assertion": "e30.e30.e30"}, NO_TOKEN),
    ],
    ids=str,
)
def test_request_with_another_token_is_refused(
    bare: httpx.Client, headers: dict[str, str], error: str
) -> None:
    """Also for unknown addresses, before a binding is used: there is none."""
    address = {"cf-connecting-ip": f"192.0.2.{len(str(headers))}"}  # each may send a few
    for method, path in (("GET", SEARCH), ("POST", "/mcp"), ("GET", "/api/nothing")):
        response = bare.request(method, path, headers={**headers, **address})
        facts = refused(response, 401)
        assert facts["error"] == error
        assert "`Authorization: Bearer TOKEN`" in facts["remedy"]
        assert "`npx wrangler secret put FEEDER_TOKEN`" in facts["remedy"]
        assert "Access" not in facts["remedy"]
        assert response.headers["www-authenticate"] == "Bearer"


def test_token_is_exchanged_for_a_cookie(
    authorized_client: httpx.Client, bare: httpx.Client
) -> None:
    """It does not contain the token, no script can read it, and it gives the same access."""
    response = authorized_client.post("/api/session")
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
        ({"RIGHTS": ""}, NO_TABLE, "remove RIGHTS"),
        ({"RIGHTS": None}, NO_TABLE, "remove RIGHTS"),
        ({"RIGHTS": "acme/shop"}, NO_TABLE, "remove RIGHTS"),
        ({"RIGHTS": ["acme/shop"]}, NO_TABLE, "remove RIGHTS"),
        ({"RIGHTS": {"FEEDER_TOKEN": ""}}, NO_LIST, "as a list"),
        ({"RIGHTS": '{"FEEDER_TOKEN": "acme/shop"}'}, NO_LIST, "as a list"),
        ({"RIGHTS": {"email:a@b.example": [1]}}, NO_LIST, "as a list"),
        ({"RIGHTS": {"ada": ["acme/shop"]}}, NO_CLIENT, "group:NAME"),
        ({"RIGHTS": {"FEEDER_TOKENS": []}}, NO_CLIENT, "group:NAME"),
        ({"RIGHTS": {"FEEDER_TOKEN": ["acme/shop"]}}, NO_REPOSITORIES, "in REPOSITORIES"),
        (
            {"RIGHTS": {"FEEDER_TOKEN": ["shop"]}, "REPOSITORIES": {"acme/shop": "CODE_DB"}},
            "RIGHTS names a repository that REPOSITORIES does not have.",
            "as in REPOSITORIES",
        ),
        (
            {"PUBLIC": "true", "ACCESS_AUD": "a"},
            "One of ACCESS_TEAM and ACCESS_AUD is not set.",
            "Set both",
        ),
    ],
    ids=str,
)
def test_without_access_settings_every_request_is_refused(
    folder: Path, standin: Path, settings: dict[str, object], error: str, remedy: str
) -> None:
    """Also with incomplete settings; the error names what to set."""
    with (
        running(folder=folder, script=standin, vars=settings) as address,
        client(address) as one,
    ):
        facts = refused(one.get(SEARCH), 503)
        refused(one.post("/mcp", json={}), 503)
    assert facts["error"] == error
    assert remedy in facts["remedy"]


def test_public_worker_answers_every_request(folder: Path, standin: Path) -> None:
    """Within the rate limit; the cookie of its token is for those who have the token."""
    said = {"PUBLIC": "true", "FEEDER_TOKEN": TOKEN}
    with (
        running(folder=folder, script=standin, vars=said, limit=3) as address,
        client(address, None) as one,
    ):
        here, there = ({"cf-connecting-ip": ip} for ip in ("192.0.2.1", "192.0.2.2"))
        assert "set-cookie" not in one.post("/api/session", headers=there).headers
        own = {**there, "authorization": f"Bearer {TOKEN}"}
        assert "set-cookie" in one.post("/api/session", headers=own).headers
        assert [one.get(SEARCH, headers=here).status_code for _ in range(3)] == [200] * 3
        response = one.get(SEARCH, headers=here)
        assert refused(response, 429)["remedy"] == "Try again in 60 seconds."
        assert response.headers["retry-after"] == "60"
        assert one.get(SEARCH, headers=there).status_code == 200


def test_token_has_a_limit_from_all_addresses(folder: Path, standin: Path) -> None:
    """Other tokens, and addresses without a token, do not use it up."""
    variables = {
        "FEEDER_TOKEN": TOKEN,
        "FEEDER_TOKEN_WEB": f"{TOKEN}-web",
        "REPOSITORIES": {"acme/web": "CODE_DB"},
        "RIGHTS": {"FEEDER_TOKEN_WEB": ["acme/web"]},
    }
    with (
        running(folder=folder, script=standin, vars=variables, limit=9, token_limit=3) as address,
        client(address, None) as one,
    ):

        def answer(token: str, at: int) -> httpx.Response:
            headers = {"cf-connecting-ip": f"192.0.2.{at}", "authorization": f"Bearer {token}"}
            return one.get(SEARCH, headers=headers)

        assert [answer("no-token-at-all-at-all", at).status_code for at in range(5)] == [401] * 5
        assert [answer(TOKEN, at).status_code for at in range(3)] == [200] * 3
        facts = refused(answer(TOKEN, 3), 429)
        assert facts["error"] == "The rate limit of the token FEEDER_TOKEN is exceeded."
        assert answer(f"{TOKEN}-web", 3).status_code == 200


@pytest.mark.parametrize("limit", [None, 5])
def test_guesses_are_refused_after_some_wrong_tokens(
    folder: Path, standin: Path, limit: int | None
) -> None:
    """Even the right token, so that a guess tells nothing; other addresses are not. All isolates
    of a location have the limit of the binding.
    """
    said = {"FEEDER_TOKEN": TOKEN}
    with (
        running(folder=folder, script=standin, vars=said, limit=limit) as address,
        client(address, None) as one,
    ):

        def status(token: str | None, ip: str) -> int:
            own = {"authorization": f"Bearer {token}"} if token else {}
            return one.get(SEARCH, headers={"cf-connecting-ip": ip, **own}).status_code

        most = limit + 1 if limit else 30
        statuses = [status(f"wrong-token-number-{at}", "192.0.2.1") for at in range(330)]
        assert statuses == [401] * most + [429] * (330 - most)
        assert status(TOKEN, "192.0.2.1") == 429
        right = {"cf-connecting-ip": "192.0.2.1", "authorization": f"Bearer {TOKEN}"}
        response = one.get(SEARCH, headers=right)
        facts = refused(response, 429)
        assert facts["error"] == "This address has sent too many wrong tokens."
        seconds = int(response.headers["retry-after"])
        assert 0 < seconds <= 60
        assert facts["remedy"] == f"Correct the token, and try again in {seconds} seconds."
        assert status(TOKEN, "192.0.2.2") == 200
        # who sends no token guesses none
        assert {status(None, "192.0.2.3") for _ in range(40)} == {401}


def test_wrong_tokens_are_forgotten_after_a_minute(worker: Worker) -> None:
    guesses = [["192.0.2.1", at] for at in range(30)]
    later = [["192.0.2.1", 30], ["192.0.2.1", 59.5], ["192.0.2.2", 59.5], ["192.0.2.1", 60]]
    answers = worker.call("wrongTokens", [*guesses, *later])
    assert answers == ["counted"] * 30 + [30, 1, "counted", "counted"]
    assert worker.call("wrongTokens", [["a", 0, True], ["a", 1]]) == ["counted", 59]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2"),
        ("2001:db8::6", "2001:db8:0:0"),
        ("2001:db8:1:2::", "2001:db8:1:2"),
        ("::1", "0:0:0:0"),
        ("", ""),
    ],
)
def test_addresses_of_one_network_are_one_client(
    worker: Worker, address: str, network: str
) -> None:
    """A client has 2^64 addresses of IPv6."""
    assert worker.call("clientNetwork", address) == network


def test_missing_database_is_named(folder: Path, script: Path) -> None:
    said = {"FEEDER_TOKEN": TOKEN}
    with (
        running(folder=folder, script=script, vars=said, database=False) as address,
        client(address) as one,
    ):
        facts = refused(one.get(SEARCH), 503)
    assert facts["error"] == "The Worker has no database: its binding CODE_DB is missing."
    assert "feeder worker" in facts["remedy"]


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
def test_request_of_another_site_is_refused(
    authorized_client: httpx.Client, headers: dict[str, str]
) -> None:
    """Even with the token; no CORS header allows it."""
    for path in (SEARCH, "/mcp", "/api/session"):
        response = authorized_client.request(
            "GET" if path == SEARCH else "POST", path, headers=headers
        )
        facts = refused(response, 403)
        assert facts["error"] == "The request comes from another site's page."
        origin = headers.get("origin", "null")
        site = "the site, as in https://docs.example.com," if origin == "null" else origin
        assert f"add {site} to ORIGINS in [vars]" in facts["remedy"]
        assert "access-control-allow-origin" not in response.headers
    asks = {**headers, "access-control-request-method": "GET"}
    refused(authorized_client.options(SEARCH, headers=asks), 403)


def test_request_of_the_own_page_is_answered(authorized_client: httpx.Client) -> None:
    own = {"origin": str(authorized_client.base_url).rstrip("/"), "sec-fetch-site": "same-origin"}
    assert authorized_client.get(SEARCH, headers=own).status_code == 200


def test_configured_site_is_answered(folder: Path, standin: Path) -> None:
    """Its preflight is answered without a token, and only its pages can read the response."""
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
        unknown = httpx.get(address + SEARCH, headers=from_there, trust_env=False, timeout=60)
        assert refused(unknown, 401)
        assert unknown.headers["access-control-allow-origin"] == SITE

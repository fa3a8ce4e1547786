"""Sign-in by OAuth for MCP clients, with GitHub as identity provider."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from edge.github_login import CLIENT_ID, CLIENT_SECRET, METADATA_PATH, GitHubLogin, github_login
from edge.oauth_client import (
    REDIRECT,
    RESOURCE_METADATA,
    Browser,
    OAuthClient,
    access,
    callback_url,
    github_url,
    handle_of,
    query_of,
    signed_in,
)
from edge.workerd import TOKEN, running
from mcp_server.test_official_clients import CLIENTS, python

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = {
    "FEEDER_TOKEN": TOKEN,
    "OAUTH_GITHUB_ID": CLIENT_ID,
    "OAUTH_GITHUB_SECRET": CLIENT_SECRET,
    "OAUTH_USERS": "octocat, id:1700",
}
SEARCH = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "search", "arguments": {"query": "exchange"}},
}


@pytest.fixture(scope="module")
def login() -> Iterator[tuple[GitHubLogin, str]]:
    with github_login() as pair:
        yield pair


@pytest.fixture(scope="module")
def origin(folder: Path, standin: Path, login: tuple[GitHubLogin, str]) -> Iterator[str]:
    """A Worker with sign-in and a token; GitHub's app has its callback."""
    with running(folder=folder, script=standin, vars=SETTINGS, github=login[1]) as address:
        login[0].callback = f"{address}/oauth/callback"
        yield address


@pytest.fixture
def github(login: tuple[GitHubLogin, str], monkeypatch: pytest.MonkeyPatch) -> GitHubLogin:
    """The stand-in, whose changes end with the test."""
    for name in ("user", "decision", "status"):
        monkeypatch.setattr(login[0], name, getattr(login[0], name))
    return login[0]


@pytest.fixture
def client(origin: str) -> OAuthClient:
    """A client that is registered."""
    one = OAuthClient(origin)
    assert one.register().status_code == 201
    return one


@pytest.fixture
def browser(origin: str) -> Iterator[Browser]:
    one = Browser(origin)
    yield one
    one.close()


def refused_page(response: httpx.Response) -> str:
    """Returns the text of an error that is shown to the user and sent to nobody."""
    assert response.status_code == 400, response.text
    assert "location" not in response.headers
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    return response.text


def refused_at_client(response: httpx.Response, client: OAuthClient, error: str) -> str:
    """Returns the description of an error that the client gets, with its state."""
    assert response.status_code == 302, response.text
    location = response.headers["location"]
    assert location.startswith(f"{client.redirect}?")
    query = query_of(location)
    assert "code" not in query
    assert (query["error"], query["state"], query["iss"]) == (error, client.state, client.origin)
    return query.get("error_description", "")


def output_of(*command: str) -> Any:
    """Returns the JSON that an official client prints."""
    done = subprocess.run(
        command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def is_refused(response: httpx.Response, client: OAuthClient) -> bool:
    """True for a 401 that tells where to sign in."""
    metadata = f'resource_metadata="{client.origin}{RESOURCE_METADATA}/mcp"'
    return response.status_code == 401 and metadata in response.headers["www-authenticate"]


# what clients read first


def test_a_client_learns_where_to_sign_in(origin: str) -> None:
    client = OAuthClient(origin)
    assert is_refused(client.call(None), client)
    for path in (RESOURCE_METADATA, f"{RESOURCE_METADATA}/mcp"):
        facts = client.http.get(path).json()
        assert facts["resource"] == f"{origin}/mcp"
        assert facts["authorization_servers"] == [origin]
    facts = client.http.get("/.well-known/oauth-authorization-server").json()
    assert facts["issuer"] == origin
    assert facts["code_challenge_methods_supported"] == ["S256"]
    assert facts["response_types_supported"] == ["code"]
    assert facts["client_id_metadata_document_supported"] is True
    assert facts["authorization_response_iss_parameter_supported"] is True


@pytest.mark.parametrize("package", ["sdk", "client"])
def test_official_clients_sign_in(
    origin: str, login: tuple[GitHubLogin, str], package: str
) -> None:
    """The TypeScript SDK of either era: discovery, registration, PKCE, a call, and a refresh."""
    script = str(CLIENTS / "oauth_typescript.mjs")
    facts = output_of("node", script, package, f"{origin}/mcp", login[1])
    assert facts["refusal"] == "UnauthorizedError"
    assert "search" in facts["tools"]
    assert facts["texts"] == ["src/money.py:4-5 method exchange"] * 2
    assert facts["isRenewed"]


@pytest.mark.parametrize("major", [1, 2])
def test_official_python_clients_sign_in(
    origin: str, login: tuple[GitHubLogin, str], major: int
) -> None:
    script = str(CLIENTS / "oauth_python.py")
    text = output_of(python(major), script, f"{origin}/mcp", login[1])
    assert text == "src/money.py:4-5 method exchange"


def test_a_client_may_be_a_metadata_document(
    origin: str, github: GitHubLogin, browser: Browser
) -> None:
    """Its page names the domain of the document."""
    client = OAuthClient(origin)
    client.id = f"https://client.example{METADATA_PATH}"
    github.client_metadata = {
        "client_id": client.id,
        "client_name": "Documented",
        "redirect_uris": [REDIRECT],
        "token_endpoint_auth_method": "none",
    }
    page = browser.get(client.authorize_url())
    assert "published by <strong>client.example</strong>" in page.text
    token = access(client, github)["access_token"]
    assert client.call(token, SEARCH).json()["result"]["isError"] is False


# the page


def test_the_page_cannot_be_framed_or_cached(client: OAuthClient, browser: Browser) -> None:
    page = browser.get(client.authorize_url())
    assert "<strong>claude.ai</strong>" in page.text
    assert page.headers["x-frame-options"] == "DENY"
    policy = page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy and "default-src 'none'" in policy
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"


def test_names_of_clients_are_text(origin: str, browser: Browser) -> None:
    client = OAuthClient(origin)
    client.register(client_name="</title><script>alert('x')</script><img src=x>")
    page = browser.get(client.authorize_url())
    assert "<script" not in page.text and "<img" not in page.text
    assert "&#60;script&#62;alert(&#39;x&#39;)" in page.text


def test_a_program_on_the_machine_is_warned_of(origin: str, browser: Browser) -> None:
    client = OAuthClient(origin, "http://127.0.0.1:1234/callback")
    client.register()
    assert "program on your computer" in browser.get(client.authorize_url()).text


# attacks on the address to which the code is sent


@pytest.mark.parametrize(
    "redirect",
    [
        "https://claude.ai/other",
        "https://claude.ai.evil.example/api/mcp/auth_callback",
        "https://evil.example/",
        "//evil.example/",
        "javascript:alert(1)",
        None,
    ],
)
def test_another_address_gets_nothing(
    client: OAuthClient, browser: Browser, redirect: str | None
) -> None:
    refused_page(browser.get(client.authorize_url(redirect_uri=redirect)))


@pytest.mark.parametrize(
    "redirect",
    [
        "https://evil.example/callback",
        "https://claude.ai.evil.example/callback",
        "https://evil.example/claude.ai",
        "https://claude.ai\\@evil.example/",
    ],
)
@pytest.mark.parametrize("changed", [{}, {"response_type": "token"}, {"code_challenge": None}])
def test_a_registered_address_of_an_unknown_host_gets_nothing(
    origin: str, browser: Browser, redirect: str, changed: dict[str, str | None]
) -> None:
    """Anybody may register; neither a code nor an error is sent there."""
    client = OAuthClient(origin, redirect)
    assert client.register().status_code == 201
    refused_page(browser.get(client.authorize_url(**changed)))


def test_an_unknown_client_gets_nothing(origin: str, browser: Browser) -> None:
    client = OAuthClient(origin)
    client.id = "nobody"
    refused_page(browser.get(client.authorize_url()))


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"resource": "https://evil.example/mcp"}, "invalid_target"),
    ],
)
def test_requests_without_protection_are_refused(
    client: OAuthClient, browser: Browser, changed: dict[str, str | None], error: str
) -> None:
    """PKCE by S256 is required, and a token is for this Worker's MCP alone."""
    refused_at_client(browser.get(client.authorize_url(**changed)), client, error)


# attacks on the page and on the way back from GitHub


def test_another_sites_form_is_refused(client: OAuthClient, browser: Browser, origin: str) -> None:
    """It may have a handle, of the attacker's browser, but not its cookie."""
    url = client.authorize_url()
    handle = handle_of(browser.get(url))
    victim = Browser(origin)
    for form in (
        {"handle": handle, "decision": "allow"},
        {"handle": "x" * 43, "decision": "allow"},
    ):
        refused_page(victim.post(url, form))
    refused_page(victim.post(url, {"decision": "allow"}))
    victim.get(client.authorize_url())
    refused_page(victim.post(url, {"handle": handle, "decision": "allow"}))
    victim.close()


def test_a_page_is_used_once(client: OAuthClient, browser: Browser) -> None:
    url = client.authorize_url()
    form = {"handle": handle_of(browser.get(url)), "decision": "allow"}
    assert browser.post(url, form).status_code == 302
    refused_page(browser.post(url, form))


def test_a_large_form_is_refused(client: OAuthClient, browser: Browser) -> None:
    answer = browser.post(client.authorize_url(), {"handle": "x" * 15_000})
    assert answer.status_code == 413
    assert answer.json()["error"]


def test_a_user_who_cancels_is_not_sent_to_github(
    client: OAuthClient, browser: Browser, github: GitHubLogin
) -> None:
    github.calls.clear()
    url = client.authorize_url()
    form = {"handle": handle_of(browser.get(url)), "decision": "deny"}
    refused_at_client(browser.post(url, form), client, "access_denied")
    assert github.calls == []


def test_github_gets_a_state_and_a_challenge_and_no_scope(
    client: OAuthClient, browser: Browser
) -> None:
    url = github_url(browser, client)
    assert url.startswith("https://github.com/login/oauth/authorize?")
    query = query_of(url)
    assert len(query["state"]) >= 32 and query["state"] != client.state
    assert query["code_challenge_method"] == "S256"
    assert query["redirect_uri"] == f"{client.origin}/oauth/callback"
    assert "scope" not in query


def test_an_answer_for_another_browser_is_refused(
    client: OAuthClient, browser: Browser, github: GitHubLogin, origin: str
) -> None:
    """Nobody is signed in as the attacker, whose address with a code he is sent."""
    address = callback_url(browser, client, github)
    github.calls.clear()
    victim = Browser(origin)
    refused_page(victim.get(address))
    victim.close()
    state = query_of(address)["state"]
    refused_page(browser.get(address.replace(state, "x" * len(state))))
    refused_page(browser.get(f"{origin}/oauth/callback"))
    assert github.calls == []
    assert browser.get(address).status_code == 302
    refused_page(browser.get(address))


def test_a_user_who_declines_at_github_is_not_signed_in(
    client: OAuthClient, browser: Browser, github: GitHubLogin
) -> None:
    github.decision = "deny"
    answer = browser.get(callback_url(browser, client, github))
    assert "GitHub did not sign" in refused_at_client(answer, client, "access_denied")


def test_a_wrong_code_of_github_signs_nobody_in(
    client: OAuthClient, browser: Browser, github: GitHubLogin
) -> None:
    address = callback_url(browser, client, github)
    wrong = address.replace(query_of(address)["code"], "0" * 20)
    error = refused_at_client(browser.get(wrong), client, "access_denied")
    assert error == "GitHub refused the sign-in: bad_verification_code."


def test_a_failure_of_github_is_told(
    client: OAuthClient, browser: Browser, github: GitHubLogin
) -> None:
    github.status = 503
    answer = browser.get(callback_url(browser, client, github))
    assert "HTTP 503" in refused_at_client(answer, client, "access_denied")


@pytest.mark.parametrize(
    ("user", "is_listed"),
    [
        ({"id": 583231, "login": "octocat"}, True),
        ({"id": 1, "login": "OctoCat"}, True),
        ({"id": 1700, "login": "renamed"}, True),
        ({"id": 2, "login": "hubot"}, False),
        ({"id": 3, "login": "1700"}, False),
        ({"id": 4, "login": "octocat2"}, False),
        ({"id": 5, "login": ""}, False),
    ],
)
def test_only_listed_users_are_let_in(
    client: OAuthClient,
    browser: Browser,
    github: GitHubLogin,
    user: dict[str, object],
    is_listed: bool,
) -> None:
    """By login in any case, or by `id:` and the number, which no login can equal."""
    github.user = user
    answer = browser.get(callback_url(browser, client, github))
    if is_listed:
        assert "code" in query_of(answer.headers["location"])
    else:
        assert "OAUTH_USERS" in refused_at_client(answer, client, "access_denied")


# attacks on codes and tokens


def test_a_code_is_used_once(client: OAuthClient, github: GitHubLogin) -> None:
    """A second use also ends the tokens of the first: one of the two is an attacker."""
    code = signed_in(client, github)["code"]
    first = client.exchange(code)
    token = first.json()["access_token"]
    assert client.call(token).status_code == 200
    second = client.exchange(code)
    assert (second.status_code, second.json()["error"]) == (400, "invalid_grant")
    assert is_refused(client.call(token), client)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_verifier": "x" * 64}, "invalid_grant"),
        ({"code_verifier": None}, "invalid_request"),
        ({"redirect_uri": "https://claude.ai/other"}, "invalid_grant"),
        ({"code": "1:2:3"}, "invalid_grant"),
        ({"resource": "https://evil.example/mcp"}, "invalid_target"),
        ({"client_id": "nobody"}, "invalid_client"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
    ],
)
def test_a_stolen_code_is_worthless(
    client: OAuthClient, github: GitHubLogin, changed: dict[str, str | None], error: str
) -> None:
    code = signed_in(client, github)["code"]
    answer = client.exchange(changed.pop("code", code) or code, **changed)
    assert answer.status_code in {400, 401}
    assert answer.json()["error"] == error


def test_another_clients_code_is_worthless(client: OAuthClient, github: GitHubLogin) -> None:
    code = signed_in(client, github)["code"]
    other = OAuthClient(client.origin)
    other.register()
    answer = other.exchange(code, code_verifier=client.verifier)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


def test_a_token_is_for_mcp_alone(client: OAuthClient, github: GitHubLogin) -> None:
    token = access(client, github)["access_token"]
    assert client.call(token, SEARCH).json()["result"]["isError"] is False
    headers = {"authorization": f"Bearer {token}"}
    assert client.http.get("/api/search?q=x", headers=headers).status_code == 401
    assert client.http.post("/api/session", headers=headers).status_code == 401


def test_a_client_may_keep_cookies(client: OAuthClient, github: GitHubLogin) -> None:
    """Cloudflare sets some, and a hosted client may send them back."""
    token = access(client, github)["access_token"]
    client.http.cookies.set("__cf_bm", "x")
    assert client.call(token).status_code == 200
    assert is_refused(client.call(None), client)


def test_a_token_of_another_resource_is_refused(
    client: OAuthClient, github: GitHubLogin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two addresses of the Worker are two resources, though they share a store."""
    other = OAuthClient(client.origin.replace("127.0.0.1", "localhost"))
    other.register()
    monkeypatch.setattr(github, "callback", f"{other.origin}/oauth/callback")
    token = access(other, github)["access_token"]
    assert other.call(token).status_code == 200
    assert is_refused(client.call(token), client)


def test_an_expired_token_is_refused_and_renewed(client: OAuthClient, github: GitHubLogin) -> None:
    """The refresh token is replaced; the one before ends with the first use of the new one."""
    tokens = access(client, github)
    assert tokens["expires_in"] == 3600
    assert client.http.get("/", headers={"host": "expiry.example"}).text != "0"
    assert is_refused(client.call(tokens["access_token"]), client)
    second = client.refresh(tokens["refresh_token"]).json()
    assert client.call(second["access_token"]).status_code == 200
    third = client.refresh(second["refresh_token"]).json()
    assert client.call(third["access_token"]).status_code == 200
    old = client.refresh(tokens["refresh_token"])
    assert (old.status_code, old.json()["error"]) == (400, "invalid_grant")
    retarget = client.refresh(third["refresh_token"], resource="https://evil.example/mcp")
    assert retarget.json()["error"] == "invalid_target"


@pytest.mark.parametrize("name", ["access_token", "refresh_token"])
def test_a_revoked_token_is_refused(client: OAuthClient, github: GitHubLogin, name: str) -> None:
    tokens = access(client, github)
    form = {"token": tokens[name], "client_id": client.id}
    assert client.http.post("/oauth/token", data=form).status_code == 200
    assert is_refused(client.call(tokens["access_token"]), client)


@pytest.mark.parametrize("token", ["x", "a:b:c", "583231:x:y", "::", "a:b:c:d", "á:b:c"])
def test_invented_tokens_are_refused(client: OAuthClient, token: str) -> None:
    headers = {b"authorization": f"Bearer {token}".encode(), b"accept": b"application/json"}
    answer = client.http.post("/mcp", json=SEARCH, headers=headers)
    assert is_refused(answer, client)


# what stays as without OAuth


def test_the_workers_token_works_as_before(client: OAuthClient) -> None:
    assert client.call(TOKEN, SEARCH).json()["result"]["isError"] is False
    headers = {"authorization": f"Bearer {TOKEN}"}
    assert client.http.get("/api/search?q=x", headers=headers).status_code == 200
    answer = client.call("x" * 20)
    assert "is not one of this Worker's" in answer.json()["error"]


def test_a_flood_of_sign_ins_is_slowed(origin: str, browser: Browser) -> None:
    """Each registration and each page writes to the store: twenty a minute from an address."""
    client = OAuthClient(origin)
    statuses = [client.register().status_code for _ in range(22)]
    assert statuses == [201] * 20 + [429] * 2
    assert int(client.register().headers["retry-after"]) <= 60
    assert browser.get(client.authorize_url()).status_code == 200


def test_only_a_browsers_methods_start_a_sign_in(client: OAuthClient) -> None:
    """A program that checks links writes nothing to the store."""
    for method in ("HEAD", "PUT", "DELETE"):
        assert client.http.request(method, client.authorize_url()).status_code == 405
    assert client.http.post("/oauth/callback", data={"code": "x"}).status_code == 405


def test_the_rate_limit_covers_the_sign_in(
    folder: Path, standin: Path, login: tuple[GitHubLogin, str]
) -> None:
    said = {"folder": folder, "script": standin, "vars": SETTINGS, "github": login[1]}
    with running(**said, limit=3) as address:
        client = OAuthClient(address)
        statuses = [client.exchange("1:2:3").status_code for _ in range(5)]
        assert statuses == [401, 401, 401, 429, 429]


@pytest.mark.parametrize("missing", ["OAUTH_GITHUB_ID", "OAUTH_GITHUB_SECRET", "OAUTH_USERS"])
def test_without_a_setting_nobody_signs_in(
    folder: Path, standin: Path, login: tuple[GitHubLogin, str], missing: str
) -> None:
    """MCP answers as without OAuth, and the sign-in says what to set."""
    said = {name: value for name, value in SETTINGS.items() if name != missing}
    with running(folder=folder, script=standin, vars=said, github=login[1]) as address:
        client = OAuthClient(address)
        for path in ("/oauth/authorize", "/oauth/token", f"{RESOURCE_METADATA}/mcp"):
            answer = client.http.get(path)
            assert answer.status_code == 503
            assert missing in answer.json()["error"] and answer.json()["remedy"]
        assert client.call(None).headers["www-authenticate"] == "Bearer"
        assert OAuthClient(address).call(TOKEN).status_code == 200


def test_a_user_who_is_no_longer_listed_is_refused(
    folder: Path, script: Path, login: tuple[GitHubLogin, str], tmp_path: Path
) -> None:
    """From the next deployment on, although the token is valid; RIGHTS has the rights."""
    said = {"folder": folder, "script": script, "github": login[1], "store": str(tmp_path / "kv")}
    with running(**said, vars=SETTINGS) as address:
        port = int(address.rpartition(":")[2])
        client = OAuthClient(address)
        client.register()
        before, login[0].callback = login[0].callback, f"{address}/oauth/callback"
        token = access(client, login[0])["access_token"]
        login[0].callback = before
        assert client.call(token).status_code == 200
    with running(**said, port=port, vars={**SETTINGS, "OAUTH_USERS": "hubot"}):
        answer = client.call(token)
        assert answer.status_code == 403
        assert (
            answer.json()["error"]
            == "The GitHub user octocat is not in OAUTH_USERS of this Worker."
        )
    places = {"acme/shop": "CODE_DB"}
    for rights, error in {
        "github:octocat": "The database has no index",
        "github:hubot": "RIGHTS gives no repository of this Worker to github:octocat.",
    }.items():
        said["vars"] = {**SETTINGS, "RIGHTS": {rights: ["acme/shop"]}, "REPOSITORIES": places}
        with running(**said, port=port):
            assert error in OAuthClient(client.origin).call(token, SEARCH).text

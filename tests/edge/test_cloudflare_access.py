"""Clients that Cloudflare Access has authenticated, by a signed token only."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from edge.signing import Signer, base64url_json
from edge.test_access import SEARCH, refused
from edge.workerd import TOKEN, client, running

CERTS = "/cdn-cgi/access/certs"
TEAM, AUDIENCE = "acme", "f" * 64
ISSUER = f"https://{TEAM}.cloudflareaccess.com"
SETTINGS = {"ACCESS_TEAM": TEAM, "ACCESS_AUD": f"{'e' * 64}, {AUDIENCE}"}


@pytest.fixture(scope="module")
def signer() -> Signer:
    return Signer("now")


@pytest.fixture(scope="module")
def let_in(folder: Path, standin: Path, signer: Signer) -> Iterator[httpx.Client]:
    """A Worker behind Access, which also has a token of its own."""
    certs = {CERTS: {"keys": [Signer("next").public, signer.public]}}
    with (
        running(folder=folder, script=standin, vars=SETTINGS, certs=certs) as address,
        client(address, None) as one,
    ):
        yield one


def claims(**other: Any) -> dict[str, Any]:
    """Returns the claims of a person at this moment."""
    now = int(time.time())
    return {
        "aud": [AUDIENCE],
        "email": "a@example.org",
        "exp": now + 600,
        "iat": now,
        "nbf": now,
        "iss": ISSUER,
        "sub": "7335d417",
        "type": "app",
        **other,
    }


def send(some: httpx.Client, sign_token: str) -> httpx.Response:
    return some.get(SEARCH, headers={"cf-access-jwt-assertion": sign_token})


def test_authenticated_client_is_answered(let_in: httpx.Client, signer: Signer) -> None:
    """A person or a service token; the page uses the cookie of Access."""
    assert send(let_in, signer.sign_token(claims())).status_code == 200
    service = claims(sub="", common_name="ci.access", aud=AUDIENCE)
    assert send(let_in, signer.sign_token(service)).status_code == 200
    headers = {"cf-access-jwt-assertion": signer.sign_token(claims())}
    response = let_in.post("/api/session", headers=headers)
    assert response.status_code == 204
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize(
    "other",
    [
        {"exp": 1_700_000_000},
        {"exp": None},
        {"exp": "9999999999"},
        {"nbf": 9_999_999_999},
        {"aud": ["e" * 63]},
        {"aud": []},
        {"aud": None},
        {"iss": "https://other.cloudflareaccess.com"},
        {"iss": None},
    ],
    ids=str,
)
def test_token_for_another_time_or_audience_is_refused(
    let_in: httpx.Client, signer: Signer, other: dict[str, Any]
) -> None:
    """Expired, not yet valid, of another application or team."""
    facts = refused(send(let_in, signer.sign_token(claims(**other))), 403)
    assert facts["error"] == "Cloudflare Access did not authenticate this request."
    assert "ACCESS_AUD to the application's audience tag, in [vars]" in facts["remedy"]


def with_key_of_the_team(signer: Signer) -> str:
    """Returns a token signed with the public key as an HMAC secret."""
    body = f"{base64url_json({'alg': 'HS256', 'kid': signer.kid})}.{base64url_json(claims())}"
    key = json.dumps(signer.public).encode()
    signature = base64.urlsafe_b64encode(hmac.digest(key, body.encode(), hashlib.sha256))
    return f"{body}.{signature.rstrip(b'=').decode()}"


def test_forged_token_is_refused(let_in: httpx.Client, signer: Signer) -> None:
    """Unsigned, by another key, of another algorithm, or changed."""
    good = signer.sign_token(claims())
    header, body, signature = good.split(".")
    other = Signer("now")
    words = [
        "",
        "nonsense",
        "..",
        f"{header}.{body}",
        f"{header}.{body}.",
        f"{good}.{signature}",
        f"{header}.{base64url_json(claims(email='b@example.org'))}.{signature}",
        f"{base64url_json({'alg': 'none', 'kid': 'now'})}.{body}.",
        f"{base64url_json({'alg': 'none', 'kid': 'now'})}.{body}.{signature}",
        f"{base64url_json([])}.{body}.{signature}",
        f"{header}.{base64url_json('x')}.{signature}",
        other.sign_token(claims()),
        Signer("unknown").sign_token(claims()),
        signer.sign_token(claims(), alg="RS512"),
        signer.sign_token(claims(), kid=None),
        with_key_of_the_team(signer),
    ]
    for sign_token in words:
        refused(send(let_in, sign_token), 403)
    assert send(let_in, good).status_code == 200


def test_missing_access_token_names_access_as_the_remedy(let_in: httpx.Client) -> None:
    """For browsers and programs."""
    response = let_in.post("/mcp", json={})
    facts = refused(response, 403)
    assert "www-authenticate" not in response.headers
    assert "sign in" in facts["remedy"]
    assert "CF-Access-Client-Id" in facts["remedy"]


def test_own_token_works_beside_access(folder: Path, standin: Path, signer: Signer) -> None:
    """The team's keys are fetched once, and only for requests with an Access token."""
    said = {**SETTINGS, "FEEDER_TOKEN": TOKEN}
    certs = {CERTS: {"keys": [signer.public]}}
    with (
        running(folder=folder, script=standin, vars=said, certs=certs) as address,
        client(address) as one,
    ):
        assert one.get(SEARCH).status_code == 200
        assert fetched(one) == []
        unknown = client(address, None)
        remedy = refused(unknown.get(SEARCH), 401)["remedy"]
        assert "FEEDER_TOKEN" in remedy and "CF-Access-Client-Id" in remedy
        assertion = {"cf-access-jwt-assertion": signer.sign_token(claims())}
        assert "set-cookie" not in unknown.post("/api/session", headers=assertion).headers
        for _ in range(3):
            assert send(unknown, signer.sign_token(claims())).status_code == 200
            refused(send(unknown, Signer("unknown").sign_token(claims())), 401)
        assert fetched(one) == [CERTS]


def test_wrong_tokens_of_an_address_lock_out_nobody_that_access_lets_in(
    folder: Path, standin: Path, signer: Signer
) -> None:
    """Colleagues share an address. An assertion has a signature, which nobody guesses."""
    said = {**SETTINGS, "FEEDER_TOKEN": TOKEN}
    certs = {CERTS: {"keys": [signer.public]}}
    with (
        running(folder=folder, script=standin, vars=said, certs=certs) as address,
        client(address, None) as one,
        client(address, "wrong-token-of-a-colleague") as colleague,
    ):
        other = signer.sign_token(claims(aud=["e" * 63]))
        assert {send(one, other).status_code for _ in range(40)} == {401}
        assert [colleague.get(SEARCH).status_code for _ in range(31)] == [401] * 30 + [429]
        assert send(one, signer.sign_token(claims())).status_code == 200
        assert one.get(SEARCH, headers={"authorization": f"Bearer {TOKEN}"}).status_code == 429


def fetched(one: httpx.Client) -> list[str]:
    """Returns the paths that the Worker has fetched."""
    [paths] = one.get("/api/search", params={"q": "fetched"}).json()["fetched"]
    found: list[str] = paths
    return found


@pytest.mark.parametrize("certs", [500, "nonsense", {"keys": None}], ids=str)
def test_without_the_teams_keys_every_request_is_refused(
    folder: Path, standin: Path, signer: Signer, certs: Any
) -> None:
    with (
        running(folder=folder, script=standin, vars=SETTINGS, certs={CERTS: certs}) as address,
        client(address, None) as one,
    ):
        facts = refused(send(one, signer.sign_token(claims())), 503)
    assert facts["error"].startswith("The keys of Cloudflare Access cannot be read: ")
    assert "ACCESS_TEAM" in facts["remedy"]


RIGHTS = {
    "group:payments": ["acme/pay"],
    "group:admins": ["*"],
    "email:a@example.org": ["acme/shop"],
    "service:0ac4.access": ["acme/wiki", "acme/shop"],
}


@pytest.mark.parametrize(
    ("more", "repos"),
    [
        ({}, ["acme/shop"]),
        ({"groups": ["payments", "others"]}, ["acme/pay", "acme/shop"]),
        ({"custom": {"groups": [{"id": "1", "name": "payments"}]}}, ["acme/pay", "acme/shop"]),
        ({"custom": {"groups": ["admins"]}}, None),
        ({"email": "b@example.org"}, []),
        ({"email": "", "sub": "", "common_name": "0ac4.access"}, ["acme/shop", "acme/wiki"]),
    ],
)
def test_groups_and_service_tokens_have_their_repositories(
    folder: Path, standin: Path, signer: Signer, more: dict[str, Any], repos: list[str] | None
) -> None:
    names = ("acme/pay", "acme/shop", "acme/wiki")
    rights = {"RIGHTS": RIGHTS, "REPOSITORIES": dict.fromkeys(names, "CODE_DB")}
    certs = {CERTS: {"keys": [signer.public]}}
    with (
        running(folder=folder, script=standin, vars={**SETTINGS, **rights}, certs=certs) as address,
        client(address, None) as one,
    ):
        answer = one.get(
            "/api/search?q=rights",
            headers={"cf-access-jwt-assertion": signer.sign_token(claims(**more))},
        ).json()
        session = one.post(
            "/api/session", headers={"cf-access-jwt-assertion": signer.sign_token(claims(**more))}
        )
    assert answer["repos"] == repos or sorted(answer["repos"]) == repos
    assert "set-cookie" not in session.headers

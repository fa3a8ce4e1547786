"""Whom Cloudflare Access has let in, the Worker lets in: by its signed word, by nothing else."""

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

from edge.signing import Signer, written
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
    """A Worker behind Access, which has another key, too."""
    certs = {CERTS: {"keys": [Signer("next").public, signer.public]}}
    with (
        running(folder=folder, script=standin, vars=SETTINGS, certs=certs) as address,
        client(address, None) as one,
    ):
        yield one


def claims(**other: Any) -> dict[str, Any]:
    """What Access says of a person, at this moment."""
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


def asked(some: httpx.Client, word: str) -> httpx.Response:
    return some.get(SEARCH, headers={"cf-access-jwt-assertion": word})


def test_who_was_let_in_is_answered(let_in: httpx.Client, signer: Signer) -> None:
    """A person, and a service by its token; the page's cookie is Access' own."""
    assert asked(let_in, signer.word(claims())).status_code == 200
    service = claims(sub="", common_name="ci.access", aud=AUDIENCE)
    assert asked(let_in, signer.word(service)).status_code == 200
    headers = {"cf-access-jwt-assertion": signer.word(claims())}
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
def test_a_word_for_another_time_or_place_is_none(
    let_in: httpx.Client, signer: Signer, other: dict[str, Any]
) -> None:
    """Expired, not yet, another application's, another team's."""
    facts = refused(asked(let_in, signer.word(claims(**other))), 403)
    assert facts["error"] == "Cloudflare Access did not authenticate this request."


def with_key_of_the_team(signer: Signer) -> str:
    """Signed with what everybody knows, as if that were a secret."""
    body = f"{written({'alg': 'HS256', 'kid': signer.kid})}.{written(claims())}"
    key = json.dumps(signer.public).encode()
    made = base64.urlsafe_b64encode(hmac.digest(key, body.encode(), hashlib.sha256))
    return f"{body}.{made.rstrip(b'=').decode()}"


def test_a_word_that_access_has_not_signed_is_none(let_in: httpx.Client, signer: Signer) -> None:
    """Unsigned, somebody else's, for another key, with the wrong kind of key, or changed."""
    good = signer.word(claims())
    header, body, signature = good.split(".")
    other = Signer("now")
    words = [
        "",
        "nonsense",
        "..",
        f"{header}.{body}",
        f"{header}.{body}.",
        f"{good}.{signature}",
        f"{header}.{written(claims(email='b@example.org'))}.{signature}",
        f"{written({'alg': 'none', 'kid': 'now'})}.{body}.",
        f"{written({'alg': 'none', 'kid': 'now'})}.{body}.{signature}",
        f"{written([])}.{body}.{signature}",
        f"{header}.{written('x')}.{signature}",
        other.word(claims()),
        Signer("unknown").word(claims()),
        signer.word(claims(), alg="RS512"),
        signer.word(claims(), kid=None),
        with_key_of_the_team(signer),
    ]
    for word in words:
        refused(asked(let_in, word), 403)
    assert asked(let_in, good).status_code == 200


def test_without_a_word_nobody_is_asked_for_a_token(let_in: httpx.Client) -> None:
    """The remedy is Access' own, for a browser and for a program."""
    response = let_in.post("/mcp", json={})
    facts = refused(response, 403)
    assert "www-authenticate" not in response.headers
    assert "sign in" in facts["remedy"]
    assert "CF-Access-Client-Id" in facts["remedy"]


def test_the_token_opens_beside_it(folder: Path, standin: Path, signer: Signer) -> None:
    """The keys of the team are asked for once, and not for who sends no word."""
    said = {**SETTINGS, "FEEDER_TOKEN": TOKEN}
    certs = {CERTS: {"keys": [signer.public]}}
    with (
        running(folder=folder, script=standin, vars=said, certs=certs) as address,
        client(address) as one,
    ):
        assert one.get(SEARCH).status_code == 200
        assert fetched(one) == []
        unknown = client(address, None)
        refused(unknown.get(SEARCH), 401)
        for _ in range(3):
            assert asked(unknown, signer.word(claims())).status_code == 200
            refused(asked(unknown, Signer("unknown").word(claims())), 401)
        assert fetched(one) == [CERTS]


def fetched(one: httpx.Client) -> list[str]:
    """The paths that the Worker has fetched."""
    [paths] = one.get("/api/search", params={"q": "fetched"}).json()["fetched"]
    found: list[str] = paths
    return found


@pytest.mark.parametrize("certs", [500, "nonsense", {"keys": None}], ids=str)
def test_without_the_keys_nobody_is_let_in(
    folder: Path, standin: Path, signer: Signer, certs: Any
) -> None:
    with (
        running(folder=folder, script=standin, vars=SETTINGS, certs={CERTS: certs}) as address,
        client(address, None) as one,
    ):
        facts = refused(asked(one, signer.word(claims())), 503)
    assert facts["error"].startswith("The keys of Cloudflare Access cannot be read: ")
    assert "ACCESS_TEAM" in facts["remedy"]

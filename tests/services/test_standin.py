"""The whole API of the stand-in: authentication, rate limit, log and reset."""

import httpx
import pytest
from standin import StandIn, unavailable
from standin_calls import Database, Index, error_of, message, result, vector

INDEXES = "/vectorize/v2/indexes"
BGE_M3 = "/ai/run/@cf/baai/bge-m3"


def _limits(response: httpx.Response) -> str:
    return response.headers["Ratelimit"]


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_every_response_has_rate_limit_and_ray_id(api: httpx.Client, standin: StandIn) -> None:
    """The `Ratelimit` header counts down."""
    standin.freeze()

    first, second = api.get(INDEXES), api.get("/d1/database/acme")

    assert _limits(first) == '"default";r=1199;t=300'
    assert _limits(second) == '"default";r=1198;t=300'
    assert second.is_error
    assert first.headers["cf-ray"] != second.headers["cf-ray"]


def test_request_1201_is_refused_for_5_minutes(api: httpx.Client, standin: StandIn) -> None:
    """With `Retry-After`."""
    standin.freeze()
    standin.spend(1199)
    standin.advance(200)

    assert _limits(api.get(INDEXES)) == '"default";r=0;t=100'
    wall = api.get(INDEXES)
    assert error_of(wall) == (429, 971)
    assert wall.headers["Retry-After"] == "300"
    standin.advance(299)
    late = api.post(BGE_M3, json={"text": "a"})
    assert (error_of(late), late.headers["Retry-After"]) == ((429, 971), "1")
    standin.advance(1)
    assert _limits(api.get(INDEXES)) == '"default";r=1199;t=300'


def test_a_window_of_5_minutes_ends(api: httpx.Client, standin: StandIn) -> None:
    """What was not used in a window is there again in the next one."""
    standin.freeze()
    standin.spend(1000)
    assert _limits(api.get(INDEXES)) == '"default";r=199;t=300'

    standin.advance(300)

    assert _limits(api.get(INDEXES)) == '"default";r=1199;t=300'


def test_a_burst_limit_can_be_set(api: httpx.Client, standin: StandIn) -> None:
    """With a limit of requests a second, those above it are refused until the next second."""
    standin.freeze()
    standin.change(requests_per_second=2)

    statuses = [api.get(INDEXES).status_code for _ in range(3)]
    standin.advance(1)

    assert statuses == [200, 200, 429]
    assert api.get(INDEXES).status_code == 200


def test_a_token_is_verified(api: httpx.Client, standin: StandIn) -> None:
    """The token's own route says that it is active, or that it is none."""
    url = f"{standin.base_url}/user/tokens/verify"

    assert result(api.get(url))["status"] == "active"
    assert error_of(api.get(url, headers=_bearer("wrong"))) == (401, 1000)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (_bearer("wrong"), (401, 10000)),
        ({"Authorization": "abc"}, (400, 6003)),
        ({"Authorization": "Token abc"}, (400, 6003)),
    ],
    ids=["unknown", "no scheme", "another scheme"],
)
def test_a_wrong_token_is_refused(
    api: httpx.Client, headers: dict[str, str], expected: tuple[int, int]
) -> None:
    """An unknown token is 10000, a header that is no Bearer token 6003."""
    assert error_of(api.get(INDEXES, headers=headers)) == expected


def test_a_missing_token_is_refused(api: httpx.Client) -> None:
    """Without an Authorization header a call is 9106."""
    del api.headers["Authorization"]

    assert error_of(api.get(INDEXES)) == (400, 9106)


@pytest.mark.parametrize(
    ("permission", "statuses"),
    [("d1", (200, 403, 401)), ("vectorize", (401, 200, 401)), ("ai", (401, 403, 200))],
)
def test_token_is_limited_to_its_permissions(
    api: httpx.Client, standin: StandIn, permission: str, statuses: tuple[int, int, int]
) -> None:
    """Other services return 10000; Workers AI with 401, as Cloudflare documents it."""
    standin.grant("narrow", permission)
    api.headers.update(_bearer("narrow"))

    answers = api.get("/d1/database"), api.get(INDEXES), api.post(BGE_M3, json={"text": "a"})

    assert tuple(answer.status_code for answer in answers) == statuses
    assert {error_of(answer)[1] for answer in answers if answer.is_error} == {10000}


def test_another_account_is_refused(api: httpx.Client, standin: StandIn) -> None:
    """An account that is none is 7003; one of somebody else is 7403 in D1 and 10000 elsewhere."""
    other = f"{standin.base_url}/accounts/{'f' * 32}"

    assert error_of(api.get(f"{standin.base_url}/accounts/acme/d1/database")) == (404, 7003)
    assert error_of(api.get(f"{other}/d1/database")) == (403, 7403)
    assert error_of(api.get(f"{other}{INDEXES}")) == (403, 10000)


def test_a_path_or_method_that_does_not_exist_is_refused(api: httpx.Client) -> None:
    """An unknown path is 7000, a known one with another method 7001."""
    assert error_of(api.get("/d1/databases")) == (400, 7000)
    assert error_of(api.put("/d1/database")) == (405, 7001)


def test_a_body_above_100_mb_is_refused_by_the_edge(api: httpx.Client) -> None:
    """100 MB pass the edge; more is refused there, in HTML."""
    answer = Index(api).send("x" * 100_000_001)

    assert answer.status_code == 413
    assert "<center>cloudflare</center>" in answer.text


def test_log_has_each_request(api: httpx.Client, standin: StandIn) -> None:
    """With route, service, status, code and content."""
    db, index = Database(api), Index(api)
    result(db.query("CREATE TABLE t (a)"))
    before = standin.rows_written()
    db.batch(("INSERT INTO t VALUES (?1)", ["x"]), "INSERT INTO t VALUES (2), (3)")
    index.upsert(vector("a"), vector("b"))
    api.post(BGE_M3, json={"text": ["12345678", "1"]})
    api.post("/ai/run/@cf/acme/none", json={})

    batch, upsert, embedding, unknown = standin.log(since=3)

    assert (batch["route"], batch["status"], batch["statements"]) == ("d1.query", 200, 2)
    assert batch["sql"][0] == "INSERT INTO t VALUES (?1)"
    assert batch["rows_written"] == standin.rows_written() - before == 3
    assert (upsert["service"], upsert["vectors"]) == ("vectorize", 2)
    assert (embedding["texts"], embedding["tokens"]) == (2, 3)
    assert (unknown["status"], unknown["code"]) == (400, 7000)
    assert standin.counts() == {"d1": 3, "vectorize": 2, "ai": 2, "user": 0, "other": 0}
    assert standin.routes()["vectorize.upsert"] == 1
    assert [entry["number"] for entry in standin.log(since=5)] == [6, 7]


def test_reset_forgets_everything(api: httpx.Client, standin: StandIn) -> None:
    """After a reset the stand-in is as it was when it started."""
    Database(api), Index(api)
    standin.change(requests_per_window=1)
    standin.fault("server_error", times=5)
    standin.grant("narrow", "d1")

    standin.reset()

    assert standin.log() == [] and standin.faults() == []
    assert result(api.get("/d1/database")) == [] and result(api.get(INDEXES)) == []
    assert error_of(api.get(INDEXES, headers=_bearer("narrow"))) == (401, 10000)


def test_unknown_order_is_an_error(standin: StandIn) -> None:
    """An order with a name that nothing has is an error, not silence."""
    with pytest.raises(ValueError, match="no setting is called speed"):
        standin.change(speed=1)
    with pytest.raises(ValueError, match="no fault is called flood"):
        standin.fault("flood")
    with pytest.raises(ValueError, match="a fault has no path"):
        standin.fault("reset", path="x")
    with pytest.raises(ValueError, match="no permission is called mail"):
        standin.grant("token", "mail")


def test_a_client_finds_it_by_its_environment(standin: StandIn) -> None:
    """What a program is told about the stand-in goes by Cloudflare's conventional names."""
    assert standin.environment == {
        "CLOUDFLARE_BASE_URL": standin.base_url,
        "CLOUDFLARE_API_TOKEN": standin.token,
        "CLOUDFLARE_ACCOUNT_ID": "0123456789abcdef0123456789abcdef",
    }
    assert standin.base_url.startswith("http://127.0.0.1:")


def test_without_node_tests_are_skipped_but_not_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Node is missing the reason says so; CI may not take it as a skip."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CI", raising=False)
    reason = "the stand-in for Cloudflare needs Node 20 or newer: install it."

    assert unavailable() == (reason, True)
    monkeypatch.setenv("CI", "true")
    assert unavailable() == (reason, False)


@pytest.mark.usefixtures("standin_process")
def test_stopped_standin_does_not_respond() -> None:
    """A stand-in that is stopped answers no more."""
    with StandIn.start() as other:
        url = f"{other.base_url}/user/tokens/verify"
        assert message(httpx.get(url, trust_env=False, timeout=60)).startswith("Missing")

    with pytest.raises(httpx.ConnectError):
        httpx.get(url, trust_env=False, timeout=60)

"""The client of Cloudflare's API: retries, errors, rate limit and token masking, against fixed
responses.
"""

import email.utils
import json
import logging
import traceback
from collections.abc import Iterator

import httpx
import pytest
import respx
from clouds import FakeClock

from feeder.cloudflare.api import Api, Call
from feeder.errors import FeederError, ServiceError, TooLargeError, TransientError, UserError
from feeder.http_client import json_bytes

pytestmark = pytest.mark.slow

TOKEN = "secret-token-0123456789"
ACCOUNT = "0123456789abcdef0123456789abcdef"
BASE = "https://api.example.org/client/v4"
URL = f"{BASE}/accounts/{ACCOUNT}/d1/database/x/raw"
QUERY = Call("d1", "d1/database/x/raw", json_bytes({"sql": "SELECT 1"}))
NOON = 1_800_000_000.0
DONE = httpx.Response(200, json={"success": True, "errors": [], "result": [1]})


@pytest.fixture
def clock() -> FakeClock:
    """A fake clock at noon."""
    return FakeClock(start=NOON)


@pytest.fixture
def api(clock: FakeClock) -> Iterator[Api]:
    """A client that waits on that clock."""
    api = Api(TOKEN, ACCOUNT, base_url=BASE, clock=clock)
    yield api
    api.close()


@pytest.fixture
def wire() -> Iterator[respx.Route]:
    """The responses of the service."""
    with respx.mock as mock:
        yield mock.route(url=URL)


def reply(
    code: int, message: str, status: int = 400, headers: dict[str, str] | None = None
) -> httpx.Response:
    errors = [{"code": code, "message": message}]
    body = {"success": False, "errors": errors, "messages": [], "result": None}
    return httpx.Response(status, json=body, headers=headers)


def error_of(api: Api, service: str = "d1") -> FeederError:
    """Returns the error that a failing call raises."""
    with pytest.raises(FeederError) as caught:
        api.call(QUERY._replace(service=service))
    return caught.value


def test_call_sends_the_token_and_returns_the_result(api: Api, wire: respx.Route) -> None:
    """A call with content is a POST below the account's address."""
    wire.mock(DONE)

    assert api.call(QUERY) == [1]

    request = wire.calls.last.request
    assert request.method == "POST"
    assert request.headers["Authorization"] == f"Bearer {TOKEN}"
    assert request.headers["Content-Type"] == "application/json"
    assert json.loads(request.content) == {"sql": "SELECT 1"}
    assert (api.requests, api.retries, api.waited_s) == ({"d1": 1}, {}, 0)


def test_slash_in_a_model_name_is_not_encoded(api: Api) -> None:
    """An encoded one is not found."""
    with respx.mock as mock:
        route = mock.route().mock(DONE)
        api.call(Call("ai", "ai/run/@cf/baai/bge-m3", b"{}"))

    assert route.calls.last.request.url.raw_path.endswith(b"/ai/run/@cf/baai/bge-m3")


PASSING = [
    reply(7500, "internal error; reference = 4gkq81vn7d", 500),
    reply(7500, "Network connection lost.", 500),
    reply(7500, "D1 DB reset because its code was updated.", 500),
    reply(7500, "Internal error in D1 DB storage caused object to be reset.", 400),
    reply(7500, "Cannot resolve D1 DB due to transient issue on remote node.", 400),
    reply(10001, "internal server error", 200),
    reply(40041, "Too Many Requests", 400),
    reply(971, "Please wait and consider throttling your request speed", 429),
    reply(10429, "Rate limited. Please try again later.", 400),
    reply(0, "unheard of", 503),
    httpx.Response(502, html="<html><head><title>502 Bad Gateway</title></head></html>"),
    httpx.Response(429, text="slow down"),
    httpx.Response(200, text='{"success": tr', headers={"Content-Type": "application/json"}),
    httpx.ReadTimeout("no byte for 60 s"),
    httpx.RemoteProtocolError("peer closed connection"),
    httpx.ReadError("connection reset by peer"),
    httpx.ConnectError("Connection refused"),
]


@pytest.mark.parametrize("answer", PASSING, ids=repr)
def test_transient_error_is_retried(
    api: Api, wire: respx.Route, answer: httpx.Response | Exception
) -> None:
    """It is visible only in the number of tries."""
    wire.mock(side_effect=[answer, DONE])

    assert api.call(QUERY) == [1]
    assert (api.requests["d1"], api.retries["d1"]) == (2, 1)


@pytest.mark.parametrize("answer", PASSING, ids=repr)
def test_fifth_failed_try_is_an_error(
    api: Api, clock: FakeClock, wire: respx.Route, answer: httpx.Response | Exception
) -> None:
    """The delays are 1, 2, 4 and 8 s, each with up to one second of jitter."""
    wire.mock(side_effect=[answer] * 6)

    error = error_of(api)

    assert isinstance(error, TransientError)
    assert error.exit_code == 1
    assert wire.call_count == 5
    assert [int(wait) for wait in clock.slept] == [1, 2, 4, 8]
    assert api.waited_s == sum(clock.slept)


def test_retry_after_in_seconds_is_obeyed(api: Api, clock: FakeClock, wire: respx.Route) -> None:
    """Also above the maximum of the backoff, up to 300 s."""
    throttled = [
        reply(971, "throttling", 429, {"Retry-After": seconds}) for seconds in ("7", "299", "999")
    ]
    wire.mock(side_effect=[*throttled, DONE])

    api.call(QUERY)

    assert clock.slept == [7, 299, 300]


def test_retry_after_as_a_date_is_obeyed(api: Api, clock: FakeClock, wire: respx.Route) -> None:
    later = email.utils.formatdate(NOON + 45, usegmt=True)
    wire.mock(side_effect=[reply(0, "busy", 503, {"Retry-After": later}), DONE])

    api.call(QUERY)

    assert clock.slept == [45]


FINAL = [
    (reply(3036, "you have used up your daily free allocation", 429), "ai"),
    (reply(7500, "Your account has exceeded D1's free tier daily row write limit."), "d1"),
]


@pytest.mark.parametrize(("answer", "service"), FINAL)
def test_daily_quota_is_not_retried(
    api: Api, wire: respx.Route, answer: httpx.Response, service: str
) -> None:
    """The error says when it resets."""
    wire.mock(answer)

    error = error_of(api, service)

    assert isinstance(error, ServiceError) and not isinstance(error, TransientError)
    assert "00:00 UTC" in str(error)
    assert wire.call_count == 1


def test_missing_capacity_is_retried(api: Api, wire: respx.Route) -> None:
    """Code 3040 has the same HTTP status as the quota."""
    wire.mock(side_effect=[reply(3040, "Capacity temporarily exceeded", 429), DONE])

    assert api.call(QUERY._replace(service="ai")) == [1]


@pytest.mark.parametrize(
    ("answer", "service"),
    [
        (reply(7500, "D1 DB storage operation exceeded timeout which caused object to be reset."),
         "d1"),
        (reply(7500, "D1 DB exceeded its memory limit and was reset.", 500), "d1"),
        (reply(7500, "D1 DB exceeded its CPU time limit and was reset.", 500), "d1"),
        (reply(7500, "string or blob too big: SQLITE_TOOBIG"), "d1"),
        (reply(3006, "AiError: AiError: Request is too large", 413), "ai"),
        (reply(5021, "exceeded this model context window limit (8192)", 413), "ai"),
        (httpx.Response(413, html="<title>413 Request Entity Too Large</title>"), "vectorize"),
    ],
)  # fmt: skip
def test_too_large_or_slow_call_is_not_retried(
    api: Api, wire: respx.Route, answer: httpx.Response, service: str
) -> None:
    """The caller must send less."""
    wire.mock(answer)

    assert isinstance(error_of(api, service), TooLargeError)
    assert wire.call_count == 1


def test_overloaded_database_is_retried_before_the_call_is_split(
    api: Api, wire: respx.Route
) -> None:
    """The load may come from others."""
    wire.mock(reply(7500, "D1 DB is overloaded. Requests queued for too long.", 500))

    assert isinstance(error_of(api), TooLargeError)
    assert wire.call_count == 5


def test_sql_error_is_not_retried(api: Api, wire: respx.Route) -> None:
    """D1 uses one code for SQL errors and transient ones; the message is passed on unchanged."""
    message = 'fts5: syntax error near "internal error": SQLITE_ERROR'
    wire.mock(reply(7500, message, headers={"cf-ray": "8a1-FRA"}))

    error = error_of(api)

    assert isinstance(error, ServiceError) and not isinstance(error, TransientError)
    assert str(error) == f"D1: {message} (HTTP 400, code 7500, ray 8a1-FRA)."
    assert (error.status, error.code, error.ray) == (400, 7500, "8a1-FRA")


@pytest.mark.parametrize(
    ("service", "answer", "named"),
    [
        ("d1", reply(10000, "Authentication error", 401), ["CLOUDFLARE_API_TOKEN", "D1 Edit"]),
        ("ai", reply(10000, "Authentication error", 401),
         ["CLOUDFLARE_API_TOKEN to a valid token", "Workers AI Read", "CLOUDFLARE_ACCOUNT_ID"]),
        ("ai", reply(10000, "Authentication error", 403), ["Workers AI Read"]),
        ("vectorize", reply(10000, "Authentication error", 403), ["Vectorize Edit"]),
        ("vectorize", reply(1, "no", 403), ["Vectorize Edit", "CLOUDFLARE_ACCOUNT_ID"]),
        ("d1", reply(6003, "Invalid request headers"), ["CLOUDFLARE_API_TOKEN"]),
        ("d1", reply(9109, "Invalid access token", 403), ["CLOUDFLARE_API_TOKEN"]),
        ("d1", reply(7403, "The given account is not valid", 403), ["CLOUDFLARE_ACCOUNT_ID"]),
        ("d1", reply(7003, "Could not route to /client/v4/accounts/x/d1/database/7/raw, perhaps"),
         ["CLOUDFLARE_ACCOUNT_ID to the 32 hex digits"]),
        ("ai", reply(7003, "Could not route to /client/v4/accounts/me@b.c/ai/run/@cf/m, perhaps"),
         ["CLOUDFLARE_ACCOUNT_ID to the 32 hex digits"]),
        ("d1", reply(7003, f"Could not route to /accounts/{'a' * 32}/d1/database/7, perhaps"),
         ["--database-id", "account id"]),
        ("d1", reply(7404, "The database 7 could not be found", 404), ["--database-id"]),
        ("d1", reply(7400, "Invalid property: databaseId => Invalid uuid"), ["--database-id"]),
        ("vectorize", reply(3000, "vectorize.index.not_found"), ["--index-name", "feeder init"]),
        ("vectorize", reply(3005, "vectorize.index.deleted", 410), ["--index-name"]),
        ("vectorize", reply(40010, "expected 768 dimensions, and got 1024 dimensions"),
         ["768", "1024", "--index-name", "--model"]),
        ("vectorize", reply(40006, "invalid query vector, expected 2 dimensions, and got 3"),
         ["--index-name"]),
        ("ai", reply(7000, "No route for that URI"), ["Workers AI Read", "CLOUDFLARE_ACCOUNT_ID"]),
        ("d1", reply(7500, "Exceeded maximum DB size"), [".feederignore"]),
        ("d1", httpx.Response(200, html="<title>Log in</title>"),
         ["Log in", "CLOUDFLARE_BASE_URL", "HTTPS_PROXY"]),
        ("d1", httpx.Response(302, headers={"Location": "/login"}), ["CLOUDFLARE_BASE_URL"]),
        ("d1", httpx.ProxyError("403 Forbidden"), ["HTTPS_PROXY"]),
        ("d1", httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED]"), ["SSL_CERT_FILE"]),
    ],
)  # fmt: skip
def test_wrong_setting_is_an_error_with_its_name(
    api: Api, wire: respx.Route, service: str, answer: httpx.Response | Exception, named: list[str]
) -> None:
    """One sentence, exit code 2, after one try."""
    wire.mock(side_effect=[answer])

    error = error_of(api, service)

    assert isinstance(error, UserError)
    assert [name for name in named if name not in str(error)] == []
    assert wire.call_count == 1


def test_missing_network_is_an_error_after_retries(api: Api, wire: respx.Route) -> None:
    """It names what could not be reached."""
    wire.mock(side_effect=httpx.ConnectError("[Errno -2] Name or service not known"))

    assert str(error_of(api)) == (
        f"{BASE} cannot be reached (Name or service not known). "
        "Check the network, DNS and CLOUDFLARE_BASE_URL."
    )


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (("", ACCOUNT, BASE), "CLOUDFLARE_API_TOKEN"),
        (("two words", ACCOUNT, BASE), "CLOUDFLARE_API_TOKEN"),
        (("line\n", ACCOUNT, BASE), "CLOUDFLARE_API_TOKEN"),
        ((TOKEN, "../zones", BASE), "CLOUDFLARE_ACCOUNT_ID"),
        ((TOKEN, ACCOUNT, "api.example.org"), "CLOUDFLARE_BASE_URL"),
        ((TOKEN, ACCOUNT, "https://user:word@api.example.org"), "CLOUDFLARE_BASE_URL"),
    ],
)
def test_invalid_settings_are_refused_without_a_request(
    settings: tuple[str, str, str], named: str
) -> None:
    """The value is not shown."""
    token, account, base = settings
    with pytest.raises(UserError, match=named) as caught:
        Api(token, account, base_url=base)
    assert not token or token not in str(caught.value)


def test_invalid_proxy_setting_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "gopher://proxy.example.org")

    with pytest.raises(UserError, match="HTTPS_PROXY"):
        Api(TOKEN, ACCOUNT)


@pytest.mark.parametrize(
    "answer",
    [
        reply(10000, f"Authentication error: Bearer {TOKEN}", 403),
        reply(7500, f"near {TOKEN}: SQLITE_ERROR"),
        httpx.Response(502, html=f"<title>{TOKEN}</title>"),
        httpx.Response(200, html=f"<title>{TOKEN}</title>"),
        httpx.ConnectError("Connection refused"),
    ],
    ids=repr,
)
def test_token_is_masked_everywhere(
    api: Api,
    wire: respx.Route,
    caplog: pytest.LogCaptureFixture,
    answer: httpx.Response | Exception,
) -> None:
    """In a repr, a log, a message and a traceback, even if the service repeats it."""
    caplog.set_level(logging.DEBUG)
    wire.mock(side_effect=[answer] * 5)

    error = error_of(api)

    cause = error.__cause__
    request = cause.request if isinstance(cause, httpx.RequestError) else None
    shown = [repr(api), str(error), repr(error), caplog.text, repr(request)]
    shown += traceback.format_exception(error)
    shown += [repr(request.headers)] if request else []
    assert [text for text in shown if TOKEN in text] == []


def limit(remaining: int, seconds: int) -> httpx.Response:
    headers = {"Ratelimit": f'"default";r={remaining};t={seconds}'}
    return httpx.Response(200, json={"success": True, "result": None}, headers=headers)


def test_no_delay_far_from_the_rate_limit(api: Api, clock: FakeClock, wire: respx.Route) -> None:
    """While at least 200 requests of the window are left."""
    wire.mock(side_effect=[limit(201, 100), limit(200, 100), DONE])

    for _ in range(3):
        api.call(QUERY)

    assert clock.slept == []


def test_requests_near_the_rate_limit_are_spread_over_the_window(
    api: Api, clock: FakeClock, wire: respx.Route
) -> None:
    """Of 120 requests 20 are reserved: 100 in 50 s are one per half second."""
    wire.mock(side_effect=[limit(120, 50), DONE, DONE])

    for _ in range(2):
        api.call(QUERY)

    assert clock.slept == [0.5]


def test_exhausted_window_is_waited_for(api: Api, clock: FakeClock, wire: respx.Route) -> None:
    """The last 20 requests are for other users of the token."""
    wire.mock(side_effect=[limit(20, 77), DONE, DONE])

    for _ in range(3):
        api.call(QUERY)

    assert clock.slept == [77]
    assert api.waited_s == 77


def test_strictest_of_several_limits_counts(api: Api, clock: FakeClock, wire: respx.Route) -> None:
    """The header may contain several."""
    headers = {"Ratelimit": '"default";r=900;t=200, "burst";r=0;t=3'}
    wire.mock(side_effect=[httpx.Response(200, json={"success": True}, headers=headers), DONE])

    for _ in range(2):
        api.call(QUERY)

    assert clock.slept == [3]


def test_close_ends_a_retry_delay(wire: respx.Route) -> None:
    """An interrupted program does not hang for minutes."""

    class Closing(FakeClock):
        def wait(self, end: object, seconds: float) -> None:
            border.close()

    border = Api(TOKEN, ACCOUNT, base_url=BASE, clock=Closing())
    wire.mock(reply(971, "throttling", 429, {"Retry-After": "300"}))

    with pytest.raises(ServiceError, match="closed"):
        border.call(QUERY)
    assert wire.call_count == 1


def test_token_is_masked_before_a_message_is_cut(api: Api, wire: respx.Route) -> None:
    """A page may echo the header."""
    page = f"Forbidden. Your request had: {'x' * 30} Bearer {TOKEN}"
    wire.mock(return_value=httpx.Response(403, text=page))
    assert TOKEN[:8] not in str(error_of(api))


@pytest.mark.parametrize("errors", ["no", ["no"], {"code": 1}, [None], None])
def test_malformed_error_list_is_an_error(api: Api, wire: respx.Route, errors: object) -> None:
    """Whatever is under `errors`, there is no traceback."""
    body = {"success": False, "errors": errors}
    wire.mock(return_value=httpx.Response(400, json=body))
    assert str(error_of(api))

"""The border to Cloudflare's API, on answers made by hand."""

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

TOKEN = "secret-token-0123456789"
ACCOUNT = "0123456789abcdef0123456789abcdef"
BASE = "https://api.example.org/client/v4"
URL = f"{BASE}/accounts/{ACCOUNT}/d1/database/x/raw"
QUERY = Call("d1", "d1/database/x/raw", json_bytes({"sql": "SELECT 1"}))
NOON = 1_800_000_000.0
DONE = httpx.Response(200, json={"success": True, "errors": [], "result": [1]})


@pytest.fixture
def clock() -> FakeClock:
    """A clock at noon."""
    return FakeClock(start=NOON)


@pytest.fixture
def api(clock: FakeClock) -> Iterator[Api]:
    """A border that sleeps on that clock."""
    api = Api(TOKEN, ACCOUNT, base_url=BASE, clock=clock)
    yield api
    api.close()


@pytest.fixture
def wire() -> Iterator[respx.Route]:
    """What the service answers."""
    with respx.mock as mock:
        yield mock.route(url=URL)


def refused(
    code: int, message: str, status: int = 400, headers: dict[str, str] | None = None
) -> httpx.Response:
    errors = [{"code": code, "message": message}]
    body = {"success": False, "errors": errors, "messages": [], "result": None}
    return httpx.Response(status, json=body, headers=headers)


def error_of(api: Api, service: str = "d1") -> FeederError:
    """What a call that does not succeed raises."""
    with pytest.raises(FeederError) as caught:
        api.call(QUERY._replace(service=service))
    return caught.value


def test_a_call_carries_the_token_and_answers_the_result(api: Api, wire: respx.Route) -> None:
    """A call with content is a POST of it below the account's address."""
    wire.mock(DONE)

    assert api.call(QUERY) == [1]

    request = wire.calls.last.request
    assert request.method == "POST"
    assert request.headers["Authorization"] == f"Bearer {TOKEN}"
    assert request.headers["Content-Type"] == "application/json"
    assert json.loads(request.content) == {"sql": "SELECT 1"}
    assert (api.requests, api.retries, api.waited_s) == ({"d1": 1}, {}, 0)


def test_the_slash_of_a_models_name_stays_a_slash(api: Api) -> None:
    """Encoded, it would lead nowhere."""
    with respx.mock as mock:
        route = mock.route().mock(DONE)
        api.call(Call("ai", "ai/run/@cf/baai/bge-m3", b"{}"))

    assert route.calls.last.request.url.raw_path.endswith(b"/ai/run/@cf/baai/bge-m3")


PASSING = [
    refused(7500, "internal error; reference = 4gkq81vn7d", 500),
    refused(7500, "Network connection lost.", 500),
    refused(7500, "D1 DB reset because its code was updated.", 500),
    refused(7500, "Internal error in D1 DB storage caused object to be reset.", 400),
    refused(7500, "Cannot resolve D1 DB due to transient issue on remote node.", 400),
    refused(10001, "internal server error", 200),
    refused(40041, "Too Many Requests", 400),
    refused(971, "Please wait and consider throttling your request speed", 429),
    refused(10429, "Rate limited. Please try again later.", 400),
    refused(0, "unheard of", 503),
    httpx.Response(502, html="<html><head><title>502 Bad Gateway</title></head></html>"),
    httpx.Response(429, text="slow down"),
    httpx.Response(200, text='{"success": tr', headers={"Content-Type": "application/json"}),
    httpx.ReadTimeout("no byte for 60 s"),
    httpx.RemoteProtocolError("peer closed connection"),
    httpx.ReadError("connection reset by peer"),
    httpx.ConnectError("Connection refused"),
]


@pytest.mark.parametrize("answer", PASSING, ids=repr)
def test_what_passes_is_tried_again(
    api: Api, wire: respx.Route, answer: httpx.Response | Exception
) -> None:
    """A passing failure is seen only in the count of tries."""
    wire.mock(side_effect=[answer, DONE])

    assert api.call(QUERY) == [1]
    assert (api.requests["d1"], api.retries["d1"]) == (2, 1)


@pytest.mark.parametrize("answer", PASSING, ids=repr)
def test_after_five_tries_it_is_an_error(
    api: Api, clock: FakeClock, wire: respx.Route, answer: httpx.Response | Exception
) -> None:
    """The waits grow as 1, 2, 4 and 8 s, each with up to a second of chance."""
    wire.mock(side_effect=[answer] * 6)

    error = error_of(api)

    assert isinstance(error, TransientError)
    assert error.exit_code == 1
    assert wire.call_count == 5
    assert [int(wait) for wait in clock.slept] == [1, 2, 4, 8]
    assert api.waited_s == sum(clock.slept)


def test_a_retry_after_in_seconds_is_kept(api: Api, clock: FakeClock, wire: respx.Route) -> None:
    """Also above the cap of the backoff, and up to the 300 s of a block."""
    throttled = [
        refused(971, "throttling", 429, {"Retry-After": seconds}) for seconds in ("7", "299", "999")
    ]
    wire.mock(side_effect=[*throttled, DONE])

    api.call(QUERY)

    assert clock.slept == [7, 299, 300]


def test_a_retry_after_as_a_date_is_kept(api: Api, clock: FakeClock, wire: respx.Route) -> None:
    """An HTTP date means the seconds until then."""
    later = email.utils.formatdate(NOON + 45, usegmt=True)
    wire.mock(side_effect=[refused(0, "busy", 503, {"Retry-After": later}), DONE])

    api.call(QUERY)

    assert clock.slept == [45]


FINAL = [
    (refused(3036, "you have used up your daily free allocation", 429), "ai"),
    (refused(7500, "Your account has exceeded D1's free tier daily row write limit."), "d1"),
]


@pytest.mark.parametrize(("answer", "service"), FINAL)
def test_a_quota_of_the_day_is_final(
    api: Api, wire: respx.Route, answer: httpx.Response, service: str
) -> None:
    """It says when it resets, and nothing is tried again."""
    wire.mock(answer)

    error = error_of(api, service)

    assert isinstance(error, ServiceError) and not isinstance(error, TransientError)
    assert "00:00 UTC" in str(error)
    assert wire.call_count == 1


def test_no_capacity_is_not_the_quota(api: Api, wire: respx.Route) -> None:
    """Code 3040 comes with the same status, and passes."""
    wire.mock(side_effect=[refused(3040, "Capacity temporarily exceeded", 429), DONE])

    assert api.call(QUERY._replace(service="ai")) == [1]


@pytest.mark.parametrize(
    ("answer", "service"),
    [
        (refused(7500, "D1 DB storage operation exceeded timeout which caused object to be reset."),
         "d1"),
        (refused(7500, "D1 DB exceeded its memory limit and was reset.", 500), "d1"),
        (refused(7500, "D1 DB exceeded its CPU time limit and was reset.", 500), "d1"),
        (refused(7500, "string or blob too big: SQLITE_TOOBIG"), "d1"),
        (refused(3006, "AiError: AiError: Request is too large", 413), "ai"),
        (refused(5021, "exceeded this model context window limit (8192)", 413), "ai"),
        (httpx.Response(413, html="<title>413 Request Entity Too Large</title>"), "vectorize"),
    ],
)  # fmt: skip
def test_what_is_too_large_or_slow_is_for_the_caller_to_halve(
    api: Api, wire: respx.Route, answer: httpx.Response, service: str
) -> None:
    """The same call again would fail again."""
    wire.mock(answer)

    assert isinstance(error_of(api, service), TooLargeError)
    assert wire.call_count == 1


def test_an_overloaded_database_is_tried_again_before_it_is_asked_for_less(
    api: Api, wire: respx.Route
) -> None:
    """Others may be what overloads it."""
    wire.mock(refused(7500, "D1 DB is overloaded. Requests queued for too long.", 500))

    assert isinstance(error_of(api), TooLargeError)
    assert wire.call_count == 5


def test_an_sql_error_is_final_whatever_it_quotes(api: Api, wire: respx.Route) -> None:
    """D1 has one code for SQL errors and for passing ones; the message is told as it is."""
    message = 'fts5: syntax error near "internal error": SQLITE_ERROR'
    wire.mock(refused(7500, message, headers={"cf-ray": "8a1-FRA"}))

    error = error_of(api)

    assert isinstance(error, ServiceError) and not isinstance(error, TransientError)
    assert str(error) == f"D1: {message} (HTTP 400, code 7500, ray 8a1-FRA)."
    assert (error.status, error.code, error.ray) == (400, 7500, "8a1-FRA")


@pytest.mark.parametrize(
    ("service", "answer", "named"),
    [
        ("d1", refused(10000, "Authentication error", 401), ["CLOUDFLARE_API_TOKEN", "D1 Edit"]),
        ("ai", refused(10000, "Authentication error", 401), ["CLOUDFLARE_API_TOKEN to"]),
        ("ai", refused(10000, "Authentication error", 403), ["Workers AI Read"]),
        ("vectorize", refused(10000, "Authentication error", 403), ["Vectorize Edit"]),
        ("vectorize", refused(1, "no", 403), ["Vectorize Edit", "CLOUDFLARE_ACCOUNT_ID"]),
        ("d1", refused(6003, "Invalid request headers"), ["CLOUDFLARE_API_TOKEN"]),
        ("d1", refused(9109, "Invalid access token", 403), ["CLOUDFLARE_API_TOKEN"]),
        ("d1", refused(7403, "The given account is not valid", 403), ["CLOUDFLARE_ACCOUNT_ID"]),
        ("d1", refused(7003, "Could not route to /client/v4/accounts/x, perhaps your object"),
         ["CLOUDFLARE_ACCOUNT_ID"]),
        ("d1", refused(7003, "Could not route to /client/v4/accounts/x/d1/database/7, perhaps"),
         ["--database-id"]),
        ("d1", refused(7404, "The database 7 could not be found", 404), ["--database-id"]),
        ("d1", refused(7400, "Invalid property: databaseId => Invalid uuid"), ["--database-id"]),
        ("vectorize", refused(3000, "vectorize.index.not_found"), ["--index-name", "feeder init"]),
        ("vectorize", refused(3005, "vectorize.index.deleted", 410), ["--index-name"]),
        ("vectorize", refused(40010, "expected 768 dimensions, and got 1024 dimensions"),
         ["768", "1024", "--index-name", "--model"]),
        ("vectorize", refused(40006, "invalid query vector, expected 2 dimensions, and got 3"),
         ["--index-name"]),
        ("ai", refused(7000, "No route for that URI"), ["--model"]),
        ("d1", refused(7500, "Exceeded maximum DB size"), [".feederignore"]),
        ("d1", httpx.Response(200, html="<title>Log in</title>"),
         ["Log in", "CLOUDFLARE_BASE_URL", "HTTPS_PROXY"]),
        ("d1", httpx.Response(302, headers={"Location": "/login"}), ["CLOUDFLARE_BASE_URL"]),
        ("d1", httpx.ProxyError("403 Forbidden"), ["HTTPS_PROXY"]),
        ("d1", httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED]"), ["SSL_CERT_FILE"]),
    ],
)  # fmt: skip
def test_what_the_user_must_change_is_named(
    api: Api, wire: respx.Route, service: str, answer: httpx.Response | Exception, named: list[str]
) -> None:
    """A wrong setting is one sentence with its name, exit code 2, and is tried once."""
    wire.mock(side_effect=[answer])

    error = error_of(api, service)

    assert isinstance(error, UserError)
    assert [name for name in named if name not in str(error)] == []
    assert wire.call_count == 1


def test_no_network_is_a_sentence(api: Api, wire: respx.Route) -> None:
    """After all tries it says what could not be reached."""
    wire.mock(side_effect=httpx.ConnectError("[Errno -2] Name or service not known"))

    assert str(error_of(api)) == (
        f"{BASE} cannot be reached ([Errno -2] Name or service not known). "
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
def test_settings_that_cannot_be_right_are_refused_at_once(
    settings: tuple[str, str, str], named: str
) -> None:
    """Without a request, and without showing the value."""
    token, account, base = settings
    with pytest.raises(UserError, match=named) as caught:
        Api(token, account, base_url=base)
    assert not token or token not in str(caught.value)


def test_proxy_settings_that_cannot_be_used_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment's proxy is used, so it must be one."""
    monkeypatch.setenv("HTTPS_PROXY", "gopher://proxy.example.org")

    with pytest.raises(UserError, match="HTTPS_PROXY"):
        Api(TOKEN, ACCOUNT)


@pytest.mark.parametrize(
    "answer",
    [
        refused(10000, f"Authentication error: Bearer {TOKEN}", 403),
        refused(7500, f"near {TOKEN}: SQLITE_ERROR"),
        httpx.Response(502, html=f"<title>{TOKEN}</title>"),
        httpx.Response(200, html=f"<title>{TOKEN}</title>"),
        httpx.ConnectError("Connection refused"),
    ],
    ids=repr,
)
def test_the_token_is_shown_nowhere(
    api: Api,
    wire: respx.Route,
    caplog: pytest.LogCaptureFixture,
    answer: httpx.Response | Exception,
) -> None:
    """Not in a repr, a log, a message or a traceback, also when the service repeats it."""
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


def test_far_from_the_limit_nobody_waits(api: Api, clock: FakeClock, wire: respx.Route) -> None:
    """As long as 200 requests are left of the window."""
    wire.mock(side_effect=[limit(201, 100), limit(200, 100), DONE])

    for _ in range(3):
        api.call(QUERY)

    assert clock.slept == []


def test_near_the_limit_what_is_left_is_spread_over_the_window(
    api: Api, clock: FakeClock, wire: respx.Route
) -> None:
    """Of 120 requests 20 are left to others: 100 in 50 s are one every half second."""
    wire.mock(side_effect=[limit(120, 50), DONE, DONE])

    for _ in range(2):
        api.call(QUERY)

    assert clock.slept == [0.5]


def test_at_the_wall_the_next_window_is_waited_for(
    api: Api, clock: FakeClock, wire: respx.Route
) -> None:
    """The last 20 requests are for others who share the token."""
    wire.mock(side_effect=[limit(20, 77), DONE, DONE])

    for _ in range(3):
        api.call(QUERY)

    assert clock.slept == [77]
    assert api.waited_s == 77


def test_the_tightest_of_several_limits_counts(
    api: Api, clock: FakeClock, wire: respx.Route
) -> None:
    """The header may name more than one."""
    headers = {"Ratelimit": '"default";r=900;t=200, "burst";r=0;t=3'}
    wire.mock(side_effect=[httpx.Response(200, json={"success": True}, headers=headers), DONE])

    for _ in range(2):
        api.call(QUERY)

    assert clock.slept == [3]


def test_who_waits_for_another_try_is_woken_at_the_end(wire: respx.Route) -> None:
    """Closing the border ends its sleep: an interrupted program does not hang for minutes."""

    class Closing(FakeClock):
        def wait(self, end: object, seconds: float) -> None:
            border.close()

    border = Api(TOKEN, ACCOUNT, base_url=BASE, clock=Closing())
    wire.mock(refused(971, "throttling", 429, {"Retry-After": "300"}))

    with pytest.raises(ServiceError, match="closed"):
        border.call(QUERY)
    assert wire.call_count == 1


def test_no_part_of_the_token_is_shown(api: Api, wire: respx.Route) -> None:
    """A page that echoes the header is masked before it is cut to a line's length."""
    page = f"Forbidden. Your request had: {'x' * 30} Bearer {TOKEN}"
    wire.mock(return_value=httpx.Response(403, text=page))
    assert TOKEN[:8] not in str(error_of(api))


@pytest.mark.parametrize("errors", ["no", ["no"], {"code": 1}, [None], None])
def test_errors_of_another_form_are_an_error_too(
    api: Api, wire: respx.Route, errors: object
) -> None:
    """Whatever stands under `errors`, the caller gets the error tree and no traceback."""
    body = {"success": False, "errors": errors}
    wire.mock(return_value=httpx.Response(400, json=body))
    assert str(error_of(api))

"""Ordered faults: the error, its time, and whether the work was done."""

import email.utils
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from standin import StandIn
from standin_calls import Database, Index, error_of, message, result, vector


@pytest.fixture
def db(api: httpx.Client) -> Database:
    """A database with an empty table `t`."""
    database = Database(api)
    result(database.query("CREATE TABLE t (a)"))
    return database


def _count(db: Database) -> int:
    return int(db.rows("SELECT count(*) AS n FROM t")[0]["n"])


def _insert(db: Database) -> httpx.Response:
    return db.query("INSERT INTO t VALUES (1)")


@pytest.mark.parametrize(
    ("kind", "refused", "words"),
    [
        ("throttled", (429, 971), "throttling"),
        ("throttled_silent", (429, 971), "throttling"),
        ("throttled_10429", (429, 10429), "Rate limited"),
        ("server_error", (500, 10001), "internal server error"),
        ("success_false", (200, 10001), "internal server error"),
        ("d1_internal", (500, 7500), "internal error"),
        ("d1_lost", (500, 7500), "Network connection lost"),
        ("d1_updated", (500, 7500), "D1 DB reset because its code was updated"),
        ("d1_object_reset", (500, 7500), "storage caused object to be reset"),
        ("d1_unresolved", (500, 7500), "Cannot resolve D1 DB due to transient issue"),
        ("d1_timeout", (500, 7500), "exceeded timeout"),
        ("d1_overloaded", (500, 7500), "is overloaded"),
        ("d1_memory", (500, 7500), "exceeded its memory limit"),
        ("d1_cpu", (500, 7500), "exceeded its CPU time limit"),
        ("d1_daily_rows", (400, 7500), "exceeded D1's free tier daily row"),
        ("ai_daily_neurons", (429, 3036), "daily free allocation of 10,000 neurons"),
        ("ai_capacity", (429, 3040), "Capacity temporarily exceeded"),
        ("vectorize_throttled", (400, 40041), "Too Many Requests"),
    ],
)
def test_fault_has_cloudflares_response(
    db: Database, standin: StandIn, kind: str, refused: tuple[int, int], words: str
) -> None:
    """Once, in the envelope; the work is not done."""
    standin.fault(kind)

    failed = _insert(db)

    assert error_of(failed) == refused
    assert words in message(failed)
    assert _count(db) == 0


@pytest.mark.parametrize(("kind", "status"), [("bad_gateway", 502), ("unavailable", 503)])
def test_gateway_errors_are_html(db: Database, standin: StandIn, kind: str, status: int) -> None:
    """502 and 503 come from Cloudflare's edge."""
    standin.fault(kind)

    failed = _insert(db)

    assert failed.status_code == status
    assert failed.headers["Content-Type"] == "text/html; charset=UTF-8"
    assert failed.text.startswith(f"<html>\r\n<head><title>{status} ")


def test_retry_after_is_there_or_not_and_in_seconds_or_a_date(
    db: Database, standin: StandIn
) -> None:
    """A 429 comes with `Retry-After` in seconds, as an HTTP date, or without it."""
    standin.fault("throttled", retry_after=7)
    standin.fault("throttled_silent")
    standin.fault("unavailable", retry_at_s=90)

    seconds, silent, dated = _insert(db), _insert(db), _insert(db)

    assert seconds.headers["Retry-After"] == "7"
    assert "Retry-After" not in silent.headers
    at = email.utils.parsedate_to_datetime(dated.headers["Retry-After"])
    assert timedelta(seconds=30) < at - datetime.now(UTC) <= timedelta(seconds=90)


def test_response_can_be_changed(db: Database, standin: StandIn) -> None:
    """Status, code and message."""
    standin.fault("server_error", status=520, code=1234, message="out of cheese")

    failed = _insert(db)

    assert (error_of(failed), message(failed)) == ((520, 1234), "out of cheese")


@pytest.mark.parametrize(("after", "rows"), [(False, 0), (True, 1)])
def test_a_reset_comes_before_or_after_the_write(
    db: Database, standin: StandIn, after: bool, rows: int
) -> None:
    """A connection that is reset tells nothing about whether the write was done."""
    standin.fault("reset", after=after)

    with pytest.raises(httpx.ReadError):
        _insert(db)

    assert _count(db) == rows


@pytest.mark.parametrize(("after", "rows"), [(False, 0), (True, 1)])
def test_a_call_that_hangs_is_done_or_not(
    db: Database, api: httpx.Client, standin: StandIn, after: bool, rows: int
) -> None:
    """A call without an answer runs into the client's own time-out."""
    standin.fault("hang", after=after)
    api.timeout = httpx.Timeout(1)

    with pytest.raises(httpx.ReadTimeout):
        _insert(db)

    api.timeout = httpx.Timeout(60)
    assert _count(db) == rows


def test_half_a_body_comes_after_the_write(db: Database, standin: StandIn) -> None:
    """An answer that breaks off in the middle was given for work that was done."""
    standin.fault("half_body")

    with pytest.raises(httpx.RemoteProtocolError):
        _insert(db)

    assert _count(db) == 1


@pytest.mark.parametrize("kind", ["server_error", "bad_gateway", "d1_lost"])
def test_an_error_can_hide_a_write_that_was_done(db: Database, standin: StandIn, kind: str) -> None:
    """A 5xx on a write is ambiguous: it may have been done."""
    standin.fault(kind, after=True)

    assert _insert(db).is_error
    assert _count(db) == 1


def test_fault_applies_to_its_route(api: httpx.Client, standin: StandIn) -> None:
    """By a pattern; other requests pass and do not count."""
    db, index = Database(api), Index(api)
    standin.fault("server_error", route="vectorize.*", times=2)

    assert db.query("SELECT 1").is_success
    assert index.upsert(vector("a")).is_error
    assert index.get("info").is_error
    assert index.get("info").is_success
    assert [(fault["seen"], fault["fired"]) for fault in standin.faults()] == [(3, 2)]


def test_fault_applies_to_requests_by_number(db: Database, standin: StandIn) -> None:
    """Of matching requests, from 1, since the order."""
    standin.fault("server_error", route="d1.query", requests=[2, 4])
    standin.fault("bad_gateway", route="d1.query", requests=[3])

    assert [_insert(db).status_code for _ in range(5)] == [200, 500, 502, 500, 200]


def test_random_faults_are_deterministic_for_a_seed(api: httpx.Client, standin: StandIn) -> None:
    def statuses(rate: float, seed: int) -> list[int]:
        standin.reset()
        db = Database(api)
        standin.fault("server_error", rate=rate, seed=seed, route="d1.query")
        return [db.query("SELECT 1").status_code for _ in range(20)]

    half = statuses(0.5, 7)

    assert half == statuses(0.5, 7) != statuses(0.5, 8)
    assert 4 <= half.count(500) <= 16
    assert statuses(0, 7) == [200] * 20
    assert statuses(1, 7) == [500] * 20


def test_a_batch_that_is_too_large_fails_until_it_is_smaller(
    db: Database, standin: StandIn
) -> None:
    """A fault for more than some statements or bytes stays, and smaller calls pass."""
    standin.fault("d1_overloaded", statements_above=2)
    standin.fault("d1_memory", bytes_above=1000)
    insert = "INSERT INTO t VALUES (1)"

    statuses = [db.batch(*[insert] * count).status_code for count in (3, 3, 2, 1)]

    assert statuses == [500, 500, 200, 200]
    assert "memory" in message(db.query("SELECT 1 /*" + "x" * 1000 + "*/"))
    assert _count(db) == 3


def test_the_log_names_the_fault(db: Database, standin: StandIn) -> None:
    """A request that met a fault says so in the log."""
    standin.fault("reset")
    with pytest.raises(httpx.ReadError):
        _insert(db)

    assert [entry.get("fault") for entry in standin.log()] == [None, None, "reset"]

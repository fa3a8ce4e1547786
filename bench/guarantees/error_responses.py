"""Tests that a run with failing requests ends right, or stops with a reason and can continue."""

import json
import threading
import time
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from random import Random
from typing import Any, NamedTuple

import httpx
from chat_server import Answer, ChatReply, ChatServer, description_of_name, error_reply

from feeder.cloudflare.api import Api
from feeder.retry import Clock
from guarantees import table
from guarantees.contents import WORD_TABLES, IndexContents
from guarantees.history import Commits
from guarantees.program import AtRequest, Limits, Setup
from guarantees.reference import Reference, recover
from guarantees.stores import INDEX, Cloud

STORES = ("cloud",)
"""The embedded store sends no requests."""
COLUMNS = (
    "failing requests",
    "runs",
    "requests failed",
    "right after the run",
    "stopped with a reason, right after the next run",
    "wrong",
)
MAX_REQUESTS = 80
"""Faults are drawn for this many requests per service; a run takes about ten."""

Fault = dict[str, Any]
D1, VECTORIZE, AI = "d1.raw", "vectorize.*", "ai.run"


def _kinds(*names: str, lost: bool = False) -> list[Fault]:
    """Returns faults of these kinds; with `lost` also those that lose the answer."""
    return [{"kind": name, "after": after} for name in names for after in {False, lost}]


_COMMON_FAULTS = [
    *_kinds("throttled", "throttled_silent", "throttled_10429", "bad_gateway", "unavailable"),
    *_kinds("success_false", "half_body"),
    *_kinds("reset", "server_error", "hang", lost=True),
]
FAULTS: dict[str, list[Fault]] = {
    D1: [
        *_COMMON_FAULTS,
        *_kinds("d1_internal", "d1_updated", "d1_object_reset", "d1_unresolved"),
        *_kinds("d1_overloaded", "d1_memory", "d1_cpu"),
        *_kinds("d1_timeout", "d1_lost", lost=True),
    ],
    VECTORIZE: [*_COMMON_FAULTS, *_kinds("vectorize_throttled")],
    AI: [*_COMMON_FAULTS, *_kinds("ai_capacity")],
}


class ControlCommand(NamedTuple):
    """A control command that a run sends to the stand-in."""

    base_url: str
    name: str
    values: dict[str, Any]

    def __call__(self) -> None:
        address = f"{self.base_url.removesuffix('/client/v4')}/__control__/{self.name}"
        # urllib, because requests by httpx are counted as the run's
        request = urllib.request.Request(address, json.dumps(self.values).encode())
        urllib.request.urlopen(request).close()


class SkippedSleeps(NamedTuple):
    """Replaces sleeping by moving the clocks of the run and the stand-in forward."""

    base_url: str

    def __call__(self) -> None:
        import feeder.cloudflare.api

        clock = _SkippingClock(self.base_url)
        setattr(feeder.cloudflare.api, "Clock", lambda: clock)  # noqa: B010


class _SkippingClock(Clock):
    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self._added_s = 0.0

    def now(self) -> float:
        return time.time() + self._added_s

    def wait(self, end: threading.Event, seconds: float) -> None:
        self._added_s += seconds
        ControlCommand(self._base_url, "clock", {"advance_s": seconds})()


def shorten_timeout() -> None:
    """Sets the request timeout to 2 s, so that a hanging request does not cost a minute."""
    import feeder.session.cloud_backend

    setattr(feeder.session.cloud_backend, "Api", partial(Api, timeout_s=2.0))  # noqa: B010


class FaultScenario(NamedTuple):
    """The faults of one run; with `keeps_postings` all postings must be right even if it stops."""

    name: str
    faults: Sequence[Fault] = ()
    setups: Sequence[Setup] = ()
    keeps_postings: bool = False
    answer: Answer | None = None
    """The language model's answer from request `at` on, in place of a description."""
    at: int = 1


NO_FAULTS = FaultScenario("nothing")


@dataclass
class Tally:
    """Results of the runs of a row."""

    runs: int = 0
    refused: int = 0
    completed: int = 0
    completed_by_next: int = 0
    failures: list[str] = field(default_factory=list)


def run_trial(cloud: Cloud, commits: Commits, interval: int) -> bool:
    """Prints a row per kind of fault. Returns True if no run ended wrong."""
    trials = Trials(cloud, commits)
    all_passed = True
    for name, scenarios in _rows(trials).items():
        tally = trials.tally(table.with_progress(name, scenarios[::interval]))
        finished = tally.completed, tally.completed_by_next, len(tally.failures)
        table.print_row(name, tally.runs, tally.refused, *finished)
        table.print_failures(tally.failures)
        all_passed = all_passed and not tally.failures
    return all_passed


class Trials:
    """Syncs the first commit's index with the second commit while requests fail."""

    def __init__(self, cloud: Cloud, commits: Commits) -> None:
        self.cloud = cloud
        self._commits = commits
        self._setups = SkippedSleeps(cloud.standin.base_url), shorten_timeout
        self._clean = Reference(cloud).of(commits.second)
        self.requests, self.model_requests = self._count_requests()

    def tally(self, scenarios: Iterable[FaultScenario]) -> Tally:
        tally = Tally()
        for scenario in scenarios:
            self._run_with_faults(scenario, tally)
        if not tally.refused:
            tally.failures.append("no request was refused")
        return tally

    def _run_with_faults(self, scenario: FaultScenario, tally: Tally) -> None:
        cloud = self.cloud
        cloud.reset(self._commits.first)
        log_start = len(cloud.standin.log())
        for fault in scenario.faults:
            cloud.standin.fault(**fault)
        with _answering(cloud, scenario) as model:
            finished = cloud.sync(self._commits.second, *self._setups, *scenario.setups)
        log = cloud.standin.log(log_start)
        tally.runs += 1
        tally.refused += sum(entry["status"] >= 400 or "fault" in entry for entry in log)
        tally.refused += model.refused
        _consume_faults(cloud)
        contents = cloud.contents()
        differences = contents.differences(self._clean)
        if not finished.code and not differences:
            tally.completed += 1
        elif finished.has_error_message and self._is_completed_by_next(scenario, contents):
            tally.completed_by_next += 1
        else:
            tally.failures.append(f"{scenario.name}: {finished}, {differences}")

    def _is_completed_by_next(self, scenario: FaultScenario, contents: IndexContents) -> bool:
        """Returns True if the stopped run left what is guaranteed and the next run finishes it."""
        has_all_postings = all(
            contents.tables[name] == self._clean.tables[name] for name in WORD_TABLES
        )
        if scenario.keeps_postings and not has_all_postings:
            return False
        return recover(self.cloud, self._commits.second, self._clean, *self._setups).is_right

    def _count_requests(self) -> tuple[dict[str, int], int]:
        """Counts the requests by service and to the language model of a run without faults."""
        self.cloud.reset(self._commits.first)
        before = self.cloud.standin.counts()
        with _answering(self.cloud) as model:
            model.log.clear()
            self.cloud.sync(self._commits.second).expect_done()
        after = self.cloud.standin.counts()
        by_service = {name: after[name] - before.get(name, 0) for name in ("d1", "vectorize", "ai")}
        return by_service, len(model.log)


@contextmanager
def _answering(cloud: Cloud, scenario: FaultScenario = NO_FAULTS) -> Iterator[ChatServer]:
    """Makes the store's language model answer as the fault defines, within the block."""
    model = cloud.describer
    assert model is not None  # set by the test
    model.refused = 0
    if scenario.answer:
        model.answers, model.always = [description_of_name] * (scenario.at - 1), scenario.answer
    yield model
    model.answers, model.always = [], description_of_name


_NEURONS = "daily neurons used up, from each request on"
_NO_AI = "Workers AI down"
_OF_WORKERS_AI = {_NEURONS, _NO_AI}
"""Rows that need a model of Workers AI."""


def _rows(trials: Trials) -> dict[str, list[FaultScenario]]:
    """Returns the runs by table row."""
    d1, ai = trials.requests["d1"], trials.requests["ai"]
    rows = {
        "mixed faults, 1% of the requests": _mixed_faults(0.01, runs=200),
        "mixed faults, 10% of the requests": _mixed_faults(0.1, runs=20),
        "mixed faults, 30% of the requests": _mixed_faults(0.3, runs=20),
        "rate limit for 5 minutes, from each request on": _rate_limits(trials),
        _NEURONS: _quotas(AI, "ai_daily_neurons", ai),
        "daily rows of D1 used up, from each request on": _quotas(D1, "d1_daily_rows", d1),
        "Vectorize down": _outages(VECTORIZE),
        _NO_AI: _outages(AI),
        "D1 down": _outages(D1),
        "language model fails, from each request on": _model_failures(trials.model_requests),
        "large batches of D1 fail": _large_batches(trials.cloud.small_bytes),
    }
    return {name: runs for name, runs in rows.items() if ai or name not in _OF_WORKERS_AI}


def _mixed_faults(rate: float, runs: int) -> list[FaultScenario]:
    return [FaultScenario(f"seed {seed}", draw_faults(rate, seed)) for seed in range(runs)]


def _rate_limits(trials: Trials) -> list[FaultScenario]:
    standin = trials.cloud.standin
    spend = ControlCommand(standin.base_url, "spend", {"token": standin.token, "requests": 2000})
    steps = range(1, sum(trials.requests.values()) + 1)
    return [FaultScenario(f"from request {at} on", setups=[AtRequest(at, spend)]) for at in steps]


def _quotas(route: str, kind: str, requests: int) -> list[FaultScenario]:
    return [outage(route, kind, at) for at in range(1, requests + 1)]


def _outages(route: str) -> list[FaultScenario]:
    return [outage(route, kind) for kind in ("unavailable", "server_error", "reset")]


def _model_failures(model_requests: int) -> list[FaultScenario]:
    no = [error_reply(401, "no such key"), error_reply(503, "too much", Retry_After="0")]
    return [
        FaultScenario(f"request {at}, answer {way}", keeps_postings=True, answer=answer, at=at)
        for at in range(1, model_requests + 1)
        for way, answer in enumerate([*no, lambda _: ChatReply(200, "<html>")], start=1)
    ]


def _large_batches(small_bytes: int) -> list[FaultScenario]:
    limits = Limits(2000, 2000, 1000, 100)
    kinds = ("d1_overloaded", "d1_timeout", "d1_memory", "d1_cpu")
    fault = {"route": D1, "bytes_above": small_bytes}
    return [FaultScenario(kind, [{"kind": kind, **fault}], [limits]) for kind in kinds]


def draw_faults(rate: float, seed: int) -> list[Fault]:
    """Draws faults for this share of the requests to each service, with a seed."""
    draw = Random(f"{rate} {seed}")
    faults: list[Fault] = []
    for route, kinds in FAULTS.items():
        candidates = [(draw.choice(kinds), number) for number in range(1, MAX_REQUESTS + 1)]
        drawn = [candidate for candidate in candidates if draw.random() < rate]
        faults += ({**kind, "route": route, "requests": [number]} for kind, number in drawn)
    return faults


def outage(route: str, kind: str, at: int = 1) -> FaultScenario:
    """Returns a fault for each request to a route from the `at`-th on."""
    fault = {"kind": kind, "route": route, "requests": list(range(at, MAX_REQUESTS + 1))}
    return FaultScenario(f"{kind} from request {at} on", [fault], keeps_postings=route != D1)


def _consume_faults(cloud: Cloud) -> None:
    """Sends requests with another token until no numbered fault is left."""
    bodies = {
        D1: (f"{cloud.database}/raw", {"sql": "SELECT 1"}),
        VECTORIZE: (f"vectorize/v2/indexes/{INDEX}/delete_by_ids", {"ids": ["nobody"]}),
        AI: ("ai/run/@cf/baai/bge-m3", {"text": ["nothing"]}),
    }
    for route, body in bodies.items():
        faults = [fault for fault in cloud.standin.faults() if fault["route"] == route]
        last = max(chain([0], *(fault.get("requests", ()) for fault in faults)))
        seen = faults[0]["seen"] if faults else 0
        for _ in range(seen, last):
            with suppress(httpx.HTTPError, ValueError):
                # a hanging request is counted before the timeout
                cloud.request(*body, timeout_s=0.3)

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
from guarantees.contents import WORDS, IndexContents
from guarantees.history import Commits
from guarantees.program import AtRequest, Change, Limits
from guarantees.reference import Reference, finish
from guarantees.stores import INDEX, Cloud

STORES = ("cloud",)
"""The embedded store sends no requests."""
HEAD = (
    "failing requests",
    "runs",
    "requests failed",
    "right after the run",
    "stopped with a reason, right after the next run",
    "wrong",
)
HORIZON = 80
"""Faults are drawn for this many requests per service; a run takes about ten."""

Fault = dict[str, Any]
D1, VECTORIZE, AI = "d1.raw", "vectorize.*", "ai.run"


def _kinds(*names: str, lost: bool = False) -> list[Fault]:
    """Returns faults of these kinds; with `lost` also those that lose the answer."""
    return [{"kind": name, "after": after} for name in names for after in {False, lost}]


_ANYWHERE = [
    *_kinds("throttled", "throttled_silent", "throttled_10429", "bad_gateway", "unavailable"),
    *_kinds("success_false", "half_body"),
    *_kinds("reset", "server_error", "hang", lost=True),
]
MIX: dict[str, list[Fault]] = {
    D1: [
        *_ANYWHERE,
        *_kinds("d1_internal", "d1_updated", "d1_object_reset", "d1_unresolved"),
        *_kinds("d1_overloaded", "d1_memory", "d1_cpu"),
        *_kinds("d1_timeout", "d1_lost", lost=True),
    ],
    VECTORIZE: [*_ANYWHERE, *_kinds("vectorize_throttled")],
    AI: [*_ANYWHERE, *_kinds("ai_capacity")],
}


class Order(NamedTuple):
    """A control command that a run sends to the stand-in."""

    base_url: str
    name: str
    values: dict[str, Any]

    def __call__(self) -> None:
        address = f"{self.base_url.removesuffix('/client/v4')}/__control__/{self.name}"
        # urllib, because requests by httpx are counted as the run's
        order = urllib.request.Request(address, json.dumps(self.values).encode())
        urllib.request.urlopen(order).close()


class MovedTime(NamedTuple):
    """Replaces sleeping by moving the clocks of the run and the stand-in forward."""

    base_url: str

    def __call__(self) -> None:
        import feeder.cloudflare.api

        clock = _MovedClock(self.base_url)
        setattr(feeder.cloudflare.api, "Clock", lambda: clock)  # noqa: B010


class _MovedClock(Clock):
    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self._added_s = 0.0

    def now(self) -> float:
        return time.time() + self._added_s

    def wait(self, end: threading.Event, seconds: float) -> None:
        self._added_s += seconds
        Order(self._base_url, "clock", {"advance_s": seconds})()


def give_up_soon() -> None:
    """Sets the request timeout to 2 s, so that a hanging request does not cost a minute."""
    import feeder.session.cloud_backend

    setattr(feeder.session.cloud_backend, "Api", partial(Api, timeout_s=2.0))  # noqa: B010


class Trouble(NamedTuple):
    """The faults of one run; with `keeps_words` all postings must be right even if it stops."""

    name: str
    faults: Sequence[Fault] = ()
    changes: Sequence[Change] = ()
    keeps_words: bool = False
    answer: Answer | None = None
    """The language model's answer from request `at` on, in place of a description."""
    at: int = 1


NO_TROUBLE = Trouble("nothing")


@dataclass
class Tally:
    """Results of the runs of a row; `broken` lists the failures."""

    runs: int = 0
    refused: int = 0
    at_once: int = 0
    next_run: int = 0
    broken: list[str] = field(default_factory=list)


def held(cloud: Cloud, commits: Commits, every: int) -> bool:
    """Prints a row per kind of fault. Returns True if no run ended wrong."""
    trials = Trials(cloud, commits)
    all_held = True
    for name, troubles in _rows(trials).items():
        tally = trials.tally(table.counted(name, troubles[::every]))
        row = (tally.runs, tally.refused, tally.at_once, tally.next_run, len(tally.broken))
        table.line(name, *row)
        table.wrong(tally.broken)
        all_held = all_held and not tally.broken
    return all_held


class Trials:
    """Syncs the first commit's index with the second commit while requests fail."""

    def __init__(self, cloud: Cloud, commits: Commits) -> None:
        self.cloud = cloud
        self._commits = commits
        self._changes = MovedTime(cloud.standin.base_url), give_up_soon
        self._clean = Reference(cloud).of(commits.second)
        self.requests, self.questions = self._counted()

    def tally(self, troubles: Iterable[Trouble]) -> Tally:
        tally = Tally()
        for trouble in troubles:
            self._met(trouble, tally)
        if not tally.refused:
            tally.broken.append("no request was refused")
        return tally

    def _met(self, trouble: Trouble, tally: Tally) -> None:
        cloud = self.cloud
        cloud.start(self._commits.first)
        before = len(cloud.standin.log())
        for fault in trouble.faults:
            cloud.standin.fault(**fault)
        with _saying(cloud, trouble) as model:
            ended = cloud.synced(self._commits.second, *self._changes, *trouble.changes)
        log = cloud.standin.log(before)
        tally.runs += 1
        tally.refused += sum(entry["status"] >= 400 or "fault" in entry for entry in log)
        tally.refused += model.refused
        _use_up(cloud)
        seen = cloud.contents()
        unlike = seen.differences(self._clean)
        if not ended.code and not unlike:
            tally.at_once += 1
        elif ended.has_reason and self._goes_on(trouble, seen):
            tally.next_run += 1
        else:
            tally.broken.append(f"{trouble.name}: {ended}, {unlike}")

    def _goes_on(self, trouble: Trouble, seen: IndexContents) -> bool:
        """Returns True if the stopped run left what is guaranteed and the next run finishes it."""
        whole = all(seen.tables[name] == self._clean.tables[name] for name in WORDS)
        if trouble.keeps_words and not whole:
            return False
        return finish(self.cloud, self._commits.second, self._clean, *self._changes).is_right

    def _counted(self) -> tuple[dict[str, int], int]:
        """Counts the requests by service and to the language model of a run without faults."""
        self.cloud.start(self._commits.first)
        before = self.cloud.standin.counts()
        with _saying(self.cloud) as model:
            model.log.clear()
            self.cloud.synced(self._commits.second).expect_done()
        after = self.cloud.standin.counts()
        asked = {name: after[name] - before.get(name, 0) for name in ("d1", "vectorize", "ai")}
        return asked, len(model.log)


@contextmanager
def _saying(cloud: Cloud, trouble: Trouble = NO_TROUBLE) -> Iterator[ChatServer]:
    """Makes the store's language model answer as the fault defines, within the block."""
    model = cloud.describer
    assert model is not None  # set by the test
    model.refused = 0
    if trouble.answer:
        model.answers, model.always = [description_of_name] * (trouble.at - 1), trouble.answer
    yield model
    model.answers, model.always = [], description_of_name


_NEURONS = "daily neurons used up, from each request on"
_NO_AI = "Workers AI down"
_OF_WORKERS_AI = {_NEURONS, _NO_AI}
"""Rows that need a model of Workers AI."""


def _rows(trials: Trials) -> dict[str, list[Trouble]]:
    """Returns the runs by table row."""
    d1, ai = trials.requests["d1"], trials.requests["ai"]
    rows = {
        "mixed faults, 1% of the requests": _mixes(0.01, runs=200),
        "mixed faults, 10% of the requests": _mixes(0.1, runs=20),
        "mixed faults, 30% of the requests": _mixes(0.3, runs=20),
        "rate limit for 5 minutes, from each request on": _blocks(trials),
        _NEURONS: _quotas(AI, "ai_daily_neurons", ai),
        "daily rows of D1 used up, from each request on": _quotas(D1, "d1_daily_rows", d1),
        "Vectorize down": _outages(VECTORIZE),
        _NO_AI: _outages(AI),
        "D1 down": _outages(D1),
        "language model fails, from each request on": _silences(trials.questions),
        "large batches of D1 fail": _large_batches(trials.cloud.small_bytes),
    }
    return {name: runs for name, runs in rows.items() if ai or name not in _OF_WORKERS_AI}


def _mixes(rate: float, runs: int) -> list[Trouble]:
    return [Trouble(f"seed {seed}", mixed(rate, seed)) for seed in range(runs)]


def _blocks(trials: Trials) -> list[Trouble]:
    standin = trials.cloud.standin
    spend = Order(standin.base_url, "spend", {"token": standin.token, "requests": 2000})
    steps = range(1, sum(trials.requests.values()) + 1)
    return [Trouble(f"from request {at} on", changes=[AtRequest(at, spend)]) for at in steps]


def _quotas(route: str, kind: str, requests: int) -> list[Trouble]:
    return [outage(route, kind, at) for at in range(1, requests + 1)]


def _outages(route: str) -> list[Trouble]:
    return [outage(route, kind) for kind in ("unavailable", "server_error", "reset")]


def _silences(questions: int) -> list[Trouble]:
    no = [error_reply(401, "no such key"), error_reply(503, "too much", Retry_After="0")]
    return [
        Trouble(f"request {at}, answer {way}", keeps_words=True, answer=answer, at=at)
        for at in range(1, questions + 1)
        for way, answer in enumerate([*no, lambda _: ChatReply(200, "<html>")], start=1)
    ]


def _large_batches(small_bytes: int) -> list[Trouble]:
    limits = Limits(2000, 2000, 1000, 100)
    kinds = ("d1_overloaded", "d1_timeout", "d1_memory", "d1_cpu")
    fault = {"route": D1, "bytes_above": small_bytes}
    return [Trouble(kind, [{"kind": kind, **fault}], [limits]) for kind in kinds]


def mixed(rate: float, seed: int) -> list[Fault]:
    """Draws faults for this share of the requests to each service, with a seed."""
    some = Random(f"{rate} {seed}")
    faults: list[Fault] = []
    for route, kinds in MIX.items():
        drawn = [(some.choice(kinds), number) for number in range(1, HORIZON + 1)]
        chosen = [one for one in drawn if some.random() < rate]
        faults += ({**kind, "route": route, "requests": [number]} for kind, number in chosen)
    return faults


def outage(route: str, kind: str, at: int = 1) -> Trouble:
    """Returns a fault for each request to a route from the `at`-th on."""
    fault = {"kind": kind, "route": route, "requests": list(range(at, HORIZON + 1))}
    return Trouble(f"{kind} from request {at} on", [fault], keeps_words=route != D1)


def _use_up(cloud: Cloud) -> None:
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
                cloud.ask(*body, timeout_s=0.3)  # a hanging request is counted before the timeout

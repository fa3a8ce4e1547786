"""Sends the same queries to the Worker and to the program on both stores, and compares the answers.

Of each answer the first ten hits are compared: their ids, order and scores. All three read indexes
that were made of the same commit with words, static vectors and stored source.
"""

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from processes import environment
from standin import StandIn

from edge.query_generator import QueryParams, generate_queries
from edge.worker_build import built
from worker_cost.account import REPO, create_index
from worker_cost.command import add_corpora, create_corpora
from worker_cost.isolate import isolate

FIRST_HITS = 10
SCORE_TOLERANCE = 1e-5
"""Relative difference of equal scores; an answer has six decimals of them."""
TOKEN = "equality-of-answers"  # of servers on this machine alone
WORKER, CLOUDFLARE, LOCAL = "Worker", "--store cloudflare", "--store local"
EQUAL = "equal"

Answer = Mapping[str, Any]


class Difference(NamedTuple):
    """A query to which two readers of the index give different answers."""

    readers: str
    query: QueryParams
    kind: str


def main() -> int:
    """Returns the exit code: 2 if a snapshot or the Worker's runtime is missing."""
    args = _parse_args()
    repositories = create_corpora(args)
    if repositories is None:
        return 2
    print("| repository | compared | queries | first ten equal | total equal too |")
    print("| --- | --- | --- | --- | --- |")
    with StandIn.start() as standin, tempfile.TemporaryDirectory() as folder:
        script = built(Path(folder) / "worker.js", "--out")
        for repository in repositories:
            modes = _answers(standin, script, repository, args.queries)
            for mode, answers, queries in modes:
                for line in _report(f"{repository.name}, {mode}", answers, queries):
                    print(line, flush=True)
    return 0


MODES = {"by words": {"meaning": "no"}, "words and vectors": {}}
"""Modes of a search with their parameters."""


def _answers(
    standin: StandIn, script: Path, repository: Path, count: int
) -> Iterator[tuple[str, Mapping[str, Sequence[Answer]], Sequence[QueryParams]]]:
    """Yields the answers of each reader to the queries in each mode."""
    index = create_index(standin, repository)
    _run("sync", "--store", "local", "--model", "static", repository=repository)
    queries = list(generate_queries(index.named_nodes(), count))
    with ExitStack() as opened:
        worker = opened.enter_context(isolate(script, index, by_words=False))
        readers = {WORKER: worker.client}
        for name, variables in ((CLOUDFLARE, standin.environment), (LOCAL, {})):
            serving = _served(repository, name.split(), variables)
            readers[name] = opened.enter_context(serving)
        for mode, params in MODES.items():
            in_mode = [query | params for query in queries]
            answers = {
                name: [client.get("/api/search", params=query).json() for query in in_mode]
                for name, client in readers.items()
            }
            yield mode, answers, in_mode


@contextmanager
def _served(
    repository: Path, store: Sequence[str], variables: Mapping[str, str]
) -> Iterator[httpx.Client]:
    """Runs `feeder serve` on a store, and yields a client of it."""
    command = ["serve", *store, "--no-sync", "--no-open", "--port", "0", "--token", TOKEN]
    with subprocess.Popen(
        [sys.executable, "-m", "feeder", *command, "--repo", REPO],
        cwd=repository,
        env=environment() | dict(variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout
        try:
            address = next(line for line in process.stdout if "http://" in line)
            port = address.partition("http://")[2].partition("/")[0].strip()
            headers = {"Authorization": f"Bearer {TOKEN}"}
            with httpx.Client(
                base_url=f"http://{port}", headers=headers, trust_env=False, timeout=120
            ) as client:
                yield client
        finally:
            process.terminate()
            process.communicate(timeout=60)


def _run(*command: str, repository: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "feeder", *command, "--repo", REPO, "--quiet"],
        cwd=repository,
        env=environment(),
        check=True,
        stdout=subprocess.DEVNULL,
    )


def _report(
    repository: str, answers: Mapping[str, Sequence[Answer]], queries: Sequence[QueryParams]
) -> Iterator[str]:
    differences: list[Difference] = []
    for one, other in ((WORKER, CLOUDFLARE), (WORKER, LOCAL), (CLOUDFLARE, LOCAL)):
        pairs = list(zip(queries, answers[one], answers[other], strict=True))
        unequal = [
            Difference(f"{one}, {other}", query, kind)
            for query, first, second in pairs
            if (kind := compare(first, second)) != EQUAL
        ]
        totals = sum(
            compare(first, second) == EQUAL and first.get("total") == second.get("total")
            for _, first, second in pairs
        )
        equal = len(queries) - len(unequal)
        yield f"| {repository} | {one}, {other} | {len(queries)} | {equal} | {totals} |"
        differences.extend(unequal)
    yield ""
    for (readers, kind), number in Counter(
        (difference.readers, difference.kind) for difference in differences
    ).items():
        yield f"{readers}: {kind}: {number}"
    yield from (
        f"{difference.readers}: {difference.query}: {difference.kind}" for difference in differences
    )


def compare(one: Answer, other: Answer) -> str:
    """Returns how the first ten hits differ: `equal` if ids, order and scores are the same."""
    if ("hits" in one) != ("hits" in other):
        return "an error in one of them"
    if "hits" not in one:
        return EQUAL if one["error"] == other["error"] else "other errors"
    first, second = one["hits"][:FIRST_HITS], other["hits"][:FIRST_HITS]
    ids, other_ids = [hit["id"] for hit in first], [hit["id"] for hit in second]
    if set(ids) != set(other_ids):
        return f"{len(set(ids) - set(other_ids))} other hits"
    if ids != other_ids:
        return "another order"
    scores = zip(first, second, strict=True)
    if any(not is_equal_score(a["score"], b["score"]) for a, b in scores):
        return "other scores"
    return EQUAL


def is_equal_score(one: float, other: float) -> bool:
    """Returns True for scores that differ by rounding alone."""
    return abs(one - other) <= SCORE_TOLERANCE * max(1, abs(one))


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench equality", description=__doc__)
    add_corpora(parser)
    parser.add_argument(
        "--queries", type=int, default=200, help="Queries per repository (default: 200)."
    )
    return parser.parse_args(sys.argv[2:])

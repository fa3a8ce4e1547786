"""Measures search quality: runs judged queries through the engine and computes NDCG, MRR, hit
rate, recall and latency. A rank is the place, from 1, of the first matching hit; None where
none matches.
"""

import math
import statistics
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from feeder.config import Settings
from feeder.errors import UserError
from feeder.evaluation.judgments import JudgedQuery, RelevantTarget
from feeder.notes import Note
from feeder.query.query_plan import SearchRequest
from feeder.search import engine
from feeder.search.open_index import open_index
from feeder.search.query_models import model_name
from feeder.store import Database
from feeder.store.hits import Hit

DEPTH = 20
"""Hits requested for each query; a target below them counts as not found."""


SearchFunction = Callable[[str, int], Sequence[Hit]]
"""Returns at most so many hits for a query, the best first."""

Ranks = Sequence[int | None]
"""The rank of each target of a query."""


class Outcome(NamedTuple):
    """A query with its hits, the rank of each target, and its latency."""

    query: JudgedQuery
    hits: Sequence[Hit]
    ranks: Ranks
    ms: float

    @property
    def first_rank(self) -> int | None:
        """The rank of the first relevant hit."""
        return min(_ranks_within(self.ranks, DEPTH), default=None)

    def value(self, measure: str) -> float:
        """The value of one of `MEASURES`."""
        return MEASURES[measure](self.ranks)


def run_evaluation(queries: Iterable[JudgedQuery], search: SearchFunction) -> list[Outcome]:
    """Runs each query once; the first one also before, untimed, to load the models.

    Raises UserError, with the query's line, for a filter that names nothing.
    """
    outcomes: list[Outcome] = []
    for query in queries:
        if not outcomes:
            _run_query(query, search)
        started = time.perf_counter()
        hits = _run_query(query, search)
        ms = (time.perf_counter() - started) * 1000
        ranks = [target_rank(target, hits) for target in query.targets]
        outcomes.append(Outcome(query, hits, ranks, ms))
    return outcomes


def _run_query(query: JudgedQuery, search: SearchFunction) -> Sequence[Hit]:
    try:
        return search(query.query, DEPTH)[:DEPTH]
    except UserError as exc:
        raise UserError(f"The query in line {query.line}: {exc.problem}", exc.remedy) from exc


def target_rank(target: RelevantTarget, hits: Iterable[Hit]) -> int | None:
    """The rank of the first hit that matches the target."""
    return next((rank for rank, hit in enumerate(hits, start=1) if target.is_matched_by(hit)), None)


def ndcg(ranks: Ranks, k: int = 10) -> float:
    """Normalized discounted cumulative gain with a gain of 1 for each matching hit.

    It is divided by the gain of all targets at the first ranks. A hit that matches several targets
    counts once.
    """
    gain = sum(1 / math.log2(rank + 1) for rank in {*_ranks_within(ranks, k)})
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(ranks)) + 1))
    return gain / ideal


def reciprocal_rank(ranks: Ranks) -> float:
    """1 over the rank of the first relevant hit; 0 if there is none."""
    return max((1 / rank for rank in _ranks_within(ranks, DEPTH)), default=0.0)


def hit_rate(ranks: Ranks, k: int) -> float:
    """1 if one of the first `k` hits is relevant, else 0."""
    return float(any(_ranks_within(ranks, k)))


def recall(ranks: Ranks, k: int) -> float:
    """The share of the targets among the first `k` hits."""
    return len(_ranks_within(ranks, k)) / len(ranks)


MEASURES: Mapping[str, Callable[[Ranks], float]] = {
    "NDCG@10": ndcg,
    "MRR": reciprocal_rank,
    "hit@1": lambda ranks: hit_rate(ranks, 1),
    "hit@10": lambda ranks: hit_rate(ranks, 10),
    "pass@5": lambda ranks: recall(ranks, 5),
    "pass@10": lambda ranks: recall(ranks, 10),
    "pass@20": lambda ranks: recall(ranks, 20),
}

MAIN_MEASURE = "NDCG@10"


def mean_values(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The mean of each measure over at least one outcome."""
    return {
        name: statistics.fmean(outcome.value(name) for outcome in outcomes) for name in MEASURES
    }


def by_group(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Outcomes by group, in the order of the groups' names; without those of no group."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.query.group:
            groups.setdefault(outcome.query.group, []).append(outcome)
    return dict(sorted(groups.items()))


def worst(outcomes: Iterable[Outcome], limit: int = 10) -> list[Outcome]:
    """Outcomes below the best possible value, the worst first."""
    imperfect = [outcome for outcome in outcomes if outcome.value(MAIN_MEASURE) < 1 - 1e-9]
    return sorted(
        imperfect, key=lambda outcome: (outcome.value(MAIN_MEASURE), reciprocal_rank(outcome.ranks))
    )[:limit]


class OutcomePair(NamedTuple):
    """The outcomes of one query under two settings."""

    before: Outcome
    after: Outcome

    @property
    def gain(self) -> float:
        """The difference of the main measure."""
        return self.after.value(MAIN_MEASURE) - self.before.value(MAIN_MEASURE)


def changed_outcomes(before: Iterable[Outcome], after: Iterable[Outcome]) -> list[OutcomePair]:
    """Queries with different outcomes, the largest difference first."""
    pairs = map(OutcomePair, before, after)
    return sorted(
        (pair for pair in pairs if abs(pair.gain) > 1e-9), key=lambda pair: -abs(pair.gain)
    )


def latency_summary_ms(times: Iterable[float]) -> dict[str, float]:
    """The median and the 95th percentile (nearest rank)."""
    ordered = sorted(times)
    return {
        "median": statistics.median(ordered),
        "p95": ordered[math.ceil(0.95 * len(ordered)) - 1],
    }


def _ranks_within(ranks: Ranks, k: int) -> list[int]:
    return [rank for rank in ranks if rank is not None and rank <= k]


class EvaluatedIndex(NamedTuple):
    """An open index for an evaluation: its search function, repository, commit and models."""

    search: SearchFunction
    database: Database
    repo: str
    commit: str
    models: tuple[str, ...]


@contextmanager
def open_evaluated_index(
    settings: Settings, on_warning: Callable[[str], None], without_models: Collection[str] = ()
) -> Iterator[EvaluatedIndex]:
    """Opens the index that the settings mean for an evaluation; `without_models` names models that
    are not used. A model that fails ends the evaluation, or words would answer in its place.
    """
    with open_index(settings) as opened:
        every_model = opened.with_models(on_warning).models
        index = opened._replace(
            models=[model for model in every_model if model.name not in without_models]
        )
        reported: set[Note] = set()

        def search_hits(query: str, limit: int) -> Sequence[Hit]:
            request = SearchRequest(
                query, limit=limit, reads_files=False, requires_models=True, is_logged=False
            )
            page = engine.search(index, request)
            for note in page.plan.notes if page.plan else ():
                if note not in reported:
                    on_warning(str(note))
                    reported.add(note)
            return [hit.result.hit for hit in page.hits]

        store, corpus = index.store, index.corpus
        commit = corpus.meta.get(store.index.meta_key("head"), "")
        models = tuple(model_name(store, model.name) for model in index.models)
        yield EvaluatedIndex(search_hits, corpus.database, corpus.repo, commit, models)

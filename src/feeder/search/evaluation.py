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
from feeder.search import engine
from feeder.search.judgments import JudgedQuery, RelevantTarget
from feeder.search.open_index import open_index
from feeder.search.query_plan import SearchRequest
from feeder.search.retrieval import model_name
from feeder.store import Database
from feeder.store.hits import Hit

DEPTH = 20
"""So many hits are asked for, and what lies deeper was not found."""


SearchFunction = Callable[[str, int], Sequence[Hit]]
"""What a question, and at most so many hits, are put to; the best come first."""

Ranks = Sequence[int | None]
"""Of each answer of a question."""


class Outcome(NamedTuple):
    """A question with its hits, the rank of each of its answers, and the milliseconds it took."""

    query: JudgedQuery
    hits: Sequence[Hit]
    ranks: Ranks
    ms: float

    @property
    def first_rank(self) -> int | None:
        """The rank of the first right answer."""
        return min(_ranks_within(self.ranks, DEPTH), default=None)

    def value(self, measure: str) -> float:
        """One of `MEASURES`."""
        return MEASURES[measure](self.ranks)


def run_evaluation(queries: Iterable[JudgedQuery], search: SearchFunction) -> list[Outcome]:
    """Puts each question once; before the clock runs, the first, so that a model is loaded.

    Raises UserError, with the question's line, where a filter in it names nothing.
    """
    asked: list[Outcome] = []
    for question in queries:
        if not asked:
            _run_query(question, search)
        began = time.perf_counter()
        hits = _run_query(question, search)
        ms = (time.perf_counter() - began) * 1000
        ranks = [target_rank(answer, hits) for answer in question.targets]
        asked.append(Outcome(question, hits, ranks, ms))
    return asked


def _run_query(query: JudgedQuery, search: SearchFunction) -> Sequence[Hit]:
    try:
        return search(query.query, DEPTH)[:DEPTH]
    except UserError as exc:
        raise UserError(f"The question in line {query.line}: {exc}") from exc


def target_rank(target: RelevantTarget, hits: Iterable[Hit]) -> int | None:
    """The place of the first hit that is this answer."""
    return next((rank for rank, hit in enumerate(hits, start=1) if target.is_matched_by(hit)), None)


def ndcg(ranks: Ranks, k: int = 10) -> float:
    """Normalized discounted cumulative gain: 1 for a hit that is the first of an answer.

    Divided by what all answers, at the first places, would give. A hit gives 1 once, even where it
    is several answers.
    """
    gain = sum(1 / math.log2(rank + 1) for rank in {*_ranks_within(ranks, k)})
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(ranks)) + 1))
    return gain / ideal


def reciprocal_rank(ranks: Ranks) -> float:
    """1 over the rank of the first right answer, 0 where there is none."""
    return max((1 / rank for rank in _ranks_within(ranks, DEPTH)), default=0.0)


def hit_rate(ranks: Ranks, k: int) -> float:
    """1 where one of the first `k` hits is right, else 0."""
    return float(any(_ranks_within(ranks, k)))


def recall(ranks: Ranks, k: int) -> float:
    """The share of the right answers that are among the first `k` hits."""
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
    """Each measure's mean over the questions, of which there is at least one."""
    return {name: statistics.fmean(one.value(name) for one in outcomes) for name in MEASURES}


def by_group(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """The questions of each group in the order of their names; those of none are not in it."""
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        if one.query.group:
            groups.setdefault(one.query.group, []).append(one)
    return dict(sorted(groups.items()))


def worst(outcomes: Iterable[Outcome], limit: int = 10) -> list[Outcome]:
    """Those that are not answered as well as can be, the worst first."""
    imperfect = [one for one in outcomes if one.value(MAIN_MEASURE) < 1 - 1e-9]
    return sorted(imperfect, key=lambda one: (one.value(MAIN_MEASURE), reciprocal_rank(one.ranks)))[
        :limit
    ]


class OutcomePair(NamedTuple):
    """One question under two settings."""

    before: Outcome
    after: Outcome

    @property
    def gain(self) -> float:
        """What the second setting gives more."""
        return self.after.value(MAIN_MEASURE) - self.before.value(MAIN_MEASURE)


def changed_outcomes(before: Iterable[Outcome], after: Iterable[Outcome]) -> list[OutcomePair]:
    """The questions that one setting answers better, the largest difference first."""
    pairs = map(OutcomePair, before, after)
    return sorted((one for one in pairs if abs(one.gain) > 1e-9), key=lambda one: -abs(one.gain))


def latency_summary_ms(times: Iterable[float]) -> dict[str, float]:
    """The median, and the time within which 95 of 100 are answered (nearest rank)."""
    ordered = sorted(times)
    return {
        "median": statistics.median(ordered),
        "p95": ordered[math.ceil(0.95 * len(ordered)) - 1],
    }


def _ranks_within(ranks: Ranks, k: int) -> list[int]:
    return [rank for rank in ranks if rank is not None and rank <= k]


class EvaluatedIndex(NamedTuple):
    """An engine that can be asked, and its index: the repository, the commit, the models."""

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
        reported: set[str] = set()

        def search_hits(query: str, limit: int) -> Sequence[Hit]:
            request = SearchRequest(
                query, limit=limit, reads_files=False, requires_models=True, is_logged=False
            )
            page = engine.search(index, request)
            for note in page.plan.notes if page.plan else ():
                if note not in reported:
                    on_warning(note)
                    reported.add(note)
            return [hit.result.hit for hit in page.hits]

        store, corpus = index.store, index.corpus
        commit = corpus.meta.get(store.index.meta_key("head"), "")
        models = tuple(model_name(store, model.name) for model in index.models)
        yield EvaluatedIndex(search_hits, corpus.database, corpus.repo, commit, models)

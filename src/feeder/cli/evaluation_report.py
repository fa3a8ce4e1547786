"""Formats an evaluation as text and JSON: means, groups, latency, worst queries, comparison of
two settings.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from feeder.evaluation.evaluation import (
    DEPTH,
    MAIN_MEASURE,
    MEASURES,
    Outcome,
    OutcomePair,
    by_group,
    changed_outcomes,
    latency_summary_ms,
    mean_values,
    worst,
)
from feeder.evaluation.judgments import JudgedQuery, RelevantTarget
from feeder.store.hits import Hit

MAX_LISTED = 10
"""Queries listed as worst or changed, and missing answers listed."""
HITS_SHOWN = 3
"""Hits shown of each query among the worst."""
MAX_QUERY_CHARS = 100


class Evaluation(NamedTuple):
    """The outcomes of all queries with one setting, and the answers missing in its index."""

    repo: str
    commit: str
    models: tuple[str, ...]
    outcomes: Sequence[Outcome]
    missing_answers: Sequence[tuple[JudgedQuery, RelevantTarget]]

    @property
    def engines(self) -> str:
        """Words and the models that answered, as one text."""
        return ", ".join(("words", *self.models))


def describe_missing_answers(missing: Sequence[tuple[JudgedQuery, RelevantTarget]]) -> str:
    """Describes the answers missing in an index, in one line."""
    names = dict.fromkeys(f"{answer} (line {query.line})" for query, answer in missing)
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    one = len(names) == 1
    return (
        f"{len(names)} {'answer is' if one else 'answers are'} not in the index: "
        f"{', '.join(list(names)[:MAX_LISTED])}{more}. Counted as not found."
    )


def evaluation_text(evaluation: Evaluation) -> Iterator[str]:
    """Formats an evaluation: measures by group, latency, and the worst queries with their hits."""
    yield f"{_query_count(evaluation.outcomes)}, {_index_name(evaluation)}, by {evaluation.engines}"
    yield _table_row("", "n", MEASURES)
    yield _table_row(
        "all", len(evaluation.outcomes), _format_numbers(mean_values(evaluation.outcomes).values())
    )
    for name, outcomes in by_group(evaluation.outcomes).items():
        yield _table_row(name, len(outcomes), _format_numbers(mean_values(outcomes).values()))
    yield _latency_line(evaluation.outcomes)
    if listed := worst(evaluation.outcomes, MAX_LISTED):
        yield "Worst queries:"
    for outcome in listed:
        yield from _failure_lines(outcome)


def comparison_text(first: Evaluation, other: Evaluation) -> Iterator[str]:
    """Formats two evaluations: each measure in both, and the queries that changed most."""
    yield f"{_query_count(first.outcomes)}; first {_index_name(first)}, by {first.engines}"
    yield f"{'':{len(_query_count(first.outcomes))}}  then {_index_name(other)}, by {other.engines}"
    yield _table_row("", "", ("first", "then", "change"))
    before, after = mean_values(first.outcomes), mean_values(other.outcomes)
    for name in MEASURES:
        yield _table_row(name, "", _difference_cells(before[name], after[name]))
    others = by_group(other.outcomes)
    for name, outcomes in by_group(first.outcomes).items():
        cells = _difference_cells(
            mean_values(outcomes)[MAIN_MEASURE], mean_values(others[name])[MAIN_MEASURE]
        )
        yield _table_row(f"{MAIN_MEASURE} of {name}", len(outcomes), cells)
    yield f"first: {_latency_line(first.outcomes)}"
    yield f"then: {_latency_line(other.outcomes)}"
    yield from _changed_lines(changed_outcomes(first.outcomes, other.outcomes), len(first.outcomes))


def evaluation_json(evaluation: Evaluation) -> dict[str, Any]:
    """Returns all figures as JSON; `each` has every query, in the order of the file."""
    groups = by_group(evaluation.outcomes).items()
    return {
        "repo": evaluation.repo,
        "commit": evaluation.commit,
        "models": list(evaluation.models),
        "questions": len(evaluation.outcomes),
        "overall": _rounded(mean_values(evaluation.outcomes)),
        "groups": {
            name: {"questions": len(outcomes), **_rounded(mean_values(outcomes))}
            for name, outcomes in groups
        },
        "latency_ms": _rounded(latency_summary_ms(outcome.ms for outcome in evaluation.outcomes)),
        "not_in_index": [
            {"line": query.line, "answer": str(answer)}
            for query, answer in evaluation.missing_answers
        ],
        "worst": [outcome.query.line for outcome in worst(evaluation.outcomes, MAX_LISTED)],
        "each": [_outcome_json(outcome) for outcome in evaluation.outcomes],
    }


def comparison_json(first: Evaluation, other: Evaluation) -> dict[str, Any]:
    """Returns the first as JSON, with the second as `against` and the `difference`."""
    before, after = mean_values(first.outcomes), mean_values(other.outcomes)
    return {
        **evaluation_json(first),
        "against": evaluation_json(other),
        "difference": _rounded({name: after[name] - before[name] for name in MEASURES}),
    }


def _outcome_json(outcome: Outcome) -> dict[str, Any]:
    """Returns a query as JSON, with the ranks of its answers and its first hits."""
    return {
        "line": outcome.query.line,
        "query": outcome.query.query,
        "group": outcome.query.group or None,
        "answers": [str(answer) for answer in outcome.query.targets],
        "ranks": list(outcome.ranks),
        **_rounded({name: outcome.value(name) for name in MEASURES}),
        "ms": round(outcome.ms, 3),
        "hits": [
            {
                "path": hit.path,
                "start_line": hit.start_line,
                "end_line": hit.end_line,
                "node_type": hit.node_type,
                "symbol": hit.symbol,
                "logical_path": hit.logical_path,
            }
            for hit in outcome.hits
        ],
    }


def _failure_lines(outcome: Outcome) -> Iterator[str]:
    """Formats a query with its expected answers, their ranks, and the first hits."""
    yield f"line {outcome.query.line}: {_shorten(outcome.query.query)}"
    for answer, rank in zip(outcome.query.targets, outcome.ranks, strict=True):
        yield f"    expected: {answer} ({_rank_text(rank)})"
    for rank, hit in enumerate(outcome.hits[:HITS_SHOWN], start=1):
        label = "relevant hit" if rank in outcome.ranks else "hit"
        yield f"    {label} {rank}: {_hit_label(hit)}"


def _changed_lines(pairs: Sequence[OutcomePair], total: int) -> Iterator[str]:
    better = sum(pair.gain > 0 for pair in pairs)
    worse = len(pairs) - better
    yield f"Better: {better}, worse: {worse}, the same: {total - len(pairs)}."
    for pair in pairs[:MAX_LISTED]:
        query, hits = pair.after.query, pair.after.hits
        yield f"{pair.gain:+.3f}  line {query.line}: {_shorten(query.query)}"
        before, after = _rank_text(pair.before.first_rank), _rank_text(pair.after.first_rank)
        yield f"    first relevant hit: {before}, then {after}"
        if hits:
            yield f"    hit 1 then: {_hit_label(hits[0])}"


def _query_count(outcomes: Sequence[Outcome]) -> str:
    return "1 query" if len(outcomes) == 1 else f"{len(outcomes)} queries"


def _index_name(evaluation: Evaluation) -> str:
    return " at ".join(filter(None, [evaluation.repo, evaluation.commit[:10]]))


def _latency_line(outcomes: Iterable[Outcome]) -> str:
    times = latency_summary_ms(outcome.ms for outcome in outcomes)
    return f"Latency: median {times['median']:.1f} ms, p95 {times['p95']:.1f} ms."


def _table_row(name: str, count: object, cells: Iterable[str]) -> str:
    return f"{name[:28]:28}{count:>6}" + "".join(f"{cell:>9}" for cell in cells)


def _difference_cells(before: float, after: float) -> list[str]:
    return [f"{before:.3f}", f"{after:.3f}", f"{after - before:+.3f}"]


def _format_numbers(values: Iterable[float]) -> list[str]:
    return [f"{value:.3f}" for value in values]


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 6) for name, value in figures.items()}


def _rank_text(rank: int | None) -> str:
    return f"rank {rank}" if rank else f"not in the first {DEPTH}"


def _hit_label(hit: Hit) -> str:
    name = hit.symbol or hit.logical_path or ""
    return f"{hit.path}:{hit.start_line}-{hit.end_line}  {hit.node_type}  {name}".rstrip()


def _shorten(query: str) -> str:
    text = " ".join(query.split())
    return text if len(text) <= MAX_QUERY_CHARS else f"{text[:MAX_QUERY_CHARS]}…"

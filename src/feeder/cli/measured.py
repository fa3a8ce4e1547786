"""How is a measurement shown? Means, groups, times, and the questions that went wrong."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from feeder.search.evaluation import (
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
from feeder.search.questions import JudgedQuery, RelevantTarget
from feeder.store.reading import Hit

SHOWN = 10
"""Questions that went wrong, and answers that the index lacks."""
CAME = 3
"""Hits that are shown in place of what is right."""
QUERY_CHARS = 100


class Measured(NamedTuple):
    """Questions as one setting answers them, and the answers that its index lacks."""

    repo: str
    commit: str
    models: tuple[str, ...]
    asked: Sequence[Outcome]
    absent: Sequence[tuple[JudgedQuery, RelevantTarget]]

    @property
    def by(self) -> str:
        """What answered."""
        return ", ".join(("words", *self.models))


def absence(absent: Sequence[tuple[JudgedQuery, RelevantTarget]]) -> str:
    """What the index lacks, in a line."""
    names = dict.fromkeys(f"{answer} (line {question.line})" for question, answer in absent)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    one = len(names) == 1
    return (
        f"{len(names)} {'answer is' if one else 'answers are'} not in the index: "
        f"{', '.join(list(names)[:SHOWN])}{more}. Counted as not found."
    )


def as_text(measured: Measured) -> Iterator[str]:
    """For a person: the table, the time of a question, the worst with what came instead."""
    yield f"{_count(measured.asked)}, {_index(measured)}, by {measured.by}"
    yield _row("", "n", MEASURES)
    yield _row("all", len(measured.asked), _numbers(mean_values(measured.asked).values()))
    for name, some in by_group(measured.asked).items():
        yield _row(name, len(some), _numbers(mean_values(some).values()))
    yield _latency(measured.asked)
    if wrong := worst(measured.asked, SHOWN):
        yield f"The worst {len(wrong)}:"
    for one in wrong:
        yield from _wrong(one)


def compared(first: Measured, second: Measured) -> Iterator[str]:
    """For a person: each measure under both settings, and the questions that moved most."""
    yield f"{_count(first.asked)}; first {_index(first)}, by {first.by}"
    yield f"{'':{len(_count(first.asked))}}  then {_index(second)}, by {second.by}"
    yield _row("", "", ("first", "then", "more"))
    before, after = mean_values(first.asked), mean_values(second.asked)
    for name in MEASURES:
        yield _row(name, "", _difference(before[name], after[name]))
    others = by_group(second.asked)
    for name, some in by_group(first.asked).items():
        figures = _difference(
            mean_values(some)[MAIN_MEASURE], mean_values(others[name])[MAIN_MEASURE]
        )
        yield _row(f"{MAIN_MEASURE} of {name}", len(some), figures)
    for which, one in (("first", first), ("then", second)):
        yield f"{which}: {_latency(one.asked)}"
    yield from _moved(changed_outcomes(first.asked, second.asked), len(first.asked))


def as_json(measured: Measured) -> dict[str, Any]:
    """All of it; `each` has every question, in the order of the file."""
    groups = by_group(measured.asked).items()
    return {
        "repo": measured.repo,
        "commit": measured.commit,
        "models": list(measured.models),
        "questions": len(measured.asked),
        "overall": _rounded(mean_values(measured.asked)),
        "groups": {
            name: {"questions": len(some), **_rounded(mean_values(some))} for name, some in groups
        },
        "latency_ms": _rounded(latency_summary_ms(one.ms for one in measured.asked)),
        "not_in_index": [
            {"line": question.line, "answer": str(answer)} for question, answer in measured.absent
        ],
        "worst": [one.query.line for one in worst(measured.asked, SHOWN)],
        "each": [_facts(one) for one in measured.asked],
    }


def compared_as_json(first: Measured, second: Measured) -> dict[str, Any]:
    """The first, with the second as `against`, and what the second gives more."""
    before, after = mean_values(first.asked), mean_values(second.asked)
    return {
        **as_json(first),
        "against": as_json(second),
        "difference": _rounded({name: after[name] - before[name] for name in MEASURES}),
    }


def _facts(one: Outcome) -> dict[str, Any]:
    """A question, the ranks of its answers and its first hits."""
    return {
        "line": one.query.line,
        "query": one.query.query,
        "group": one.query.group or None,
        "answers": [str(answer) for answer in one.query.targets],
        "ranks": list(one.ranks),
        **_rounded({name: one.value(name) for name in MEASURES}),
        "ms": round(one.ms, 3),
        "hits": [
            {
                "path": hit.path,
                "start_line": hit.start_line,
                "end_line": hit.end_line,
                "node_type": hit.node_type,
                "symbol": hit.symbol,
                "logical_path": hit.logical_path,
            }
            for hit in one.hits
        ],
    }


def _wrong(one: Outcome) -> Iterator[str]:
    """A question with what is right, where that came, and what came first."""
    yield f"line {one.query.line}: {_cut(one.query.query)}"
    for answer, rank in zip(one.query.targets, one.ranks, strict=True):
        yield f"    right: {answer} ({_place(rank)})"
    for rank, hit in enumerate(one.hits[:CAME], start=1):
        mark = "right" if rank in one.ranks else "came"
        yield f"    {mark} {rank}. {_named(hit)}"


def _moved(pairs: Sequence[OutcomePair], of: int) -> Iterator[str]:
    better = sum(pair.gain > 0 for pair in pairs)
    worse = len(pairs) - better
    yield f"Better: {better}, worse: {worse}, the same: {of - len(pairs)}."
    for pair in pairs[:SHOWN]:
        question, hits = pair.after.query, pair.after.hits
        yield f"{pair.gain:+.3f}  line {question.line}: {_cut(question.query)}"
        yield f"    first right: {_place(pair.before.first_rank)}, then {_place(pair.after.first_rank)}"
        if hits:
            yield f"    then came 1. {_named(hits[0])}"


def _count(asked: Sequence[Outcome]) -> str:
    return f"{len(asked)} question{'s' if len(asked) > 1 else ''}"


def _index(measured: Measured) -> str:
    return " at ".join(filter(None, [measured.repo, measured.commit[:10]]))


def _latency(asked: Iterable[Outcome]) -> str:
    times = latency_summary_ms(one.ms for one in asked)
    return f"A question takes {times['median']:.1f} ms (median), {times['p95']:.1f} ms (p95)."


def _row(name: str, count: object, cells: Iterable[str]) -> str:
    return f"{name[:28]:28}{count:>6}" + "".join(f"{cell:>9}" for cell in cells)


def _difference(before: float, after: float) -> list[str]:
    return [f"{before:.3f}", f"{after:.3f}", f"{after - before:+.3f}"]


def _numbers(values: Iterable[float]) -> list[str]:
    return [f"{value:.3f}" for value in values]


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 6) for name, value in figures.items()}


def _place(rank: int | None) -> str:
    return f"place {rank}" if rank else f"not among {DEPTH}"


def _named(hit: Hit) -> str:
    name = hit.symbol or hit.logical_path or ""
    return f"{hit.path}:{hit.start_line}-{hit.end_line}  {hit.node_type}  {name}".rstrip()


def _cut(query: str) -> str:
    text = " ".join(query.split())
    return text if len(text) <= QUERY_CHARS else f"{text[:QUERY_CHARS]}…"

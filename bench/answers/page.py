"""Formats the results as a markdown table; each row names the command that reproduces it."""

from collections.abc import Iterator, Sequence

from speed.page import table

from answers.measuring import ALL_SETS, DOC_COMMENTS, NAMES, WAYS, Results
from feeder.search.evaluation import Outcome, by_group, mean_values

MEASURES = {
    "repositories-small": ("NDCG@10", "hit@10"),
    "contextual": ("pass@5", "pass@10", "pass@20"),
    "vue": ("MRR", "hit@1", "hit@10"),
    "vue-whole": ("MRR", "hit@1", "hit@10"),
    "repositories": ("NDCG@10", "hit@10"),
    "repositories-whole": ("NDCG@10", "hit@10"),
    NAMES: ("hit@1", "hit@10"),
    DOC_COMMENTS: ("MRR", "hit@10"),
}


def report(results: Results) -> str:
    """Returns the table of all results; empty if there are none."""
    return table(_rows(results))


def _rows(results: Results) -> Iterator[Sequence[str | None]]:
    yield "queries", "n", "measure", *(way.title for way in WAYS.values()), "command"
    for name in ALL_SETS:
        by_way = {way: results[name, way] for way in WAYS if (name, way) in results}
        for group in _groups(name, by_way):
            some = {way: _of(group, asked) for way, asked in by_way.items()}
            yield from _lines(name, group, some)


def _lines(
    name: str, group: str, by_way: dict[str, Sequence[Outcome]]
) -> Iterator[Sequence[str | None]]:
    """Yields a row for each measure of a set, or of a group of it."""
    count = str(len(next(iter(by_way.values()))))
    figures = {way: mean_values(asked) for way, asked in by_way.items()}
    for measure in MEASURES[name]:
        cells = [_cell(figures[way][measure]) if way in figures else None for way in WAYS]
        title = f"{name}: {group}" if group else name
        yield title, count, measure, *cells, f"`python -m bench answers --only {name}`"


def _groups(name: str, by_way: dict[str, Sequence[Outcome]]) -> list[str]:
    """Lists the groups that are measured apart: those of the names; other sets are one group."""
    if not by_way:
        return []
    return list(by_group(next(iter(by_way.values())))) if name == NAMES else [""]


def _of(group: str, asked: Sequence[Outcome]) -> Sequence[Outcome]:
    return by_group(asked)[group] if group else asked


def _cell(figure: float) -> str:
    return f"{figure:.3f}".removeprefix("0")

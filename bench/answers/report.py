"""Formats the results as a markdown table; each row names the command that reproduces it."""

from collections.abc import Iterator, Sequence

from speed.tables import table

from answers.measure import ALL_SETS, DOC_COMMENTS, MODES, NAMES, Results
from feeder.evaluation.evaluation import Outcome, by_group, mean_values

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


def table_text(results: Results) -> str:
    """Returns the table of all results; empty if there are none."""
    return table(_rows(results))


def _rows(results: Results) -> Iterator[Sequence[str | None]]:
    yield "queries", "n", "measure", *(mode.title for mode in MODES.values()), "command"
    for name in ALL_SETS:
        by_mode = {mode: results[name, mode] for mode in MODES if (name, mode) in results}
        for group in _groups(name, by_mode):
            of_group = {
                mode: _outcomes_of_group(group, outcomes) for mode, outcomes in by_mode.items()
            }
            yield from _lines(name, group, of_group)


def _lines(
    name: str, group: str, by_mode: dict[str, Sequence[Outcome]]
) -> Iterator[Sequence[str | None]]:
    """Yields a row for each measure of a set, or of a group of it."""
    count = str(len(next(iter(by_mode.values()))))
    figures = {mode: mean_values(outcomes) for mode, outcomes in by_mode.items()}
    for measure in MEASURES[name]:
        cells = [_cell(figures[mode][measure]) if mode in figures else None for mode in MODES]
        title = f"{name}: {group}" if group else name
        yield title, count, measure, *cells, f"`python -m bench answers --only {name}`"


def _groups(name: str, by_mode: dict[str, Sequence[Outcome]]) -> list[str]:
    """Lists the groups that are measured apart: those of the names; other sets are one group."""
    if not by_mode:
        return []
    return list(by_group(next(iter(by_mode.values())))) if name == NAMES else [""]


def _outcomes_of_group(group: str, outcomes: Sequence[Outcome]) -> Sequence[Outcome]:
    return by_group(outcomes)[group] if group else outcomes


def _cell(figure: float) -> str:
    return f"{figure:.3f}".removeprefix("0")

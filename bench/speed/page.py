"""Formats the figures as markdown tables, and writes them into a page."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from speed import (
    changes,
    commands,
    embedding,
    first_sync,
    growth,
    search_latency,
    semble_comparison,
    sizes,
    start,
    static_vectors,
)
from speed.corpora import CORPORA
from speed.figures import Figures
from speed.tables import Row, cell, table
from speed.targets import targets

MEASURED_SECTION = re.compile(r"(<!-- measured -->\n).*(<!-- end -->)", re.DOTALL)
CORPUS_BY_NAME = {corpus.name: corpus for corpus in CORPORA}


def report(figures: Figures) -> str:
    """Returns every table that has figures, below its heading."""
    parts = ((heading, table(rows(figures))) for heading, rows in SECTIONS.items())
    return "\n".join(f"## {heading}\n\n{lines}" for heading, lines in parts if lines)


def fill(page: Path, figures: Figures) -> None:
    """Writes the tables between the marks of a page; the rest of the page stays."""
    text, count = MEASURED_SECTION.subn(
        lambda match: f"{match[1]}\n{report(figures)}\n{match[2]}", page.read_text("utf-8")
    )
    if not count:
        raise SystemExit(f"{page} has no marks <!-- measured --> and <!-- end -->: add them.")
    page.write_text(text)


def _targets(figures: Figures) -> Iterator[Row]:
    yield "target", "at most", "measured", "", "met", "measure it alone"
    for target in targets(figures):
        limit = _with_unit(target.limit, target.unit)
        command = f"`python -m bench --only {target.only}`"
        if target.measured is None:
            yield target.name, limit, None, target.where, "not measured", command
        else:
            measured = _with_unit(target.measured, target.unit)
            met = "yes" if target.is_met else "**no**"
            yield target.name, limit, measured, target.where, met, command


def _with_unit(value: float, unit: str) -> str:
    return f"{cell(value)} {unit}".rstrip()


def _corpora(figures: Figures) -> Iterator[Row]:
    yield "corpus", "contents", "packages", "files", "nodes", "MB", "files with a grammar", "MB"
    measures = ("files", "nodes", "texts_mb", "parsed", "parsed_mb")
    for name in filter(CORPUS_BY_NAME.__contains__, figures.subjects(first_sync.PART)):
        packages = ", ".join(f"`{package.name}`" for package in CORPUS_BY_NAME[name].packages)
        medians = _medians(figures, first_sync.PART, name, measures)
        yield name, CORPUS_BY_NAME[name].about, packages, *medians


def _first_syncs(figures: Figures) -> Iterator[Row]:
    yield (
        *("corpus", "tree-sitter, s", "FTS5, s", "feeder, s", "CPU, s"),
        *("÷ tree-sitter", "÷ both", "total, MB", "feeder, MB", "parsers, MB"),
    )
    measures = (
        *("floor_s", "fts_s", "wall_s", "cpu_s", "ratio", "ratio_both"),
        *("peak_mb", "program_mb", "parsers_mb"),
    )
    for name in figures.subjects(first_sync.PART):
        yield name, *_medians(figures, first_sync.PART, name, measures)


def _static_syncs(figures: Figures) -> Iterator[Row]:
    yield (
        *("corpus", "nodes", "by words, s", "with vectors, s", "÷ by words"),
        *("CPU by words, s", "with vectors, s", "÷ by words", "index, MB"),
    )
    measures = (
        *("nodes", "words_s", "wall_s", "ratio"),
        *("words_cpu_s", "cpu_s", "cpu_ratio", "index_mb"),
    )
    for name in figures.subjects(static_vectors.PART):
        yield name, *_medians(figures, static_vectors.PART, name, measures)


def _semble(figures: Figures) -> Iterator[Row]:
    yield (
        *("corpus", "files in both", "nodes", "feeder, s", "CPU, s"),
        *("Semble's files", "chunks", "Semble, s", "CPU, s", "feeder ÷ Semble"),
    )
    measures = (
        *("files", "nodes", "wall_s", "cpu_s"),
        *("their_files", "their_chunks", "their_wall_s", "their_cpu_s", "ratio"),
    )
    for name in figures.subjects(semble_comparison.PART):
        yield name, *_medians(figures, semble_comparison.PART, name, measures)


def _sizes(figures: Figures) -> Iterator[Row]:
    yield "part", "nodes", "MB"
    for name in figures.subjects(sizes.PART):
        nodes = figures.median(sizes.PART, name, "nodes")
        yield name, "" if nodes is None else nodes, figures.median(sizes.PART, name, "mb")


def _changes(figures: Figures) -> Iterator[Row]:
    yield (
        *("corpus", "change", "SQLite, s", "stand-in, s", "texts embedded", "rows written"),
        *("D1", "Vectorize", "Workers AI"),
    )
    measures = ("local_s", "cloud_s", "texts", "rows", *changes.SERVICES)
    for subject in figures.subjects(changes.PART):
        name, _, kind = subject.partition(": ")
        yield name, kind, *_medians(figures, changes.PART, subject, measures)


def _embedding(figures: Figures) -> Iterator[Row]:
    yield "corpus", "texts", "s", "texts per second", "outside the model", "no thread in the model"
    measures = ("texts", "wall_s", "texts_per_s", "outside", "idle")
    for name in figures.subjects(embedding.PART):
        yield name, *_medians(figures, embedding.PART, name, measures)


def _search(figures: Figures) -> Iterator[Row]:
    yield (
        *("by", "nodes", "median, ms", "p95, ms", "CPU median, ms", "CPU p95, ms"),
        *("model median, ms", "model p95, ms", "first query, ms"),
    )
    measures = (
        *("nodes", "p50_ms", "p95_ms", "cpu_p50_ms", "cpu_p95_ms"),
        *("model_p50_ms", "model_p95_ms", "first_ms"),
    )
    for subject in figures.subjects(search_latency.PART):
        mode, _, size = subject.partition(": ")
        if size:
            yield mode, *_medians(figures, search_latency.PART, subject, measures)


def _waiting_times(figures: Figures) -> Iterator[Row]:
    yield "what", "s"
    for subject in figures.subjects(commands.PART):
        yield subject, figures.median(commands.PART, subject, "wall_s")


def _commands(figures: Figures) -> Iterator[Row]:
    yield "by", "s", "CPU, s"
    for mode in (search_latency.WORDS, search_latency.WITH_STATIC):
        wall_s, cpu_s = _medians(figures, search_latency.PART, mode, ("wall_s", "cpu_s"))
        if wall_s:
            yield mode, wall_s, cpu_s


def _growth(figures: Figures) -> Iterator[Row]:
    yield "size", "files", "nodes", "s", "ms per node", "without start", "total, MB", "KB per node"
    measures = ("files", "nodes", "wall_s", "node_ms", "more_ms", "peak_mb")
    for size in figures.subjects(growth.PART):
        medians = _medians(figures, growth.PART, size, measures)
        nodes, peak_mb = medians[1], medians[-1]
        yield size, *medians, 1000 * peak_mb / nodes if peak_mb and nodes else None


def _starts(figures: Figures) -> Iterator[Row]:
    yield "command", "s"
    for argument in figures.subjects(start.PART):
        yield f"`feeder {argument}`", figures.median(start.PART, argument, "wall_s")


def _machine(figures: Figures) -> Iterator[Row]:
    yield "item", "value"
    yield from figures.about.items()


def not_measured(figures: Figures) -> Iterator[Row]:
    """Yields the failed measurements and the reasons."""
    yield "not measured", "why"
    yield from figures.failed.items()


def _medians(
    figures: Figures, part: str, subject: str, measures: Iterable[str]
) -> list[float | None]:
    return [figures.median(part, subject, measure) for measure in measures]


SECTIONS = {
    "Targets": _targets,
    "Corpora": _corpora,
    "First sync by words": _first_syncs,
    "First sync by words and static vectors": _static_syncs,
    "Compared with Semble": _semble,
    "Everyday changes": _changes,
    "Commands and a server, Django": _waiting_times,
    "First sync with model vectors": _embedding,
    "Search": _search,
    "`feeder search` of 120,000 nodes": _commands,
    "Growth": _growth,
    "Size": _sizes,
    "Start": _starts,
    "Machine": _machine,
    "Not measured": not_measured,
}

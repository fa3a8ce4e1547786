"""The harness of `python -m bench` on a repository of a few files: every figure is present."""

import re
import sys
from pathlib import Path

import pytest
from speed import (
    changes,
    commands,
    comparison,
    embedding,
    first_sync,
    page,
    search_latency,
    semble_comparison,
    start,
)
from speed.bench import Bench
from speed.command import PARTS
from speed.corpora import CORPORA, Unavailable
from speed.figures import Figures, Key
from speed.program import Program
from speed.repository import make
from speed.targets import targets
from standin import StandIn

from feeder.embedding.static_model import MODEL_FILE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the bench reads /proc"),
]

CART = '''\
"""What a customer is about to buy."""


class Cart:
    """Articles, and what they cost together."""

    def add(self, article, count):
        """Puts some more of an article in, at the end."""
        lines = self.lines
        lines.append((article, count))
        return lines

    def total(self):
        return sum(line.price for line in self.lines)
'''
FILES = {
    "src/cart.py": CART,
    "src/tax.py": "def tax(net):\n    return net * 19 / 100\n",
    "README.md": "# Shop\n\nHow to run it.\n",
    "notes.txt": "Ask for the price of the new articles.\n",
}
NODES = 7
"""The class, its two methods and the words above them, a function, a section and a chunk."""
FLOORS = {"floor_s", "floor_cpu_s", "texts", "texts_mb", "parsed", "parsed_mb"}
FLOORS |= {"fts_s", "fts_cpu_s", "rows"}
FED = {"wall_s", "cpu_s", "files", "nodes"}
PEAKS = {"program_mb", "parsers_mb", "peak_mb"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository instead of every corpus."""
    folder = tmp_path / "shop"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    make(folder)
    for corpus in CORPORA:
        (tmp_path / "corpora").mkdir(exist_ok=True)
        (tmp_path / "corpora" / corpus.folder_name).symlink_to(folder)
    return folder


@pytest.fixture
def bench(tmp_path: Path, repository: Path) -> Bench:
    """The benchmark of the tested program, with two runs per figure."""
    program = Program("feeder", (sys.executable, "-m", "feeder"))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    return Bench({program: Figures()}, 2, scratch, tmp_path / "corpora", lambda line: None)


def measured(figures: Figures, part: str, subject: str) -> set[str]:
    return {key.measure for key in figures.values if (key.part, key.subject) == (part, subject)}


def test_first_sync_is_measured_with_its_lower_bounds(bench: Bench, repository: Path) -> None:
    """Each run has its own; the counts are the same in both."""
    first_sync.measure(bench, "shop", repository)
    figures = bench.figures
    assert measured(figures, "feed", "shop") >= FLOORS | FED | PEAKS | {"ratio", "ratio_both"}
    values = {key.measure: found for key, found in figures.values.items()}
    assert values["files"] == values["texts"] == [4, 4]
    assert values["nodes"] == values["rows"] == [NODES, NODES]
    assert values["parsed"] == [3, 3]
    assert values["texts_mb"] == [sum(map(len, FILES.values())) / 1e6] * 2
    runs = zip(values["wall_s"], values["floor_s"], strict=True)
    assert values["ratio"] == [wall / lower_bounds for wall, lower_bounds in runs]
    [peak] = values["peak_mb"]
    assert peak >= max(*values["program_mb"], *values["parsers_mb"]) > 0


def test_requests_of_small_changes_are_counted(
    bench: Bench, repository: Path, standin: StandIn
) -> None:
    """A moved line embeds nothing, a renamed folder each of its nodes, in every run."""
    changes.measure(bench, "shop", repository, standin)
    kinds = {kind: f"shop: {kind}" for kind in changes.KINDS}
    texts = {kind: bench.figures.values[Key("changes", kinds[kind], "texts")] for kind in kinds}
    assert texts == {
        "nothing changed": [0, 0],
        "a line edited": [1, 1],
        "a line put at the top of the longest file": [0, 0],
        "a folder renamed": [5, 5],
    }
    idle = bench.figures.values
    assert idle[Key("changes", kinds["nothing changed"], "d1")] == [1, 1]
    assert idle[Key("changes", kinds["nothing changed"], "rows")] == [0, 0]
    for subject in kinds.values():
        found = measured(bench.figures, "changes", subject)
        assert found == {"local_s", "cloud_s", "texts", "rows", "d1", "vectorize", "ai"}


@pytest.mark.needs("local")
def test_other_parts_have_all_figures_of_their_tables(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Growth uses copies of the first Python file, search three copies of both.

    Two starts, two commands and twenty queries have the figures of ten, five and two hundred.
    """
    monkeypatch.setattr(start, "TIMES", 2)
    for module in (commands, search_latency):
        monkeypatch.setattr(module, "COMMAND_RUNS", 2)
        monkeypatch.setattr(module, "QUERY_COUNT", 20)
    for part, measure in PARTS.items():
        if part != semble_comparison.PART:  # it is installed from afar
            measure(bench._replace(runs=1))
    assert bench.figures.failed == {}
    _, *tables = page.report(bench.figures).split("\n## ")
    empty = [line for table in tables for line in table.splitlines() if "—" in line]
    assert [line.split(" | ")[0] for line in empty] == ["| words"] * 3  # which need no model
    values = bench.figures.values
    assert values[Key("embedding", "rxjs", "texts")] == [NODES]
    counted = [values[Key("search", f"words: {size}", "nodes")] for size in search_latency.SIZES]
    assert counted == [[4], [3 * 5], [12 * 5 + 4]]
    grown = [values[Key("growth", f"{times} x", "nodes")] for times in (1, 2, 4, 8, 16)]
    assert grown == [[4], [8], [16], [32], [64]]
    assert values[Key("meaning", "rxjs", "nodes")] == [NODES]
    assert values[Key("size", "vectors", "nodes")] == [3 * 5]
    [wheel_mb] = values[Key("size", "wheel", "mb")]
    assert wheel_mb > MODEL_FILE.stat().st_size / 2e6


def test_missing_comparison_program_is_reported(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once for all corpora."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    semble_comparison.measure(bench)
    why = "pip could not install semble==0.7.0: CalledProcessError"
    assert bench.figures.failed == {"semble": why}


def test_time_outside_the_model_counts_all_threads() -> None:
    """Two threads compute for 6 and 3 of 10 seconds, and in the last 2 none does.

    A third one that loaded the model for a second does not count.
    """
    calls = [(3, 0.0, 1.0), (1, 1.0, 4.0), (1, 5.0, 8.0), (2, 2.0, 3.0), (2, 4.0, 6.0)]
    shares = embedding.shares_outside_model(10.0, calls)
    assert shares == pytest.approx({"model_s": 5.0, "idle": 0.2, "outside": 0.5})


def test_targets_are_of_one_corpus_or_of_the_worst() -> None:
    """A limit is inclusive; a missing measurement fails."""
    figures = Figures()
    figures.add("feed", "django", {"ratio": 2.2, "peak_mb": 100, "texts_mb": 36.1})
    figures.add("feed", "fcl", {"ratio": 4.5, "peak_mb": 170, "texts_mb": 13.0})
    figures.add("feed", "rxjs", {"ratio": 9.0, "peak_mb": 70, "texts_mb": 0.8})
    figures.add("changes", "django: nothing changed", {"d1": 1, "vectorize": 1, "ai": 0})
    figures.add("semble", "django", {"ratio": 0.5})
    figures.add("semble", "fcl", {"ratio": 0.8})
    figures.add("semble", "rxjs", {"ratio": 2.0})
    found = {
        (target.name, target.where): (target.measured, target.is_met) for target in targets(figures)
    }
    sync = "first sync by words ÷ tree-sitter alone on one core"
    assert [found[sync, name] for name in ("django", "fcl")] == [(2.2, True), (4.5, False)]
    assert found[sync, "code"] == (None, False)
    assert found["peak memory of all processes", "fcl"] == (170, True)
    idle = "nothing changed in Django"
    assert found[idle, "SQLite"] == (None, False)
    assert found[f"requests if {idle}", "the stand-in"] == (2, False)
    semble = "first sync by words and static vectors ÷ Semble's index in memory"
    assert (semble, "rxjs") not in found
    assert [found[semble, name] for name in ("django", "fcl")] == [(0.5, False), (0.8, True)]


def test_figure_is_the_median_of_its_runs(tmp_path: Path) -> None:
    """All values can be stored and read again."""
    figures = Figures({"Python": "3.11"}, failed={"fcl": "it is not there"})
    for seconds in (5.0, 1.0, 2.0):
        figures.add("start", "--help", {"wall_s": seconds})
    figures.write(tmp_path / "figures.json")
    stored = Figures.read(tmp_path / "figures.json")
    assert stored == figures
    assert stored.median("start", "--help", "wall_s") == 2.0
    assert stored.median("start", "--help", "cpu_s") is None


def test_page_keeps_the_text_around_the_tables(tmp_path: Path) -> None:
    """Repeatedly."""
    file = tmp_path / "page.md"
    file.write_text("# Speed\n\n<!-- measured -->\nold\n<!-- end -->\nAfter.\n")
    figures = Figures(failed={"fcl": "apt could not download it"})
    page.fill(file, figures)
    once = file.read_text()
    page.fill(file, figures)
    assert file.read_text() == once
    assert once.startswith("# Speed\n\n<!-- measured -->\n\n## Targets\n")
    assert once.endswith("| fcl | apt could not download it |\n\n<!-- end -->\nAfter.\n")


def test_two_programs_are_compared_by_common_figures() -> None:
    """Half the seconds is a ratio of 0.50."""
    one, other = Figures(), Figures()
    one.add("feed", "rxjs", {"wall_s": 1.0, "cpu_s": 1.0})
    other.add("feed", "rxjs", {"wall_s": 2.0})
    programs = {Program("new", ("new",)): one, Program("old", ("old",)): other}
    assert [list(row) for row in comparison.rows(programs)] == [
        ["of", "figure", "new", "old", "ratio"],
        ["rxjs", "first sync, s", 1.0, 2.0, "0.50"],
    ]


def test_missing_measurements_are_reported_and_the_rest_continues(bench: Bench) -> None:
    """A missing corpus, and a program that fails."""

    def absent() -> None:
        raise Unavailable("npm could not download it")

    bench.attempt("rxjs", absent)
    bench.attempt("start", lambda: print(Program("no", ("false",)).timed("--help")))
    assert bench.figures.failed == {
        "rxjs": "npm could not download it",
        "start": "false --help ended with 1",
    }


def test_every_package_is_pinned() -> None:
    """Debian packages by name, whose version is that of the release."""
    for package in (package for corpus in CORPORA for package in corpus.packages):
        pins = {"pip": r".+==\d[\d.]+", "npm": r".+@\d[\d.]+", "apt": r".+-\d[\d.]+"}
        assert re.fullmatch(pins[package.manager], package.name)

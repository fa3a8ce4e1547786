"""`python -m bench compare BASE`: what it measures, and which ratios are above the limit."""

import subprocess
import sys
from pathlib import Path

import pytest
from compare import steps
from compare.ratios import Ratio, ratios, ratios_above
from compare.steps import MEMORY, MIN_ROUNDS, round_steps, run_round, run_rounds
from compare.versions import Version, base_and_checkout
from speed.figures import Figures
from speed.program import Program
from speed.repository import make

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the bench reads /proc")


def figures(**seconds: float) -> Figures:
    results = Figures()
    for subject, value in seconds.items():
        results.add("compare", subject, {"CPU, s": value})
    return results


def test_ratio_is_above_the_limit_by_median_and_smallest_figure() -> None:
    """A slow moment of the machine raises the median only."""
    slower = Ratio("search", "CPU, s", [1.0, 1.0, 1.1], [1.2, 1.3, 1.2])
    disturbed = Ratio("start", "wall, s", [1.0, 1.0, 1.1], [1.0, 2.0, 2.0])
    [results] = ratios_above(1.10, [slower, disturbed])
    assert results.name == "search: CPU"
    assert results.median == pytest.approx(1.2)
    overlapping = Ratio("feed", "wall, s", [1.0, 1.3, 1.3, 1.0], [1.2, 1.2, 1.3, 1.4])
    assert min(overlapping.median, overlapping.least) > 1.0
    assert overlapping.slower_share == 10 / 16
    assert ratios_above(1.0, [slower, overlapping]) == [slower]
    assert ratios_above(1.25, [slower, disturbed]) == []
    assert ratios_above(None, [slower, disturbed]) == []


def test_limit_is_inclusive() -> None:
    exact = Ratio("search", "CPU, s", [10.0], [11.0])
    assert ratios_above(1.10, [exact]) == []
    assert ratios_above(1.0999, [exact]) == [exact]


def test_each_measure_of_both_versions_has_a_ratio() -> None:
    results = ratios(figures(start=0.1, search=0.4), figures(start=0.2, search=0.2))
    assert [(result.name, result.median) for result in results] == [
        ("start: CPU", 2.0),
        ("search: CPU", 0.5),
    ]


def test_rounds_go_on_while_a_ratio_is_above_the_limit() -> None:
    """For at most twice as long, and at least five rounds."""
    now = 0.0

    def run(number: int) -> None:
        nonlocal now
        assert number == len(starts) + 1
        starts.append(now)
        now += 10.0

    starts: list[float] = []
    assert run_rounds(run, 65, lambda: False, lambda: now) == 7
    starts, now = [], 100.0
    assert run_rounds(run, 65, lambda: True, lambda: now) == 13
    starts, now = [], 300.0
    assert run_rounds(run, 65, lambda: now < 385, lambda: now) == 9
    starts, now = [], 500.0
    assert run_rounds(run, 1, lambda: False, lambda: now) == MIN_ROUNDS


@pytest.mark.slow
def test_round_measures_every_step_of_both_versions(tmp_path: Path) -> None:
    """Each sample is of both, and the edit of a round changes the repositories of both."""
    versions, results = [], [Figures(), Figures()]
    for name in ("old", "new"):
        folder = tmp_path / name
        (folder / "repository/src/feeder").mkdir(parents=True)
        (folder / "repository" / steps.EDITED).write_text("class Failed(Exception):\n    pass\n")
        make(folder / "repository")
        program = Program(name, (sys.executable, "-m", "feeder"))
        databases = folder / "words.db", folder / "static.db"
        versions.append(Version(program, folder / "repository", *databases))
    run_round(1, versions, results)
    steps.measure_memory(versions, results)
    old, new = results
    assert {key: len(values) for key, values in old.values.items()} == {
        key: len(values) for key, values in new.values.items()
    }
    subjects = {step.subject for step in round_steps(1)}
    assert subjects == {
        "start (`--help`)",
        "first feed by words",
        "first feed with static vectors",
        "nothing changed",
        "one file edited",
        "search by words",
        "search with static vectors",
    }
    expected = {(subject, name) for subject in subjects for name in ("CPU, s", "wall, s")}
    measured = {(key.subject, key.measure) for key in old.values}
    assert measured == expected | {(MEMORY, "peak, MB")}
    assert all(value > 0 for values in [*old.values.values()] for value in values)
    for version in versions:
        assert "def added_1" in (version.repository / steps.EDITED).read_text()


@pytest.mark.slow
def test_versions_run_the_program_of_the_commit_and_of_the_checkout(tmp_path: Path) -> None:
    """Each imports from a copy of its own."""
    root = tmp_path / "checkout"
    root.mkdir()
    archive = subprocess.run(
        ["git", "archive", "HEAD", "src", "docs"], cwd=ROOT, check=True, capture_output=True
    )
    subprocess.run(["tar", "-x", "-C", str(root)], input=archive.stdout, check=True)
    make(root)
    package = root / "src/feeder/__init__.py"
    package.write_text(package.read_text() + '\n__version__ = "99.0"\n')
    old, new = base_and_checkout(root, "HEAD", tmp_path / "scratch")
    assert "99.0" in new.program.timed("--version").out
    assert "99.0" not in old.program.timed("--version").out
    assert (old.repository / "docs").is_dir() and (new.repository / "src").is_dir()


def test_command_needs_nothing_but_the_program() -> None:
    """The workflow installs no test tools."""
    code = "import compare.command, sys; print({'pytest', 'httpx2', 'standin'} & {*sys.modules})"
    folders = ":".join(str(ROOT / name) for name in ("bench", "tests", "tests/services"))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": folders},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "set()\n"


def test_unknown_commit_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "a.txt").write_text("a\n")
    make(folder)
    with pytest.raises(SystemExit, match="git cannot read the commit nowhere"):
        base_and_checkout(folder, "nowhere", tmp_path / "scratch")

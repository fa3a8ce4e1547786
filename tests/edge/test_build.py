"""The committed worker.js equals the build, so that an installation from git has it."""

from pathlib import Path

from edge.worker_build import build


def test_committed_worker_equals_its_sources() -> None:
    """After a change of the Worker, or of SQL or constants in it, run `make worker`."""
    done = build("--check")
    assert (done.returncode, done.stderr) == (0, "")


def test_check_finds_a_stale_worker(tmp_path: Path) -> None:
    """The message names the command that updates the file; nothing is written."""
    stale = tmp_path / "worker.js"
    stale.write_text("stale\n")
    done = build("--check", "--out", str(stale))
    assert done.returncode == 1
    assert done.stderr.endswith("worker.js does not equal its sources. Run: make worker\n")
    assert stale.read_text() == "stale\n"


def test_check_finds_a_missing_worker(tmp_path: Path) -> None:
    done = build("--check", "--out", str(tmp_path / "worker.js"))
    assert done.returncode == 1
    assert not [*tmp_path.iterdir()]

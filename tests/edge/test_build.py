"""The committed worker.js and oauth.js equal the build: an installation from git has them."""

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


def test_check_finds_a_stale_sign_in(tmp_path: Path) -> None:
    """oauth.js lies beside worker.js, without a copy of it, and with its library's licence."""
    worker, oauth = tmp_path / "worker.js", tmp_path / "oauth.js"
    assert build("--out", str(worker)).returncode == 0
    text = oauth.read_text()
    assert text.startswith("/*! @cloudflare/workers-oauth-provider") and "MIT License" in text
    assert 'from"./worker.js"' in text and "SELECT" not in text
    oauth.write_text("stale\n")
    done = build("--check", "--out", str(worker))
    assert done.returncode == 1
    assert done.stderr.endswith("oauth.js does not equal its sources. Run: make worker\n")

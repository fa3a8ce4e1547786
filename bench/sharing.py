"""Measures how long a new clone waits for its first answer, and what a publish uploads.

    python -m bench share REPOSITORY QUERY [--commits 20] [--edits 300] [--rate 50] [--latency 40]

The last commits of the repository are indexed and published one after another to a folder, which a
local server then gives out at `--rate` MB/s, each response `--latency` ms late. The table has, by
kind of start, the seconds from the first command in a new clone to its answer: with the index made
there, with the pulled index of HEAD, and with that after `--edits` files have been changed. The
share of the index that a pull downloads and that a publish uploads (the median of all but the
first) follow, and the last line says what `feeder validate` finds.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from typing import Any

import msgspec
from processes import environment
from speed.repository import git

PIECE_BYTES = 64_000


class Published(msgspec.Struct):
    """What `feeder publish --json` prints, as far as it is used here."""

    index_bytes: int
    download_bytes: int
    uploaded_bytes: int


class SlowLine:
    """A line that all responses share; it has a rate and a delay."""

    def __init__(self, rate_mb: float, latency_ms: float) -> None:
        self._bytes_per_s = rate_mb * 1e6
        self.latency_s = latency_ms / 1e3
        self._free_at_s = 0.0
        self._lock = Lock()

    def wait_for(self, size: int) -> None:
        """Waits until the line has carried this many more bytes."""
        with self._lock:
            self._free_at_s = max(self._free_at_s, time.monotonic()) + size / self._bytes_per_s
            until_s = self._free_at_s
        time.sleep(max(0.0, until_s - time.monotonic()))


class SlowHandler(SimpleHTTPRequestHandler):
    """Gives out the files of a folder over a slow line."""

    protocol_version = "HTTP/1.1"

    def __init__(self, line: SlowLine, *request: Any, directory: str) -> None:
        self._line = line
        super().__init__(*request, directory=directory)

    def do_GET(self) -> None:
        time.sleep(self._line.latency_s)
        super().do_GET()

    def copyfile(self, source: Any, outputfile: Any) -> None:
        while piece := source.read(PIECE_BYTES):
            self._line.wait_for(len(piece))
            outputfile.write(piece)

    def log_message(self, format: str, *args: Any) -> None:
        """Prints nothing."""


def main() -> int:
    """Returns the exit code."""
    args = _parse_args()
    with TemporaryDirectory(prefix="feeder-bench-") as folder:
        scratch = Path(folder)
        published = _publish_history(args, scratch)
        with _served(scratch / "store", SlowLine(args.rate, args.latency)) as address:
            seconds, answer = _first_answers(args, scratch, address)
        verdict = _feeder(scratch / "pulled", "off", "validate").strip().splitlines()[-1]
    print("| start | seconds to the first answer |\n|---|---|")
    for start, taken in seconds.items():
        print(f"| {start} | {taken:.2f} |")
    last = published[-1]
    print(f"\nFirst line of the answer: {answer}")
    print(f"Index: {last.index_bytes / 1e6:.1f} MB")
    print(f"Pull, of the index's size: {last.download_bytes / last.index_bytes:.2f}")
    shares = [publication.uploaded_bytes / publication.index_bytes for publication in published[1:]]
    print(f"Publish of a commit, of the index's size: {median(shares):.3f} (median)")
    print(f"Validation: {verdict}")
    return 0


def _publish_history(args: argparse.Namespace, scratch: Path) -> list[Published]:
    """Publishes each of the last commits, the oldest first."""
    copy = _clone(args.repository, scratch / "origin")
    history = git(copy, "rev-list", "--first-parent", f"-{args.commits + 1}", "HEAD").split()
    published = []
    for commit in reversed(history):
        git(copy, "checkout", "-q", "-f", commit)
        _feeder(copy, "off", "sync", "--quiet")
        output = _feeder(copy, "off", "publish", "--json", str(scratch / "store"))
        published.append(msgspec.json.decode(output, type=Published))
    return published


def _first_answers(
    args: argparse.Namespace, scratch: Path, address: str
) -> tuple[dict[str, float], str]:
    """The seconds by kind of start, and the first line of the last answer."""
    seconds, first_line = {}, ""
    for start, folder, place, edits in (
        ("the index is made", "made", "off", 0),
        ("the index is pulled", "pulled", address, 0),
        (f"it is pulled, with {args.edits} files edited", "edited", address, args.edits),
    ):
        copy = _clone(args.repository, scratch / folder)
        _edit(copy, edits)
        began_s = time.monotonic()
        answer = _feeder(copy, place, "search", args.query)
        seconds[start] = time.monotonic() - began_s
        first_line = answer.splitlines()[0]
    return seconds, first_line


def _edit(copy: Path, count: int) -> None:
    """Adds a line to this many files of text."""
    files = git(copy, "grep", "-I", "-l", "").splitlines()
    for name in files[:count]:
        with (copy / name).open("a", encoding="utf-8") as file:
            file.write("\n# one more line\n")


def _clone(repository: Path, folder: Path) -> Path:
    """Clones the repository, with one remote for all clones: an index has its name."""
    command = ["git", "-c", "safe.directory=*", "clone", "-q", str(repository), str(folder)]
    subprocess.run(command, check=True)
    git(folder, "remote", "set-url", "origin", "https://example.org/acme/shop.git")
    return folder


def _feeder(copy: Path, place: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "feeder", *arguments],
        cwd=copy,
        env={**environment(), "FEEDER_MODEL": "static", "FEEDER_PULL": place},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"feeder {arguments[0]} failed: {done.stderr}")
    return done.stdout


@contextmanager
def _served(store: Path, line: SlowLine) -> Iterator[str]:
    handler = partial(SlowHandler, line, directory=str(store))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench share", description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("query")
    parser.add_argument("--commits", type=int, default=20)
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--rate", type=float, default=50, help="MB/s")
    parser.add_argument("--latency", type=float, default=40, help="ms")
    return parser.parse_args(sys.argv[2:])

"""Counts what the program does in each of the fixed runs."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from counts.repository import edit_a_file, make_repository

Counts = dict[str, dict[str, int]]
"""Counts by run and name."""

TESTS = Path(__file__).parents[1]
PROCESS = Path(__file__).with_name("counted_process.py")
INHERITED = ("PATH", "LD_LIBRARY_PATH", "TMPDIR")
MODELS = {"by words": "--no-vectors", "with static vectors": "--model=static"}


def measured(scratch: Path) -> Counts:
    """Runs the program in processes of their own below `scratch`, and returns the counts.

    Each model has its own repository, of the same name, with the index where it is by default.
    """
    scratch.mkdir(exist_ok=True)
    runs = _Runs(scratch)
    runs.count("start", "imports", "--help")
    runs.count("parsing", "parse")
    for model, option in MODELS.items():
        folder = scratch / model / "repository"
        make_repository(folder)
        where = ("-C", str(folder), "--store", "local")
        feed = ("sync", *where, "--quiet", "--jobs=1", option)
        runs.count(f"first feed {model}", "profile", *feed)
        shutil.rmtree(folder / ".feeder")
        runs.count(f"first feed {model}", "sql", *feed)
        runs.count(f"parser process {model}", "replay")
        runs.count(f"nothing changed {model}", "sql", *feed)
        runs.count(f"nothing changed {model}", "profile", *feed)
        runs.count(f"nothing changed {model}", "imports", *feed)
        runs.count(f"twenty queries {model}", "queries", str(folder))
        runs.count(f"twenty queries {model}", "calls", str(folder))
        search = ("search", *where, "--quiet", "parcel weight")
        runs.count(f"first search {model}", "imports", *search)
        runs.count(f"search {model}", "imports", *search)
        runs.count(f"start of the MCP server {model}", "imports", "mcp", *where)
        edit_a_file(folder)
        runs.count(f"one file edited {model}", "sql", *feed)
    runs.count("MCP server by words", "server", str(scratch / "by words" / "repository"))
    return runs.found


def least(one: Counts, other: Counts) -> Counts:
    """The smaller one of each two counts."""
    return {
        run: {name: min(value, other[run][name]) for name, value in found.items()}
        for run, found in one.items()
    }


class _Runs:
    """The counts of the runs so far."""

    def __init__(self, scratch: Path) -> None:
        self.found: Counts = {}
        self._scratch = scratch

    def count(self, run: str, mode: str, *arguments: str) -> None:
        """Runs the program and adds its counts to those of `run`."""
        output = self._scratch / "counts.json"
        # git's environment is made of the whole one: a call for each variable
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        home = str(self._scratch / "home")
        # the order of sets follows the hashes, and some calls follow the order
        variables = {"PYTHONHASHSEED": "0", "PYTHONPATH": str(TESTS), "HOME": home}
        done = subprocess.run(
            [sys.executable, "-P", str(PROCESS), mode, str(output), *arguments],
            env=inherited | variables | {"XDG_CACHE_HOME": home},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{run}: {done.stderr or done.stdout}"
        self.found.setdefault(run, {}).update(json.loads(output.read_text()))

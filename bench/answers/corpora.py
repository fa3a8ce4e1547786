"""Creates a repository of one commit for each corpus, from bare snapshots `owner+name/repo`."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from speed.repository import git, make

_LANGUAGE_PATTERNS = {
    "rs": r"^\s*(?:pub |use |fn |impl|mod |#\[|//!|let )",
    "py": r"^\s*(?:def |from \w+.* import|import \w+$|class \w+.*:$|elif |@\w+)",
    "cpp": r"^\s*#(?:include|define|ifn?def|endif)|std::|->|^\s*namespace ",
    "java": r"^\s*(?:public |private |package [\w.]+;|import [\w.]+;|@Override)",
}


class Absent(Exception):
    """Queries or a corpus are missing; the message says which."""


class Snapshot(NamedTuple):
    """A commit of a public repository, and the folder of it that is indexed; empty for all."""

    name: str
    slug: str
    commit: str
    folder: str = ""


def check_out(snapshot: Snapshot, mirror: Path, folder: Path) -> Path:
    """Returns the repository of a snapshot's files; creates it if needed. Raises Absent."""
    bare = _bare(snapshot, mirror)
    return _create_once(folder, lambda unfinished: _extract(bare, snapshot, unfinished))


def read_files(snapshot: Snapshot, mirror: Path, path_pattern: re.Pattern[str]) -> dict[str, str]:
    """Returns the contents of a snapshot's files whose paths match. Raises Absent."""
    bare = _bare(snapshot, mirror)
    names = git(bare, "ls-tree", "-r", "--name-only", snapshot.commit).split("\n")
    matching = (name for name in names if path_pattern.fullmatch(name))
    return {name: _show(bare, f"{snapshot.commit}:{name}") for name in matching}


def write_repository(files: Mapping[str, str], folder: Path) -> Path:
    """Returns the repository of these files; creates it if needed."""
    return _create_once(folder, lambda unfinished: _write(files, unfinished))


def tracked_files(repository: Path) -> list[str]:
    """Lists the paths of the tracked files."""
    return [path for path in git(repository, "ls-files", "-z").split("\0") if path]


def guess_suffix(text: str) -> str:
    """Guesses the file extension of a nameless document: the language with the most matches."""
    counts = {
        suffix: len(re.findall(pattern, text, re.MULTILINE))
        for suffix, pattern in _LANGUAGE_PATTERNS.items()
    }
    return max(counts, key=counts.__getitem__)


def _bare(snapshot: Snapshot, mirror: Path) -> Path:
    bare = mirror / snapshot.slug.replace("/", "+") / "repo"
    command = ["git", "-C", str(bare), "cat-file", "-e", f"{snapshot.commit}^{{commit}}"]
    if not bare.is_dir() or subprocess.run(command, check=False, capture_output=True).returncode:
        raise Absent(f"{snapshot.name}: no {bare} with the commit {snapshot.commit[:10]}")
    return bare


def _create_once(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Fills and commits a folder unless it exists; renames it last, so it is never partial."""
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        fill(unfinished)
        make(unfinished)
        unfinished.rename(folder)
    return folder


def _extract(bare: Path, snapshot: Snapshot, unfinished: Path) -> None:
    paths = [
        snapshot.folder or ".",
        *(f":(exclude){path}" for path in _missing_blobs(bare, snapshot)),
    ]
    with tempfile.NamedTemporaryFile(suffix=".tar") as file:
        archive = ["archive", f"--output={file.name}", snapshot.commit, "--", *paths]
        # git complains of the missing blobs on stderr
        done = subprocess.run(["git", "-C", str(bare), *archive], check=False, capture_output=True)
        if done.returncode:
            raise Absent(f"{snapshot.name}: {done.stderr.decode(errors='replace').strip()}")
        subprocess.run(["tar", "-x", "-C", str(unfinished), "-f", file.name], check=True)


def _missing_blobs(bare: Path, snapshot: Snapshot) -> list[str]:
    """Lists the files whose blobs the snapshot lacks: those of 4 MiB and more."""
    listing = subprocess.run(
        ["git", "-C", str(bare), "ls-tree", "-r", "-l", "-z", snapshot.commit],
        check=True,
        capture_output=True,
    )
    entries = (line.partition("\t") for line in listing.stdout.decode().split("\0") if line)
    return [path for details, _, path in entries if details.split()[3] == "BAD"]


def _write(files: Mapping[str, str], unfinished: Path) -> None:
    for path, text in files.items():
        file = unfinished / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", newline="\n")


def _show(bare: Path, name: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(bare), "show", name], check=True, stdout=subprocess.PIPE
    )
    return done.stdout.decode()

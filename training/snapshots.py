"""Reads bare snapshots of public repositories with git."""

import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """A file of HEAD: path, blob id, bytes."""

    path: str
    blob: str
    size: int


def git_folder(repo: str) -> Path:
    """Returns the git directory of owner/name, below the folder that MIRRORS names."""
    at = Path(os.environ["MIRRORS"]) / repo.replace("/", "+") / "repo"
    return at / ".git" if (at / ".git").is_dir() else at


def git(repo: str, *arguments: str) -> str:
    command = ["git", "--git-dir", str(git_folder(repo)), *arguments]
    # git fails because a snapshot lacks large files, but its listing is complete
    run = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    return run.stdout


def head(repo: str) -> str:
    return git(repo, "rev-parse", "HEAD").strip()


def entries(repo: str) -> list[Entry]:
    """Lists the regular files of HEAD whose blobs are in the snapshot."""
    files = []
    for line in filter(None, git(repo, "ls-tree", "-r", "-l", "-z", "HEAD").split("\0")):
        details, path = line.split("\t", 1)
        mode, kind, blob, size = details.split()
        if kind == "blob" and mode != "120000" and size.isdigit():
            files.append(Entry(path, blob, int(size)))
    return files


def contents(repo: str, files: Iterable[Entry]) -> Iterator[tuple[str, bytes]]:
    """Yields each file's path and content, in the given order."""
    command = ["git", "--git-dir", str(git_folder(repo)), "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        for entry in files:
            process.stdin.write(entry.blob.encode() + b"\n")
            process.stdin.flush()
            header = process.stdout.readline().split()
            if len(header) < 3 or header[1] != b"blob":
                continue
            content = process.stdout.read(int(header[2]))
            process.stdout.read(1)
            yield entry.path, content
        process.stdin.close()

"""Real git repositories to test on."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

Text = str | bytes


def need_place(path: Path) -> Path:
    """Returns the path; skips the test if the file system cannot store such a name."""
    if sys.platform == "darwin" and os.fsencode(path).decode(errors="ignore") != str(path):
        pytest.skip("macOS has no names that are not UTF-8")
    return path


class Repo:
    """A repository with a working tree; files map names to contents, or None to remove."""

    def __init__(self, path: Path, *options: str) -> None:
        self.path = need_place(path)
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", *options)

    def git(self, *arguments: Text, stdin: bytes = b"") -> str:
        command = ["git", "-C", os.fsencode(self.path), *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "backslashreplace").removesuffix("\n")

    def write(self, files: Mapping[str, Text | None] | Mapping[bytes, Text | None]) -> None:
        for name, contents in files.items():
            place = need_place(self.path / os.fsdecode(name))
            place.parent.mkdir(parents=True, exist_ok=True)
            if contents is None:
                place.unlink()
            else:
                place.write_bytes(contents.encode() if isinstance(contents, str) else contents)

    def commit(
        self, files: Mapping[str, Text | None] | Mapping[bytes, Text | None] | None = None
    ) -> str:
        """Commits the given files and all others that git does not ignore."""
        self.write(files or {})
        self.git("add", "-A")
        there = [os.fsencode(name) for name, text in (files or {}).items() if text is not None]
        if there and any(self.path.rglob(".gitignore")):
            named = ("add", "-f", "--pathspec-from-file=-", "--pathspec-file-nul")
            self.git("--literal-pathspecs", *named, stdin=b"\0".join(there))
        self.git("commit", "-q", "--allow-empty", "-m", "a commit")
        return self.head()

    def head(self) -> str:
        """Returns the commit at HEAD; reads git's files where it can, for a process takes 5 ms."""
        git = self.path / ".git"
        try:
            return (git / (git / "HEAD").read_text().split()[1]).read_text().strip()
        except (OSError, IndexError):
            return self.git("rev-parse", "HEAD")

    def clone(self, path: Path, *options: str) -> "Repo":
        self.git("clone", "-q", *options, self.path.as_uri(), os.fsencode(path))
        return Repo(path)


def raw_commit(path: Path, files: Mapping[bytes, tuple[str, bytes]], parent: str = "") -> str:
    """Commits exactly these files (name → mode, contents) without a working tree."""
    stream = [b"commit refs/heads/raw\ncommitter A <a@example.org> 0 +0000\ndata 0\n"]
    stream.append(f"from {parent}\n".encode() if parent else b"")
    stream.append(b"deleteall\n")
    for name, (mode, contents) in files.items():
        quoted = b"".join(b"\\%03o" % byte for byte in name)
        stream.append(b'M %b inline "%b"\n' % (mode.encode(), quoted))
        stream.append(b"data %d\n%b\n" % (len(contents), contents))
    git = ["git", "-C", os.fspath(path)]
    load = [*git, "fast-import", "--quiet", "--force"]
    subprocess.run(load, input=b"".join(stream), check=True, capture_output=True)
    done = subprocess.run([*git, "rev-parse", "raw"], check=True, capture_output=True)
    return done.stdout.decode().strip()

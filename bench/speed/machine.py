"""Collects the versions and the hardware that the figures were measured with."""

import os
import platform
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import apsw

from speed.repository import git

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("tree-sitter", "tree-sitter-language-pack", "onnxruntime", "numpy")


def about() -> dict[str, str]:
    """Returns date, versions and hardware by name."""
    return dict(_items())


def _items() -> Iterator[tuple[str, str]]:
    yield "date", datetime.now(UTC).date().isoformat()
    yield "feeder", _commit()
    yield "Python", platform.python_version()
    for package in PACKAGES:
        yield package, _version(package)
    yield "SQLite", apsw.sqlite_lib_version()
    yield "cores", str(len(os.sched_getaffinity(0)))
    yield "processor", _line("/proc/cpuinfo", "model name")
    yield "memory", f"{int(_line('/proc/meminfo', 'MemTotal').split()[0]) * 1024 / 1e9:.0f} GB"
    yield "system", f"{platform.freedesktop_os_release()['PRETTY_NAME']}, {platform.release()}"


def _commit() -> str:
    """Returns HEAD of this repository, with a note if `src` has uncommitted changes."""
    try:
        commit = git(ROOT, "rev-parse", "--short=12", "HEAD")
        changed = git(ROOT, "status", "--porcelain", "--", "src")
    except (OSError, subprocess.CalledProcessError):
        return "not in a repository"
    return f"{commit} with changes" if changed else commit


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _line(file: str, name: str) -> str:
    """Returns the value of the first line with this name."""
    for line in Path(file).read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return "unknown"

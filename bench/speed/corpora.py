"""Defines the corpora: published packages at pinned versions, downloaded at first use."""

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from speed.repository import make

FETCH_S = 600


class Unavailable(Exception):
    """A corpus cannot be downloaded; the message names the package manager and the package."""


class Package(NamedTuple):
    """A package as its manager names it, and the folders to take; empty for all."""

    manager: str
    name: str
    folders: tuple[str, ...] = ()


class Corpus(NamedTuple):
    """A repository made of packages."""

    name: str
    about: str
    packages: tuple[Package, ...]

    @property
    def folder_name(self) -> str:
        """The name of its cache folder, with a hash of the packages."""
        return f"{self.name}-{hashlib.sha1(repr(self.packages).encode()).hexdigest()[:8]}"


CORPORA = (
    Corpus("django", "Python, with its translations", (Package("pip", "Django==5.2"),)),
    Corpus("rxjs", "TypeScript", (Package("npm", "rxjs@7.8.2", ("src",)),)),
    Corpus(
        "code",
        "Python and TypeScript",
        (
            Package("pip", "Django==5.2", ("django/db", "django/core", "tests/[q-z]*/")),
            Package("npm", "effect@3.12.0", ("src",)),
        ),
    ),
    Corpus(
        "react-native",
        "Kotlin and Java",
        (Package("npm", "react-native@0.76.9", ("ReactAndroid",)),),
    ),
    Corpus("fcl", "Pascal", (Package("apt", "fpc-source-3.2.2", ("packages/fcl-[b-pw-x]*",)),)),
    Corpus(
        "documents",
        "JSON, YAML and markdown",
        (
            Package("pip", "cfn-lint==1.20.0", ("src/cfnlint/data", "test/fixtures")),
            Package("npm", "@typescript-eslint/eslint-plugin@5.62.0", ("docs",)),
        ),
    ),
)


def fetch(corpus: Corpus, cache: Path) -> Path:
    """Returns the repository of a corpus from the cache; downloads it if needed.

    Raises Unavailable.
    """
    repository = cache / corpus.folder_name
    if not repository.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as name:
            made = Path(name) / "repository"
            for package in corpus.packages:
                _copy_folders(package, Path(name), made)
            make(made)
            made.rename(repository)  # atomic: never a partial folder
    return repository.resolve()


def _copy_folders(package: Package, scratch: Path, repository: Path) -> None:
    """Downloads a package and copies its chosen folders into a repository."""
    with tempfile.TemporaryDirectory(dir=scratch) as name:
        try:
            root = MANAGERS[package.manager](package.name, Path(name))
            for folder in _requested_folders(package, root):
                target = repository / folder.relative_to(root)
                shutil.copytree(folder, target, symlinks=True, dirs_exist_ok=True)
        except (OSError, ValueError, subprocess.SubprocessError, tarfile.TarError) as exc:
            reason = f"{package.manager} could not download {package.name}: {type(exc).__name__}"
            raise Unavailable(reason) from exc


def _requested_folders(package: Package, root: Path) -> list[Path]:
    """Lists the chosen folders. Raises ValueError if a pattern matches none."""
    matches = [sorted(root.glob(pattern)) for pattern in package.folders]
    if not all(matches):
        raise ValueError(f"no folder matches one of {package.folders}")
    return [folder for folders in matches for folder in folders] or [root]


def _by_pip(name: str, folder: Path) -> Path:
    """Downloads a source distribution."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--no-deps", "--no-binary", name.partition("==")[0], name], folder)
    return _unpack(folder, "*.tar.gz")


def _by_npm(name: str, folder: Path) -> Path:
    _run(["npm", "pack", "--silent", name], folder)
    return _unpack(folder, "*.tgz")


def _by_apt(name: str, folder: Path) -> Path:
    """Downloads a Debian package of sources and returns the folder of its version."""
    _run(["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=", name], folder)
    [archive] = folder.glob("*.deb")
    _run(["dpkg-deb", "--extract", str(archive), "unpacked"], folder)
    shared = folder / "unpacked/usr/share"
    [root] = [*shared.glob("fpcsrc/*"), *shared.glob("gocode/src/*/*")]
    return root


MANAGERS: dict[str, Callable[[str, Path], Path]] = {"pip": _by_pip, "npm": _by_npm, "apt": _by_apt}


def _unpack(folder: Path, pattern: str) -> Path:
    """Unpacks the only archive and returns its only folder."""
    [archive] = folder.glob(pattern)
    with tarfile.open(archive) as files:
        files.extractall(folder / "unpacked", filter="data")
    [root] = (folder / "unpacked").iterdir()
    return root


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, timeout=FETCH_S, stdout=subprocess.DEVNULL)

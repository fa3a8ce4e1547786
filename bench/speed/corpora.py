"""Real repositories: published packages of pinned versions, fetched when they are first needed."""

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
    """A corpus cannot be had here; the message says which command did not bring it."""


class Package(NamedTuple):
    """A package in the words of its package manager, and which of its folders are taken, or all."""

    manager: str
    name: str
    folders: tuple[str, ...] = ()


class Corpus(NamedTuple):
    """A repository made of packages."""

    name: str
    about: str
    packages: tuple[Package, ...]

    @property
    def place(self) -> str:
        """The name of its folder, another one for other packages."""
        return f"{self.name}-{hashlib.sha1(repr(self.packages).encode()).hexdigest()[:8]}"


CORPORA = (
    Corpus("django", "Python, with its translations", (Package("pip", "Django==5.2"),)),
    Corpus("rxjs", "TypeScript", (Package("npm", "rxjs@7.8.2", ("src",)),)),
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


def fetched(corpus: Corpus, cache: Path) -> Path:
    """The repository of a corpus, from the cache folder or fetched into it; raises Unavailable."""
    place = cache / corpus.place
    if not place.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as name:
            made = Path(name) / "repository"
            for package in corpus.packages:
                _take(package, Path(name), made)
            make(made)
            made.rename(place)  # whole or not at all
    return place.resolve()


def _take(package: Package, scratch: Path, repository: Path) -> None:
    """Copies the wanted folders of a package into a repository."""
    with tempfile.TemporaryDirectory(dir=scratch) as name:
        try:
            root = MANAGERS[package.manager](package.name, Path(name))
            for folder in _wanted(package, root):
                target = repository / folder.relative_to(root)
                shutil.copytree(folder, target, symlinks=True, dirs_exist_ok=True)
        except (OSError, ValueError, subprocess.SubprocessError, tarfile.TarError) as exc:
            why = f"{package.manager} did not bring {package.name}: {type(exc).__name__}"
            raise Unavailable(why) from exc


def _wanted(package: Package, root: Path) -> list[Path]:
    """The folders that are taken; raises ValueError where a pattern matches none."""
    found = [sorted(root.glob(pattern)) for pattern in package.folders]
    if not all(found):
        raise ValueError(f"not all of {package.folders} are there")
    return [folder for folders in found for folder in folders] or [root]


def _by_pip(name: str, folder: Path) -> Path:
    """The source distribution."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--no-deps", "--no-binary", ":all:", name], folder)
    return _unpacked(folder, "*.tar.gz")


def _by_npm(name: str, folder: Path) -> Path:
    _run(["npm", "pack", "--silent", name], folder)
    return _unpacked(folder, "*.tgz")


def _by_apt(name: str, folder: Path) -> Path:
    """The folder of a version that a Debian package of sources has for each."""
    _run(["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=", name], folder)
    [archive] = folder.glob("*.deb")
    _run(["dpkg-deb", "--extract", str(archive), "unpacked"], folder)
    [root] = folder.glob("unpacked/usr/share/fpcsrc/*")
    return root


MANAGERS: dict[str, Callable[[str, Path], Path]] = {"pip": _by_pip, "npm": _by_npm, "apt": _by_apt}


def _unpacked(folder: Path, pattern: str) -> Path:
    """The one folder of the one archive."""
    [archive] = folder.glob(pattern)
    with tarfile.open(archive) as files:
        files.extractall(folder / "unpacked", filter="data")
    [root] = (folder / "unpacked").iterdir()
    return root


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, timeout=FETCH_S, stdout=subprocess.DEVNULL)

"""Checks Python, installed extras, SQLite, limits, cache, parser, git and the repository's
settings.
"""

import os
import platform
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version

from feeder.cloudflare import wrangler
from feeder.config import Settings
from feeder.doctor import Finding
from feeder.embedding.cache import default_cache_file
from feeder.errors import FeederError
from feeder.parse.worker_pool import WorkerPool
from feeder.search.vocabulary import REPOSITORY_FILE, repository_categories
from feeder.session.workspace import current_workspace
from feeder.source import git
from feeder.source.git_command import run_git
from feeder.store.sqlite import IN_MEMORY, SQLite

MIN_OPEN_FILES = 128
"""That a process may have open: the workers' pipes, the index, the cache."""

_SAMPLE = "sample.py", b"def total(prices):\n    return sum(prices)\n"


def check_python(_: Settings) -> Iterator[Finding]:
    """Which interpreter runs, on which system."""
    bits = "" if sys.maxsize > 2**32 else ", 32 bits"
    says = f"{platform.python_implementation()} {platform.python_version()}{bits}"
    yield Finding("python", f"{says}, {platform.system()} {platform.machine()}")


def check_sqlite(_: Settings) -> Iterator[Finding]:
    """The SQLite that the program brings, and whether it opens an index."""
    import apsw

    SQLite(IN_MEMORY).close()
    yield Finding("sqlite", f"{apsw.sqlite_lib_version()} by apsw {apsw.apsw_version()}")


def check_open_files(_: Settings) -> Iterator[Finding]:
    """How many files a process may have open; systems without such a limit say nothing."""
    with suppress(ImportError):
        import resource

        files, _most = resource.getrlimit(resource.RLIMIT_NOFILE)
        is_low = files != resource.RLIM_INFINITY and files < MIN_OPEN_FILES
        remedy = (
            f"Raise it to {MIN_OPEN_FILES} at least: ulimit -n {MIN_OPEN_FILES}" if is_low else ""
        )
        yield Finding("open files", f"{files:,} at most", remedy, is_low)


def check_temporary_files(_: Settings) -> Iterator[Finding]:
    """Whether there is a folder for what lasts as long as a run."""
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"feeder")
        yield Finding("temporary files", f"can be written in {tempfile.gettempdir()}")
    except OSError as exc:
        remedy = "Name a folder that can be written in TMPDIR."
        yield Finding("temporary files", f"cannot be written: {exc}", remedy, stops=True)


def check_cache(settings: Settings) -> Iterator[Finding]:
    """Where embeddings are remembered, which no run needs."""
    file = settings.cache or default_cache_file()
    remedy = "Name a file for them that can be written: --cache or FEEDER_CACHE."
    if file is None:
        yield Finding("cache", "there is no home folder to remember embeddings in", remedy)
        return
    there = next(path for path in (file, *file.parents) if path.exists())
    can_write = os.access(there, os.W_OK)
    says = f"{file}{'' if can_write else ', which cannot be written'}"
    yield Finding("cache", says, "" if can_write else remedy)


def check_parser(settings: Settings) -> Iterator[Finding]:
    """Whether a file becomes nodes, in a process apart as in a run."""
    with WorkerPool(settings.grammar, mask_secrets=settings.mask_secrets, count=1) as workers:
        [parsed] = workers.parse([_SAMPLE])
    wrong = parsed.skip or parsed.reason
    if wrong or not parsed.nodes:
        remedy = "Install the program anew; a limit on processes or memory may be too tight."
        raise FeederError(f"A line of Python does not parse: {wrong or 'no nodes'}. {remedy}")
    yield Finding("parser", "a line of Python becomes a node in a process of its own")


DISTRIBUTION = "headfeed"

_EXTRA_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+).*;.*extra == ['\"](?P<extra>\w+)['\"]")


def check_extras(_: Settings) -> Iterator[Finding]:
    """Each extra, its packages with their versions, and how to get what is missing."""
    for extra, packages in _packages_by_extra().items():
        there = {package: _version(package) for package in packages}
        missing = [package for package, found in there.items() if not found]
        some = ", ".join(f"{package} {found}" for package, found in there.items() if found)
        if not missing:
            yield Finding(f"[{extra}]", some)
        elif some:
            remedy = f"Install what lacks: pip install '{DISTRIBUTION}[{extra}]'"
            yield Finding(f"[{extra}]", f"{some}, without {', '.join(missing)}", remedy)
        else:
            says = f"not installed; pip install '{DISTRIBUTION}[{extra}]' brings it"
            yield Finding(f"[{extra}]", says, absent=True)


def _packages_by_extra() -> dict[str, list[str]]:
    try:
        said = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return {}
    found: dict[str, list[str]] = {}
    for one in filter(None, map(_EXTRA_REQUIREMENT.match, said)):
        found.setdefault(one["extra"], []).append(one["name"])
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def check_git(settings: Settings) -> Iterator[Finding]:
    """Which git is found."""
    said = run_git(settings.directory, "--version").stdout.decode("utf-8", "replace").strip()
    yield Finding("git", said.removeprefix("git version "))


def check_repository(settings: Settings) -> Iterator[Finding]:
    """Which repository it is, and what its HEAD is."""
    repository = git.find_root(settings.directory.resolve())
    if repository is None:
        says = f"{settings.directory.resolve()} is in none"
        remedy = "Go into one, or index files as they lie: feeder process --path ."
        yield Finding("repository", says, remedy)
        return
    place = current_workspace(settings)
    tip = git.head_commit_or_none(repository)
    kind = "bare, " if git.is_bare(repository) else ""
    kind += "shallow, " if git.is_shallow(repository) else ""
    at = f"HEAD {tip[:7]}" if tip else "no commit yet"
    remedy = "" if tip else "Commit first, or index the files as they are: sync --working-tree."
    yield Finding("repository", f"{place.repo} in {repository}, {kind}{at}", remedy)


def check_settings_files(settings: Settings) -> Iterator[Finding]:
    """Whether the files that set things can be read."""
    base = current_workspace(settings).base
    if own := repository_categories(base):
        yield Finding(REPOSITORY_FILE, f"categories: {', '.join(own)}")
    if file := wrangler.find_file(settings.directory):
        wrangler.read_bindings(file)
        yield Finding(file.name, f"read from {file}")

"""Checks Python, installed extras, SQLite, limits, cache, parser, git and the repository's
settings.
"""

import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

from feeder.cloudflare import wrangler
from feeder.config import Settings, default_cache_file
from feeder.doctor import Finding
from feeder.errors import FeederError, os_reason
from feeder.installation import install_steps, packages_by_extra
from feeder.parse.worker_pool import WorkerPool
from feeder.query.vocabulary import repository_categories
from feeder.session.workspace import current_workspace
from feeder.shared_settings import REPOSITORY_FILE
from feeder.source import git
from feeder.source.git_command import run_git
from feeder.store.sqlite import IN_MEMORY, SQLite

MIN_OPEN_FILES = 128
"""Files that a process must be able to open: the workers' pipes, the index, the cache."""

_SAMPLE = "sample.py", b"def total(prices):\n    return sum(prices)\n"


def check_python(_: Settings) -> Iterator[Finding]:
    """Reports the interpreter and the system."""
    bits = "" if sys.maxsize > 2**32 else ", 32 bits"
    message = f"{platform.python_implementation()} {platform.python_version()}{bits}"
    yield Finding("python", f"{message}, {platform.system()} {platform.machine()}")


def check_sqlite(_: Settings) -> Iterator[Finding]:
    """Opens an index in memory with the SQLite that comes with the program."""
    import apsw

    SQLite(IN_MEMORY).close()
    yield Finding("sqlite", f"{apsw.sqlite_lib_version()} by apsw {apsw.apsw_version()}")


def check_open_files(_: Settings) -> Iterator[Finding]:
    """Checks the limit of open files, on systems that have one."""
    with suppress(ImportError):
        import resource

        limit, _max = resource.getrlimit(resource.RLIMIT_NOFILE)
        is_low = limit != resource.RLIM_INFINITY and limit < MIN_OPEN_FILES
        remedy = (
            f"Raise it to at least {MIN_OPEN_FILES}: ulimit -n {MIN_OPEN_FILES}" if is_low else ""
        )
        yield Finding("open files", f"at most {limit:,}", remedy, is_low)


def check_temporary_files(_: Settings) -> Iterator[Finding]:
    """Writes a temporary file."""
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"feeder")
        yield Finding("temporary files", f"{tempfile.gettempdir()} is writable")
    except OSError as exc:
        remedy = "Set TMPDIR to a writable folder."
        yield Finding("temporary files", f"cannot be written: {os_reason(exc)}", remedy, stops=True)


def check_cache(settings: Settings) -> Iterator[Finding]:
    """Checks the file of the embedding cache; a run works without it."""
    file = settings.cache or default_cache_file()
    remedy = "Name a writable file: --cache or FEEDER_CACHE."
    if file is None:
        yield Finding("cache", "there is no home folder for the embedding cache", remedy)
        return
    existing = next(path for path in (file, *file.parents) if path.exists())
    is_writable = os.access(existing, os.W_OK)
    message = f"{file}{'' if is_writable else ' is not writable'}"
    yield Finding("cache", message, "" if is_writable else remedy)


def check_parser(settings: Settings) -> Iterator[Finding]:
    """Parses a file in a worker process, as a run does."""
    with WorkerPool(settings.grammar, mask_secrets=settings.mask_secrets, count=1) as workers:
        [parsed] = workers.parse([_SAMPLE])
    problem = parsed.skip or parsed.reason
    if problem or not parsed.nodes:
        remedy = "Raise limits on processes or memory, or install the program again."
        raise FeederError(f"A Python sample does not parse: {problem or 'no nodes'}.", remedy)
    yield Finding("parser", "parsed a Python sample in a worker process")


def check_extras(_: Settings) -> Iterator[Finding]:
    """Reports the packages of each extra with their versions, and how to install the missing."""
    for extra, packages in packages_by_extra().items():
        versions = {package: _version(package) for package in packages}
        missing = [package for package, number in versions.items() if not number]
        installed = ", ".join(
            f"{package} {number}" for package, number in versions.items() if number
        )
        command = install_steps(extra)
        if not missing:
            yield Finding(f"[{extra}]", installed)
        elif installed:
            remedy = f"Install what is missing: {command}"
            yield Finding(f"[{extra}]", f"{installed}, without {', '.join(missing)}", remedy)
        else:
            yield Finding(f"[{extra}]", f"not installed; to add it: {command}", absent=True)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def check_git(settings: Settings) -> Iterator[Finding]:
    """Reports the version of git."""
    output = run_git(settings.directory, "--version").stdout.decode("utf-8", "replace").strip()
    yield Finding("git", output.removeprefix("git version "))


def check_repository(settings: Settings) -> Iterator[Finding]:
    """Reports the repository and its HEAD."""
    repository = git.find_root(settings.directory.resolve())
    if repository is None:
        message = f"{settings.directory.resolve()} is not in a git repository"
        remedy = "Change to one, or index the files as they are: feeder process --path ."
        yield Finding("repository", message, remedy)
        return
    repo = current_workspace(settings).repo
    tip = git.head_commit_or_none(repository)
    kind = "bare, " if git.is_bare(repository) else ""
    kind += "shallow, " if git.is_shallow(repository) else ""
    head = f"HEAD {tip[:7]}" if tip else "no commit yet"
    command = "feeder sync --working-tree"
    remedy = "" if tip else f"Commit first, or index the files as they are: {command}"
    yield Finding("repository", f"{repo} in {repository}, {kind}{head}", remedy)


def check_settings_files(settings: Settings) -> Iterator[Finding]:
    """Reads the settings of the repository and of wrangler."""
    base = current_workspace(settings).base
    if categories := repository_categories(base):
        yield Finding(REPOSITORY_FILE, f"categories: {', '.join(categories)}")
    if file := wrangler.find_file(settings.directory):
        wrangler.read_bindings(file)
        yield Finding(file.name, f"read from {file}")

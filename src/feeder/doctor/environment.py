"""Is this machine as a run needs it? Its Python, its SQLite, room to write, the parser."""

import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress

from feeder.config import Settings
from feeder.doctor import Finding
from feeder.embedding.place import default_cache_file
from feeder.errors import FeederError
from feeder.parse.worker_pool import WorkerPool
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

"""A store in memory that counts requests, fails at one of them, or lets another publisher in."""

import hashlib
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from feeder.config import Settings
from feeder.parse import StaticEmbedder
from feeder.parse.grammar_files import load_grammars
from feeder.parse.worker_pool import code_fingerprint
from feeder.share.publish import Publication, publish
from feeder.share.pull import Pulled, pull
from feeder.share.stores import Source, Target, Versioned, too_large
from feeder.source.git_trees import Commit
from index_helpers import REPO, InProcessParser, open_database, run_sync
from source.repos import Repo


class Killed(BaseException):
    """The process ends."""


class MemoryStore:
    """A `Target`. `dies_at` is the number of the write at which the process ends."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.files = files or {}
        self.changed_s = dict.fromkeys(self.files, time.time())
        self.dies_at: int | None = None
        self.before_replace: Callable[[], None] | None = None
        self.before_read: Callable[[str], None] = lambda _: None
        self.writes = 0

    def read(self, name: str, limit: int) -> Versioned | None:
        self.before_read(name)
        data = self.files.get(name)
        if data is None:
            return None
        if len(data) > limit:
            raise too_large(name)
        return Versioned(data, hashlib.sha256(data).hexdigest())

    def names(self) -> dict[str, float]:
        return dict(self.changed_s)

    def write(self, name: str, data: bytes) -> None:
        self._count_write()
        self.files[name] = data
        self.changed_s[name] = time.time()

    def replace(self, name: str, data: bytes, version: str | None) -> bool:
        if self.before_replace:
            act, self.before_replace = self.before_replace, None
            act()
        self._count_write()
        current = self.read(name, 1 << 30)
        if (current and current.version) != version:
            return False
        self.files[name] = data
        self.changed_s[name] = time.time()
        return True

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            self._count_write()
            self.files.pop(name, None)
            self.changed_s.pop(name, None)

    def close(self) -> None:
        pass

    def _count_write(self) -> None:
        self.writes += 1
        if self.writes == self.dies_at:
            raise Killed


def shipped_parser(static_model: StaticEmbedder | None = None) -> InProcessParser:
    """A parser with the fingerprint of the shipped grammars."""
    fingerprint = code_fingerprint(load_grammars(None), mask_secrets=True)
    return InProcessParser(fingerprint, static_model)


def sync_file(repo: Repo, index: Path) -> None:
    """Brings an index file up to date with HEAD."""
    sync_path(repo.path, index)


def sync_path(repository: Path, index: Path) -> None:
    """Brings an index file up to date with HEAD of a repository."""
    with closing(open_database(index)) as database:
        report = run_sync(Commit(repository), database, parser=shipped_parser())
    assert report.finished


def publish_head(repo: Repo, index: Path, store: Target, keep: int = 20) -> Publication:
    """Publishes HEAD."""
    sync_file(repo, index)
    return publish(index, repo.path, store, keep)


def pull_to(folder: Path, repo: Repo, store: Source) -> Pulled:
    """Pulls into a new file `index.db` of a folder."""
    folder.mkdir(exist_ok=True)
    (folder / "index.db").unlink(missing_ok=True)
    pulled = pull(store, repo.path, folder / "index.db", Settings())
    assert pulled and pulled.repo == REPO
    return pulled

"""Runs random histories of publishes and pulls, and proves the index after each pull.

    python -m bench share-histories [--count 200] [--seed 1]

Each history has a store in memory, in a folder, or in a release of a stand-in for GitHub. Commits
and force pushes go to a branch. Two publishers follow it, one at a time or both at once; their
requests then come in a random order, with those of a reader between them. A publisher or a reader
may be killed at any request: before it, while it is received, or before its response. Hours may
pass, after which unused files are deleted.

After each pull, the index is brought to the reader's commit. `validate` has to find nothing, and
all rows have to be those of an index that was made there. After each step, every published index
has to be complete. The exit code is 1 if one of these failed; the output then has the seed.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from shutil import rmtree
from tempfile import TemporaryDirectory
from traceback import print_exception
from unittest import mock

from sharing_stores import (
    MOMENTS,
    OTHER_UPLOAD_S,
    STORES,
    Client,
    SharedStore,
    Turns,
    small_packs_in_order,
)
from speed.repository import git

from feeder.config import Settings
from feeder.errors import ServiceError, TransientError
from feeder.share.manifest import LATEST, MAX_JSON_BYTES, Entry
from feeder.share.publish import publish, read_listing, read_manifest, read_whole
from feeder.share.pull import pull
from feeder.source.git_trees import Commit
from feeder.sync.validate import validate
from index_helpers import IndexSnapshot, fresh_snapshot, index_snapshot, new_sync_context
from index_helpers import open_database as open_index
from share.memory_store import Killed, shipped_parser, sync_path

HOUR_S = 3600.0
STEPS = 10
MAX_KILLED_REQUEST = 14
COUNTED = (
    "histories",
    "force pushes",
    "publishes",
    "publishes at once",
    "killed",
    "refused: an upload is unfinished",
    "pulls",
    "indexes proven",
)
NAMES = [f"src/m{number}.py" for number in range(12)]
WORDS = ("cart", "refund", "parcel", "courier", "stock", "ledger")


class Wrong(Exception):
    """A guarantee was violated."""


class History:
    """One random history. `counts` says what happened."""

    def __init__(
        self, folder: Path, draw: Random, store: SharedStore, counts: Counter[str]
    ) -> None:
        self._draw = draw
        self._store = store
        self._counts = counts
        self._keep = draw.choice([1, 2, 20])
        self._now_s = 1_800_000_000
        self._origin = folder / "origin"
        self._origin.mkdir(parents=True)
        git(self._origin, "init", "-q", "-b", "main")
        self._commit()
        self._publishers = [self._clone(folder / name) for name in ("one", "two")]
        self._reader = self._clone(folder / "reader")
        self._fresh: dict[str, IndexSnapshot] = {}

    def run(self) -> None:
        """Raises Wrong, or what the program raises against its promise."""
        steps: list[tuple[Callable[[], None], int]] = [
            (self._commit, 3),
            (self._force_push, 1),
            (self._publish, 4),
            (self._publish_at_once, 3),
            (self._pull, 2),
            (self._pass_time, 2),
        ]
        acts, weights = zip(*steps, strict=True)
        self._publish()
        for _ in range(STEPS):
            self._draw.choices(acts, weights)[0]()
            self._check_store()
        self._pass_time()
        self._pull()

    def _commit(self) -> None:
        """A commit of a few files; sometimes without a change."""
        for name in self._draw.sample(NAMES, self._draw.choice([0, 1, 2, 6])):
            file = self._origin / name
            if file.exists() and self._draw.random() < 0.3:
                file.unlink()
                continue
            file.parent.mkdir(exist_ok=True)
            file.write_text("".join(self._function(number) for number in range(20)))
        git(self._origin, "add", "-A")
        self._record("commit")

    def _function(self, number: int) -> str:
        word, value = self._draw.choice(WORDS), self._draw.randrange(1_000)
        return f"def {word}_{number}(order):\n    return order.{word} + {value}\n\n\n"

    def _record(self, *options: str) -> None:
        """Commits; the clock of the machine may be an hour slow."""
        self._now_s += self._draw.randrange(1, 600)
        date = f"{self._now_s - self._draw.choice([0, 0, 0, 3600])} +0000"
        with mock.patch.dict(os.environ, GIT_COMMITTER_DATE=date, GIT_AUTHOR_DATE=date):
            git(self._origin, *options, "-q", "--allow-empty", "-m", f"at {self._now_s}")

    def _force_push(self) -> None:
        """Back to an older commit, or the same files as another commit."""
        self._counts["force pushes"] += 1
        if self._draw.random() < 0.3:
            return self._record("commit", "--amend")
        back = self._draw.randrange(1, 4)
        depth = int(git(self._origin, "rev-list", "--count", "HEAD"))
        git(self._origin, "reset", "-q", "--hard", f"HEAD~{min(back, depth - 1)}")
        if self._draw.random() < 0.5:
            self._commit()
        return None

    def _pass_time(self) -> None:
        self._store.pass_time(self._draw.choice([OTHER_UPLOAD_S, HOUR_S + 1]))

    def _publish(self) -> None:
        """One publish, which may be killed."""
        self._publishing(self._prepare(self._draw.choice(self._publishers)), 0.5)()

    def _publish_at_once(self) -> None:
        """Both publish and another clone pulls, in a random order of requests."""
        turns = Turns(Random(self._draw.random()))
        acts = [self._publishing(self._prepare(clone), 0.2, turns) for clone in self._publishers]
        has_pull = bool(self._listed())
        if has_pull:
            self._check_out(self._reader)
            acts.append(lambda: self._pull_to(self._reader, Client(self._store.open(), turns)))
        self._counts["publishes at once"] += 2
        turns.run(acts)
        if has_pull:
            self._prove(self._reader)

    def _prepare(self, clone: Path) -> Path:
        """An index of a commit of the branch, made from the last one, a pulled one, or anew."""
        self._check_out(clone)
        if self._draw.random() < 0.3:
            _index(clone).unlink(missing_ok=True)
            if self._listed():
                self._pull_to(clone, Client(self._store.open()))
        sync_path(clone, _index(clone))
        return clone

    def _publishing(
        self, clone: Path, risk: float, turns: Turns | None = None
    ) -> Callable[[], None]:
        """A publish of a prepared clone, which may find the unfinished upload of a killed one."""
        dies_at, moment = self._death(risk), self._draw.choice(MOMENTS)

        def act() -> None:
            store = self._store
            client = Client(store.open(), turns, dies_at, moment, store.receive_part)
            try:
                with closing(client):
                    done = publish(_index(clone), clone, client, self._keep)
            except Killed:
                self._counts["killed"] += 1
                return
            except TransientError:
                if not store.has_unfinished_upload():
                    raise
                self._counts["refused: an upload is unfinished"] += 1
                return
            self._counts["publishes"] += 1
            if not turns and done.commit not in {entry.commit for entry in self._listed()}:
                raise Wrong(f"{done.commit} is not listed after its publish.")

        return act

    def _death(self, risk: float) -> int | None:
        """The number of the request at which a client is killed."""
        is_killed = self._draw.random() < risk
        return self._draw.randrange(1, MAX_KILLED_REQUEST) if is_killed else None

    def _pull(self) -> None:
        """A pull, which may follow a killed one."""
        if not self._listed():
            return
        self._check_out(self._reader)
        try:
            self._pull_to(self._reader, Client(self._store.open(), None, self._death(0.3)))
        except Killed:
            self._counts["killed"] += 1
            if _index(self._reader).exists():
                raise Wrong("A killed pull has made an index.") from None
            self._pull_to(self._reader, Client(self._store.open()))
        self._prove(self._reader)

    def _pull_to(self, clone: Path, client: Client) -> None:
        """Pulls the nearest index."""
        head, listed = git(clone, "rev-parse", "HEAD"), self._listed()
        _index(clone).unlink(missing_ok=True)
        with closing(client):
            pulled = pull(client, clone, _index(clone), Settings())
        self._counts["pulls"] += 1
        is_exact = pulled is not None and pulled.commit == head
        if listed == self._listed() and is_exact != (head in {entry.commit for entry in listed}):
            raise Wrong(f"{head} is checked out; this was pulled: {pulled}")

    def _prove(self, clone: Path) -> None:
        """Raises Wrong unless the index equals one that is made here."""
        sync_path(clone, _index(clone))
        tree = git(clone, "rev-parse", "HEAD^{tree}")
        commit = Commit(clone)
        if tree not in self._fresh:
            self._fresh[tree] = fresh_snapshot(commit, parser=shipped_parser())
        with closing(open_index(_index(clone))) as database:
            context = new_sync_context(commit, database, parser=shipped_parser())
            result = validate(context)
            if not result.passed:
                raise Wrong("\n".join(result.lines()))
            found = index_snapshot(database)
        differing = [part for part, rows in self._fresh[tree].items() if found[part] != rows]
        if differing:
            raise Wrong(f"Differs from an index that was made here: {', '.join(differing)}.")
        self._counts["indexes proven"] += 1

    def _check_store(self) -> None:
        """Raises Wrong unless each published index is complete, and their list is in order."""
        listed = self._listed()
        if len(listed) > self._keep:
            raise Wrong(f"{len(listed)} commits are listed, and {self._keep} are kept.")
        if sorted(listed, key=lambda entry: -entry.committed_s) != listed:
            raise Wrong("The listed commits are not in the order of their times.")
        with closing(self._store.open()) as store:
            for entry in listed:
                try:
                    for pack in read_manifest(store, entry).packs:
                        read_whole(store, pack.name)
                except ServiceError as exc:
                    raise Wrong(f"{entry.commit} is listed and not whole: {exc}") from exc

    def _listed(self) -> list[Entry]:
        with closing(self._store.open()) as store:
            return read_listing(store.read(LATEST, MAX_JSON_BYTES))

    def _clone(self, folder: Path) -> Path:
        git(self._origin, "clone", "-q", self._origin.as_uri(), str(folder))
        _index(folder).parent.mkdir()
        (_index(folder).parent / ".gitignore").write_text("*\n")
        return folder

    def _check_out(self, clone: Path) -> None:
        """The newest commit of the branch, or one that is a little older."""
        git(clone, "fetch", "-q", "origin", "+main:refs/remotes/origin/main")
        back = self._draw.choice([0, 0, 0, 1, 2])
        depth = int(git(clone, "rev-list", "--count", "origin/main"))
        git(clone, "checkout", "-q", "-f", "--detach", f"origin/main~{min(back, depth - 1)}")


def _index(clone: Path) -> Path:
    return clone / ".feeder" / "index.db"


def main() -> int:
    """Returns the exit code."""
    args = _parse_args()
    counts = {name: Counter[str]() for name in STORES}
    with TemporaryDirectory(prefix="feeder-bench-") as folder, small_packs_in_order():
        for seed in range(args.seed, args.seed + args.count):
            name = list(STORES)[seed % len(STORES)]
            scratch = Path(folder, str(seed))
            scratch.mkdir()
            try:
                with STORES[name](scratch / "store") as store:
                    History(scratch, Random(seed), store, counts[name]).run()
            except Exception as exc:
                print_exception(exc)
                print(f"Wrong, to repeat: --count 1 --seed {seed} ({name})", file=sys.stderr)
                return 1
            counts[name]["histories"] += 1
            rmtree(scratch)
    print(f"| store | {' | '.join(COUNTED)} |\n|{'---|' * (len(COUNTED) + 1)}")
    for name, count in counts.items():
        print(f"| {name} | {' | '.join(str(count[one]) for one in COUNTED)} |")
    return 0


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench share-histories", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(sys.argv[2:])

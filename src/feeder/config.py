"""Settings of one invocation, read from flags and their environment variables."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from feeder.shards import Shard

INDEX_FOLDER = ".feeder"
"""Folder under the repository's root; its own `.gitignore` hides it from git."""
_CACHE_FILE = "feeder/embeddings.db"
"""The cache of embeddings, below the user's folder of caches."""

SECRET_VARIABLES = frozenset(
    {
        "CLOUDFLARE_API_TOKEN",
        "FEEDER_API_KEY",
        "FEEDER_DESCRIBE",
        "FEEDER_MODEL",
        "FEEDER_TOKEN",
    }
)
"""Variables that no child process inherits; a model's address may contain a password."""


@dataclass(frozen=True)
class Settings:
    """Options of one invocation, as the user gave them; None means that feeder decides."""

    directory: Path = Path()
    repo: str | None = None
    branch: str | None = None
    db: Path | None = None
    cache: Path | None = None
    vectors: bool = True
    model: str | None = None
    grammar: Path | None = None
    max_file_bytes: int = 1_000_000
    max_document_bytes: int = 20_000_000
    mask_secrets: bool = True
    texts: bool | None = None
    describe: str | None = None
    redescribe: bool = False
    max_descriptions: int | None = None
    max_description_tokens: int | None = None
    jobs: int | None = None
    json: bool = False
    quiet: bool = False
    store: str | None = None
    account_id: str | None = None
    database_id: str | None = None
    index_name: str | None = None
    dimensions: int | None = None
    max_embeddings: int | None = None
    max_requests: int | None = None
    path: str = ""
    shard: Shard | None = None
    run: str | None = None
    force: bool = False
    forward_only: bool = False
    query_log: bool = True
    refresh: bool = True


def default_cache_file() -> Path | None:
    """Returns the cache file of this user; None where there is no home folder."""
    xdg_cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if xdg_cache.is_absolute():  # the XDG specification says to ignore relative ones
        return xdg_cache / _CACHE_FILE
    try:
        home = Path.home()
        has_home = home.is_absolute() and home.is_dir()
    except (RuntimeError, OSError):  # an unknown user id, or a home without permission
        return None
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return home / caches / _CACHE_FILE if has_home else None

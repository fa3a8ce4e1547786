"""Settings of one invocation, read from flags and their environment variables."""

from dataclasses import dataclass
from pathlib import Path

from feeder.shards import Shard

INDEX_FOLDER = ".feeder"
"""Folder under the repository's root; its own `.gitignore` hides it from git."""
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

"""What does a run note of vectors, once they are where they belong?"""

from dataclasses import dataclass, field

from feeder.store import Statement, sql
from feeder.store.description_vectors import record_description_statements
from feeder.store.rows import json_pages

MODEL_VECTORS_KEY, STATIC_VECTORS_KEY = "vectors", "lined"
"""In `meta`, of a repository: no vector beside the words lacks, nor is of another line than its
node's; and none of those with the words is."""


@dataclass
class VectorProgress:
    """What a run notes of vectors: the files at the paths `clean` have theirs, and the ids `sent`
    have left. `lines` says by id of which line each is, by the line's hash."""

    clean_paths: list[str] = field(default_factory=list)
    deleted_ids: list[str] = field(default_factory=list)
    description_shas: dict[str, str] = field(default_factory=dict)


def progress_statements(repo: str, progress: VectorProgress) -> list[Statement]:
    """What notes it of a repository."""
    return [
        *record_description_statements(repo, progress.description_shas.items()),
        *(Statement(sql.MARK_CLEAN, (repo, page)) for page in json_pages(progress.clean_paths)),
        *(Statement(sql.DELETE_FROM_OUTBOX, (page,)) for page in json_pages(progress.deleted_ids)),
    ]

"""What does a run note of vectors, once they are where they belong?"""

from dataclasses import dataclass, field

from feeder.store import Statement, sql
from feeder.store.rows import pages
from feeder.store.vector_lines import marking

VECTORS, LINED = "vectors", "lined"
"""In `meta`, of a repository: no vector beside the words lacks, nor is of another line than its
node's; and none of those with the words is."""


@dataclass
class Settled:
    """What a run notes of vectors: the files at the paths `clean` have theirs, and the ids `sent`
    have left. `lines` says by id of which line each is, by the line's hash."""

    clean: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    lines: dict[str, str] = field(default_factory=dict)


def settling(repo: str, settled: Settled) -> list[Statement]:
    """What notes it of a repository."""
    return [
        *marking(repo, settled.lines.items()),
        *(Statement(sql.CLEAN_FILES, (repo, page)) for page in pages(settled.clean)),
        *(Statement(sql.EMPTY_OUTBOX, (page,)) for page in pages(settled.sent)),
    ]

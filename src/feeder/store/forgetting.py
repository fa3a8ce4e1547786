"""What does a repair take out of the index? As much at once as the database takes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from feeder.errors import TooLargeError
from feeder.store import Statement, descriptions, sql, texts
from feeder.store.lookup_table import unmarking
from feeder.store.rows import pages, pieces

FORGOTTEN = 2_000
"""Files, nodes, postings or vectors that one transaction takes out."""


@dataclass
class Damage:
    """What has to be made anew for an index to be right."""

    paths: set[str] = field(default_factory=set)
    """Files whose rows disagree."""
    postings: set[int] = field(default_factory=set)
    """Rows of `docs_fts` that belong to no node."""
    vectors: set[str] = field(default_factory=set)
    """Vectors of no node."""
    waiting: set[str] = field(default_factory=set)
    """Files that lack vectors."""
    nodes: set[str] = field(default_factory=set)
    """Ids that may be in rows of another file."""
    texts: set[str] = field(default_factory=set)
    """Paths at which a text is wrong, lacks or ought not to be."""
    described: set[str] = field(default_factory=set)
    """Files with nodes that keep a line of another text."""
    lacks_lines: bool = False
    """Whether nodes were not described, of which the index says that all were."""
    lines: bool = False
    """Whether the words of descriptions are not theirs, or some lack."""
    lookup: bool = False
    """Whether the table for a Worker's questions is not as its model has it."""


Write = Callable[[list[Statement]], object]
"""One transaction; raises TooLargeError where the database wants less at once."""
Removal = Callable[[str], Iterable[Statement]]
"""What takes out the items of a page."""


def forget(damage: Damage, repo: str, branch: str, write: Write) -> None:
    """Takes it out of a repository's part; the next sync makes it anew.

    `nodes` go whatever file or repository they say they are of. All nodes left are then of this
    branch, and no vector of theirs waits to be removed. One request, and another for every 2,000 of
    each, or more where the database wants less at once. Until the last a validation finds what is
    still wrong, so `nodes` go before the files that tell of them.
    """

    def each(*texts: str) -> Removal:
        return lambda page: [Statement(text, (repo, page)) for text in texts]

    table = [unmarking()] if damage.lookup else []
    table += descriptions.rebuilding() if damage.lines else []
    write([Statement(sql.SET_BRANCH, (branch, repo)), Statement(sql.KEEP_VECTORS, (repo,)), *table])
    steps: list[tuple[Iterable[object], Removal]] = [
        (damage.nodes, each(sql.DROP_POSTINGS_OF, sql.OUTBOX_OF, sql.DROP_NODES_OF)),
        (damage.paths, lambda page: file_removal(repo, page)),
        (damage.postings, each(sql.DROP_POSTINGS_AT)),
        (damage.texts, each(texts.DROP)),
        (damage.described, each(sql.DOUBT)),
        (damage.vectors, each(sql.SEND_AWAY)),
        (damage.waiting, each(sql.WAIT)),
    ]
    for items, removal in steps:
        for piece in pieces(items, FORGOTTEN):
            _halved(piece, removal, write)


def _halved(items: Sequence[object], removal: Removal, write: Write) -> None:
    """One transaction, or smaller ones where the database wants that, down to an item's."""
    try:
        write([one for page in pages(items) for one in removal(page)])
    except TooLargeError:
        if len(items) < 2:
            raise
        half = len(items) // 2
        _halved(items[:half], removal, write)
        _halved(items[half:], removal, write)


def node_removal(repo: str, paths: str, wanted: str = "{}") -> Iterator[Statement]:
    """Takes out the nodes of the files at `paths` that are not `wanted`, a page of each."""
    for text in (sql.INTO_OUTBOX, sql.DROP_POSTINGS, sql.DROP_NODES):
        yield Statement(text, (repo, paths, wanted))


def file_removal(repo: str, paths: str) -> list[Statement]:
    """Takes out the files at a page of paths, with their nodes."""
    rest = [Statement(text, (repo, paths)) for text in (sql.DROP_FILES, texts.DROP)]
    return [*node_removal(repo, paths), *rest]

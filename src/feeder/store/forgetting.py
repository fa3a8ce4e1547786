"""What does a repair take out of the index? As much at once as the database takes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from feeder.errors import TooLargeError
from feeder.store import Statement, sql, stored_descriptions, stored_source
from feeder.store.lookup_table import invalidate_statement
from feeder.store.rows import batched, json_pages

REMOVAL_BATCH = 2_000
"""Files, nodes, postings or vectors that one transaction takes out."""


@dataclass
class Damage:
    """What has to be made anew for an index to be right."""

    paths: set[str] = field(default_factory=set)
    """Files whose rows disagree."""
    orphan_postings: set[int] = field(default_factory=set)
    """Rows of `docs_fts` that belong to no node."""
    orphan_vectors: set[str] = field(default_factory=set)
    """Vectors of no node."""
    paths_without_vectors: set[str] = field(default_factory=set)
    """Files that lack vectors."""
    misplaced_ids: set[str] = field(default_factory=set)
    """Ids that may be in rows of another file."""
    source_paths: set[str] = field(default_factory=set)
    """Paths at which a text is wrong, lacks or ought not to be."""
    description_paths: set[str] = field(default_factory=set)
    """Files with nodes that keep a line of another text."""
    lacks_descriptions: bool = False
    """Whether nodes were not described, of which the index says that all were."""
    has_wrong_description_postings: bool = False
    """Whether the words of descriptions are not theirs, or some lack."""
    has_wrong_lookup_table: bool = False
    """Whether the table for a Worker's questions is not as its model has it."""


WriteTransaction = Callable[[list[Statement]], object]
"""One transaction; raises TooLargeError where the database wants less at once."""
RemovalStatements = Callable[[str], Iterable[Statement]]
"""What takes out the items of a page."""


def remove_damage(damage: Damage, repo: str, branch: str, write: WriteTransaction) -> None:
    """Takes it out of a repository's part; the next sync makes it anew.

    `nodes` go whatever file or repository they say they are of. All nodes left are then of this
    branch, and no vector of theirs waits to be removed. One request, and another for every 2,000 of
    each, or more where the database wants less at once. Until the last a validation finds what is
    still wrong, so `nodes` go before the files that tell of them.
    """

    def each(*texts: str) -> RemovalStatements:
        return lambda page: [Statement(text, (repo, page)) for text in texts]

    table = [invalidate_statement()] if damage.has_wrong_lookup_table else []
    table += (
        stored_descriptions.rebuild_postings_statements()
        if damage.has_wrong_description_postings
        else []
    )
    write(
        [
            Statement(sql.SET_BRANCH, (branch, repo)),
            Statement(sql.REMOVE_LIVE_FROM_OUTBOX, (repo,)),
            *table,
        ]
    )
    steps: list[tuple[Iterable[object], RemovalStatements]] = [
        (
            damage.misplaced_ids,
            each(sql.DELETE_POSTINGS_BY_ID, sql.ADD_TO_OUTBOX_BY_ID, sql.DELETE_NODES_BY_ID),
        ),
        (damage.paths, lambda page: file_removal_statements(repo, page)),
        (damage.orphan_postings, each(sql.DELETE_ORPHAN_POSTINGS)),
        (damage.source_paths, each(stored_source.DELETE_SOURCE)),
        (damage.description_paths, each(sql.INVALIDATE_FILES)),
        (damage.orphan_vectors, each(sql.ADD_ORPHANS_TO_OUTBOX)),
        (damage.paths_without_vectors, each(sql.MARK_PENDING)),
    ]
    for items, removal in steps:
        for piece in batched(items, REMOVAL_BATCH):
            _remove_halving(piece, removal, write)


def _remove_halving(
    items: Sequence[object], removal: RemovalStatements, write: WriteTransaction
) -> None:
    """One transaction, or smaller ones where the database wants that, down to an item's."""
    try:
        write([one for page in json_pages(items) for one in removal(page)])
    except TooLargeError:
        if len(items) < 2:
            raise
        half = len(items) // 2
        _remove_halving(items[:half], removal, write)
        _remove_halving(items[half:], removal, write)


def node_removal_statements(repo: str, paths: str, kept_keys: str = "{}") -> Iterator[Statement]:
    """Takes out the nodes of the files at `paths` that are not `wanted`, a page of each."""
    for text in (sql.ADD_TO_OUTBOX, sql.DELETE_POSTINGS, sql.DELETE_NODES):
        yield Statement(text, (repo, paths, kept_keys))


def file_removal_statements(repo: str, paths: str) -> list[Statement]:
    """Takes out the files at a page of paths, with their nodes."""
    rest = [
        Statement(text, (repo, paths)) for text in (sql.DELETE_FILES, stored_source.DELETE_SOURCE)
    ]
    return [*node_removal_statements(repo, paths), *rest]

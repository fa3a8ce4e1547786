"""What of an index would this program make in another way? It is said before it is made anew."""

from collections.abc import Iterable, Set
from enum import StrEnum

from feeder.errors import UserError
from feeder.parse.extract import (
    FINGERPRINT_PREFIX,
    fingerprint_without_documents,
    includes_documents,
)
from feeder.source import Entry, file_types
from feeder.store.index_state import IndexState
from feeder.sync.context import Diff, SyncContext

MIXED_PARSER = "mixed"
"""Under `parser` in `meta`, in place of what has read only a part of its files."""


class StaleReason(StrEnum):
    """Why an index is made anew, in part or whole, although its files are the tree's."""

    PARSER = (
        "The index was made by another parser or built-in model: every file is read again, and "
        "texts are embedded where they have changed."
    )
    DOCUMENTS = (
        "What reads documents (PDF, DOCX, XLSX…) was installed or has changed: each document is "
        "read again."
    )
    RULES = "The rules of what is kept out have changed: what was kept out is looked at again."
    VECTORS = "The index has no vectors of this model: every text is embedded."


def stale_reasons(run: SyncContext, state: IndexState) -> set[StaleReason]:
    """What of an index this program would make in another way."""
    meta, key = state.meta, run.index.meta_key
    stale = set()
    ours = run.parser.fingerprint
    theirs = meta.get(key("parser"), ours)
    if fingerprint_without_documents(theirs) != fingerprint_without_documents(ours):
        stale.add(StaleReason.PARSER)
    elif theirs != ours:
        stale.add(StaleReason.DOCUMENTS)
    if (
        run.tree.root_tree_id
        and meta.get(key("rules"), run.tree.rules_digest) != run.tree.rules_digest
    ):
        stale.add(StaleReason.RULES)
    if run.model_vectors and not run.model_vectors.model_identity().items() <= meta.items():
        stale.add(StaleReason.VECTORS)
    return stale


def mixed_parser_value(index_parser: str, own_parser: str, stale: Set[StaleReason]) -> str:
    """What `meta` calls the parser while files are read anew: that of no program.

    So a run that dies leaves them to the next. It says that documents may be there as soon as one
    of both programs can read them.
    """
    parser = (
        MIXED_PARSER if StaleReason.PARSER in stale else fingerprint_without_documents(own_parser)
    )
    reads = includes_documents(index_parser) or includes_documents(own_parser)
    return f"{parser} {FINGERPRINT_PREFIX}{MIXED_PARSER}" if reads else parser


def refuse_unreadable_documents(
    run: SyncContext, state: IndexState, entries: Iterable[Entry]
) -> None:
    """Raises UserError where documents would leave the index because this program cannot read them.

    Two installations that share an index would else put them in and take them out by turns.
    """
    made_by = state.meta.get(run.index.meta_key("parser"), "")
    if run.force or not includes_documents(made_by) or includes_documents(run.parser.fingerprint):
        return
    held = (path for path, row in (state.files or {}).items() if row.state != "skipped")
    paths = (*held, *(entry.path for entry in entries if not entry.skip))
    if found := next(filter(file_types.document_extension, paths), None):
        raise UserError(
            f"The index has documents, such as {found}, which this installation cannot read. "
            'Install what reads them: pip install "headfeed[documents]". '
            "Or take them out of the index with: feeder sync --force"
        )


def announce_stale(
    run: SyncContext, state: IndexState, stale: Set[StaleReason], diff: Diff
) -> None:
    """Says so before the first write, with the files that it is about; an empty index has none."""
    if not state.files or not stale:
        return
    for why in sorted(stale):
        run.progress.message(why)
    run.progress.message(
        f"Files to read: {len(diff.to_index)}; for their vectors alone: {len(diff.pending)}."
    )

"""What of an index would this program make in another way? It is said before it is made anew."""

from collections.abc import Iterable, Set
from enum import StrEnum

from feeder.errors import UserError
from feeder.parse.extract import (
    FINGERPRINT_PREFIX,
    fingerprint_without_documents,
    includes_documents,
)
from feeder.run.feed import Feed, Work
from feeder.store.state import IndexState
from feeder.tree import Entry, kinds

MIXED = "mixed"
"""Under `parser` in `meta`, in place of what has read only a part of its files."""


class Stale(StrEnum):
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


def stale_parts(feed: Feed, state: IndexState) -> set[Stale]:
    """What of an index this program would make in another way."""
    meta, key = state.meta, feed.index.meta_key
    stale = set()
    ours = feed.parser.fingerprint
    theirs = meta.get(key("parser"), ours)
    if fingerprint_without_documents(theirs) != fingerprint_without_documents(ours):
        stale.add(Stale.PARSER)
    elif theirs != ours:
        stale.add(Stale.DOCUMENTS)
    if (
        feed.tree.root_tree_id
        and meta.get(key("rules"), feed.tree.rules_digest) != feed.tree.rules_digest
    ):
        stale.add(Stale.RULES)
    if feed.semantics and not feed.semantics.identity().items() <= meta.items():
        stale.add(Stale.VECTORS)
    return stale


def mixed_parser(theirs: str, ours: str, stale: Set[Stale]) -> str:
    """What `meta` calls the parser while files are read anew: that of no program.

    So a run that dies leaves them to the next. It says that documents may be there as soon as one
    of both programs can read them.
    """
    parser = MIXED if Stale.PARSER in stale else fingerprint_without_documents(ours)
    reads = includes_documents(theirs) or includes_documents(ours)
    return f"{parser} {FINGERPRINT_PREFIX}{MIXED}" if reads else parser


def refuse_unread(feed: Feed, state: IndexState, wanted: Iterable[Entry]) -> None:
    """Raises UserError where documents would leave the index because this program cannot read them.

    Two installations that share an index would else put them in and take them out by turns.
    """
    made_by = state.meta.get(feed.index.meta_key("parser"), "")
    if feed.force or not includes_documents(made_by) or includes_documents(feed.parser.fingerprint):
        return
    held = (path for path, row in (state.files or {}).items() if row.state != "skipped")
    paths = (*held, *(entry.path for entry in wanted if not entry.skip))
    if found := next(filter(kinds.document_extension, paths), None):
        raise UserError(
            f"The index has documents, such as {found}, which this installation cannot read. "
            'Install what reads them: pip install "headfeed[documents]". '
            "Or take them out of the index with: feeder sync --force"
        )


def announce(feed: Feed, state: IndexState, stale: Set[Stale], work: Work) -> None:
    """Says so before the first write, with the files that it is about; an empty index has none."""
    if not state.files or not stale:
        return
    for why in sorted(stale):
        feed.talk.say(why)
    feed.talk.say(
        f"Files to read: {len(work.process)}; for their vectors alone: {len(work.waiting)}."
    )

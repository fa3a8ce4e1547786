"""Says of a name that the index does not have why it may exist nevertheless."""

from collections.abc import Iterator
from contextlib import contextmanager

from feeder.corpus.corpus import Corpus
from feeder.corpus.index_status import index_status
from feeder.errors import NotInIndexError, UnknownPathError
from feeder.escaping import count_of
from feeder.notes import Note, NoteKind
from feeder.store.relations import count_nodes_with_word
from feeder.suggestions import UnknownNameError


@contextmanager
def with_absence_notes(corpus: Corpus, update: Note | None = None) -> Iterator[None]:
    """Adds to the error for a name that the index does not have why it may exist nevertheless.

    Each reason is a line of the remedy.

    `update` is the note of a server that updates the index. While that runs, it is the reason, and
    the nearest other names are of no use.
    """
    try:
        yield
    except NotInIndexError as exc:
        if update and update.kind is NoteKind.UPDATE_RUNNING:
            problem = f"{exc.problem.removesuffix('.')} yet."
            raise NotInIndexError(problem, str(update)) from exc
        in_code = _name_in_code_note(corpus, exc)
        notes = [*filter(None, [update, in_code]), *reasons_to_doubt(corpus, exc)]
        if notes:
            remedy = "\n".join(filter(None, [exc.remedy, *map(str, notes)]))
            doubted = NotInIndexError(exc.problem, remedy)
            doubted.reason_count = len(notes)
            raise doubted from exc
        raise


def _name_in_code_note(corpus: Corpus, error: NotInIndexError) -> Note | None:
    """Counts the nodes with a word that names no node: a function within a function, or a use of a
    function that is gone.
    """
    name = "" if isinstance(error, UnknownNameError) else error.name
    count = name.isidentifier() and count_nodes_with_word(corpus.database, corpus.repo, name)
    if not count:
        return None
    text = f"The word {name} occurs in {count_of(count, 'node')}"
    return Note(NoteKind.NAME_IN_CODE, text, f"feeder search {name}")


def reasons_to_doubt(corpus: Corpus, error: NotInIndexError) -> Iterator[Note]:
    """The index may be behind its files, or may lack a function of that name."""
    is_function = not isinstance(error, UnknownNameError | UnknownPathError)
    status = index_status(corpus, is_empty=True, searched=corpus.scope if is_function else None)
    for note in status.notes:
        # that the index equals HEAD is no reason; only a note that it does not has a remedy
        if note.kind is not NoteKind.INDEX_STATE or note.remedy:
            yield note

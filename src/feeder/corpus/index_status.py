"""Compares the index with HEAD and the working tree, and says in a sentence how far it is
behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.corpus.unread_files import unread_notes
from feeder.notes import Note, NoteKind, joined, sync_command
from feeder.source import git
from feeder.store.scope import Scope

SHORT_COMMIT = 7
"""Digits of a commit id in messages."""

UNFINISHED = ("No sync has finished yet, so files are missing.", "To continue: feeder sync")


class IndexStatus(NamedTuple):
    """The state of a repository's index against HEAD.

    `equals` is the indexed commit, empty before the first complete run. `behind` and `ahead` count
    commits of HEAD and of the index that the other lacks; None if the indexed commit is not in this
    repository. `edited` counts the shown files that have changed since. The index is `unfinished`
    after a stopped run, and `partial` after files were indexed one by one, or lost their postings
    to a migration. With `working` it equals the working tree on that commit as of the last run, or
    as of this request if `seen`. `below` is the only folder that is indexed. `changed_files` says
    how many files on disk differ, and `unread` what of the files the index does not know.
    """

    repo: str
    equals: str = ""
    head: str = ""
    behind: int | None = 0
    ahead: int | None = 0
    edited: int = 0
    unfinished: bool = False
    working: bool = False
    below: str = ""
    partial: bool = False
    seen: bool = False
    changed_files: Note | None = None
    unread: tuple[Note, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """All fields but the notes, which are some of `notes`."""
        fields = self._asdict()
        del fields["changed_files"], fields["unread"]
        return fields

    @property
    def note(self) -> str:
        """The state in a sentence or two, with the command that brings the index up to date."""
        return joined(self.notes)

    @property
    def notes(self) -> list[Note]:
        """The sentences of `note`."""
        state = self._working_tree_note() if self.working else self._committed_note()
        return self._notes_with(state)

    def note_for(self, *, quiet: bool) -> str:
        """`note`; if `quiet`, without the sentence that says that the index is up to date."""
        is_current = self.equals == self.head and not (self.unfinished or self.partial)
        return joined(self._notes_with(None)) if quiet and is_current else self.note

    def _notes_with(self, state: Note | None) -> list[Note]:
        notes = self._edited_note(), state, self.changed_files, *self.unread
        return [note for note in notes if note is not None]

    def _committed_note(self) -> Note | None:
        was, now = self.equals[:SHORT_COMMIT], self.head[:SHORT_COMMIT]
        if not was or not now:
            text = f"The index matches {was}; there is no HEAD here to compare it with."
            known = _state_note(text) if was else None
            return _state_note(*UNFINISHED) if self.unfinished else known
        index = self._index_name
        if self.unfinished:
            text = f"{index} matched {was}; a later sync is running or was stopped"
            return _state_note(text, self._sync_command)
        if self.partial:
            text = (
                f"{index} matches {was} except for files that were indexed one by one, or are to "
                "be read again."
            )
            return _state_note(text, f"To index all files: {self._sync_command}")
        if self.equals == self.head:
            return _state_note(f"{index} matches HEAD {now}.")
        if self.behind is None:
            text = f"{index} matches {was}, a commit that is not in this repository; HEAD is {now}"
            return _state_note(text, self._sync_command)
        text = f"{index} {self._distance(self.behind)} ({was} → {now})"
        return _state_note(text, self._sync_command)

    @property
    def _index_name(self) -> str:
        return f"The index of the folder {self.below}" if self.below else "The index"

    @property
    def _sync_command(self) -> str:
        return sync_command(self.below)

    def _distance(self, behind: int) -> str:
        if not self.ahead:
            return f"is {_count_commits(behind)} behind HEAD"
        if not behind:
            return f"is {_count_commits(self.ahead)} ahead of HEAD"
        return f"lacks {_count_commits(behind)} of HEAD and has {self.ahead} that HEAD lacks"

    def _working_tree_note(self) -> Note:
        was, now = self.equals[:SHORT_COMMIT], self.head[:SHORT_COMMIT]
        equals = f"{self._index_name} matches the working tree"
        if self.unfinished or self.partial:
            text = f"{equals} before the last sync, which is incomplete"
            return _state_note(text, self._sync_command)
        if not self.seen:
            equals = f"{equals} as last indexed"
        if not was:
            return _state_note(f"{equals} (no commits yet).")
        equals_on = f"{equals} on" if self.seen else f"{equals}, on"
        if self.equals == self.head:
            return _state_note(f"{equals_on} {now}.")
        command = sync_command(self.below, working_tree=True)
        return _state_note(f"{equals_on} {was}; HEAD is {now}", command)

    def _edited_note(self) -> Note | None:
        if not self.edited:
            return None
        since = "has changed since it was" if self.edited == 1 else "have changed since they were"
        return _state_note(f"{self.edited} of the files shown {since} indexed.")


def _state_note(text: str, remedy: str = "") -> Note:
    return Note(NoteKind.INDEX_STATE, text, remedy)


def read_index_status(
    base: Path, repo: str, meta: Mapping[str, str], changed_files: int = 0, *, seen_tree: str = ""
) -> IndexStatus:
    """Compares the index's `meta` with git in the folder `base`; without git there is no HEAD.

    `seen_tree` is the id of the root tree if the working tree was checked for this request.
    """
    equals = meta.get(f"{repo}:head", "")
    head = git.head_commit_or_none(base) or ""
    run, done = (meta.get(f"{repo}:{key}", "") for key in ("run", "done"))
    is_whole = f"{repo}:tree" in meta
    unfinished = bool(head) and not is_whole and run != done
    partial = bool(equals) and not is_whole and not unfinished
    is_working, below = bool(meta.get(f"{repo}:working")), meta.get(f"{repo}:below", "")
    is_seen = is_working and bool(seen_tree) and meta.get(f"{repo}:tree") == seen_tree
    status = IndexStatus(
        repo, equals, head, 0, 0, changed_files, unfinished, is_working, below, partial, is_seen
    )
    if not equals or not head or equals == head:
        return status
    if not is_working and is_whole and git.tree_id_at(base, head, below) == meta[f"{repo}:tree"]:
        return status._replace(equals=head)
    counts = git.ahead_behind(base, equals, head)
    return status._replace(ahead=counts and counts[0], behind=counts and counts[1])


def _count_commits(count: int) -> str:
    return "1 commit" if count == 1 else f"{count} commits"


def index_status(
    corpus: Corpus,
    changed_files: int = 0,
    *,
    is_empty: bool = False,
    searched: Scope | None = None,
) -> IndexStatus:
    """Compares an index with git; `changed_files` of the files shown have changed since.

    For an answer that `is_empty`, or has only similar hits, files on disk that differ from the
    index are counted; if it looked for functions in `searched`, also what it could not see there.
    """
    status = read_index_status(
        corpus.base, corpus.repo, corpus.meta, changed_files, seen_tree=corpus.seen_tree
    )
    if not (is_empty or corpus.counts_changes):
        return status
    from feeder.corpus.unindexed_files import changed_files_note  # few answers are empty

    unread = unread_notes(corpus.database, searched) if searched and is_empty else []
    return status._replace(changed_files=changed_files_note(corpus), unread=tuple(unread))

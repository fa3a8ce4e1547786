"""Counts the files on disk that differ from the index, for answers without hits."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from feeder.corpus.file_contents import indexed_revision
from feeder.errors import FeederError
from feeder.notes import Note, NoteKind, sync_command
from feeder.source import file_types, git
from feeder.source.git_command import git_output
from feeder.source.git_files import differing_names, uncommitted_files
from feeder.source.paths import escape_name, is_below, regular_files_in
from feeder.store.inventory import files_in_scope
from feeder.store.scope import Scope

if TYPE_CHECKING:
    from feeder.corpus.corpus import Corpus

TIMEOUT_S = 2.0
"""The time for each process of git; a count that takes longer is left out."""

SKIPPED = "skipped"


def changed_files_note(corpus: Corpus) -> Note | None:
    """Says how many files on disk differ from the index, and how to include them.

    None if none is known to, as outside of git, or if all of them are committed.
    """
    try:
        count = _count_differing(corpus)
    except (FeederError, TimeoutError, OSError):
        return None
    if not count:
        return None
    files = "1 file on disk differs" if count == 1 else f"{count:,} files on disk differ"
    if corpus.database.access.on_this_machine:
        command = sync_command(_folder(corpus), working_tree=True)
        return Note(NoteKind.CHANGED_FILES, f"{files} from the index", command)
    remedy = (
        "To search them, make an index here with `feeder sync --store local --working-tree`, and "
        "add --store local."
    )
    return Note(NoteKind.CHANGED_FILES, f"{files} from the index.", remedy)


def _count_differing(corpus: Corpus) -> int:
    tree = corpus.meta.get(f"{corpus.repo}:tree")
    if corpus.seen_tree and tree == corpus.seen_tree:
        return 0
    root, head = corpus.base, git.head_commit_or_none(corpus.base)
    if head is None or git.is_bare(root):
        return 0
    names = uncommitted_files(root, head, TIMEOUT_S)
    is_working = bool(corpus.meta.get(f"{corpus.repo}:working"))
    if not names and not is_working:
        return 0  # what is committed is said by the index's distance to HEAD
    revision = indexed_revision(root, corpus.database, corpus.repo, corpus.meta)
    if revision.name and revision.name != head:
        names += differing_names(revision.repository, revision.name, head) or []
    folder = _folder(corpus)
    paths = {escape_name(name): name for name in names if not name.endswith(b"/")}
    paths = {
        path: name
        for path, name in paths.items()
        if file_types.skip_reason(path) is None and (not folder or is_below(path, folder))
    }
    own = _own_prefix(corpus)
    paths = {path: name for path, name in paths.items() if not str(root / path).startswith(own)}
    return sum(1 for _ in _differing(corpus, root, paths))


def _folder(corpus: Corpus) -> str:
    """The only folder that is indexed; empty for the whole repository."""
    return corpus.meta.get(f"{corpus.repo}:below", "")


def _own_prefix(corpus: Corpus) -> str:
    """The prefix of the index's own files, which --db may have put into the repository."""
    index = Path(corpus.database.place)
    return str(index.resolve().with_name(f"{index.stem}."))


def _differing(corpus: Corpus, root: Path, paths: Mapping[str, bytes]) -> Iterator[str]:
    """Yields the paths whose contents on disk are not the indexed ones."""
    entries = files_in_scope(corpus.database, Scope.of_repo(corpus.repo), corpus.repo, paths)
    files = regular_files_in(root, paths)
    blobs = _blob_ids(root, {path: paths[path] for path in files})
    for path in paths:
        entry = entries.get(path)
        if entry is not None and entry.state == SKIPPED:
            continue
        if blobs.get(path) != (entry and entry.blob):
            yield path


def _blob_ids(root: Path, names: Mapping[str, bytes]) -> dict[str, str]:
    """The blob ids that git would give the files; it cannot be given a name with a line end."""
    given = {path: name for path, name in names.items() if b"\n" not in name}
    folder = os.fsencode(root)
    lines = b"".join(b"%b/%b\n" % (folder, name) for name in given.values())
    ids = git_output(root, "hash-object", "--stdin-paths", stdin=lines, timeout_s=TIMEOUT_S)
    return dict(zip(given, ids.decode().split(), strict=True))

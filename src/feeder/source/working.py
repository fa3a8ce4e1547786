"""The working tree, as a tree: tracked files as they lie, and untracked ones not ignored by git."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from feeder.source import DEFAULT_SIZES, Entry, Sizes, SkipReason, git
from feeder.source.git_trees import StoredTree
from feeder.source.snapshot import SnapshotTaker
from feeder.source.staging import placeholder_id

_NO_PLACEHOLDER = (SkipReason.SUBMODULE,)


class WorkingTree(StoredTree):
    """What lies in a repository's working tree, as `git add --all` would take it in, or a folder.

    What git does not track is in it unless it is ignored; what a sparse checkout leaves out is as
    the index has it. Where it is HEAD's very tree, it is that one. Files of ours are kept below
    `place`, or nowhere; `own` are beginnings of names that are ours too. Raises UserError where
    there is no working tree.
    """

    def __init__(
        self,
        repository: Path,
        cache_folder: Path | None,
        *,
        subfolder: str = "",
        sizes: Sizes = DEFAULT_SIZES,
        own_prefixes: Sequence[Path] = (),
    ) -> None:
        if cache_folder is None:  # for as long as this tree is read
            self._temporary_folder = TemporaryDirectory(prefix="feeder-")
            cache_folder = Path(self._temporary_folder.name)
        seen = SnapshotTaker(repository, cache_folder, sizes, own_prefixes).take_snapshot()
        is_head = seen.root_tree_id == seen.head_tree_id
        holder = repository if is_head else seen.repository
        super().__init__(holder, seen.root_tree_id, subfolder=subfolder, sizes=sizes)
        self.commit = seen.commit
        self.working_tree_id = "" if is_head else seen.root_tree_id
        self.root_tree_id = (
            git.folder_tree_id(holder, seen.root_tree_id, subfolder)
            if subfolder
            else seen.root_tree_id
        )
        self.is_partial = not is_head
        self._object_format = seen.object_format

    @cached_property
    def _placeholders(self) -> Mapping[str, SkipReason]:
        return {
            placeholder_id(why, self._object_format): why
            for why in SkipReason
            if why not in _NO_PLACEHOLDER
        }

    @cached_property
    def _files(self) -> list[git.GitFile]:
        return [self._restore_placeholder(file) for file in super()._files]

    def _restore_placeholder(self, file: git.GitFile) -> git.GitFile:
        """The file that was not read, where something stands for it."""
        match self._placeholders.get(file.blob):
            case None:
                return file
            case SkipReason.SPECIAL:
                return git.GitFile(file.name, git.SPECIAL_MODE, "", 0)
            case SkipReason.TOO_LARGE:
                return git.GitFile(file.name, git.REGULAR_MODE, "", max(self._sizes) + 1)
        return git.GitFile(file.name, git.REGULAR_MODE, file.blob, 0)

    @cached_property
    def _entries(self) -> list[Entry]:
        return [self._mark_unread(entry) for entry in super()._entries]

    def _mark_unread(self, entry: Entry) -> Entry:
        if entry.size == git.ABSENT_SIZE and not entry.skip:
            return entry._replace(skip=SkipReason.NOT_FETCHED)
        why = self._placeholders.get(entry.blob)
        return entry._replace(blob="", skip=entry.skip or why) if why else entry

"""The working tree, as a tree: tracked files as they lie, and untracked ones not ignored by git."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from feeder.tree import SIZES, Entry, Sizes, Skip, git
from feeder.tree.snapshot import Looker
from feeder.tree.stage import placeholder
from feeder.tree.stored import Stored

_READ = (Skip.SUBMODULE,)


class WorkingTree(Stored):
    """What lies in a repository's working tree, as `git add --all` would take it in, or a folder.

    What git does not track is in it unless it is ignored; what a sparse checkout leaves out is as
    the index has it. Where it is HEAD's very tree, it is that one. Files of ours are kept below
    `place`, or nowhere; `own` are beginnings of names that are ours too. Raises UserError where
    there is no working tree.
    """

    def __init__(
        self,
        repository: Path,
        place: Path | None,
        *,
        below: str = "",
        sizes: Sizes = SIZES,
        own: Sequence[Path] = (),
    ) -> None:
        if place is None:  # for as long as this tree is read
            self._place = TemporaryDirectory(prefix="feeder-")
            place = Path(self._place.name)
        seen = Looker(repository, place, sizes, own).look()
        is_head = seen.root == seen.head
        holder = repository if is_head else seen.repository
        super().__init__(holder, seen.root, below=below, sizes=sizes)
        self.commit = seen.commit
        self.working = "" if is_head else seen.root
        self.root = git.folder(holder, seen.root, below) if below else seen.root
        self.partial = not is_head
        self._object_format = seen.object_format

    @cached_property
    def _placeholders(self) -> Mapping[str, Skip]:
        return {placeholder(why, self._object_format): why for why in Skip if why not in _READ}

    @cached_property
    def _files(self) -> list[git.File]:
        return [self._meant(file) for file in super()._files]

    def _meant(self, file: git.File) -> git.File:
        """The file that was not read, where something stands for it."""
        match self._placeholders.get(file.blob):
            case None:
                return file
            case Skip.SPECIAL:
                return git.File(file.name, git.SPECIAL, "", 0)
            case Skip.LARGE:
                return git.File(file.name, git.REGULAR, "", max(self._sizes) + 1)
        return git.File(file.name, git.REGULAR, file.blob, 0)

    @cached_property
    def _entries(self) -> list[Entry]:
        return [self._unread(entry) for entry in super()._entries]

    def _unread(self, entry: Entry) -> Entry:
        if entry.size == git.ABSENT and not entry.skip:
            return entry._replace(skip=Skip.ABSENT)
        why = self._placeholders.get(entry.blob)
        return entry._replace(blob="", skip=entry.skip or why) if why else entry

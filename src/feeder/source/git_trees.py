"""Implements `Tree` for git: HEAD (`Commit`) and the working tree (`WorkingTree`)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from feeder.source import DEFAULT_SIZES, Entry, Sizes, SkipReason, git, git_files, paths
from feeder.source.exclusions import RULE_FILES, ExclusionRules, placeholder_id
from feeder.source.git_files import read_available_blobs, read_blobs
from feeder.source.snapshot import SnapshotTaker


class StoredTree:
    """The files of a commit or tree that a repository's objects hold; or those of one folder.

    Of a `partial` clone, what is not here is not fetched, and has no contents.
    """

    is_partial = False

    def __init__(
        self, repository: Path, revision: str, *, subfolder: str = "", sizes: Sizes = DEFAULT_SIZES
    ) -> None:
        self._repository = repository
        self._revision = revision
        self._sizes = sizes
        self.subfolder = subfolder

    @cached_property
    def _files(self) -> list[git_files.GitFile]:
        return git_files.ls_tree(self._repository, self._revision, is_partial=self.is_partial)

    @cached_property
    def _exclusion_rules(self) -> ExclusionRules:
        # As git does with its own: a rule file that is a symbolic link is no rule file.
        wanted = git_files.files_named(self._repository, self._revision, RULE_FILES)
        read = read_available_blobs if self.is_partial else read_blobs
        contents = read(self._repository, [blob for _, blob in wanted])
        texts = zip(wanted, contents, strict=True)
        rule_files = {name: text for (name, _), text in texts if text is not None}
        return ExclusionRules(rule_files, self._sizes)

    @cached_property
    def _entries(self) -> list[Entry]:
        entries = self._exclusion_rules.entries(self._files)
        return [entry for entry in entries if paths.is_below(entry.path, self.subfolder)]

    @property
    def rules_digest(self) -> str:
        """A digest of the rule files in the tree, the limits and the lists of names."""
        return self._exclusion_rules.digest

    def entries(self) -> list[Entry]:
        """Every file of the tree; listed once."""
        return self._entries

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """The blobs of these entries, from one git process, one at a time in memory."""
        wanted = list(entries)
        contents = read_blobs(self._repository, [entry.blob for entry in wanted])
        yield from zip(wanted, contents, strict=True)


class Commit(StoredTree):
    """HEAD of a repository, which may be bare, shallow or a worktree; or one folder of it.

    Raises UserError where there is no repository, no commit or no such folder.
    """

    working_tree_id = ""

    def __init__(
        self, repository: Path, *, subfolder: str = "", sizes: Sizes = DEFAULT_SIZES
    ) -> None:
        self.commit, self.root_tree_id = git.head_ids(repository)
        super().__init__(repository, self.commit, subfolder=subfolder, sizes=sizes)
        if subfolder:
            self.root_tree_id = git.folder_tree_id(repository, self.commit, subfolder)


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
    def _files(self) -> list[git_files.GitFile]:
        return [self._restore_placeholder(file) for file in super()._files]

    def _restore_placeholder(self, file: git_files.GitFile) -> git_files.GitFile:
        """The file that was not read, where something stands for it."""
        match self._placeholders.get(file.blob):
            case None:
                return file
            case SkipReason.SPECIAL:
                return git_files.GitFile(file.name, git_files.SPECIAL_MODE, "", 0)
            case SkipReason.TOO_LARGE:
                return git_files.GitFile(
                    file.name, git_files.REGULAR_MODE, "", max(self._sizes) + 1
                )
        return git_files.GitFile(file.name, git_files.REGULAR_MODE, file.blob, 0)

    @cached_property
    def _entries(self) -> list[Entry]:
        return [self._mark_unread(entry) for entry in super()._entries]

    def _mark_unread(self, entry: Entry) -> Entry:
        if entry.size == git_files.ABSENT_SIZE and not entry.skip:
            return entry._replace(skip=SkipReason.NOT_FETCHED)
        why = self._placeholders.get(entry.blob)
        return entry._replace(blob="", skip=entry.skip or why) if why else entry

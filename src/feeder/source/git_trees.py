"""Implements `Tree` for git: HEAD (`Commit`) and the working tree (`WorkingTree`)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from feeder.errors import UserError
from feeder.source import (
    DEFAULT_SIZES,
    Entry,
    Sizes,
    SkipReason,
    TreeChanges,
    git,
    git_files,
    paths,
)
from feeder.source.exclusions import (
    RULE_FILES,
    ExclusionRules,
    limits_digest,
    placeholder_id,
    rule_file_candidates,
)
from feeder.source.git_files import read_available_blobs, read_blobs
from feeder.source.snapshot_cache import discard_repositories

if TYPE_CHECKING:
    from feeder.source.snapshot import Snapshot

MAX_CHANGES, MAX_CHANGES_BYTES = 300, 60_000
"""Changed files, and bytes of their names and of those of their rule files, above which all files
are listed instead: that is as fast, and a command line is limited."""


class StoredTree:
    """The files of a commit or tree in a repository's objects, or of one folder of it.

    Missing contents are an error, unless `is_partial`.
    """

    is_partial = False
    root_tree_id = ""

    def __init__(
        self, repository: Path, revision: str, *, subfolder: str = "", sizes: Sizes = DEFAULT_SIZES
    ) -> None:
        self._repository = repository
        self._revision = revision
        self._sizes = sizes
        self.subfolder = subfolder
        self._earlier_trees = repository
        self._lacks_rule_files = False

    @cached_property
    def _exclusion_rules(self) -> ExclusionRules:
        # regular files only: git does not follow symbolic links to its rule files either
        return self._rules_from(git_files.files_named(self._repository, self._revision, RULE_FILES))

    def _rules_from(self, listed: Sequence[tuple[bytes, str]]) -> ExclusionRules:
        read = read_available_blobs if self.is_partial else read_blobs
        contents = read(self._repository, [blob for _, blob in listed])
        pairs = zip(listed, contents, strict=True)
        rule_files = {name: content for (name, _), content in pairs if content is not None}
        self._lacks_rule_files |= len(rule_files) < len(listed)
        return ExclusionRules(rule_files, self._sizes)

    @cached_property
    def _entries(self) -> list[Entry]:
        return self._list_entries()

    def _list_entries(self) -> list[Entry]:
        files = git_files.ls_tree(self._repository, self._revision, is_partial=self.is_partial)
        entries = self._entries_of(files, self._exclusion_rules)
        return [entry for entry in entries if paths.is_below(entry.path, self.subfolder)]

    def _entries_of(self, files: Sequence[git_files.GitFile], rules: ExclusionRules) -> list[Entry]:
        return rules.entries(files)

    @property
    def rules_digest(self) -> str:
        """A digest of the rule files in the tree, the size limits and the name lists."""
        return self._exclusion_rules.digest

    @property
    def limits_digest(self) -> str:
        """A digest of the size limits and name lists.

        Empty for a folder of the tree, as rule files may be above it, and if one is missing.
        """
        return "" if self.subfolder or self._lacks_rule_files else limits_digest(self._sizes)

    def changes_since(self, root_tree_id: str) -> TreeChanges | None:
        """The files that differ from those of an earlier tree; git reads only their folders.

        None if there are many, if rule files differ, or if the earlier tree is not available.
        """
        if self.subfolder:
            return None
        names = git_files.differing_names(self._earlier_trees, root_tree_id, self.root_tree_id)
        if names is None or len(names) > MAX_CHANGES:
            return None
        if any(name.rpartition(b"/")[2] in RULE_FILES for name in names):
            return None
        if not all(map(git_files.is_safe_path, names)):  # listing all reports it
            return None
        candidates = rule_file_candidates(names)
        requested = sorted(candidates.union(names))
        if sum(map(len, requested)) > MAX_CHANGES_BYTES:
            return None
        listed = git_files.ls_tree_at(
            self._repository, self._revision, requested, is_partial=self.is_partial
        )
        rule_files = [
            (file.name, file.blob)
            for file in listed
            if file.name in candidates and git_files.is_regular(file.mode)
        ]
        changed = set(names)
        files = [file for file in listed if file.name in changed]
        entries = self._entries_of(files, self._rules_from(rule_files))
        return TreeChanges([paths.escape_name(name) for name in names], entries)

    def entries(self) -> list[Entry]:
        """All files of the tree; listed once."""
        return self._entries

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """Yields the blobs of these entries, from one git process, one at a time in memory."""
        entries = list(entries)
        contents = read_blobs(self._repository, [entry.blob for entry in entries])
        yield from zip(entries, contents, strict=True)


class Commit(StoredTree):
    """HEAD of a repository (bare, shallow or a worktree too), or one folder of it.

    The ids of HEAD's commit and root tree are read unless they are given. Raises UserError if there
    is no repository, no commit or no such folder.
    """

    working_tree_id = ""

    def __init__(
        self,
        repository: Path,
        commit: str | None = None,
        root_tree_id: str | None = None,
        *,
        subfolder: str = "",
        sizes: Sizes = DEFAULT_SIZES,
    ) -> None:
        if commit is None or root_tree_id is None:
            commit, root_tree_id = git.head_ids(repository)
        self.commit, self.root_tree_id = commit, root_tree_id
        super().__init__(repository, self.commit, subfolder=subfolder, sizes=sizes)
        if subfolder:
            self.root_tree_id = git.folder_tree_id(repository, self.commit, subfolder)


_NO_PLACEHOLDER = (SkipReason.SUBMODULE,)


class WorkingTree(StoredTree):
    """The files of a repository's working tree, as after `git add --all`, or of one folder of it.

    Untracked files are included unless they are ignored. Files that a sparse checkout leaves out
    are as in the index. The snapshot is cached below `cache_folder`, if there is one; files whose
    path starts with one of `own_prefixes` are left out. `checkout` is the repository, if the caller
    has just read it. Raises UserError without a working tree.
    """

    def __init__(  # noqa: PLR0913 - a repository, and how it is read
        self,
        repository: Path,
        cache_folder: Path | None,
        *,
        subfolder: str = "",
        sizes: Sizes = DEFAULT_SIZES,
        own_prefixes: Sequence[Path] = (),
        checkout: git.Checkout | None = None,
    ) -> None:
        # imported here: a run over a commit needs no snapshot
        from feeder.source.snapshot import SnapshotTaker

        if cache_folder is None:
            from tempfile import TemporaryDirectory

            # deleted with this object
            self._temporary_folder = TemporaryDirectory(
                prefix="feeder-", ignore_cleanup_errors=True
            )
            cache_folder = Path(self._temporary_folder.name)
        self._taker = SnapshotTaker(repository, cache_folder, sizes, own_prefixes, checkout)
        try:
            self._use_snapshot(self._taker.take_snapshot(), subfolder)
        except UserError:
            if not discard_repositories(cache_folder):
                raise
            self._use_snapshot(self._taker.take_snapshot(), subfolder)

    def _use_snapshot(self, snapshot: "Snapshot", subfolder: str) -> None:
        root = snapshot.root_tree_id
        is_head = root == snapshot.head_tree_id
        source = self._taker.repository if is_head else snapshot.repository
        super().__init__(source, root, subfolder=subfolder, sizes=self._taker.sizes)
        self.commit = snapshot.commit
        self.working_tree_id = "" if is_head else root
        self.root_tree_id = git.folder_tree_id(source, root, subfolder) if subfolder else root
        self.is_partial = not is_head
        self._earlier_trees = snapshot.repository  # which has the trees of HEAD, too
        self._object_format = snapshot.object_format

    def _list_entries(self) -> list[Entry]:
        """Lists the files; takes the snapshot again if git cannot read the cached objects."""
        try:
            return super()._list_entries()
        except UserError:
            if not self.is_partial or not discard_repositories(self._taker.cache_folder):
                raise
        self._use_snapshot(self._taker.take_snapshot(), self.subfolder)
        self.__dict__.pop("_exclusion_rules", None)
        return super()._list_entries()

    @cached_property
    def _placeholders(self) -> Mapping[str, SkipReason]:
        return {
            placeholder_id(reason, self._object_format): reason
            for reason in SkipReason
            if reason not in _NO_PLACEHOLDER
        }

    def _entries_of(self, files: Sequence[git_files.GitFile], rules: ExclusionRules) -> list[Entry]:
        restored = [self._restore_placeholder(file) for file in files]
        return [self._mark_unread(entry) for entry in rules.entries(restored)]

    def _restore_placeholder(self, file: git_files.GitFile) -> git_files.GitFile:
        """Replaces a placeholder by the file that it stands for."""
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

    def _mark_unread(self, entry: Entry) -> Entry:
        if entry.size == git_files.ABSENT_SIZE and not entry.skip:
            return entry._replace(skip=SkipReason.NOT_FETCHED)
        reason = self._placeholders.get(entry.blob)
        return entry._replace(blob="", skip=entry.skip or reason) if reason else entry

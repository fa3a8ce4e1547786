"""Finds the nodes that a change adds, edits or removes, by parsing both versions of each file.

Start with `read_change`. It needs git, not the index, which may equal either version.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from feeder.errors import UserError
from feeder.impact.renames import find_renames
from feeder.impact.runnable_tests import is_test_by_name, is_test_file
from feeder.nodes import Node, node_ids
from feeder.progress import NO_PROGRESS, ProgressReporter
from feeder.relations.repeated_definitions import is_named_by_argument
from feeder.relations.site_text import COMMENT_PATTERN
from feeder.source import file_types, git, git_files
from feeder.source.deltas import changed_files
from feeder.source.paths import escape_name, regular_files_in

if TYPE_CHECKING:
    from feeder.config import Settings
    from feeder.parse import ParsedFile

MAX_FILES = 300
"""Files of a change that are compared."""

MANY_FILES = 8
"""Changed files from which several processes parse them, and progress is shown."""

ADDED, EDITED, REMOVED, MOVED = "added", "edited", "removed", "moved"

_REVISION_SYNTAX = re.compile(r"\A[0-9a-f]{7,}\Z|[~^@{]|\AHEAD\Z")
"""What a commit is named with, but no symbol or file."""

Versions = Mapping[str, bytes]
"""The contents of files by path, without those that do not exist."""


class ChangedNode(NamedTuple):
    """A node that a change adds, edits or removes; of a removed one the lines are the old ones.

    `name` is its symbol or logical path, of a chunk the name of a constant; it may be empty.
    `owner` is the symbol of the type around it in the same file. `signature_changed` says that
    callers may have to change too: a removed node, or one whose `signature` differs from
    `old_signature`. `is_named_by_argument` tells whether it is a call
    such as `it("add", …)`, which has no references.
    """

    id: str
    path: str
    language: str
    node_type: str
    name: str
    owner: str
    change: str
    signature_changed: bool
    start_line: int
    end_line: int
    is_named_by_argument: bool = False
    signature: str = ""
    old_signature: str = ""

    def as_json(self) -> dict[str, Any]:
        """The node for `--json`."""
        fields = self._asdict()
        del fields["owner"], fields["is_named_by_argument"]
        return {**fields, "name": self.name or None}

    @property
    def is_code(self) -> bool:
        """Tells whether it is a declaration that other nodes can refer to."""
        return bool(self.name) and self.node_type in {"class", "method", "chunk"}


class RenamedFile(NamedTuple):
    """A file that a change renames.

    `moved` are the declarations of its outer level that the change leaves as they were.
    """

    old_path: str
    path: str
    language: str
    moved: list[ChangedNode]


class Change(NamedTuple):
    """The nodes that differ between two versions of the files at `paths`.

    `base` is the commit that is compared with. `tests` are the test files among the changed ones
    that still exist. `unread` counts files beyond the limit. `conflicts` are the files on disk that
    git could not merge. Of a renamed file, both paths are in `paths`.
    """

    base: str
    paths: list[str]
    nodes: list[ChangedNode]
    tests: list[str]
    unread: int = 0
    renames: Sequence[RenamedFile] = ()
    conflicts: Sequence[str] = ()
    is_on_disk: bool = False


def read_change(  # noqa: PLR0913 - the two versions, and how they are read
    root: Path,
    repo: str,
    settings: Settings,
    base: str | None,
    *,
    working_tree: bool,
    progress: ProgressReporter = NO_PROGRESS,
) -> Change:
    """Compares HEAD, or with `working_tree` the files on disk, with a base.

    That is the merge base of HEAD and `base`; without it HEAD for the working tree, and for HEAD
    its first parent. Raises UserError if there is no such commit.
    """
    head = git.commit_id(root, "HEAD")
    if head is None:
        raise UserError(f"{root} has no commit.", "Commit the files first.")
    base_id = _base_commit(root, head, base or ("HEAD" if working_tree else "HEAD^"), base)
    names = _changed_names(root, base_id, None if working_tree else head)
    paths = {escape_name(name): name for name in names}
    readable = [path for path in paths if file_types.skip_reason(path) is None]
    read, beyond = readable[:MAX_FILES], readable[MAX_FILES:]
    before = _from_commit(root, base_id, {path: paths[path] for path in read})
    existing = [*read, *filter(is_test_by_name, beyond)]
    if working_tree:
        after = _from_disk(root, existing)
    else:
        after = _from_commit(root, head, {path: paths[path] for path in existing})
    old = {path: content for path, content in before.items() if _is_small(content, settings)}
    new = {path: after[path] for path in read if _is_small(after.get(path), settings)}
    versions = _parse_versions(settings, old, new, progress)
    renames = find_renames(old, new)
    equal = {path for path, old_path in renames.items() if old[old_path] == new[path]}
    conflicts = git_files.unmerged_files(root) if working_tree else []
    return Change(
        base_id,
        [path for path in read if path not in before or before[path] != after.get(path)],
        _changed_nodes(repo, versions, renames, equal),
        sorted(
            path
            for path, content in after.items()
            if before.get(path) != content and _is_test(path, versions.get(path), settings)
        ),
        len(beyond),
        [
            _renamed_file(repo, old, path, versions[old].before, versions[path].after)
            for path, old in sorted(renames.items())
        ],
        list(map(escape_name, conflicts)),
        working_tree,
    )


def _base_commit(root: Path, head: str, revision: str, given: str | None) -> str:
    base_id = git.commit_id(root, revision)
    if base_id is None and given is None:
        raise UserError(
            "HEAD has no parent to compare with.",
            "Run feeder impact --working-tree to compare the files on disk, or name a commit to "
            "compare with (--base REF).",
        )
    if base_id is None:
        error = git.unknown_commit_error(root, revision)
        if not _REVISION_SYNTAX.search(revision):
            uses = f"To list what uses a symbol: feeder references {shlex.quote(revision)}"
            raise UserError(error.problem, f"{error.remedy} {uses}")
        raise error
    return base_id if given is None else git.merge_base(root, base_id, head) or base_id


def _changed_names(root: Path, base: str, head: str | None) -> list[bytes]:
    """The names of files that differ; without a head between the base and the working tree."""
    if head is not None:
        return [change.name for change in changed_files(root, base, head)]
    return git_files.uncommitted_files(root, base)


def _from_commit(root: Path, commit: str, names: Mapping[str, bytes]) -> dict[str, bytes]:
    contents = git_files.read_files(root, commit, list(names.values()))
    return {path: contents[name] for path, name in names.items() if name in contents}


def _from_disk(root: Path, paths: Iterable[str]) -> dict[str, bytes]:
    return {path: file.read_bytes() for path, file in regular_files_in(root, paths).items()}


def _is_small(content: bytes | None, settings: Settings) -> bool:
    return content is not None and len(content) <= settings.max_file_bytes


class _ParsedVersions(NamedTuple):
    """A file before and after a change; None where it does not exist, or is too large."""

    before: ParsedFile | None
    after: ParsedFile | None


def _parse_versions(
    settings: Settings, before: Versions, after: Versions, progress: ProgressReporter
) -> dict[str, _ParsedVersions]:
    """Parses both versions of the files whose contents differ, in the order of their paths."""
    from feeder.parse.worker_pool import WorkerPool

    paths = [path for path in {**before, **after} if before.get(path) != after.get(path)]
    files = [
        (path, version[path]) for version in (before, after) for path in paths if path in version
    ]
    if not files:
        return {}
    is_long = len(paths) >= MANY_FILES
    count = settings.jobs if is_long else 1
    with (
        WorkerPool(settings.grammar, mask_secrets=settings.mask_secrets, count=count) as workers,
        progress.step("Comparing", len(files) if is_long else 0) as progress_step,
    ):
        parsed = []
        for file in workers.parse(files):
            parsed.append(file)
            progress_step(1)
    first_new = sum(path in before for path in paths)
    keys = [path for path, _ in files]
    old = dict(zip(keys[:first_new], parsed[:first_new], strict=True))
    new = dict(zip(keys[first_new:], parsed[first_new:], strict=True))
    return {path: _ParsedVersions(old.get(path), new.get(path)) for path in sorted(paths)}


def _changed_nodes(
    repo: str,
    versions: Mapping[str, _ParsedVersions],
    renames: Mapping[str, str],
    equal: Container[str],
) -> list[ChangedNode]:
    """The nodes that differ, in the order of paths and lines.

    A renamed file is compared with itself, unless it is one of the `equal` ones; what is removed
    from it keeps the old path.
    """
    nodes = []
    old_paths = {*renames.values()}
    for path, (_, after) in versions.items():
        old_path = renames.get(path, path)
        if path not in old_paths and path not in equal:
            differing = _compare(repo, (old_path, path), versions[old_path].before, after)
            nodes += sorted(differing, key=lambda node: node.start_line)
    return nodes


def _renamed_file(
    repo: str, old_path: str, path: str, before: ParsedFile | None, after: ParsedFile | None
) -> RenamedFile:
    """With the unchanged declarations of its outer level, at their new place."""
    changed = {(node.node_type, node.name) for node in _compare(repo, (path, path), before, after)}
    moved = [
        node._replace(change=MOVED)
        for node in _compare(repo, (path, path), None, after)
        if node.is_code and not node.owner and (node.node_type, node.name) not in changed
    ]
    language = next((node.language for node in after.nodes), None) if after else None
    return RenamedFile(old_path, path, language or "", moved)


def _is_test(path: str, versions: _ParsedVersions | None, settings: Settings) -> bool:
    """Tells whether a file is a test file after the change; one that is not parsed by its name."""
    from feeder.parse.grammar_files import load_grammars

    if versions is not None and versions.after is not None:
        return is_test_file(path, versions.after.nodes)
    kind = load_grammars(settings.grammar).detect_language(path, b"")[1]
    return kind == "code" and is_test_by_name(path)


_Key = tuple[str, str]


class _Place(NamedTuple):
    """The id of a node, and the lines of the whole node that it may be a part of."""

    id: str
    first_line: int
    last_line: int


_Places = Mapping[int, _Place]
"""The places of nodes, by the `id()` of each."""


def _compare(
    repo: str, paths: tuple[str, str], before: ParsedFile | None, after: ParsedFile | None
) -> Iterator[ChangedNode]:
    """Yields the nodes that differ; nodes of equal type and name are compared together.

    `paths` are those of the two versions.
    """
    old_path, new_path = paths
    old, new = (file.nodes if file else [] for file in (before, after))
    old_by_key, new_by_key = _by_key(old), _by_key(new)
    places = {
        id(node): _Place(id_, run.first_line, run.last_line)
        for path, file in zip(paths, (before, after), strict=True)
        if file
        for node, id_, run in zip(
            file.nodes, node_ids(repo, path, file.nodes), file.line_runs, strict=True
        )
    }
    classes = {node.symbol for node in (*old, *new) if node.node_type == "class" and node.symbol}
    for key in dict.fromkeys([*new_by_key, *old_by_key]):
        was, now = old_by_key[key], new_by_key[key]
        if (not was and _is_part_of(now, old)) or (not now and _is_part_of(was, new)):
            continue
        if key[0] == "chunk":
            yield from _changed_chunks(paths, places, was, now)
            continue
        nodes = _differing(now, was) or (_differing(was, now)[:1] and now[:1]) or was
        if not now or not was or _differing(now, was) or _differing(was, now):
            change = EDITED if was and now else ADDED if now else REMOVED
            signatures = [{node.signature for node in nodes_of} for nodes_of in (was, now)]
            differs = change != ADDED and signatures[0] != signatures[1]
            outer = key[1].rpartition(".")[0]
            owner = outer if outer in classes else ""
            path = new_path if now else old_path
            yield _changed_node(
                path, places, nodes, key[1], owner, change=change, signature_changed=differs
            )._replace(signature=_new_signature(now, was), old_signature=_new_signature(was, now))


def _new_signature(nodes: Sequence[Node], others: Sequence[Node]) -> str:
    """The first signature that the other version has not; else the first."""
    signatures = [node.signature or "" for node in nodes]
    old = {node.signature or "" for node in others}
    return next(
        (signature for signature in signatures if signature not in old),
        signatures[0] if signatures else "",
    )


def _is_part_of(nodes: Sequence[Node], others: Iterable[Node]) -> bool:
    """Tells whether the other version has the nodes as text of a node around them.

    What is inside of a function has nodes of its own only if the function is long.
    """
    around = [(f"{other.symbol}.", other.text) for other in others if other.symbol]
    return all(
        any((node.symbol or "").startswith(name) and node.text in text for name, text in around)
        for node in nodes
    )


def _by_key(nodes: Iterable[Node]) -> defaultdict[_Key, list[Node]]:
    by_key: defaultdict[_Key, list[Node]] = defaultdict(list)
    for node in nodes:
        by_key[node.node_type, node.symbol or node.logical_path or ""].append(node)
    return by_key


def _differing(nodes: Sequence[Node], others: Sequence[Node]) -> list[Node]:
    """The nodes whose text no node of the other version has, of equal texts as many as differ."""
    left = Counter((node.text, node.signature) for node in others)
    result = []
    for node in nodes:
        left[node.text, node.signature] -= 1
        if left[node.text, node.signature] < 0:
            result.append(node)
    return result


def _changed_node(  # noqa: PLR0913 - the fields of a node
    path: str,
    places: _Places,
    nodes: Sequence[Node],
    name: str,
    owner: str,
    *,
    change: str,
    signature_changed: bool,
) -> ChangedNode:
    first, last = nodes[0], nodes[-1] if change != EDITED else nodes[0]
    return ChangedNode(
        places[id(first)].id,
        path,
        first.language,
        first.node_type,
        name,
        owner,
        change,
        signature_changed,
        places[id(first)].first_line,
        places[id(last)].last_line,
        is_named_by_argument(first),
    )


def _changed_chunks(
    paths: tuple[str, str], places: _Places, was: Sequence[Node], now: Sequence[Node]
) -> Iterator[ChangedNode]:
    """Yields the constants of chunks that differ, and chunks that differ otherwise."""
    old, new = dict(_constants(was)), dict(_constants(now))
    old_path, new_path = paths
    named = False
    for name in dict.fromkeys([*new, *old]):
        if name in new and name in old and new[name][1] == old[name][1]:
            continue
        change = EDITED if name in new and name in old else ADDED if name in new else REMOVED
        node = (new if name in new else old)[name][0]
        named = True
        is_removed = change == REMOVED
        path = old_path if is_removed else new_path
        yield _changed_node(
            path, places, [node], name, "", change=change, signature_changed=is_removed
        )
    if not named and (chunks := _differing(now, was) or _differing(was, now)):
        change = EDITED if was and now else ADDED if now else REMOVED
        path = new_path if now else old_path
        yield _changed_node(path, places, chunks, "", "", change=change, signature_changed=False)


def _constants(chunks: Iterable[Node]) -> Iterator[tuple[str, tuple[Node, str]]]:
    """Yields the name of each constant of chunks, with its chunk and its lines."""
    for node in chunks:
        lines = node.text.split("\n")
        starts = [member.line - node.start_line for member in node.members]
        for member, start, end in zip(
            node.members, starts, [*starts[1:], len(lines)], strict=False
        ):
            yield member.name, (node, "\n".join(_own_lines(lines[start:end])).strip())


def _own_lines(lines: Sequence[str]) -> Sequence[str]:
    """The lines of a constant without what follows it: up to a blank line or comment before a line
    that is not indented more than the first.
    """
    indent = _indent(lines[0]) if lines else 0  # another constant may be on the same line
    for at, line in enumerate(lines[1:], 1):
        is_gap = not line.strip() or COMMENT_PATTERN.match(line)
        following = next((line for line in lines[at:] if line.strip()), "")
        if is_gap and _indent(following) <= indent:
            return lines[:at]
    return lines


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())

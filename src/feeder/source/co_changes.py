"""Counts which files were changed together with others in earlier commits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from feeder.source.git import is_shallow
from feeder.source.git_command import git_output
from feeder.source.paths import escape_name, unescape_path

MAX_COMMITS = 300
"""Commits that are read, the latest first."""

MAX_FILES_OF_COMMIT = 40
"""A commit that changed more files says little about any of them."""

TIMEOUT_S = 3.0

# independent of the repository's settings; a partial clone fetches no trees
_LOG_COMMAND = (
    *("-c", "protocol.allow=never"),
    *("-c", "diff.relative=false"),
    *("log", "--no-show-signature", "--no-merges", "--no-renames", "--full-diff", "--name-only"),
    *("-z", "--format=/%H", f"--max-count={MAX_COMMITS}"),
)


class CoChanges(NamedTuple):
    """The files that commits changed together with the given ones.

    `weights` are sums over the commits of 1 ÷ number of files, `counts` numbers of commits, both by
    path; `commits` have changed one of the given files.
    """

    weights: Mapping[str, float] = {}
    counts: Mapping[str, int] = {}
    commits: int = 0


def co_changes(repository: Path, commit: str, files: Sequence[str]) -> CoChanges:
    """The files that were changed together with one of `files`, up to a commit.

    Empty if git takes longer than `TIMEOUT_S`.
    """
    if not files:
        return CoChanges()
    names = [unescape_path(file) for file in files]
    # what the oldest commit of a shallow clone changed is unknown: all its files seem to be added
    known = ["--min-parents=1"] if is_shallow(repository) else []
    options = (*_LOG_COMMAND, *known)
    try:
        log = git_output(repository, *options, commit, "--", *names, timeout_s=TIMEOUT_S)
    except TimeoutError:
        return CoChanges()
    weights: defaultdict[str, float] = defaultdict(float)
    counts: Counter[str] = Counter()
    requested = set(files)
    commits = [commit for commit in _files_of_commits(log) if len(commit) <= MAX_FILES_OF_COMMIT]
    for changed in commits:
        others = [path for path in changed if path not in requested]
        counts.update(others)
        for path in others:
            weights[path] += 1 / len(changed)
    return CoChanges(weights, counts, len(commits))


def _files_of_commits(log: bytes) -> Iterator[list[str]]:
    """Yields the files of each commit; a header starts with a slash, which no path does."""
    files: list[str] = []
    for token in log.split(b"\0"):
        if token.startswith(b"/"):
            if files:
                yield files
            files = []
        elif name := token.lstrip(b"\n"):
            files.append(escape_name(name))
    if files:
        yield files

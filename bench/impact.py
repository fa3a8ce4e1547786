"""Measures how well `feeder impact` names the tests and the other source files of a change.

    python -m bench impact REPOSITORY … [--commits 20]

For each of the latest commits that change code and existing tests, at most 12 files and 4 tests: a
copy of the repository gets the parent commit, an index of it, and the commit's files other than
tests. The table has the share of the changed tests that are among the first 10, beside the share by
file names alone.

For each of the latest commits that change several existing source files, at most 12 files, the copy
gets one half of these, drawn with the commit's id as the seed. The table has the share of the
others that are named among the first 20 references and the first 20 nodes of similar code.
"""

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from feeder.config import Settings
from feeder.impact.changed_nodes import read_change
from feeder.impact.impact import find_impact
from feeder.impact.name_convention import name_score
from feeder.search.open_index import open_index
from feeder.store.inventory import files_below
from feeder.store.scope import is_test_path

HEAD = """\
| repository | commits | tests | by impact @10 | by name @10 | median ms \
| commits of several sources | other sources | of these by impact @20 |
|---|---|---|---|---|---|---|---|---|
"""
MAX_FILES, MAX_TESTS, TOP, TOP_SOURCES = 12, 4, 10, 20
CODE = (".py", ".ts", ".tsx", ".js", ".java", ".kt", ".go")


class Commit(NamedTuple):
    """A commit with its parent, its files by status letter, and the existing tests and source files
    that it changed.
    """

    name: str
    parent: str
    files: Sequence[tuple[str, str]]
    tests: Sequence[str]
    sources: Sequence[str]


class Counts(NamedTuple):
    """Of one commit: tests named by impact and by name, and the seconds that took."""

    by_impact: int
    by_name: int
    seconds: float


def main() -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench impact")
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=20)
    args = parser.parse_args(sys.argv[2:])
    print(HEAD, end="")
    for repository in args.repositories:
        with TemporaryDirectory() as folder:
            copy = Path(folder) / repository.name
            _git(repository, "clone", "-q", "--shared", ".", str(copy))
            all_commits = _commits(copy)
            commits = [
                all_commit for all_commit in all_commits if 0 < len(all_commit.tests) <= MAX_TESTS
            ]
            commits = commits[: args.commits]
            results = [_measure(copy, commit) for commit in commits]
            several = [all_commit for all_commit in all_commits if len(all_commit.sources) > 1][
                : args.commits
            ]
            others = [_measure_others(copy, commit) for commit in several]
        total = sum(len(commit.tests) for commit in commits)
        impact, name = (sum(result[i] for result in results) / max(total, 1) for i in (0, 1))
        milliseconds = 1000 * median(result.seconds for result in results) if results else 0
        sources, named = (sum(other[i] for other in others) for i in (0, 1))
        print(
            f"| {repository.name} | {len(commits)} | {total} | {impact:.2f} | {name:.2f} "
            f"| {milliseconds:.0f} | {len(several)} | {sources} | {named / max(sources, 1):.2f} |",
            flush=True,
        )
    return 0


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _commits(repository: Path) -> list[Commit]:
    """The commits of HEAD's history that change code in few files, the latest first."""
    options = ("--no-merges", "--no-renames", "--name-status", "--format=//%H %P")
    log = _git(repository, "log", *options)
    return [
        commit
        for entry in log.split("//")[1:]
        if (commit := _parse_commit(entry.splitlines())) is not None
    ]


def _parse_commit(lines: Sequence[str]) -> Commit | None:
    names = lines[0].split()
    files = [(status, path) for status, path in (line.split("\t") for line in lines[1:] if line)]
    code = [path for _, path in files if path.endswith(CODE) and not is_test_path(path)]
    existing = [path for status, path in files if status == "M" and path.endswith(CODE)]
    tests = [path for path in existing if is_test_path(path)]
    sources = [path for path in existing if not is_test_path(path)]
    if len(names) != 2 or not code or len(files) > MAX_FILES:
        return None
    return Commit(names[0], names[1], files, tests, sources)


def _index_parent(copy: Path, commit: Commit) -> Settings:
    """Checks the commit's parent out and indexes it by words; returns the settings for it."""
    _git(copy, "checkout", "-q", "--force", commit.parent)
    _git(copy, "clean", "-qfd")
    sync = [sys.executable, "-m", "feeder", "sync", "-q", "--model", "words", "-C", str(copy)]
    subprocess.run(sync, check=True, capture_output=True)
    return Settings(copy, store="local", quiet=True, query_log=False)


def _measure(copy: Path, commit: Commit) -> Counts:
    settings = _index_parent(copy, commit)
    for status, path in commit.files:
        if is_test_path(path):
            continue
        if status == "D":
            (copy / path).unlink(missing_ok=True)
        else:
            _git(copy, "checkout", commit.name, "--", path)
    started = time.perf_counter()
    with open_index(settings) as index:
        corpus = index.corpus
        change = read_change(corpus.base, corpus.repo, settings, None, working_tree=True)
        named = [test.path for test in find_impact(index, change, tests_only=True).tests]
        seconds = time.perf_counter() - started
        all_tests = filter(is_test_path, files_below(corpus.database, corpus.repo, ""))
    by_name = list(_by_name(change.paths, all_tests))
    return Counts(_hits(commit, named), _hits(commit, by_name), seconds)


def _measure_others(copy: Path, commit: Commit) -> tuple[int, int]:
    """The number of source files in one half of a commit's, and of those that the impact of the
    other half names; the half that is given is the larger one.
    """
    drawn = random.Random(commit.name).sample(commit.sources, len(commit.sources))
    others = set(drawn[: len(drawn) // 2])
    settings = _index_parent(copy, commit)
    for path in set(drawn) - others:
        _git(copy, "checkout", commit.name, "--", path)
    with open_index(settings) as index:
        corpus = index.corpus
        change = read_change(corpus.base, corpus.repo, settings, None, working_tree=True)
        impact = find_impact(index, change)
    named = {reference.reference.path for reference in impact.references[:TOP_SOURCES]}
    named |= {file.path for file in impact.similar[:TOP_SOURCES]}
    return len(others), len(others & named)


def _hits(commit: Commit, named: Sequence[str]) -> int:
    first = [path for path in named if path.endswith(CODE)][:TOP]
    return len({*first} & {*commit.tests})


def _by_name(paths: Sequence[str], tests: Iterator[str]) -> Iterator[str]:
    scores = {test: max((name_score(path, test) for path in paths), default=0) for test in tests}
    ranked = sorted(scores, key=lambda test: (-scores[test], test))
    return (test for test in ranked if scores[test])

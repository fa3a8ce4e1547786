"""Small repositories whose lines are marked with the answers of queries, worked out by hand.

A file of cases has a list of `{"id", "files", "q"}`; `q` has the queries by key: a command and its
target. ` §k` at the end of a line is an answer of query k, ` §?k` may be one, and ` §!k` must not
be resolved. `implementations` marks the first line of the type or member.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from command_runner import RunFeeder
from source.repos import Repo

CASES = Path(__file__).with_name("cases")

_MARK = re.compile(r"\s*§([?!]?)([A-Za-z0-9_]+)$")

LISTS = {"references": "references", "implementations": "implementations"}


class Answers(NamedTuple):
    """The places of a query, as `path:line`: those it must give, may give, and has given."""

    must: set[str]
    may: set[str]
    resolved: set[str]
    by_name: set[str]

    @property
    def missed(self) -> set[str]:
        """The places that are not listed at all."""
        return self.must - self.resolved - self.by_name

    @property
    def wrong(self) -> set[str]:
        """The places that are given as resolved, and are none."""
        return self.resolved - self.must - self.may


def cases(name: str) -> list[Any]:
    """The cases of a file."""
    return list(json.loads((CASES / f"{name}.json").read_text("utf-8")))


def commit_marked(repo: Repo, files: dict[str, str]) -> dict[tuple[str, str], set[str]]:
    """Commits files without their marks; returns the places by key and flag."""
    plain, places = without_marks(files)
    repo.commit(plain)
    return places


def without_marks(
    files: dict[str, str],
) -> tuple[dict[str, str | bytes], dict[tuple[str, str], set[str]]]:
    """The files without their marks, and the places by key and flag."""
    places: dict[tuple[str, str], set[str]] = {}
    plain: dict[str, str | bytes] = {}
    for path, text in files.items():
        lines = []
        for number, marked in enumerate(text.strip("\n").split("\n"), 1):
            rest = marked
            while mark := _MARK.search(rest):
                places.setdefault((mark[2], mark[1]), set()).add(f"{path}:{number}")
                rest = rest[: mark.start()]
            lines.append(rest)
        plain[path] = "\n".join(lines) + "\n"
    return plain, places


def answers(
    feeder: RunFeeder,
    repo: Repo,
    query: tuple[str, str],
    places: dict[tuple[str, str], set[str]],
    key: str,
) -> Answers:
    """Runs one query of a case."""
    command, target = query
    given = feeder(repo, command, target, "--json").json
    marked = [one for own, some in places.items() if own[0] == key for one in some]
    listed: dict[bool, set[str]] = {True: set(), False: set()}
    for entry in given[LISTS[command]]:
        line = entry.get("line", entry.get("start_line"))
        place = f"{entry['path']}:{line}"
        if command == "implementations":  # a node may begin above its name
            near = [f"{entry['path']}:{at}" for at in range(line, line + 4)]
            place = next((at for at in near if at in marked), place)
        listed[entry["resolved"]].add(place)
    return Answers(
        places.get((key, ""), set()),
        places.get((key, "?"), set()),
        listed[True],
        listed[False] - listed[True],
    )

"""Defines the query sets: corpora with queries in the format of `feeder evaluate`.

The queries and labels come from other projects and are not part of this repository. They are in a
folder `data`; docs/benchmarks/search-quality.md lists its files.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from answers.corpora import Absent, Snapshot, checked_out, suffix, text_of, tracked, written

SMALL = frozenset(
    ("express", "redux", "xmonad", "plug", "chi", "trpc", "monolog", "ktor", "cobra", "axum")
)
"""Repositories that a transformer embeds within minutes."""
VUE = Snapshot("vue", "vuejs/core", "e2bede96134f757aad5c5b33ac9be055022dbfc8")
_VUE_SOURCES = re.compile(r"packages/[^/]+/src/.+")

Line = dict[str, Any]
"""A query with its answers, as `feeder evaluate` reads it."""


class Corpus(NamedTuple):
    """A repository that is searched, and its queries."""

    name: str
    place: Path
    questions: list[Line]


class Sources(NamedTuple):
    """The folders of queries, snapshots and generated files; the callback for progress messages;
    and the language model for descriptions, empty for none."""

    questions: Path
    mirror: Path
    work: Path
    tell: Callable[[str], None]
    describe: str = ""

    def read(self, name: str) -> str:
        """Reads a file of the query folder. Raises Absent."""
        try:
            return (self.questions / "data" / name).read_text("utf-8")
        except OSError as exc:
            raise Absent(f"{exc.filename}: {exc.strerror}") from exc


def repositories(sources: Sources) -> Iterator[Corpus]:
    """Yields the main folders of public repositories, with queries labelled by file."""
    yield from _repositories(sources, None, whole=False)


def repositories_small(sources: Sources) -> Iterator[Corpus]:
    """Yields ten of these repositories."""
    yield from _repositories(sources, SMALL, whole=False)


def repositories_whole(sources: Sources) -> Iterator[Corpus]:
    """Yields the same ten with their documents, tests and changelogs."""
    yield from _repositories(sources, SMALL, whole=True)


def _repositories(
    sources: Sources, wanted: frozenset[str] | None, *, whole: bool
) -> Iterator[Corpus]:
    for spec in json.loads(sources.read("repositories.json")):
        name, folder = spec["name"], spec.get("benchmark_root") or ""
        slug = spec["url"].removeprefix("https://github.com/").removesuffix(".git")
        snapshot = Snapshot(name, slug, spec["revision"], "" if whole else folder)
        if wanted and name not in wanted:
            continue
        try:
            items = json.loads(sources.read(f"questions/{name}.json"))
            into = sources.work / ("whole" if whole else "folder") / name
            place = checked_out(snapshot, sources.mirror, into)
        except Absent as exc:
            sources.tell(f"left out: {exc}")
            continue
        paths = tracked(place)
        yield Corpus(name, place, [_labelled(item, paths, folder) for item in items])


def _labelled(item: Line, paths: list[str], folder: str) -> Line:
    right = [*item.get("relevant", []), *item.get("secondary", [])]
    answers = ({"path": one} if isinstance(one, str) else one for one in right)
    return {
        "query": item["query"],
        "answers": [one | {"path": _whole(one["path"], paths, folder)} for one in answers],
        "group": item.get("category"),
    }


def _whole(path: str, paths: Iterable[str], folder: str = "") -> str:
    """Resolves a label to a path: labels may omit the indexed folder, or more."""
    named = [one for one in paths if one == path or one.endswith(f"/{path}")]
    below = [one for one in named if one.startswith(f"{folder}/")]
    return next(iter([*below, *named]), path)


def contextual(sources: Sources) -> Iterator[Corpus]:
    """Yields nameless documents in four languages, with queries labelled by lines."""
    documents = json.loads(sources.read("contextual_chunks.json"))
    by_uuid = {one["original_uuid"]: one for one in documents}
    paths = {uuid: f"{one['doc_id']}.{suffix(one['content'])}" for uuid, one in by_uuid.items()}
    files = {paths[uuid]: one["content"] for uuid, one in by_uuid.items()}
    place = written(files, sources.work / "contextual")
    questions = [
        {"query": query, "answers": [_chunk(by_uuid[uuid], paths[uuid], at) for uuid, at in right]}
        for query, right in json.loads(sources.read("contextual_questions.json"))
    ]
    yield Corpus("contextual", place, questions)


def _chunk(document: Line, path: str, index: int) -> Line:
    """Returns the line range of a chunk of a document."""
    [chunk] = [one for one in document["chunks"] if one["original_index"] == index]
    text = chunk["content"].strip()
    first = document["content"].count("\n", 0, document["content"].index(text)) + 1
    return {"path": path, "start_line": first, "end_line": first + text.count("\n")}


def vue(sources: Sources) -> Iterator[Corpus]:
    """Yields the sources of Vue's packages, with queries that avoid the functions' names."""
    into = sources.work / "vue"
    files = {} if into.exists() else text_of(VUE, sources.mirror, _VUE_SOURCES)
    yield _vue(sources, written(files, into))


def vue_whole(sources: Sources) -> Iterator[Corpus]:
    """Yields the whole repository of Vue, with the same queries."""
    yield _vue(sources, checked_out(VUE, sources.mirror, sources.work / "whole" / "vue"))


def _vue(sources: Sources, place: Path) -> Corpus:
    paths = tracked(place)
    rows = (line.split("\t") for line in sources.read("vue_questions.tsv").splitlines())
    questions = [
        {"query": query, "answers": list(_functions(place, _whole(path, paths), names))}
        for query, path, names in rows
    ]
    return Corpus("vue", place, questions)


def _functions(place: Path, path: str, names: str) -> Iterator[Line]:
    """Yields functions by name, or five lines from each line that matches a pattern."""
    if not names.startswith("/"):
        yield from ({"path": path, "symbol": one} for one in names.split("|") if one[0] != "/")
        return
    lines = (place / path).read_text("utf-8").split("\n")
    for number, line in enumerate(lines, start=1):
        if re.search(names.strip("/"), line):
            yield {"path": path, "start_line": number, "end_line": number + 4}


SETS: dict[str, Callable[[Sources], Iterator[Corpus]]] = {
    "repositories-small": repositories_small,
    "contextual": contextual,
    "vue": vue,
    "vue-whole": vue_whole,
    "repositories": repositories,
    "repositories-whole": repositories_whole,
}

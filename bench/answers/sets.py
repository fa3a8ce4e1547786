"""Defines the query sets: corpora with queries in the format of `feeder evaluate`.

The queries and labels come from other projects and are not part of this repository. They are in a
folder `data`; docs/benchmarks/search-quality.md lists its files.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from answers.corpora import (
    Absent,
    Snapshot,
    check_out,
    guess_suffix,
    read_files,
    tracked_files,
    write_repository,
)

SMALL = frozenset(
    ("express", "redux", "xmonad", "plug", "chi", "trpc", "monolog", "ktor", "cobra", "axum")
)
"""Repositories that a transformer embeds within minutes."""
VUE = Snapshot("vue", "vuejs/core", "e2bede96134f757aad5c5b33ac9be055022dbfc8")
_VUE_SOURCES = re.compile(r"packages/[^/]+/src/.+")

QueryLine = dict[str, Any]
"""A query with its answers, as `feeder evaluate` reads it."""


class Corpus(NamedTuple):
    """A repository that is searched, and its queries."""

    name: str
    root: Path
    queries: list[QueryLine]


class Sources(NamedTuple):
    """The folders of queries, snapshots and generated files; the callback for progress messages;
    and the language model for descriptions, empty for none."""

    queries_folder: Path
    mirror: Path
    work: Path
    print_progress: Callable[[str], None]
    describe: str = ""

    def read(self, name: str) -> str:
        """Reads a file of the query folder. Raises Absent."""
        try:
            return (self.queries_folder / "data" / name).read_text("utf-8")
        except OSError as exc:
            raise Absent(f"{exc.filename}: {exc.strerror}") from exc


def repositories(sources: Sources) -> Iterator[Corpus]:
    """Yields the main folders of public repositories, with queries labelled by file."""
    yield from _repositories(sources, None, is_whole=False)


def repositories_small(sources: Sources) -> Iterator[Corpus]:
    """Yields ten of these repositories."""
    yield from _repositories(sources, SMALL, is_whole=False)


def repositories_whole(sources: Sources) -> Iterator[Corpus]:
    """Yields the same ten with their documents, tests and changelogs."""
    yield from _repositories(sources, SMALL, is_whole=True)


def _repositories(
    sources: Sources, selected: frozenset[str] | None, *, is_whole: bool
) -> Iterator[Corpus]:
    for spec in json.loads(sources.read("repositories.json")):
        name, benchmark_root = spec["name"], spec.get("benchmark_root") or ""
        slug = spec["url"].removeprefix("https://github.com/").removesuffix(".git")
        snapshot = Snapshot(name, slug, spec["revision"], "" if is_whole else benchmark_root)
        if selected and name not in selected:
            continue
        try:
            items = json.loads(sources.read(f"questions/{name}.json"))
            folder = sources.work / ("whole" if is_whole else "folder") / name
            root = check_out(snapshot, sources.mirror, folder)
        except Absent as exc:
            sources.print_progress(f"left out: {exc}")
            continue
        paths = tracked_files(root)
        yield Corpus(name, root, [_query_line(item, paths, benchmark_root) for item in items])


def _query_line(item: QueryLine, paths: list[str], folder: str) -> QueryLine:
    labels = [*item.get("relevant", []), *item.get("secondary", [])]
    answers = ({"path": label} if isinstance(label, str) else label for label in labels)
    return {
        "query": item["query"],
        "answers": [
            label | {"path": _resolve_path(label["path"], paths, folder)} for label in answers
        ],
        "group": item.get("category"),
    }


def _resolve_path(path: str, paths: Iterable[str], folder: str = "") -> str:
    """Resolves a label to a path: labels may omit the indexed folder, or more."""
    matching = [
        candidate for candidate in paths if candidate == path or candidate.endswith(f"/{path}")
    ]
    below = [candidate for candidate in matching if candidate.startswith(f"{folder}/")]
    return next(iter([*below, *matching]), path)


def contextual(sources: Sources) -> Iterator[Corpus]:
    """Yields nameless documents in four languages, with queries labelled by lines."""
    documents = json.loads(sources.read("contextual_chunks.json"))
    by_uuid = {document["original_uuid"]: document for document in documents}
    paths = {
        uuid: f"{document['doc_id']}.{guess_suffix(document['content'])}"
        for uuid, document in by_uuid.items()
    }
    files = {paths[uuid]: document["content"] for uuid, document in by_uuid.items()}
    root = write_repository(files, sources.work / "contextual")
    queries = [
        {
            "query": query,
            "answers": [_chunk_lines(by_uuid[uuid], paths[uuid], at) for uuid, at in labels],
        }
        for query, labels in json.loads(sources.read("contextual_questions.json"))
    ]
    yield Corpus("contextual", root, queries)


def _chunk_lines(document: QueryLine, path: str, index: int) -> QueryLine:
    """Returns the line range of a chunk of a document."""
    [chunk] = [chunk for chunk in document["chunks"] if chunk["original_index"] == index]
    text = chunk["content"].strip()
    first = document["content"].count("\n", 0, document["content"].index(text)) + 1
    return {"path": path, "start_line": first, "end_line": first + text.count("\n")}


def vue(sources: Sources) -> Iterator[Corpus]:
    """Yields the sources of Vue's packages, with queries that avoid the functions' names."""
    folder = sources.work / "vue"
    files = {} if folder.exists() else read_files(VUE, sources.mirror, _VUE_SOURCES)
    yield _vue(sources, write_repository(files, folder))


def vue_whole(sources: Sources) -> Iterator[Corpus]:
    """Yields the whole repository of Vue, with the same queries."""
    yield _vue(sources, check_out(VUE, sources.mirror, sources.work / "whole" / "vue"))


def _vue(sources: Sources, root: Path) -> Corpus:
    paths = tracked_files(root)
    rows = (line.split("\t") for line in sources.read("vue_questions.tsv").splitlines())
    queries = [
        {
            "query": query,
            "answers": list(_expected_functions(root, _resolve_path(path, paths), names)),
        }
        for query, path, names in rows
    ]
    return Corpus("vue", root, queries)


def _expected_functions(root: Path, path: str, names: str) -> Iterator[QueryLine]:
    """Yields functions by name, or five lines from each line that matches a pattern."""
    if not names.startswith("/"):
        yield from ({"path": path, "symbol": name} for name in names.split("|") if name[0] != "/")
        return
    lines = (root / path).read_text("utf-8").split("\n")
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

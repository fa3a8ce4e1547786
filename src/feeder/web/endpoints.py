"""The endpoints of the JSON API, as functions from an open index and parameters to JSON.

Masks secrets in hits and file lines, as they are masked in the index.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from feeder.corpus.absence import with_absence_notes
from feeder.corpus.corpus import Corpus
from feeder.corpus.file_contents import (
    current_files,
    file_size,
    indexed_content,
    is_unreadable_document,
    masked_lines,
)
from feeder.corpus.index_status import index_status
from feeder.errors import UserError
from feeder.parse.extract import NOT_INSTALLED
from feeder.query.completions import complete as completions_of
from feeder.query.example_queries import example_queries
from feeder.query.query_plan import SearchRequest, path_from_root
from feeder.ranking.ranking import count_named
from feeder.ranking.results import count_facets
from feeder.relations.overview import referring_files
from feeder.relations.symbol_relations import symbol_relations
from feeder.relations.targets import Target, files_below_path, resolve_target
from feeder.search import engine
from feeder.search.answers import Page, read_target
from feeder.search.open_index import SearchIndex
from feeder.search.similar import similar_page
from feeder.snippets.outline import build_outline
from feeder.source import file_types, git
from feeder.source.history import file_history, last_change
from feeder.store.inventory import (
    NO_LIMIT,
    FileSummary,
    blobs_by_path,
    file_summaries,
    files_below,
    statistics,
)
from feeder.store.relations import has_relations
from feeder.sync.dry_run import last_run_costs
from feeder.web.masking import mask_hits
from feeder.web.parameters import (
    FILTER_PARAMETERS,
    Parameters,
    read_after,
    read_filters,
    read_flag,
    read_integer,
    read_pagination,
    read_required,
    read_switch,
)
from feeder.web.repository_overview import repository_overview

JsonObject = dict[str, Any]
Endpoint = Callable[[SearchIndex, Parameters], JsonObject]

OUTLINE_LIMITS = 100, 1, 300
"""Files of a page of an outline: by default, at least and at most."""
MAX_MAPPED_FILES = 1_000
"""Files of a page of the map; the nodes of each are read."""

_NODE_ID = re.compile(r"[0-9a-f]{8,40}")
_TEXT_FIELDS = ("text", "text_of", "before", "after")
_PAGE_PARAMETERS = ("limit", "offset", "tests", "text", *FILTER_PARAMETERS)
"""Parameters of the endpoints that answer with a page of hits."""


class NotFound(UserError):
    """The target of a request is not in the index."""


def search(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """A page of hits with facets."""
    uses_models = read_flag(parameters, "meaning")
    is_finished = read_flag(parameters, "log")
    limit, offset = read_pagination(parameters)
    request = SearchRequest(
        read_required(parameters, "q"),
        read_filters(parameters),
        limit,
        offset,
        is_logged=uses_models and is_finished,
    )
    page = engine.search(index if uses_models else index.without_models(), request)
    notes = [*page.notes, *page.warnings, *index.missing_notes]
    answer = _with_requested_fields(_page_json(index, page._replace(notes=notes)), parameters)
    found = page.all_results
    return {**answer, "named": count_named(found), "facets": count_facets(found)}


def complete(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """Completions of the last word of a query that is being typed."""
    completions = completions_of(index.corpus, read_required(parameters, "q"))
    return {"completions": [completion.as_json() for completion in completions]}


def relations(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """The definitions, references, implementations and uses of the symbol at a place."""
    place = path_from_root(read_required(parameters, "place"), index.corpus.base)
    try:
        with with_absence_notes(index.corpus):
            return symbol_relations(index.corpus, place).as_json()
    except UserError as exc:
        raise NotFound(exc.problem, exc.remedy) from exc


def similar(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """A page of the nodes most similar to a target, with facets."""
    limit, offset = read_pagination(parameters)
    target = _resolve_target(index, read_required(parameters, "target"))
    page = similar_page(index, target, SearchRequest("", read_filters(parameters), limit, offset))
    facets = count_facets(page.all_results)
    answer = _page_json(index, page._replace(notes=page.warnings))
    return {**_with_requested_fields(answer, parameters), "facets": facets}


def node(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """A node with all of its lines."""
    id_ = read_required(parameters, "id")
    if not _NODE_ID.fullmatch(id_):
        raise UserError("`id` must be 8 to 40 hex digits.", "Use the id of a hit.")
    answer = _page_json(index, read_target(index.corpus, _resolve_target(index, id_)))
    return _with_requested_fields(answer, {})


def file(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """An indexed file with its present lines and its outline."""
    corpus, path = index.corpus, read_required(parameters, "path")
    if path not in _indexed_paths(index, path):
        raise NotFound(
            f"{path} is not a file of the index.", "Use a path from the root, as hits have it."
        )
    file_now = current_files(corpus.base, [path])[path]
    content, mask_secrets = file_now.content, index.settings.mask_secrets
    lines = masked_lines(path, content, mask_secrets=mask_secrets)
    if lines is None and content is not None and is_unreadable_document(path):
        raise NotFound(f"{path} is {NOT_INSTALLED}")
    if lines is None:
        raise NotFound(f"{path} has been deleted or is not text any more.", "Run `feeder sync`.")
    entries = build_outline(corpus, [path])
    [outlined] = entries.as_json()["files"]
    return {
        "path": path,
        "lines": lines,
        "text_of": file_now.commit,
        "nodes": outlined["nodes"],
        "unparsed": outlined["unparsed"],
        "index": entries.status.as_json(),
        "note": entries.status.note,
    }


def document(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """The bytes of a document, if it is the one that was indexed; nothing in it is masked."""
    corpus, path = index.corpus, read_required(parameters, "path")
    if not file_types.document_extension(path) or path not in _indexed_paths(index, path):
        raise NotFound(
            f"{path} is not a document of the index.",
            "Use a path from the root, as hits have it.",
        )
    _check_size(index, path, file_size(corpus.base, path))
    blob = blobs_by_path(corpus.database, corpus.repo, [path])[path]
    content = indexed_content(corpus.base, path, blob)
    if content is None:
        raise NotFound(
            f"{path} has been deleted or changed since it was indexed.",
            "Open the file itself, or run `feeder sync`.",
        )
    _check_size(index, path, len(content))
    return {"path": path, "content": content}


def outline(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """A page of the files of a path, with their symbols and sections, without their text."""
    paths = _indexed_paths(index, read_required(parameters, "path"))
    limit = read_integer(parameters, "limit", *OUTLINE_LIMITS)
    following = [path for path in paths if path > read_after(parameters)]
    page = following[:limit]
    next_ = page[-1] if len(page) < len(following) else None
    return {**build_outline(index.corpus, page).as_json(), "next": next_}


def files(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """The names of the folders and indexed files in a folder, without those below."""
    corpus, folder = index.corpus, parameters.get("path", [""])[0].strip("/")
    paths = files_below(corpus.database, corpus.repo, folder)
    inside = [path[len(folder) + 1 if folder else 0 :] for path in paths if path != folder]
    if folder and not inside:
        raise NotFound(f"{folder} is not a folder of the index.", "Use a path from the root.")
    folders = dict.fromkeys(path.partition("/")[0] for path in inside if "/" in path)
    names = [path for path in inside if "/" not in path]
    return {"folders": sorted(folders), "files": sorted(names), **_index_state(corpus)}


def map_(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """The files in a folder, of skipped ones the reason and size; all of them without `limit`.

    On request also how often each is referred to, which takes seconds for a large index, as all
    relations are read.
    """
    corpus = index.corpus
    folder, after = parameters.get("path", ["."])[0].strip("/") or ".", read_after(parameters)
    limit = None
    if "limit" in parameters:
        limit = read_integer(parameters, "limit", MAX_MAPPED_FILES, 1, MAX_MAPPED_FILES)
    read = partial(file_summaries, corpus.database, corpus.repo, "" if folder == "." else folder)
    following = read(after, NO_LIMIT if limit is None else limit + 1)
    if not following and folder != "." and not (after and read(limit=1)):
        raise NotFound(f"{folder} is not a folder of the index.", "Use a path from the root.")
    files = [_file_json(corpus, file) for file in following[:limit]]
    is_billed = corpus.database.access.bills_rows
    has_references = not is_billed and has_relations(corpus.database, corpus.repo)
    if read_flag(parameters, "references", "no") and has_references:
        counts = referring_files(corpus)
        files = [{**file, "referring": counts[file["path"]]} for file in files]
    return {
        "files": files,
        "history": _indexed_commit(corpus) is not None,
        "references": has_references,
        "next": files[-1]["path"] if len(files) < len(following) else None,
        **_index_state(corpus),
    }


def _file_json(corpus: Corpus, file: FileSummary) -> JsonObject:
    if file.state != "skipped":
        return file._asdict()
    return {**file._asdict(), "bytes": file_size(corpus.base, file.path)}


def history(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """The time of the last change of each file; or of one, with its commit and author."""
    corpus, path = index.corpus, parameters.get("path", [""])[0]
    commit = _indexed_commit(corpus)
    root = git.find_root(corpus.base)
    if commit is None or root is None:
        raise NotFound(
            "The history of the files is not available here.",
            "Run the server in a clone that has the index's commit.",
        )
    if path and path not in _indexed_paths(index, path):
        raise NotFound(f"{path} is not a file of the index.", "Use a path from the root.")
    if path:
        last = last_change(root, commit, path)
        changed = {path: last.changed_s} if last else {}
        details = {"commit": last.commit, "author": last.author} if last else {}
        return {"changed": changed, "since": None, **details, **_index_state(corpus)}
    changes = file_history(corpus.base, commit)
    return {"changed": changes.changed_s, "since": changes.oldest_commit_s, **_index_state(corpus)}


def status(index: SearchIndex, _: Parameters) -> JsonObject:
    """The contents of the index in numbers, and the commit or tree that it equals."""
    corpus = index.corpus
    contents = statistics(corpus.database, corpus.repo)
    documents = sorted(file_types.DOCUMENT_EXTENSIONS)
    checkout = git.read_checkout(corpus.base)
    places = {
        "folder": os.fspath(corpus.base),
        "branch": checkout and checkout.branch,
        "web": _web_address(corpus),
        "documents": documents,
    }
    return {
        "repo": corpus.repo,
        "holds": contents.as_json(),
        "costs": last_run_costs(contents.meta),
        "places": places,
        "examples": [query._asdict() for query in example_queries(corpus)],
        **_index_state(corpus),
    }


def overview(index: SearchIndex, _: Parameters) -> JsonObject:
    """What the repository is: README, packages, entry points and what was changed last."""
    corpus, mask_secrets = index.corpus, index.settings.mask_secrets
    facts = repository_overview(corpus, _indexed_commit(corpus), mask_secrets=mask_secrets)
    return {**facts, **_index_state(corpus)}


ENDPOINTS: Mapping[str, tuple[Endpoint, frozenset[str]]] = {
    "search": (
        search,
        frozenset({"q", "meaning", "log", "explain", *_PAGE_PARAMETERS}),
    ),
    "complete": (complete, frozenset({"q"})),
    "relations": (relations, frozenset({"place"})),
    "similar": (
        similar,
        frozenset({"target", *_PAGE_PARAMETERS}),
    ),
    "node": (node, frozenset({"id"})),
    "file": (file, frozenset({"path"})),
    "document": (document, frozenset({"path"})),
    "outline": (outline, frozenset({"path", "limit", "after"})),
    "files": (files, frozenset({"path"})),
    "map": (map_, frozenset({"path", "limit", "after", "references"})),
    "history": (history, frozenset({"path"})),
    "overview": (overview, frozenset()),
    "status": (status, frozenset()),
}
"""Endpoints by name, each with its parameters."""


def _check_size(index: SearchIndex, path: str, size: int) -> None:
    limit = index.settings.max_document_bytes
    if size > limit:
        problem = f"{path} is larger than {limit:,} bytes."
        raise NotFound(problem, "Start feeder serve with a larger --max-document-bytes.")


def _index_state(corpus: Corpus) -> JsonObject:
    status = index_status(corpus)
    return {"index": status.as_json(), "note": status.note}


def _indexed_commit(corpus: Corpus) -> str | None:
    """The commit that the index equals; None if git does not have it here."""
    commit = corpus.meta.get(f"{corpus.repo}:head")
    existing = commit and git.find_root(corpus.base) and git.commit_id(corpus.base, commit)
    return existing or None


def _page_json(index: SearchIndex, results: Page) -> JsonObject:
    """A page of hits; secrets are masked if they are in the index."""
    content = results.as_json()
    if index.settings.mask_secrets:
        content["hits"] = mask_hits(content["hits"], index.corpus.base)
    return content


def _with_requested_fields(answer: JsonObject, parameters: Parameters) -> JsonObject:
    """The answer, whose hits have the requested fields and those with a value: null is left out."""
    left_out = () if read_switch(parameters, "text", "1") else _TEXT_FIELDS
    left_out = left_out if read_switch(parameters, "explain", "0") else (*left_out, "parts")
    return {**answer, "hits": [_shown_fields(hit, left_out) for hit in answer["hits"]]}


def _shown_fields(hit: JsonObject, left_out: Sequence[str]) -> JsonObject:
    shown = {
        name: value for name, value in hit.items() if value is not None and name not in left_out
    }
    if snippet := shown.get("window"):
        shown["window"] = {name: value for name, value in snippet.items() if value is not None}
    return shown


def _resolve_target(index: SearchIndex, text: str) -> Target:
    corpus = index.corpus
    try:
        with with_absence_notes(corpus):
            return resolve_target(corpus, path_from_root(text, corpus.base), index.directory)
    except UserError as exc:
        raise NotFound(exc.problem, exc.remedy) from exc


def _indexed_paths(index: SearchIndex, path: str) -> list[str]:
    try:
        return files_below_path(index.corpus, path)
    except UserError as exc:
        raise NotFound(exc.problem, exc.remedy) from exc


def _web_address(corpus: Corpus) -> str | None:
    """The address of the indexed commit's files on GitHub or GitLab; None without one."""
    commit = corpus.meta.get(f"{corpus.repo}:head")
    if not commit or not git.find_root(corpus.base):
        return None
    return git.origin_web_address(corpus.base, commit)

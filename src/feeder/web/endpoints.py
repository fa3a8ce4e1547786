"""The endpoints of the JSON API, as functions from an open index and parameters to JSON. Masks
secrets in hits and file lines, as in the index.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from feeder.errors import UserError
from feeder.parse.extract import NOT_INSTALLED
from feeder.parse.secrets import mask_text
from feeder.search import engine
from feeder.search.answers import Page, read_target
from feeder.search.file_contents import (
    current_files,
    file_size,
    indexed_content,
    indexed_text,
    is_unreadable_document,
)
from feeder.search.index_status import Corpus
from feeder.search.open_index import SearchIndex
from feeder.search.outline import build_outline as outlined
from feeder.search.query_plan import RequestFilters, SearchRequest, path_from_root
from feeder.search.results import Pagination, count_facets
from feeder.search.similar import similar_page
from feeder.search.targets import Target, files_below_path, resolve_target
from feeder.source import file_types, git
from feeder.source.history import file_history as last_changes
from feeder.store.inventory import blobs_by_path, file_summaries, statistics
from feeder.sync.dry_run import last_run_costs


def mask_hits(hits: Iterable[dict[str, Any]], base: Path) -> list[dict[str, Any]]:
    """Hits as JSON with each line as it may be shown; a line keeps its length."""
    some = list(hits)
    now = current_files(base, {hit["path"] for hit in some})
    shown = {path: _line_masks(path, file.content) for path, file in now.items()}
    return [_mask_hit(hit, shown[hit["path"]]) for hit in some]


def masked_lines(
    path: str, content: bytes | None, *, mask_secrets: bool = True
) -> list[str] | None:
    """The lines of a file as they may be shown; None for what is no text."""
    text = None if content is None else indexed_text(path, content)
    if text is not None and mask_secrets:
        text = mask_text(path, text.encode()).content.decode()
    shown = None if text is None else text.split("\n")
    return shown[:-1] if shown and len(shown) > 1 and not shown[-1] else shown


def _line_masks(path: str, content: bytes | None) -> Mapping[str, str]:
    """The lines that have a secret, as they are and as they may be shown."""
    lines, shown = (
        masked_lines(path, content, mask_secrets=masks) or () for masks in (False, True)
    )
    pairs = zip(lines, shown, strict=True)
    return {line: masked for line, masked in pairs if line != masked}


def _mask_hit(hit: dict[str, Any], line_masks: Mapping[str, str]) -> dict[str, Any]:
    window = hit["window"]
    if not line_masks or not window:
        return hit
    head = window["head"]
    text = "\n".join(_mask_lines(hit["text"].split("\n"), line_masks))
    seen = {**window, "lines": _mask_lines(window["lines"], line_masks)}
    seen["head"] = head and {**head, "lines": _mask_lines(head["lines"], line_masks)}
    return {**hit, "text": text, "window": seen}


def _mask_lines(lines: Iterable[str], line_masks: Mapping[str, str]) -> list[str]:
    return [line_masks.get(line, line) for line in lines]


Parameters = Mapping[str, Sequence[str]]
"""The parameters of an address; most may be said once."""

JsonObject = dict[str, Any]

Endpoint = Callable[[SearchIndex, Parameters], JsonObject]


DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET = 10, 100, 10_000

_NODE_ID = re.compile(r"[0-9a-f]{8,40}")

_FILTER_PARAMETERS = ("path", "not_path", "language", "node_type", "category")
"""Filters that may be said several times."""


class NotFound(UserError):
    """What is asked about is not in the index."""


def search(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """A page of hits."""
    uses_models = _uses_models(parameters)
    limit, offset = _paging(parameters)
    request = SearchRequest(
        _required_parameter(parameters, "q"),
        _filters(parameters),
        limit,
        offset,
        is_logged=uses_models,  # the page searches by words while somebody types
    )
    page = engine.search(index if uses_models else index.without_models(), request)
    notes = [*page.notes, *page.warnings, *index.missing_notes]
    facets = count_facets(page.all_results)
    return {**_page_json(index, page._replace(notes=notes)), "facets": facets}


def similar(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """A page of what is most like a node."""
    limit, offset = _paging(parameters)
    target = _resolve_target(index, _required_parameter(parameters, "target"))
    page = similar_page(index, target, SearchRequest("", _filters(parameters), limit, offset))
    facets = count_facets(page.all_results)
    return {**_page_json(index, page._replace(notes=page.warnings)), "facets": facets}


def node(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """One node with all of its lines."""
    id_ = _required_parameter(parameters, "id")
    if not _NODE_ID.fullmatch(id_):
        raise UserError("`id` is 8 to 40 hex digits. Take the one of a hit.")
    return _page_json(index, read_target(index.corpus, _resolve_target(index, id_)))


def file(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """A file of the index with its lines as they are now, and what is in it."""
    corpus, path = index.corpus, _required_parameter(parameters, "path")
    if path not in _indexed_paths(index, path):
        raise NotFound(f"{path} is no file of the index. Name one by its path from the root.")
    now = current_files(corpus.base, [path])[path]
    lines = masked_lines(path, now.content, mask_secrets=index.settings.mask_secrets)
    if lines is None and now.content is not None and is_unreadable_document(path):
        raise NotFound(f"{path} is {NOT_INSTALLED}")
    if lines is None:
        raise NotFound(f"{path} is there no more, or no text any more. Bring the index on.")
    content = outlined(corpus, [path])
    return {
        "path": path,
        "lines": lines,
        "text_of": now.commit,
        "nodes": content.as_json()["files"][0]["nodes"],
        "index": content.status.as_json(),
        "note": content.status.note,
    }


def document(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """A document itself, in bytes, where it is what was indexed; nothing in it is masked."""
    corpus, path = index.corpus, _required_parameter(parameters, "path")
    if not file_types.document_extension(path) or path not in _indexed_paths(index, path):
        raise NotFound(f"{path} is no document of the index. Name one by its path from the root.")
    _check_size(index, path, file_size(corpus.base, path))
    blob = blobs_by_path(corpus.database, corpus.repo, [path])[path]
    content = indexed_content(corpus.base, path, blob)
    if content is None:
        wrong = f"{path} is gone, or another than was indexed, with other pages perhaps."
        raise NotFound(f"{wrong} Open it where it lies, or bring the index on: feeder sync")
    _check_size(index, path, len(content))
    return {"path": path, "content": content}


def outline(index: SearchIndex, parameters: Parameters) -> JsonObject:
    """What a file or folder holds, without its text."""
    return outlined(
        index.corpus, _indexed_paths(index, _required_parameter(parameters, "path"))
    ).as_json()


def map_(index: SearchIndex, _: Parameters) -> JsonObject:
    """Every file that is indexed, and every one that is not, with the reason."""
    corpus = index.corpus
    files = [one._asdict() for one in file_summaries(corpus.database, corpus.repo)]
    return {"files": files, "history": _indexed_commit(corpus) is not None, **_index_state(corpus)}


def history(index: SearchIndex, _: Parameters) -> JsonObject:
    """When each file was last changed."""
    corpus = index.corpus
    commit = _indexed_commit(corpus)
    if commit is None:
        raise NotFound("There is no history of these files. Ask where git has the index' commit.")
    found = last_changes(corpus.base, commit)
    return {"changed": found.changed_s, "since": found.oldest_commit_s, **_index_state(corpus)}


def status(index: SearchIndex, _: Parameters) -> JsonObject:
    """What the index holds, by counts, and what it equals."""
    corpus = index.corpus
    found = statistics(corpus.database, corpus.repo)
    documents = sorted(file_types.DOCUMENT_EXTENSIONS)
    places = {"folder": os.fspath(corpus.base), "web": _github_url(corpus), "documents": documents}
    about = {"repo": corpus.repo, "holds": found.as_json(), "costs": last_run_costs(found.meta)}
    return {**about, "places": places, **_index_state(corpus)}


ENDPOINTS: Mapping[str, tuple[Endpoint, frozenset[str]]] = {
    "search": (
        search,
        frozenset({"q", "limit", "offset", "tests", "meaning", *_FILTER_PARAMETERS}),
    ),
    "similar": (similar, frozenset({"target", "limit", "offset", "tests", *_FILTER_PARAMETERS})),
    "node": (node, frozenset({"id"})),
    "file": (file, frozenset({"path"})),
    "document": (document, frozenset({"path"})),
    "outline": (outline, frozenset({"path"})),
    "map": (map_, frozenset()),
    "history": (history, frozenset()),
    "status": (status, frozenset()),
}
"""Each by its name, with the parameters that it has."""


def _check_size(index: SearchIndex, path: str, size: int) -> None:
    most = index.settings.max_document_bytes
    if size > most:
        raise NotFound(f"{path} has more than {most:,} bytes. Say a larger --max-document-bytes.")


def _index_state(corpus: Corpus) -> JsonObject:
    status = corpus.status()
    return {"index": status.as_json(), "note": status.note}


def _indexed_commit(corpus: Corpus) -> str | None:
    """The commit that the index equals, where its history is here."""
    commit = corpus.meta.get(f"{corpus.repo}:head")
    here = commit and git.find_root(corpus.base) and git.commit_id(corpus.base, commit)
    return here or None


def _page_json(index: SearchIndex, results: Page) -> JsonObject:
    """Hits with their lines; secrets as the index has them."""
    facts = results.as_json()
    if index.settings.mask_secrets:
        facts["hits"] = mask_hits(facts["hits"], index.corpus.base)
    return facts


def _resolve_target(index: SearchIndex, text: str) -> Target:
    corpus = index.corpus
    try:
        return resolve_target(corpus, path_from_root(text, corpus.base), index.directory)
    except UserError as exc:
        raise NotFound(str(exc)) from exc


def _indexed_paths(index: SearchIndex, path: str) -> list[str]:
    try:
        return files_below_path(index.corpus, path)
    except UserError as exc:
        raise NotFound(str(exc)) from exc


def _filters(parameters: Parameters) -> RequestFilters:
    several = {name: list(parameters.get(name, ())) for name in _FILTER_PARAMETERS}
    tests = parameters.get("tests", [None])[0]
    if tests not in (None, "yes", "no", "only"):
        raise UserError("`tests` is none of yes, no and only. Say one, or leave it out.")
    return RequestFilters(tests=tests, **several)  # type: ignore[arg-type]  # lists, by their names


def _uses_models(parameters: Parameters) -> bool:
    meaning = parameters.get("meaning", ["yes"])[0]
    if meaning not in ("yes", "no"):
        raise UserError("`meaning` is none of yes and no. Say one, or leave it out.")
    return meaning == "yes"


def _github_url(corpus: Corpus) -> str | None:
    """Where the files of the commit that the index equals are seen on GitHub."""
    commit = corpus.meta.get(f"{corpus.repo}:head")
    slug = git.origin_github_slug(corpus.base) if git.find_root(corpus.base) else None
    return f"https://github.com/{slug}/blob/{commit}" if commit and slug else None


def _paging(parameters: Parameters) -> Pagination:
    return Pagination(
        _integer_parameter(parameters, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT),
        _integer_parameter(parameters, "offset", 0, 0, MAX_OFFSET),
    )


def _integer_parameter(
    parameters: Parameters, name: str, default: int, minimum: int, maximum: int
) -> int:
    text = parameters.get(name, [str(default)])[0]
    if not re.fullmatch(r"[0-9]{1,9}", text) or not minimum <= int(text) <= maximum:
        raise UserError(
            f"`{name}` is no number from {minimum} to {maximum}. Say one, or leave it out."
        )
    return int(text)


def _required_parameter(parameters: Parameters, name: str) -> str:
    values = parameters.get(name, [])
    if len(values) != 1 or not values[0].strip():
        raise UserError(f"`{name}` is missing, empty or there twice. Say it once.")
    return values[0]

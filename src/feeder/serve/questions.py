"""What does the JSON interface answer? The one engine's answers, as `--json` has them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from feeder.errors import UserError
from feeder.parse.extract import NOT_INSTALLED
from feeder.run.cost import last_run_costs
from feeder.search.age import read_index_status
from feeder.search.answers import Corpus, Page, PageOptions, build_page, highlight_words
from feeder.search.asking import SearchIndex, run_query
from feeder.search.engine import Pagination
from feeder.search.facets import count_facets
from feeder.search.files import current_files, file_size, indexed_content, is_unreadable_document
from feeder.search.narrowing import RequestFilters, path_from_root, plan_query
from feeder.search.noting import log_query_in_background
from feeder.search.outline import build_outline as outlined
from feeder.search.passages import read_target
from feeder.search.similar import similar_page
from feeder.search.targets import Target, files_below_path, resolve_target, target_node
from feeder.serve.hiding import hidden, lines_shown
from feeder.serve.library import Opened
from feeder.store.catalog import file_summaries
from feeder.store.origins import blobs_by_path
from feeder.store.reading import statistics
from feeder.tree import git, kinds
from feeder.tree.history import file_history as last_changes

Said = Mapping[str, Sequence[str]]
"""The parameters of an address; most may be said once."""
Facts = dict[str, Any]
Question = Callable[[Opened, Said], Facts]

LIMIT, MOST, DEEPEST = 10, 100, 10_000
_ID = re.compile(r"[0-9a-f]{8,40}")
_NARROWING = ("path", "not_path", "language", "node_type", "category")
"""Filters that may be said several times."""


class NotThere(UserError):
    """What is asked about is not in the index."""


def search(opened: Opened, said: Said) -> Facts:
    """A page of hits."""
    told: list[str] = []
    began_s = time.perf_counter()
    asker, some = _asker(opened, said)._replace(tell=told.append), _page(said)
    question, filters = _one(said, "q"), _filters(said)
    asked, answer = run_query(asker, question, some, filters)
    shaped = PageOptions(highlight_words(asked.query), offset=some.offset)
    notes = [*answer.notes, *told, *opened.lacks]
    found = build_page(opened.corpus, answer._replace(notes=notes), shaped)
    if not some.offset and said.get("meaning") != ["no"]:  # as while somebody types
        log_query_in_background(asker, question, filters, answer, began_s)
    return {**_shown(opened, found), "facets": count_facets(answer.all_results)}


def similar(opened: Opened, said: Said) -> Facts:
    """A page of what is most like a node."""
    told: list[str] = []
    corpus, some = opened.corpus, _page(said)
    node = target_node(corpus, _target(opened, _one(said, "target")))
    scope = plan_query(opened.store, "", _filters(said), opened.asker.settings, corpus.meta).scope
    answer = similar_page(opened.store, corpus, node, scope, some, on_warning=told.append)
    shaped = PageOptions([node.symbol or node.logical_path or ""], offset=some.offset)
    shown = _shown(opened, build_page(corpus, answer._replace(notes=told), shaped))
    return {**shown, "facets": count_facets(answer.all_results)}


def node(opened: Opened, said: Said) -> Facts:
    """One node with all of its lines."""
    id_ = _one(said, "id")
    if not _ID.fullmatch(id_):
        raise UserError("`id` is 8 to 40 hex digits. Take the one of a hit.")
    return _shown(opened, read_target(opened.corpus, _target(opened, id_)))


def file(opened: Opened, said: Said) -> Facts:
    """A file of the index with its lines as they are now, and what is in it."""
    corpus, path = opened.corpus, _one(said, "path")
    if path not in _files(opened, path):
        raise NotThere(f"{path} is no file of the index. Name one by its path from the root.")
    now = current_files(corpus.base, [path])[path]
    lines = lines_shown(path, now.content, masks=opened.asker.settings.mask_secrets)
    if lines is None and now.content is not None and is_unreadable_document(path):
        raise NotThere(f"{path} is {NOT_INSTALLED}")
    if lines is None:
        raise NotThere(f"{path} is there no more, or no text any more. Bring the index on.")
    content = outlined(corpus, [path])
    return {
        "path": path,
        "lines": lines,
        "text_of": now.commit,
        "nodes": content.as_json()["files"][0]["nodes"],
        "index": content.status.as_json(),
        "note": content.status.note,
    }


def document(opened: Opened, said: Said) -> Facts:
    """A document itself, in bytes, where it is what was indexed; nothing in it is masked."""
    corpus, path = opened.corpus, _one(said, "path")
    if not kinds.document_extension(path) or path not in _files(opened, path):
        raise NotThere(f"{path} is no document of the index. Name one by its path from the root.")
    _check_size(opened, path, file_size(corpus.base, path))
    blob = blobs_by_path(corpus.database, corpus.repo, [path])[path]
    content = indexed_content(corpus.base, path, blob)
    if content is None:
        wrong = f"{path} is gone, or another than was indexed, with other pages perhaps."
        raise NotThere(f"{wrong} Open it where it lies, or bring the index on: feeder sync")
    _check_size(opened, path, len(content))
    return {"path": path, "content": content}


def outline(opened: Opened, said: Said) -> Facts:
    """What a file or folder holds, without its text."""
    return outlined(opened.corpus, _files(opened, _one(said, "path"))).as_json()


def map_(opened: Opened, _: Said) -> Facts:
    """Every file that is indexed, and every one that is not, with the reason."""
    corpus = opened.corpus
    files = [one._asdict() for one in file_summaries(corpus.database, corpus.repo)]
    return {"files": files, "history": _commit(corpus) is not None, **_age(corpus)}


def history(opened: Opened, _: Said) -> Facts:
    """When each file was last changed."""
    corpus = opened.corpus
    commit = _commit(corpus)
    if commit is None:
        raise NotThere("There is no history of these files. Ask where git has the index' commit.")
    found = last_changes(corpus.base, commit)
    return {"changed": found.changed_s, "since": found.oldest_commit_s, **_age(corpus)}


def status(opened: Opened, _: Said) -> Facts:
    """What the index holds, by counts, and what it equals."""
    corpus = opened.corpus
    found = statistics(corpus.database, corpus.repo)
    documents = sorted(kinds.DOCUMENT_EXTENSIONS)
    places = {"folder": os.fspath(corpus.base), "web": _web(corpus), "documents": documents}
    about = {"repo": corpus.repo, "holds": found.as_json(), "costs": last_run_costs(found.meta)}
    return {**about, "places": places, **_age(corpus)}


QUESTIONS: Mapping[str, tuple[Question, frozenset[str]]] = {
    "search": (search, frozenset({"q", "limit", "offset", "tests", "meaning", *_NARROWING})),
    "similar": (similar, frozenset({"target", "limit", "offset", "tests", *_NARROWING})),
    "node": (node, frozenset({"id"})),
    "file": (file, frozenset({"path"})),
    "document": (document, frozenset({"path"})),
    "outline": (outline, frozenset({"path"})),
    "map": (map_, frozenset()),
    "history": (history, frozenset()),
    "status": (status, frozenset()),
}
"""Each by its name, with the parameters that it has."""


def _check_size(opened: Opened, path: str, size: int) -> None:
    most = opened.asker.settings.max_document_bytes
    if size > most:
        raise NotThere(f"{path} has more than {most:,} bytes. Say a larger --max-document-bytes.")


def _age(corpus: Corpus) -> Facts:
    age = read_index_status(corpus.base, corpus.repo, corpus.meta, seen_tree=corpus.seen_tree)
    return {"index": age.as_json(), "note": age.note}


def _commit(corpus: Corpus) -> str | None:
    """The commit that the index equals, where its history is here."""
    commit = corpus.meta.get(f"{corpus.repo}:head")
    here = commit and git.find_root(corpus.base) and git.commit_id(corpus.base, commit)
    return here or None


def _shown(opened: Opened, found: Page) -> Facts:
    """Hits with their lines; secrets as the index has them."""
    facts = found.as_json()
    if opened.asker.settings.mask_secrets:
        facts["hits"] = hidden(facts["hits"], opened.corpus.base)
    return facts


def _target(opened: Opened, text: str) -> Target:
    corpus = opened.corpus
    try:
        return resolve_target(corpus, path_from_root(text, corpus.base), opened.here)
    except UserError as exc:
        raise NotThere(str(exc)) from exc


def _files(opened: Opened, path: str) -> list[str]:
    try:
        return files_below_path(opened.corpus, path)
    except UserError as exc:
        raise NotThere(str(exc)) from exc


def _filters(said: Said) -> RequestFilters:
    several = {name: list(said.get(name, ())) for name in _NARROWING}
    tests = said.get("tests", [None])[0]
    if tests not in (None, "yes", "no", "only"):
        raise UserError("`tests` is none of yes, no and only. Say one, or leave it out.")
    return RequestFilters(tests=tests, **several)  # type: ignore[arg-type]  # lists, by their names


def _asker(opened: Opened, said: Said) -> SearchIndex:
    """Who asks no model where meaning is not wanted, or not yet."""
    meaning = said.get("meaning", ["yes"])[0]
    if meaning not in ("yes", "no"):
        raise UserError("`meaning` is none of yes and no. Say one, or leave it out.")
    return opened.asker if meaning == "yes" else opened.asker._replace(sides=[], kept=None)


def _web(corpus: Corpus) -> str | None:
    """Where the files of the commit that the index equals are seen on GitHub."""
    commit = corpus.meta.get(f"{corpus.repo}:head")
    slug = git.origin_github_slug(corpus.base) if git.find_root(corpus.base) else None
    return f"https://github.com/{slug}/blob/{commit}" if commit and slug else None


def _page(said: Said) -> Pagination:
    return Pagination(
        _number(said, "limit", LIMIT, 1, MOST), _number(said, "offset", 0, 0, DEEPEST)
    )


def _number(said: Said, name: str, default: int, least: int, most: int) -> int:
    text = said.get(name, [str(default)])[0]
    if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise UserError(f"`{name}` is no number from {least} to {most}. Say one, or leave it out.")
    return int(text)


def _one(said: Said, name: str) -> str:
    values = said.get(name, [])
    if len(values) != 1 or not values[0].strip():
        raise UserError(f"`{name}` is missing, empty or there twice. Say it once.")
    return values[0]

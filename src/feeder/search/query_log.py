"""Logs queries on this machine with secrets masked, and reports repeated, slow, unanswered and
reworded ones.
"""

import json
import time
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import median
from threading import Thread
from typing import NamedTuple

from feeder.errors import FeederError
from feeder.parse.secrets import mask_text
from feeder.search.answers import Page
from feeder.search.open_index import SearchIndex
from feeder.search.query import MAX_QUERY_CHARS, parse_query
from feeder.search.query_plan import SearchRequest
from feeder.search.retrieval import MODEL_VECTORS, STATIC_VECTORS, model_name
from feeder.search.term_matching import text_stems
from feeder.session.session import Session
from feeder.store.index_folder import checked_index_folder, create_index_folder
from feeder.store.query_log_file import FILE_NAME, LoggedQuery, QueryLog
from feeder.store.sqlite import SQLite

MAX_TEXT_CHARS = 1_000
"""Of a longer question so much is noted."""

BY_WORDS, BY_FILTERS = "words", "filters"
"""What answered; else a model alone."""


def log_file(base: Path, index_file: Path | None) -> Path:
    """Where the questions to an index are noted: beside it, or beside the index that is `named`.

    Raises UserError where a commit or a link brings another's.
    """
    return (
        index_file.with_name(f"{index_file.stem}.{FILE_NAME}")
        if index_file
        else checked_index_folder(base) / FILE_NAME
    )


def log_query(index: SearchIndex, request: SearchRequest, page: Page, took_ms: float) -> None:
    """Adds a query to the log; an error is reported and does not end the search."""
    store = index.store
    try:
        file = _log_path(store, index.settings.db)
        if file:
            QueryLog(file).add(_log_entry(index, request, page, took_ms))
    except FeederError as exc:
        store.progress.message(f"The question is not noted: {exc} FEEDER_QUERY_LOG=off notes none.")


def log_query_in_background(
    index: SearchIndex, request: SearchRequest, page: Page, started_s: float
) -> None:
    """Adds a query to the log in a thread; `started_s` is its start by `time.perf_counter`."""
    took_ms = (time.perf_counter() - started_s) * 1000
    Thread(target=log_query, args=(index, request, page, took_ms)).start()


def _log_path(store: Session, index_file: Path | None) -> Path | None:
    """None where the index is in the cloud, and nothing of this machine's is beside the tree."""
    if isinstance(store.index.database, SQLite):
        place = Path(store.index.database.place)
        return log_file(place.parent, place) if index_file else place.with_name(FILE_NAME)
    file = log_file(store.workspace.base, None)
    if not file.parent.is_dir():
        return None
    create_index_folder(file.parent)
    return file


def _log_entry(
    index: SearchIndex, request: SearchRequest, page: Page, took_ms: float
) -> LoggedQuery:
    store = index.store
    filters = {name: value for name, value in request.filters._asdict().items() if value}
    return LoggedQuery(
        time.time(),
        store.workspace.repo,
        mask_secrets(request.query[:MAX_QUERY_CHARS])[:MAX_TEXT_CHARS],
        mask_secrets(json.dumps(filters, ensure_ascii=False)),
        page.total,
        round(took_ms, 1),
        _answered_by(page),
        json.dumps([model_name(store, model.name) for model in index.models]),
        index.corpus.meta.get(store.index.meta_key("head"), ""),
    )


def mask_secrets(text: str) -> str:
    """The text with an `x` for each character of a secret, as the index masks them."""
    content = text.encode("utf-8", "replace").replace(b"\0", b" ")
    return mask_text("question", content).content.decode()


def _answered_by(page: Page) -> str:
    if not page.hits:
        return ""
    by = {name for hit in page.hits for name in hit.result.ranks}
    if not by:
        return BY_FILTERS
    return BY_WORDS if by - {STATIC_VECTORS, MODEL_VECTORS} else " ".join(sorted(by))


REWORDED_WITHIN_S = 300
"""Who words a question anew does it within five minutes."""

MIN_SHARED_STEMS = 0.5
"""Of the stems of the one with fewer, to be the same question."""

ANSWERED_BY = ("words", "filters")


class RepeatedQuery(NamedTuple):
    """A question with all its askings, the latest last."""

    occurrences: Sequence[LoggedQuery]

    @property
    def last(self) -> LoggedQuery:
        return self.occurrences[-1]

    @property
    def median_ms(self) -> float:
        """The median."""
        return round(median(one.took_ms for one in self.occurrences), 1)


def group_queries(entries: Iterable[LoggedQuery]) -> list[RepeatedQuery]:
    """The questions by repository, text and filters, those asked last before others."""
    by_key: dict[tuple[str, str, str], list[LoggedQuery]] = {}
    for one in entries:
        by_key.setdefault((one.repo, " ".join(one.text.split()), one.filters), []).append(one)
    return sorted(
        map(RepeatedQuery, by_key.values()), key=lambda one: one.last.asked_s, reverse=True
    )


def most_frequent(queries: Iterable[RepeatedQuery]) -> list[RepeatedQuery]:
    """Those that were asked more than once, the most frequent first."""
    often = (one for one in queries if len(one.occurrences) > 1)
    return sorted(often, key=lambda one: len(one.occurrences), reverse=True)


def slowest(queries: Iterable[RepeatedQuery]) -> list[RepeatedQuery]:
    """The slowest first, by what each takes as a rule."""
    return sorted(queries, key=lambda one: one.median_ms, reverse=True)


def unanswered(queries: Iterable[RepeatedQuery]) -> list[RepeatedQuery]:
    """Those whose last answer was nothing, or near in meaning alone; the most frequent first."""
    lacking = (one for one in queries if one.last.answered_by not in ANSWERED_BY)
    return sorted(lacking, key=lambda one: len(one.occurrences), reverse=True)


def reworded_chains(entries: Iterable[LoggedQuery]) -> list[list[LoggedQuery]]:
    """Questions that were asked again in other words, each with what followed; the latest first."""
    chains: list[list[LoggedQuery]] = []
    recent: list[list[LoggedQuery]] = []
    for one in entries:
        recent = [chain for chain in recent if one.asked_s - chain[-1].asked_s <= REWORDED_WITHIN_S]
        earlier = (chain for chain in reversed(recent) if _is_reworded(chain[-1], one))
        chain = next(earlier, None)
        if chain is None:
            chain = []
            chains.append(chain)
            recent.append(chain)
        chain.append(one)
    several = [chain for chain in chains if len(chain) > 1]
    return sorted(several, key=lambda chain: chain[-1].asked_s, reverse=True)


def _is_reworded(earlier: LoggedQuery, later: LoggedQuery) -> bool:
    """Whether it is another text, with half of the stems of the one that has fewer."""
    one, other = _query_stems(earlier.text), _query_stems(later.text)
    least = MIN_SHARED_STEMS * min(len(one), len(other))
    is_other = earlier.text != later.text and earlier.repo == later.repo
    return is_other and len(one & other) >= max(least, 1)


@lru_cache(20_000)
def _query_stems(text: str) -> frozenset[str]:
    return text_stems(parse_query(text).text)

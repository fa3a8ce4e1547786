"""Logs queries on this machine with secrets masked, and reports repeated, slow, unanswered and
reworded ones.
"""

import json
import re
import time
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from feeder.errors import FeederError, UserError
from feeder.parse.secrets import mask_text
from feeder.query.query import MAX_QUERY_CHARS, parse_query
from feeder.query.query_plan import SearchRequest
from feeder.query.term_matching import text_stems
from feeder.ranking.retrieval import MODEL_VECTORS, STATIC_VECTORS
from feeder.search.answers import Page
from feeder.search.open_index import SearchIndex
from feeder.search.query_models import model_name
from feeder.session.session import Session
from feeder.store.index_folder import checked_index_folder, create_index_folder
from feeder.store.query_log_file import FILE_NAME, LoggedQuery, QueryLog
from feeder.store.sqlite import SQLite

MAX_TEXT_CHARS = 1_000
"""Characters of a query that are logged."""

_PLAIN_WORDS = re.compile(rb"(?:[A-Za-z_]{1,19}+(?![A-Za-z_])|[ .{}])*+")
"""Words of fewer than 20 letters without a digit: each rule for secrets needs more, but that for
JSON web tokens."""

BY_WORDS, BY_FILTERS = "words", "filters"
"""Values of `answered_by`; else the names of the models that alone found hits."""


def log_file(base: Path, index_file: Path | None) -> Path:
    """The query log of an index: beside it, or beside the named `index_file`.

    Raises UserError if it belongs to someone else.
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
        store.progress.message(
            f"The query was not logged: {exc} To turn the query log off: FEEDER_QUERY_LOG=off"
        )


def log_query_in_background(
    index: SearchIndex, request: SearchRequest, page: Page, started_s: float
) -> None:
    """Adds a query to the log in a thread that the program waits for when it ends.

    `started_s` is the query's start by `time.perf_counter`.
    """
    took_ms = (time.perf_counter() - started_s) * 1000
    # without `daemon`, the thread of a server's daemon thread would end with the program
    Thread(target=log_query, args=(index, request, page, took_ms), daemon=False).start()


def _log_path(store: Session, index_file: Path | None) -> Path | None:
    """None for an index in the cloud without an index folder on this machine."""
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
    """The text with an `x` for each character of a secret, as the index masks them.

    Plain words are returned as they are: loading the rules takes longer than logging the query.
    """
    content = text.encode("utf-8", "replace").replace(b"\0", b" ")
    if _PLAIN_WORDS.fullmatch(content) and b"eyJ" not in content:
        return content.decode()
    return mask_text("question", content).content.decode()


def _answered_by(page: Page) -> str:
    if not page.hits:
        return ""
    rankings = {name for hit in page.hits for name in hit.result.ranks}
    if not rankings:
        return BY_FILTERS
    return BY_WORDS if rankings - {STATIC_VECTORS, MODEL_VECTORS} else " ".join(sorted(rankings))


REWORDED_WITHIN_S = 300
"""A query that follows within so many seconds may be a rewording."""

MIN_SHARED_STEMS = 0.5
"""The share of common stems, of the query with fewer, that makes a rewording."""

ANSWERED_BY = ("words", "filters")


class RepeatedQuery(NamedTuple):
    """All runs of a query, the latest last."""

    occurrences: Sequence[LoggedQuery]

    @property
    def last(self) -> LoggedQuery:
        return self.occurrences[-1]

    @property
    def median_ms(self) -> float:
        from statistics import median  # imported for reports only: it takes 2 ms

        return round(median(query.took_ms for query in self.occurrences), 1)


def group_queries(entries: Iterable[LoggedQuery]) -> list[RepeatedQuery]:
    """Groups log entries by repository, text and filters, the latest group first."""
    by_key: dict[tuple[str, str, str], list[LoggedQuery]] = {}
    for entry in entries:
        by_key.setdefault((entry.repo, " ".join(entry.text.split()), entry.filters), []).append(
            entry
        )
    return sorted(
        map(RepeatedQuery, by_key.values()), key=lambda entry: entry.last.asked_s, reverse=True
    )


def most_frequent(queries: Iterable[RepeatedQuery]) -> list[RepeatedQuery]:
    """Queries that ran more than once, the most frequent first."""
    repeated = (query for query in queries if len(query.occurrences) > 1)
    return sorted(repeated, key=lambda query: len(query.occurrences), reverse=True)


def slowest(queries: Iterable[RepeatedQuery]) -> list[RepeatedQuery]:
    """Queries by their median time, the slowest first."""
    return sorted(queries, key=lambda query: query.median_ms, reverse=True)


def unanswered(queries: Iterable[RepeatedQuery]) -> list[RepeatedQuery]:
    """Queries whose last run found nothing, or hits by vectors only; the most frequent first."""
    without_answer = (query for query in queries if query.last.answered_by not in ANSWERED_BY)
    return sorted(without_answer, key=lambda query: len(query.occurrences), reverse=True)


def reworded_chains(entries: Iterable[LoggedQuery]) -> list[list[LoggedQuery]]:
    """Queries followed by a rewording, as chains; the latest first."""
    chains: list[list[LoggedQuery]] = []
    recent: list[list[LoggedQuery]] = []
    for entry in entries:
        recent = [
            chain for chain in recent if entry.asked_s - chain[-1].asked_s <= REWORDED_WITHIN_S
        ]
        earlier = (chain for chain in reversed(recent) if _is_reworded(chain[-1], entry))
        chain = next(earlier, None)
        if chain is None:
            chain = []
            chains.append(chain)
            recent.append(chain)
        chain.append(entry)
    reworded = [chain for chain in chains if len(chain) > 1]
    return sorted(reworded, key=lambda chain: chain[-1].asked_s, reverse=True)


def _is_reworded(earlier: LoggedQuery, later: LoggedQuery) -> bool:
    """Returns True for another text with at least half of the stems of the shorter one."""
    one, other = _query_stems(earlier.text), _query_stems(later.text)
    least = MIN_SHARED_STEMS * min(len(one), len(other))
    is_other = earlier.text.split() != later.text.split() and earlier.repo == later.repo
    return is_other and len(one & other) >= max(least, 1)


@lru_cache(20_000)
def _query_stems(text: str) -> frozenset[str]:
    try:
        return text_stems(parse_query(text).text)
    except UserError:  # found nothing either
        return text_stems(text)

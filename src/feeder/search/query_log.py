"""How is a question noted that somebody has asked? Without its secrets, on this machine."""

import json
import time
from pathlib import Path
from threading import Thread

from feeder.errors import FeederError
from feeder.parse.secrets import mask_text
from feeder.search.asking import SearchIndex
from feeder.search.models import MODEL_VECTORS, STATIC_VECTORS, model_name
from feeder.search.query import MAX_QUERY_CHARS
from feeder.search.query_plan import RequestFilters
from feeder.search.results import ResultList
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


def log_query(
    index: SearchIndex,
    query_text: str,
    filters: RequestFilters,
    results: ResultList,
    took_ms: float,
) -> None:
    """Keeps a question that was answered just now; what hinders that is said and harms nothing."""
    store = index.store
    try:
        file = _log_path(store, index.settings.db)
        if file:
            QueryLog(file).add(_log_entry(index, query_text, filters, results, took_ms))
    except FeederError as exc:
        store.progress.message(f"The question is not noted: {exc} FEEDER_QUERY_LOG=off notes none.")


def log_query_in_background(
    index: SearchIndex,
    query_text: str,
    filters: RequestFilters,
    results: ResultList,
    began_s: float,
) -> None:
    """The same for who keeps none where the settings say so, and whose answer does not wait for it.

    `began_s` is when the question came, by `time.perf_counter`.
    """
    if index.settings.query_log:
        took_ms = (time.perf_counter() - began_s) * 1000
        Thread(target=log_query, args=(index, query_text, filters, results, took_ms)).start()


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
    index: SearchIndex,
    query_text: str,
    filters: RequestFilters,
    results: ResultList,
    took_ms: float,
) -> LoggedQuery:
    store = index.store
    said = {name: value for name, value in filters._asdict().items() if value}
    return LoggedQuery(
        time.time(),
        store.workspace.repo,
        mask_secrets(query_text[:MAX_QUERY_CHARS])[:MAX_TEXT_CHARS],
        mask_secrets(json.dumps(said, ensure_ascii=False)),
        results.total,
        round(took_ms, 1),
        _answered_by(results),
        json.dumps([model_name(store, side.name) for side in index.models]),
        index.meta.get(store.index.meta_key("head"), ""),
    )


def mask_secrets(text: str) -> str:
    """The text with an `x` for each character of a secret, as the index masks them."""
    content = text.encode("utf-8", "replace").replace(b"\0", b" ")
    return mask_text("question", content).content.decode()


def _answered_by(results: ResultList) -> str:
    if not results.results:
        return ""
    by = {name for one in results.results for name in one.ranks}
    if not by:
        return BY_FILTERS
    return BY_WORDS if by - {STATIC_VECTORS, MODEL_VECTORS} else " ".join(sorted(by))

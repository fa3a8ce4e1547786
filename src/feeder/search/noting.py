"""How is a question noted that somebody has asked? Without its secrets, on this machine."""

import json
import time
from pathlib import Path
from threading import Thread

from feeder.assembly.opening import Store
from feeder.errors import FeederError
from feeder.parse.secrets import mask_text
from feeder.search.asking import Asker
from feeder.search.found import Answer
from feeder.search.models import MEANING, VECTOR, model_of
from feeder.search.narrowing import Filters
from feeder.search.query import QUERY_CHARS
from feeder.store.folder import checked_index_folder, create_index_folder
from feeder.store.querylog import FILE_NAME, LoggedQuery, QueryLog
from feeder.store.sqlite import SQLite

TEXT_CHARS = 1_000
"""Of a longer question so much is noted."""
WORDS, FILTERS = "words", "filters"
"""What answered; else a model alone."""


def log_file(base: Path, named: Path | None) -> Path:
    """Where the questions to an index are noted: beside it, or beside the index that is `named`.

    Raises UserError where a commit or a link brings another's.
    """
    return (
        named.with_name(f"{named.stem}.{FILE_NAME}")
        if named
        else checked_index_folder(base) / FILE_NAME
    )


def note(asker: Asker, question: str, filters: Filters, answer: Answer, took_ms: float) -> None:
    """Keeps a question that was answered just now; what hinders that is said and harms nothing."""
    store = asker.store
    try:
        file = _file(store, asker.settings.db)
        if file:
            QueryLog(file).add(_noted(asker, question, filters, answer, took_ms))
    except FeederError as exc:
        store.talk.say(f"The question is not noted: {exc} FEEDER_QUERY_LOG=off notes none.")


def note_beside(
    asker: Asker, question: str, filters: Filters, answer: Answer, began_s: float
) -> None:
    """The same for who keeps none where the settings say so, and whose answer does not wait for it.

    `began_s` is when the question came, by `time.perf_counter`.
    """
    if asker.settings.query_log:
        took_ms = (time.perf_counter() - began_s) * 1000
        Thread(target=note, args=(asker, question, filters, answer, took_ms)).start()


def _file(store: Store, named: Path | None) -> Path | None:
    """None where the index is in the cloud, and nothing of this machine's is beside the tree."""
    if isinstance(store.index.database, SQLite):
        place = Path(store.index.database.place)
        return log_file(place.parent, place) if named else place.with_name(FILE_NAME)
    file = log_file(store.place.base, None)
    if not file.parent.is_dir():
        return None
    create_index_folder(file.parent)
    return file


def _noted(
    asker: Asker, question: str, filters: Filters, answer: Answer, took_ms: float
) -> LoggedQuery:
    store = asker.store
    said = {name: value for name, value in filters._asdict().items() if value}
    return LoggedQuery(
        time.time(),
        store.place.repo,
        masked(question[:QUERY_CHARS])[:TEXT_CHARS],
        masked(json.dumps(said, ensure_ascii=False)),
        answer.total,
        round(took_ms, 1),
        _answered_by(answer),
        json.dumps([model_of(store, side.name) for side in asker.sides]),
        asker.meta.get(store.index.meta_key("head"), ""),
    )


def masked(text: str) -> str:
    """The text with an `x` for each character of a secret, as the index masks them."""
    content = text.encode("utf-8", "replace").replace(b"\0", b" ")
    return mask_text("question", content).content.decode()


def _answered_by(answer: Answer) -> str:
    if not answer.found:
        return ""
    by = {name for one in answer.found for name in one.ranks}
    if not by:
        return FILTERS
    return WORDS if by - {MEANING, VECTOR} else " ".join(sorted(by))

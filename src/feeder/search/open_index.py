"""Opens the index that the settings mean, with everything that searches and other reads of it
need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from feeder.config import Settings
from feeder.search.index_status import Corpus
from feeder.search.query_plan import directory_below
from feeder.search.retrieval import QueryModel
from feeder.session.session import Session, open_session
from feeder.session.workspace import current_workspace

if TYPE_CHECKING:
    from feeder.search.result_cache import ResultCache


class OpenIndex(NamedTuple):
    """An opened index, what answers are about, and the folder of whoever asks, from the root."""

    store: Session
    corpus: Corpus
    directory: str


@contextmanager
def open_index(settings: Settings) -> Iterator[OpenIndex]:
    """The index that the settings mean, closed at the end; raises UserError where there is none."""
    with open_session(current_workspace(settings), settings, writes=False, create=False) as store:
        corpus = Corpus.from_store(store, store.index.read_state_of([]).meta)
        yield OpenIndex(store, corpus, directory_below(settings.directory, corpus.base))


class SearchIndex(NamedTuple):
    """An opened index with what it says of itself, and the models that are asked."""

    store: Session
    meta: Mapping[str, str]
    models: list[QueryModel]
    settings: Settings
    on_warning: Callable[[str], None] | None
    """Who is told that a model fails; without anybody, that is raised."""
    cache: ResultCache | None = None
    """Of this very store and these sides: what a process that is asked again and again keeps."""

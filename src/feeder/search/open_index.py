"""Which index is read, and what are answers from it about? It is open while a question is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from feeder.config import Settings
from feeder.search.answers import Corpus
from feeder.search.query_plan import directory_below
from feeder.session.session import Session, current_workspace, open_session


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

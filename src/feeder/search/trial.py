"""Whom does an evaluation ask? The engine that answers a search, opened once for all questions."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from feeder.config import Settings
from feeder.search.asking import SearchIndex
from feeder.search.asking import run_query as put
from feeder.search.engine import Pagination
from feeder.search.evaluation import SearchFunction
from feeder.search.models import model_name, query_models
from feeder.search.open_index import open_index
from feeder.store import Database
from feeder.store.word_search import Hit


class EvaluatedIndex(NamedTuple):
    """An engine that can be asked, and its index: the repository, the commit, the models."""

    search: SearchFunction
    database: Database
    repo: str
    commit: str
    models: tuple[str, ...]


@contextmanager
def open_evaluated_index(
    settings: Settings, on_warning: Callable[[str], None], without_models: Collection[str] = ()
) -> Iterator[EvaluatedIndex]:
    """The engine over the index that the settings mean; `without` names sides that stay unasked.

    A model that fails ends the evaluation: words would answer in its place.
    """
    with open_index(settings) as (store, corpus, _):
        meta = corpus.meta
        commit = meta.get(store.index.meta_key("head"), "")
        asked = [
            side
            for side in query_models(store, meta, on_warning)
            if side.name not in without_models
        ]
        asker, told = SearchIndex(store, meta, asked, settings, None), set[str]()

        def ask(query: str, limit: int) -> Sequence[Hit]:
            understood, answer = put(asker, query, Pagination(limit))
            for note in {*understood.notes} - told:
                on_warning(note)
            told.update(understood.notes)
            return [one.hit for one in answer.results]

        models = tuple(model_name(store, side.name) for side in asked)
        yield EvaluatedIndex(ask, corpus.database, corpus.repo, commit, models)

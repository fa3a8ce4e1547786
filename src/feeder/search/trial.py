"""Whom does an evaluation ask? The engine that answers a search, opened once for all questions."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from feeder.config import Settings
from feeder.search.asking import Asker
from feeder.search.asking import ask as put
from feeder.search.engine import Paging
from feeder.search.evaluation import Ask
from feeder.search.models import model_of, sides
from feeder.search.opening import reading
from feeder.store import Database
from feeder.store.reading import Hit


class Trial(NamedTuple):
    """An engine that can be asked, and its index: the repository, the commit, the models."""

    ask: Ask
    database: Database
    repo: str
    commit: str
    models: tuple[str, ...]


@contextmanager
def trial(
    settings: Settings, tell: Callable[[str], None], without: Collection[str] = ()
) -> Iterator[Trial]:
    """The engine over the index that the settings mean; `without` names sides that stay unasked.

    A model that fails ends the evaluation: words would answer in its place.
    """
    with reading(settings) as (store, corpus, _):
        meta = corpus.meta
        commit = meta.get(store.index.meta_key("head"), "")
        asked = [side for side in sides(store, meta, tell) if side.name not in without]
        asker, told = Asker(store, meta, asked, settings, None), set[str]()

        def ask(query: str, limit: int) -> Sequence[Hit]:
            understood, answer = put(asker, query, Paging(limit))
            for note in {*understood.notes} - told:
                tell(note)
            told.update(understood.notes)
            return [one.hit for one in answer.found]

        models = tuple(model_of(store, side.name) for side in asked)
        yield Trial(ask, corpus.database, corpus.repo, commit, models)

"""Opens the index that the settings mean, with everything that a search or another read of it
needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from feeder.config import Settings
from feeder.corpus.absence import with_absence_notes
from feeder.corpus.corpus import Corpus
from feeder.notes import Note, NoteKind
from feeder.query.query_plan import directory_below
from feeder.ranking.retrieval import QueryModel
from feeder.search.query_models import query_models
from feeder.session.opening import open_session
from feeder.session.session import Session
from feeder.session.workspace import Workspace, current_workspace
from feeder.snippets.excerpts import Excerpt, ExcerptReader
from feeder.store.hits import Hit

if TYPE_CHECKING:
    from feeder.search.result_cache import ResultCache


class SearchIndex(NamedTuple):
    """An open index with its files and models: what every search and read takes.

    `directory` is the user's directory relative to the root, for paths in queries; `cache` belongs
    to this index and these models. `missing_notes` say what the index lacks for better answers.
    """

    store: Session
    settings: Settings
    corpus: Corpus
    directory: str = ""
    models: Sequence[QueryModel] = ()
    cache: ResultCache | None = None
    missing_notes: Sequence[Note] = ()

    @classmethod
    def from_session(cls, store: Session, settings: Settings) -> SearchIndex:
        """The index of an open session, with its `meta` as it is now and without models."""
        workspace, index = store.workspace, store.index
        meta = index.read_state_of([]).meta
        corpus = Corpus(index.database, workspace.base, workspace.repo, meta)
        return cls(store, settings, corpus, directory_below(settings.directory, corpus.base))

    def with_models(self, on_warning: Callable[[str], None]) -> SearchIndex:
        """Adds the embedding models and `missing_notes`; reports one that failed to `on_warning`,
        and missing vectors as progress.
        """
        missing: list[Note] = []

        def show(note: Note) -> None:
            missing.append(note)
            is_failure = note.kind is NoteKind.MODEL_FAILED
            (on_warning if is_failure else self.store.progress.message)(str(note))

        models = query_models(self.store, self.corpus.meta, show)
        return self._replace(models=models, missing_notes=missing)

    def find_excerpts(self, hits: Sequence[Hit]) -> dict[str, Excerpt]:
        """Reads the current lines of hits in the session's repository.

        Leaves out hits whose lines cannot be shown or are uncertain.
        """
        workspace, database = self.store.workspace, self.corpus.database
        local = [hit for hit in hits if hit.repo == workspace.repo]
        reader = ExcerptReader(database, workspace.base, workspace.repo, local, with_inner=False)
        excerpts = {hit.id: reader.read(hit) for hit in local}
        return {
            id_: excerpt
            for id_, excerpt in excerpts.items()
            if excerpt.is_shown and excerpt.is_certain
        }

    def without_models(self) -> SearchIndex:
        """For a search by words only, which uses no cached results of the models either."""
        return self._replace(models=(), cache=None)


@contextmanager
def open_index(
    settings: Settings,
    workspace: Workspace | None = None,
    *,
    seen_tree: str = "",
    update: Note | None = None,
) -> Iterator[SearchIndex]:
    """Opens the index without models and closes it at the end.

    `workspace` is that of the settings, if the caller has just found it. `seen_tree` is the root
    tree that the index equals by an update just now, `update` the reason why it may not. Raises
    UserError where there is no index.
    """
    workspace = workspace or current_workspace(settings)
    with open_session(workspace, settings, writes=False, create=False) as store:
        index = SearchIndex.from_session(store, settings)
        corpus = index.corpus._replace(seen_tree=seen_tree, counts_changes=not settings.refresh)
        with with_absence_notes(corpus, update):
            yield index._replace(corpus=corpus)

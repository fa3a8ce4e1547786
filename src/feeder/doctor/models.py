"""Do the models answer that a run would ask? Each is sent a word, but those of Workers AI."""

from collections.abc import Iterator
from contextlib import closing

from feeder.cloudflare.credentials import choose_store
from feeder.config import Settings
from feeder.doctor import Finding
from feeder.doctor.index_checks import missing_migration
from feeder.search.models import query_models
from feeder.session.describers import select_describer
from feeder.session.session import Session, current_workspace, has_index, open_session
from feeder.sync.report import RecordingReporter

_TEST_WORD, _TEST_PROMPT = "health", "Say what this word means, in five words at most."


def check_embedding_models(settings: Settings) -> Iterator[Finding]:
    """Those that a question is put to here, and what the index lacks for them."""
    place = current_workspace(settings)
    if choose_store(settings).is_cloud or missing_migration(place, settings):
        return
    with open_session(place, settings, writes=False, create=True) as store:
        embedder = store.model_vectors.embedder if store.model_vectors else None
        names = [model.model for model in (store.backend.static_model, embedder) if model]
        if store.backend.static_model:
            store.backend.static_model([_TEST_WORD])
        if embedder:
            embedder.embed_query(_TEST_WORD)
        lacks = " ".join(_model_warnings(store)) if has_index(place, settings) else ""
        yield Finding("model", " and ".join(names) or "none, words only", lacks)


def check_describer(settings: Settings) -> Iterator[Finding]:
    """Who would write the lines on methods and classes, where somebody is named."""
    if choose_store(settings).is_cloud:
        return
    if describer := select_describer(settings):
        with closing(describer):
            describer.ask(_TEST_PROMPT, _TEST_WORD)
            yield Finding("describing", describer.model)


def _model_warnings(store: Session) -> list[str]:
    """What a question by meaning would be told."""
    store.progress = heard = RecordingReporter()
    query_models(store, store.index.read_state_of([]).meta, heard.message)
    return heard.lines

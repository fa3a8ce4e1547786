"""Do the models answer that a run would ask? Each is sent a word, but those of Workers AI."""

from collections.abc import Iterator
from contextlib import closing

from feeder.assembly.describers import describer_of
from feeder.assembly.opening import Store, has_index, opened, place_here
from feeder.cloudflare.credentials import choice
from feeder.config import Settings
from feeder.health import Finding
from feeder.health.index import lacking
from feeder.run.report import RecordingReporter
from feeder.search.models import query_models

_WORD, _PROMPT = "health", "Say what this word means, in five words at most."


def asked(settings: Settings) -> Iterator[Finding]:
    """Those that a question is put to here, and what the index lacks for them."""
    place = place_here(settings)
    if choice(settings).is_cloud or lacking(place, settings):
        return
    with opened(place, settings, writes=False, create=True) as store:
        embedder = store.semantics.embedder if store.semantics else None
        names = [model.model for model in (store.parts.meaning, embedder) if model]
        if store.parts.meaning:
            store.parts.meaning([_WORD])
        if embedder:
            embedder.embed_query(_WORD)
        lacks = " ".join(_lacks(store)) if has_index(place, settings) else ""
        yield Finding("model", " and ".join(names) or "none, words only", lacks)


def describing(settings: Settings) -> Iterator[Finding]:
    """Who would write the lines on methods and classes, where somebody is named."""
    if choice(settings).is_cloud:
        return
    if describer := describer_of(settings):
        with closing(describer):
            describer.ask(_PROMPT, _WORD)
            yield Finding("describing", describer.model)


def _lacks(store: Store) -> list[str]:
    """What a question by meaning would be told."""
    store.talk = heard = RecordingReporter()
    query_models(store, store.index.read_state_of([]).meta, heard.message)
    return heard.lines

"""Checks the services that a run calls: Cloudflare credentials, Vectorize, embedding model,
language model.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

from feeder.cloudflare.api import Api
from feeder.cloudflare.credentials import choose_store, cloud_settings, has_token, require_settings
from feeder.cloudflare.vectorize import Vectorize
from feeder.config import Settings
from feeder.doctor import Finding
from feeder.doctor.index_checks import missing_migration
from feeder.notes import Note
from feeder.search.query_models import query_models
from feeder.session.model_selection import select_describer
from feeder.session.opening import open_session
from feeder.session.session import Session
from feeder.session.workspace import current_workspace, has_index
from feeder.store.vector_search import load_simsimd
from feeder.sync.vector_index import IDENTITY_KEY


def check_credentials(settings: Settings) -> Iterator[Finding]:
    """Checks that the settings of the account are complete; sends no request."""
    if not choose_store(settings).is_cloud:
        return
    cloud = cloud_settings(settings, current_workspace(settings).repo)
    require_settings(cloud, database=True)
    ids = f"account {cloud.account_id[:6]}…, database {cloud.database_id[:6]}…"
    yield Finding("credentials", f"a token is set; {ids}, index {cloud.index_name}")


def check_vectorize(settings: Settings) -> Iterator[Finding]:
    """Reads the Vectorize index, and compares it with the one that the vectors were sent to.

    Only a run shows whether the token allows Workers AI.
    """
    if not choose_store(settings).is_cloud or not has_token():
        return
    workspace = current_workspace(settings)
    cloud = cloud_settings(settings, workspace.repo)
    with closing(Api(cloud.token, cloud.account_id, base_url=cloud.base_url)) as api:
        vectors = Vectorize(api, cloud.index_name)
        config, created = vectors.config(), vectors.identity()
    message = f"{cloud.index_name}, {config['dimensions']} dimensions, {config['metric']}"
    words_only = replace(settings, vectors=False, describe=None)
    with open_session(workspace, words_only, writes=False, create=False) as session:
        recorded = session.index.read_state_of([]).meta.get(IDENTITY_KEY, created)
    if recorded == created:
        yield Finding("vectorize", message)
        return
    message += "; it was deleted and created again after vectors were sent to it"
    yield Finding("vectorize", message, "Send the vectors again: feeder validate --repair")


_TEST_WORD, _TEST_PROMPT = "health", "Say what this word means, in five words at most."


def check_embedding_models(settings: Settings) -> Iterator[Finding]:
    """Embeds a word with the models of a local search, and loads the library that compares vectors.

    The index may lack vectors of these models.
    """
    workspace = current_workspace(settings)
    if choose_store(settings).is_cloud or missing_migration(workspace, settings):
        return
    with open_session(workspace, settings, writes=False, create=True) as session:
        static_model = session.backend.static_model
        embedder = session.model_vectors.embedder if session.model_vectors else None
        names = [model.model for model in (static_model, embedder) if model]
        if names:
            load_simsimd()
        if static_model:
            static_model([_TEST_WORD])
        if embedder:
            embedder.embed_query(_TEST_WORD)
        warnings = " ".join(_model_warnings(session)) if has_index(workspace, settings) else ""
        yield Finding("model", " and ".join(names) or "none, words only", warnings)


def check_describer(settings: Settings) -> Iterator[Finding]:
    """Requests a description from the language model, if one is named."""
    if choose_store(settings).is_cloud:
        return
    if describer := select_describer(settings):
        with closing(describer):
            describer.ask(_TEST_PROMPT, _TEST_WORD)
            yield Finding("describing", describer.model)


def _model_warnings(session: Session) -> list[str]:
    """Returns the messages of a search about its models."""
    notes: list[Note] = []
    query_models(session, session.index.read_state_of([]).meta, notes.append)
    return list(map(str, notes))

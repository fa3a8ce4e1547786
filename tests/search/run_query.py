"""Runs queries: up to the ranked results, or up to the page of a small repository."""

from collections.abc import Callable, Mapping

from feeder.config import Settings
from feeder.notes import Note
from feeder.query.query_plan import DEFAULT_LINES, QueryPlan, SearchRequest, plan_query
from feeder.query.request_filters import Pagination, RequestFilters
from feeder.ranking.results import ResultList
from feeder.search.answers import Page
from feeder.search.engine import run_plan, search
from feeder.search.open_index import SearchIndex, open_index
from feeder.source.git_trees import Commit
from feeder.store.index_folder import create_index_folder
from feeder.store.migrations import migrate
from feeder.store.sqlite import SQLite
from index_helpers import REPO, run_sync
from source.repos import Repo


def run_query(
    index: SearchIndex,
    query: str,
    pagination: Pagination,
    filters: RequestFilters | None = None,
    on_warning: Callable[[Note], None] | None = None,
) -> tuple[QueryPlan, ResultList]:
    """Returns the plan of a query and a page of its results, without reading files."""
    plan = plan_query(index.corpus, index.directory, query, filters or RequestFilters())
    return plan, run_plan(index, plan, pagination, on_warning)


def index_files(repo: Repo, files: Mapping[str, str]) -> None:
    """Commits files and indexes them by words, where commands look for the index."""
    repo.commit(files)
    folder = repo.path / ".feeder"
    create_index_folder(folder)
    database = SQLite(folder / "index.db")
    migrate(database)
    run_sync(Commit(repo.path), database)


def find(repo: Repo, query: str, lines: int | None = DEFAULT_LINES) -> Page:
    """Searches an index of `index_files` by words."""
    settings = Settings(repo.path, repo=REPO, store="local", quiet=True, vectors=False)
    with open_index(settings) as index:
        return search(index, SearchRequest(query, snippet_lines=lines, is_logged=False))

"""A query that is the path of a skipped file is told that its hits only mention it."""

import pytest

from search.run_query import find, index_files
from source.repos import Repo

NOTE = (
    ".env.development is not in the index: it was skipped (a name that suggests secrets). Files "
    "with such names are never indexed. If it contains no secrets, rename it."
)


@pytest.mark.parametrize(
    ("query", "notes"),
    [
        (".env.development", [NOTE]),
        ("./.env.development", [NOTE]),
        (".env.local", []),
        ("copy .env.development", []),
    ],
)
def test_query_for_a_skipped_file_says_why(repo: Repo, query: str, notes: list[str]) -> None:
    index_files(
        repo,
        {
            ".env.development": "URL=http://localhost\n",
            "readme.md": "# Settings\n\nCopy .env.development to .env.local, ./.env.development.\n",
        },
    )
    page = find(repo, query)
    assert page.hits
    assert [note for note in map(str, page.notes) if "skipped" in note] == notes

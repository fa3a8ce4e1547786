"""Messages for agents name tools and arguments, not the command line's commands and options."""

from pathlib import Path

import pytest

from feeder.config import Settings
from feeder.errors import UserError
from feeder.mcp import ToolResult
from feeder.mcp.remedies import OPTIONS_NOTE, error_for_agent, note_for_agent, remedy_for_agent
from feeder.mcp.service import IndexService
from feeder.notes import Note, NoteKind
from mcp_server.conftest import index
from source.repos import Repo

REWRITTEN = {
    "HEAD has no parent to compare with. Name a commit to compare with: --base REF": (
        "HEAD has no parent to compare with. Name a commit to compare with: `base`"
    ),
    "List its contents: feeder outline .": 'List its contents: the outline tool with path "."',
    "List its nodes: feeder outline src/a.py": (
        'List its nodes: the outline tool with path "src/a.py"'
    ),
    "2 documents were not searched: search there with feeder search.": (
        "2 documents were not searched: search there with the search tool."
    ),
    "Search for it: feeder search Cart": 'Search for it: the search tool with query "Cart"',
    "It has a/b; choose one with --repo.": "It has a/b; choose one with `repo`.",
    "Choose another with --db.": f"Choose another with --db. {OPTIONS_NOTE}",
    "Run feeder sync with a larger --max-file-bytes.": (
        f"Run feeder sync with a larger --max-file-bytes. {OPTIONS_NOTE}"
    ),
    "HEAD is now abc: feeder sync --path 'a b' --working-tree": (
        "HEAD is now abc: feeder sync --path 'a b' --working-tree"
    ),
    "Make one with: feeder sync (outside git: feeder process --path .)": (
        "Make one with: feeder sync (outside git: feeder process --path .)"
    ),
    "a file --x-- and a - b": "a file --x-- and a - b",
}


@pytest.mark.parametrize(("message", "expected"), REWRITTEN.items())
def test_message_is_rewritten_for_an_agent(message: str, expected: str) -> None:
    """A command with its options stays whole: it is for a shell."""
    assert remedy_for_agent(message) == expected


def test_only_remedies_are_rewritten() -> None:
    """A text of the user may look like an option or a command."""
    error = UserError("The query feeder search --path is empty.", "Name a folder with --path.")
    assert error_for_agent(error) == (
        "The query feeder search --path is empty. Name a folder with `path`."
    )
    note = Note(NoteKind.PARTIAL_SEARCH, "/a --path/ was not found", "use feeder search.")
    assert note_for_agent(note) == "/a --path/ was not found: use the search tool."


def _call(folder: Path, tool: str, **arguments: object) -> ToolResult:
    service = IndexService(Settings(directory=folder, quiet=True, vectors=False))
    try:
        return service.call(tool, arguments, lambda _: None)
    finally:
        service.close()


def test_errors_and_notes_of_tools_name_arguments(repo: Repo) -> None:
    repo.commit({"src/cart.py": "def total():\n    return 1\n", "a.html": "<p>total</p>\n"})
    index(repo)
    impact = _call(repo.path, "impact", base="zzzz")
    assert impact.is_error
    assert impact.text.endswith(
        'To list what uses a symbol: the references tool with target "zzzz"'
    )
    tests = _call(repo.path, "search", query="total tests:no", tests="only").text
    assert "tests:no is ignored: tests:only from outside the query replaces it." in tests
    unknown = _call(repo.path, "references", target="zzzz", kind="definition").text
    assert unknown.endswith('Search for it: the search tool with query "zzzz"')

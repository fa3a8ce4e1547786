"""Answers without hits say how many files on disk differ from the index."""

import pytest

from command_runner import RunFeeder
from feeder.config import Settings
from feeder.mcp.service import index_service
from source.repos import Repo

FILES: dict[str, str | bytes | None] = {
    "a.py": "def first(x):\n    return x\n",
    "b.py": "class Base:\n    pass\n",
    "c.py": "LIMIT = 1\n",
    "logo.png": b"\x89PNG",
    ".gitignore": "ignored.py\n",
}
NOTE = "3 files on disk differ from the index: feeder sync --working-tree"


@pytest.fixture
def environment() -> dict[str, str]:
    return {"FEEDER_VECTORS": "no"}


@pytest.fixture
def edited(feeder: RunFeeder, repo: Repo) -> Repo:
    """One file edited, one deleted, one new; others are only touched, ignored or binary."""
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    repo.write(
        {
            "a.py": "def first(x):\n    return x\n\n\ndef unwritten(x):\n    return x\n",
            "c.py": None,
            "new.py": "def another():\n    return unwritten(1)\n",
            "b.py": FILES["b.py"],
            "ignored.py": "x = 1\n",
            "logo.png": b"\x89PNG2",
        }
    )
    return repo


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["search", "unwritten"], 0),
        (["search", "/unwritten/"], 0),
        (["search", "--every", "unwritten"], 0),
        (["search", "first lang:koltin"], 2),
        (["grep", "unwritten"], 1),
        (["references", "first"], 0),
        (["references", "unwritten"], 2),
        (["references", "first", "--out"], 0),
        (["definition", "unwritten"], 2),
        (["implementations", "Base"], 0),
        (["outline", "new.py"], 2),
        (["show", "unwritten"], 2),
        (["show", "new.py"], 2),
        (["similar", "unwritten"], 2),
        (["impact", "--base", "HEAD"], 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_answer_without_hits_counts_the_files(
    feeder: RunFeeder, edited: Repo, arguments: list[str], code: int
) -> None:
    answer = feeder(edited, *arguments)
    assert (answer.code, NOTE in answer.out + answer.err) == (code, True)


def test_hits_similar_in_meaning_only_count_the_files_too(feeder: RunFeeder, edited: Repo) -> None:
    assert feeder(edited, "sync", "-q", "--vectors").code == 0
    answer = feeder(edited, "search", "kubernetes", "--vectors")
    assert "a.py:1-2" in answer.out
    assert "nearest in meaning" in answer.out + answer.err
    assert NOTE in answer.out + answer.err


def test_note_stands_apart_from_the_remedy(feeder: RunFeeder, edited: Repo) -> None:
    assert feeder(edited, "definition", "unwritten").err.splitlines()[-2:] == [
        "feeder: The index has no definition of 'unwritten'. "
        "Search for it: feeder search unwritten",
        NOTE,
    ]


def test_note_is_in_json(feeder: RunFeeder, edited: Repo) -> None:
    for command in (["search", "unwritten"], ["grep", "unwritten"], ["impact", "--base", "HEAD"]):
        answer = feeder(edited, *command, "--json").json
        if "note" in answer:
            assert NOTE in answer["note"]


def test_the_command_includes_them(feeder: RunFeeder, edited: Repo) -> None:
    assert feeder(edited, "sync", "--working-tree", "-q").code == 0
    answer = feeder(edited, "grep", "unwritten")
    assert "new.py" in answer.out
    assert "differ" not in feeder(edited, "grep", "nowhere").err
    (edited.path / "b.py").write_text("class Other:\n    pass\n")
    (edited.path / "a.py").write_text(str(FILES["a.py"]))  # as in HEAD
    note = "2 files on disk differ from the index: feeder sync --working-tree"
    assert note in feeder(edited, "grep", "nowhere").err


def test_the_command_names_the_folder_of_the_index(feeder: RunFeeder, edited: Repo) -> None:
    """Without it the sync would be refused."""
    edited.commit({"src/c.py": "C = 1\n"})
    feeder(edited, "sync", "--path", "src", "--force", "-q")
    edited.write({"src/c.py": "C = 1\nunwritten = 2\n"})
    note = "1 file on disk differs from the index: "
    _, _, command = feeder(edited, "grep", "unwritten").err.strip().partition(note)
    assert command == "feeder sync --working-tree --path src"
    assert feeder(edited, *command.split()[1:], "-q").code == 0
    assert "src/c.py" in feeder(edited, "grep", "unwritten").out


def test_without_a_refresh_hits_have_the_note_too(feeder: RunFeeder, edited: Repo) -> None:
    answer = feeder(edited, "grep", "first")
    assert NOTE in answer.out


def test_no_note_without_edits(feeder: RunFeeder, edited: Repo) -> None:
    edited.git("stash", "-q", "-u")
    answer = feeder(edited, "grep", "nowhere")
    assert "on disk" not in answer.err
    assert "The index matches HEAD" in answer.err


def test_agents_are_told_so_too(feeder: RunFeeder, edited: Repo) -> None:
    """If their server does not refresh the index."""
    service = index_service(Settings(edited.path, store="local", vectors=False), auto_refresh=False)
    calls = [
        ("search", {"query": "unwritten"}),
        ("references", {"target": "first"}),
        ("references", {"target": "unwritten"}),
        ("read", {"target": "unwritten"}),
        ("outline", {"path": "new.py"}),
    ]
    try:
        for name, arguments in calls:
            result = service.call(name, arguments, lambda message: None)
            assert "3 files on disk differ from the index" in result.text, name
    finally:
        service.close()

"""Answers without hits say what they could not see: lines that no grammar knows, files read as
plain text, files kept out. Outlines and shown lines are marked.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from command_runner import RunFeeder
from feeder.config import Settings
from feeder.mcp.service import index_service
from source.repos import Repo

FILES: dict[str, str | bytes | None] = {
    "src/broken.py": "first = 1\nsecond = 2 $$ 3\n\n\ndef known(x):\n    return x\n",
    "src/missing.c": "int total(void) {\n  return 1\n}\n",
    "lib/right.py": "class Base:\n    pass\n\n\ndef single():\n    return 1\n",
    "data/broken.ipynb": "{",
    "yarn.lock": "lodash@4:\n",
    "logo.png": b"\x89PNG",
}
UNPARSED = (
    "2 files have 2 lines that could not be parsed; symbols there may be missing. "
    "To list the lines: feeder skipped --unparsed"
)
PLAIN = (
    "1 file was read as plain text, without functions (no notebook of nbformat 4: indexed as plain "
    "text)."
)
KEPT_OUT = "1 file is not in the index (a lock file)."


@pytest.fixture
def indexed(feeder: RunFeeder, repo: Repo) -> Repo:
    repo.commit(FILES)
    answer = feeder(repo, "sync")
    assert "  2 files have 2 lines that could not be parsed" in answer.out.splitlines()
    return repo


def test_lines_that_could_not_be_parsed_are_listed(feeder: RunFeeder, indexed: Repo) -> None:
    listed = feeder(indexed, "skipped", "--unparsed")
    assert listed.out == "src/broken.py:2\nsrc/missing.c:2\n"
    assert "2 files have 2 lines that could not be parsed. " in listed.err
    assert feeder(indexed, "skipped", "--unparsed", "--json").json == [
        {"path": "src/broken.py", "start_line": 2, "end_line": 2},
        {"path": "src/missing.c", "start_line": 2, "end_line": 2},
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["search", "unwritten"], 0),
        (["search", "compute the sum of everything"], 0),
        (["search", "singel"], 0),
        (["grep", "unwritten", "--type", "method"], 1),
        (["references", "known"], 0),
        (["references", "unwritten"], 2),
        (["references", "single", "--out"], 0),
        (["definition", "unwritten"], 2),
        (["implementations", "Base"], 0),
        (["show", "unwritten"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_answer_without_hits_says_what_it_could_not_see(
    feeder: RunFeeder, indexed: Repo, arguments: list[str], code: int
) -> None:
    """A search also if its hits are only similar in meaning or in spelling."""
    answer = feeder(indexed, *arguments)
    printed = " ".join((answer.out + answer.err).split())
    assert (answer.code, UNPARSED in printed, PLAIN in printed, KEPT_OUT in printed) == (
        *(code, True, True, True),
    )


@pytest.mark.parametrize(
    "arguments",
    [["search", "known"], ["references", "Base"], ["search", "x lang:koltin"], ["grep", "absent"]],
    ids=" ".join,
)
def test_other_answers_do_not(feeder: RunFeeder, indexed: Repo, arguments: list[str]) -> None:
    """With hits; for an unknown filter; and grep, which reads the files and needs no grammar."""
    indexed.commit({"lib/user.py": "from lib.right import Base\n\nclass Other(Base):\n    pass\n"})
    assert feeder(indexed, "sync", "-q").code == 0
    answer = feeder(indexed, *arguments)
    assert "could not be parsed" not in answer.out + answer.err


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        (["absent"], "2 files have no text to search (a pointer to a file in LFS: 1; binary: 1)."),
        (["absent", "--path", "src"], "1 file in src has no text to search (binary)."),
        (["absent", "--path", "lib"], None),
        (["single"], None),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_grep_without_a_match_counts_files_that_have_no_text(
    feeder: RunFeeder, indexed: Repo, arguments: list[str], note: str | None
) -> None:
    """A logo is no text by its name, and is not counted."""
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 9\n"
    files: dict[str, str | bytes] = {"src/null.py": b"absent = 1\n\0\n", "large.csv": pointer}
    indexed.commit(files)
    assert feeder(indexed, "sync", "-q").code == 0
    notes = feeder(indexed, "grep", *arguments, "--json").json["notes"]
    assert [text for text in notes if "no text" in text] == ([note] if note else [])


def test_grep_without_a_match_names_submodules(
    feeder: RunFeeder, indexed: Repo, tmp_path: Path
) -> None:
    """What they contain may have the line; a match says nothing of them."""
    inner = Repo(tmp_path / "inner")
    inner.commit({"cart.py": "absent = 1\n"})
    allowed = ("-c", "protocol.file.allow=always")
    indexed.git(*allowed, "submodule", "add", "-q", str(inner.path), "vendor/lib")
    indexed.git("commit", "-q", "-m", "submodule")
    assert feeder(indexed, "sync", "-q").code == 0
    note = "1 submodule was not searched. To search one, run feeder sync in its folder."
    assert note in feeder(indexed, "grep", "absent").err.splitlines()
    assert "submodule" not in feeder(indexed, "grep", "single").err


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("unwritten path:src", "2 files in src have 2 lines that could not be parsed"),
        ("unwritten path:lib", None),
        ("unwritten lang:c", "1 file among those searched has 1 line that could not be parsed"),
        ("unwritten -path:src", None),
    ],
)
def test_note_counts_the_files_of_the_scope(
    feeder: RunFeeder, indexed: Repo, query: str, note: str | None
) -> None:
    notes = feeder(indexed, "search", query, "--json").json["notes"]
    counted = [text for text in notes if "could not be parsed" in text]
    assert len(counted) == bool(note)
    assert not note or counted[0].startswith(f"{note}; symbols there may be missing.")


def test_outline_marks_the_lines(feeder: RunFeeder, indexed: Repo) -> None:
    lines = feeder(indexed, "outline", "src").out.splitlines()
    assert "src/broken.py (lines not parsed: 2)" in lines
    assert "src/missing.c (lines not parsed: 2)" in lines
    assert "2 files have 2 lines that could not be parsed." in lines
    answer: dict[str, Any] = json.loads(feeder(indexed, "outline", ".", "--json").out)
    marks = {file["path"]: file["unparsed"] for file in answer["files"]}
    assert marks["src/broken.py"] == "2"
    assert marks["lib/right.py"] is None


def test_outline_of_a_file_without_symbols_says_why(feeder: RunFeeder, indexed: Repo) -> None:
    printed = feeder(indexed, "outline", "data/broken.ipynb").out
    assert "1 file in data/broken.ipynb was read as plain text, without functions" in printed


def test_shown_lines_are_marked(feeder: RunFeeder, indexed: Repo) -> None:
    """Only if they are among those shown."""
    note = "Line 2 of src/broken.py was not parsed; symbols there may be missing."
    assert note in feeder(indexed, "show", "src/broken.py:1-3").out
    assert note in feeder(indexed, "show", "src/broken.py").out
    assert "could not be parsed" not in feeder(indexed, "show", "src/broken.py#known").out


def test_tools_say_the_same(
    feeder: RunFeeder, indexed: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the tool in place of the command."""
    monkeypatch.chdir(indexed.path)

    def call(name: str, **arguments: object) -> str:
        return service.call(name, arguments, lambda _: None).text

    service = index_service(Settings(vectors=False), auto_refresh=False)
    try:
        sentence = UNPARSED.replace("feeder outline .", 'the outline tool with path "."')
        assert sentence in call("search", query="unwritten")
        assert sentence in call("references", target="known")
        assert sentence in call("references", target="unwritten", kind="definition")
        assert "could not be parsed" not in call("search", query="known")
        assert "src/broken.py (lines not parsed: 2)" in call("outline", path="src")
        assert "Line 2 of src/broken.py was not parsed" in call(
            "read", target=["src/broken.py:1-3"]
        )
    finally:
        service.close()


@pytest.mark.parametrize("arguments", [["definition", "later"], ["show", "later"]])
def test_an_unknown_name_may_be_in_a_later_commit(
    feeder: RunFeeder, indexed: Repo, arguments: list[str]
) -> None:
    indexed.commit({"later.py": "def later():\n    return 9\n"})
    answer = feeder(indexed, *arguments)
    assert answer.code == 2
    assert "\nThe index is 1 commit behind HEAD" in answer.err

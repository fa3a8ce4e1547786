"""`feeder languages try` prints what a folder of a language finds in a file."""

import subprocess
import sys
from pathlib import Path

import pytest

from command_runner import RunFeeder
from source.repos import Repo

QUERIES = "(function_declaration name: (_) @name) @method\n\n(comment) @doc\n"
RELATIONS = "(function_call name: (identifier) @calls)\n"
FILE = "-- Adds.\nfunction add(cart, item)\n  print(item)\nend\n\nadd(1, 2)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The description of a language, and a file of it."""
    path = tmp_path / "lua"
    path.mkdir()
    (path / "language.toml").write_text('extensions = ["lua"]\n')
    (path / "nodes.scm").write_text(QUERIES)
    (path / "relations.scm").write_text(RELATIONS)
    (tmp_path / "cart.lua").write_text(FILE)
    return path


def test_nodes_and_relations_stand_beside_the_lines(feeder: RunFeeder, folder: Path) -> None:
    answer = feeder(folder.parent, "languages", "try", "lua", "cart.lua")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == (
        "1  -- Adds.                  method add 1-4\n"
        "2  function add(cart, item)\n"
        "3    print(item)             calls print\n"
        "4  end\n"
        "5\n"
        "6  add(1, 2)                 chunk 6-6; calls add\n"
    )


def test_long_lines_are_cut(feeder: RunFeeder, folder: Path) -> None:
    (folder.parent / "cart.lua").write_text(f"add({'1, ' * 30}2)\n")
    answer = feeder(folder.parent, "languages", "try", "lua", "cart.lua")
    assert answer.out == f"1  add({'1, ' * 18}1…  chunk 1-1; calls add\n"


def test_json_has_nodes_and_relations(feeder: RunFeeder, folder: Path) -> None:
    answer = feeder(folder.parent, "languages", "try", "lua", "cart.lua", "--json").json
    assert answer["language"] == "lua"
    assert answer["nodes"][0] == {
        "node_type": "method",
        "symbol": "add",
        "logical_path": None,
        "signature": "function add(cart, item)",
        "start_line": 1,
        "end_line": 4,
    }
    assert answer["relations"] == [
        {"line": 3, "kind": "calls", "name": "print", "qualifier": ""},
        {"line": 6, "kind": "calls", "name": "add", "qualifier": ""},
    ]
    assert answer["error_lines"] == []


def test_syntax_errors_are_reported_with_their_lines(feeder: RunFeeder, folder: Path) -> None:
    (folder.parent / "cart.lua").write_text("local a = 1\n\nlocal b = = 2\n")
    answer = feeder(folder.parent, "languages", "try", "lua", "cart.lua")
    assert answer.code == 0
    assert "cannot read all of cart.lua: syntax errors at line 3." in answer.err
    assert feeder(folder.parent, "languages", "try", "lua", "cart.lua", "-q").err == ""


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("nodes.scm", f"{QUERIES}\n(nonsense) @method\n", "nodes.scm:5: this pattern does not"),
        ("nodes.scm", "(comment) @doc\n(", "nodes.scm:2: '(' is never closed"),
        ("language.toml", "extensions = 1\n", "language.toml: extensions must be a list"),
        ("language.toml", "", "cart.lua is indexed as 'ruby', but the folder defines 'lua'. Pass"),
        (
            "hidden.toml",
            "[noise]\npattern = 'a'\nexamples = [['b a', 'b']]\n",
            "hidden.toml: the example 'b a' becomes 'b  '.",
        ),
    ],
)
def test_wrong_description_is_an_error_with_its_place(
    feeder: RunFeeder, folder: Path, file: str, text: str, says: str
) -> None:
    (folder / file).write_text(text)
    (folder.parent / "cart.rb").write_text("")
    name = "cart.rb" if "ruby" in says else "cart.lua"
    answer = feeder(folder.parent, "languages", "try", "lua", name)
    assert (answer.code, answer.out) == (2, "")
    assert says.replace("cart.lua is", f"{name} is") in answer.err


def test_folder_without_a_description_is_an_error(feeder: RunFeeder, folder: Path) -> None:
    answer = feeder(folder.parent, "languages", "try", ".", "cart.lua")
    assert answer.code == 2
    assert "There is no language.toml in ." in answer.err


def test_an_index_is_made_with_a_folder(feeder: RunFeeder, repo: Repo, folder: Path) -> None:
    """In the parser's processes too; the folder shows in the fingerprint, its comments do not."""
    repo.commit({"cart.lua": FILE.replace("function add", "--[[ a ]] function add")})
    options = ("--grammar", folder, "--no-vectors", "--json")
    assert feeder(repo, "sync", *options).json["nodes_by_type"] == {"method": 1, "chunk": 1}
    (folder / "nodes.scm").write_text(f"; Functions.\n{QUERIES}")
    assert feeder(repo, "sync", *options).json["files_processed"] == 0
    (folder / "nodes.scm").write_text("(comment) @doc\n")
    assert feeder(repo, "sync", *options).json["nodes_by_type"] == {"chunk": 1}


def test_references_of_a_folders_language_are_found_by_name(
    feeder: RunFeeder, repo: Repo, folder: Path
) -> None:
    """The shipped files say nothing of its relations; a name with two definitions is possible."""
    repo.commit({"cart.lua": FILE, "main.lua": "add(3, 4)\n"})
    feeder(repo, "sync", "--grammar", folder, "--no-vectors")
    answer = feeder(repo, "references", "add", "--no-refresh", "--json").json
    found = [
        (reference["path"], reference["line"], reference["resolved"])
        for reference in answer["references"]
    ]
    assert found == [("cart.lua", 6, True), ("main.lua", 1, True)]
    repo.commit({"order.lua": "function add() end\n"})
    feeder(repo, "sync", "--grammar", folder, "--no-vectors")
    answer = feeder(repo, "references", "cart.lua#add", "--no-refresh", "--json").json
    found = [
        (reference["path"], reference["line"], reference["resolved"])
        for reference in answer["references"]
    ]
    assert found == [("cart.lua", 6, True), ("main.lua", 1, False)]


def test_new_traits_write_nothing_to_an_index(feeder: RunFeeder, repo: Repo, folder: Path) -> None:
    """They are no part of the fingerprint."""
    repo.commit({"cart.lua": FILE})
    options = ("--grammar", folder, "--no-vectors", "--json")
    assert feeder(repo, "sync", *options).json["files_processed"] == 1
    before = (repo.path / ".feeder/index.db").read_bytes()
    with (folder / "language.toml").open("a") as file:
        file.write('[traits]\nfamily = "lua"\nglobal_scope = true\n')
    assert feeder(repo, "sync", *options).json["files_processed"] == 0
    assert (repo.path / ".feeder/index.db").read_bytes() == before


def test_search_does_not_read_the_queries(repo: Repo, feeder: RunFeeder) -> None:
    """It needs no trait, and they are in the longest file of the package.

    An earlier search has found that no file has changed.
    """
    repo.commit({"cart.go": "package cart\n\nfunc Add() {}\n"})
    assert feeder(repo, "search", "Add", "--no-vectors", "--refresh").code == 0
    program = "import sys; from feeder.cli.main import main; opened = []"
    program += "; sys.addaudithook(lambda name, args: name == 'open' and opened.append(args[0]))"
    program += "\ntry: main()\nfinally: print(*opened)"
    command = [sys.executable, "-c", program, "search", "Add"]
    run = subprocess.run(command, cwd=repo.path, capture_output=True, text=True, check=False)
    assert "cart.go" in run.stdout and "index.db" in run.stdout
    assert "grammar_queries.json" not in run.stdout

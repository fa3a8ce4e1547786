"""Sites whose meaning the code does not show in one place are listed: functions in tables of C,
members behind templates, names in anonymous classes, labels below a class.

The cases are in `cases/uncertain_sites.json`; `marked_sites` says what the marks mean.
"""

from pathlib import Path
from typing import Any

import pytest

from command_runner import RunFeeder
from feeder.relations.name_lines import lines_of_code
from relations.marked_sites import answers, cases, commit_marked
from source.repos import Repo


@pytest.mark.parametrize("case", cases("uncertain_sites"), ids=lambda case: case["id"])
def test_sites_are_listed(feeder: RunFeeder, repo: Repo, case: Any) -> None:
    places = commit_marked(repo, case["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for key, query in case["q"].items():
        given = answers(feeder, repo, query, places, key)
        assert (given.missed, given.wrong) == (set(), set()), query


def test_labels_of_long_calls_are_found(feeder: RunFeeder, repo: Repo) -> None:
    """The last label is 12,000 bytes behind the call's name, and the inner call is in a string."""
    long = "".join(f"    [{number:06}],\n" for number in range(900))
    repo.commit(
        {
            "cart.py": "class Cart:\n    total: int = 0\n",
            "use.py": f"from cart import Cart\n\none = Cart(\n{long}    total=3,\n)\n"
            'two = Cart(f"{Cart(total=4)}")\n',
        }
    )
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    answer = feeder(repo, "references", "cart.py#Cart.total", "--json").json
    assert [(site["line"], site["resolved"]) for site in answer["references"]] == [
        (904, True),
        (906, True),
    ]


def test_lines_of_code_ignore_case_where_the_language_does() -> None:
    text = "get-cart 1\n# Get-Cart\nGET-CART 2\n"
    assert lines_of_code(text, "Get-Cart", "powershell") == [1, 3]
    assert lines_of_code(text, "Get-Cart", "python") == []


def test_constructors_below_a_type_are_callers(feeder: RunFeeder, repo: Repo) -> None:
    """`make` calls Cart, and so the constructor of its base; `plain` calls that itself."""
    repo.commit(
        {
            "cart.py": "class Base:\n    def __init__(self):\n        self.a = 1\n\n\n"
            "class Cart(Base):\n    def __init__(self):\n        super().__init__()\n\n\n"
            "def make():\n    return Cart()\n\n\ndef plain():\n    return Base()\n",
        }
    )
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    lines = feeder(repo, "references", "Base.__init__", "--depth", "2").out.splitlines()
    assert "cart.py:8  Cart.__init__" in lines
    assert "  cart.py:12  make" in lines
    assert "cart.py:16  plain" in lines


GRAMMAR = {
    "language.toml": 'extensions = ["r"]\n',
    "nodes.scm": (
        "(binary_operator\n  lhs: (identifier) @name\n"
        "  rhs: (function_definition body: (_) @body)) @method\n"
    ),
    "relations.scm": "(call function: (identifier) @calls)\n",
}


def test_relations_of_a_users_grammar_count_as_indexed(
    feeder: RunFeeder, repo: Repo, tmp_path: Path
) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    for name, text in GRAMMAR.items():
        (folder / name).write_text(text, encoding="utf-8")
    repo.commit(
        {
            "cart.r": "total <- function(x) {\n  x\n}\n\nspare <- function(x) {\n  x\n}\n",
            "main.r": "print(total(1))\n",
            "other.lua": "function fill()\n  return 1\nend\n",
        }
    )
    assert feeder(repo, "sync", "-q", "--no-vectors", "--grammar", str(folder)).code == 0
    answer = feeder(repo, "references", "cart.r#total", "--json").json
    assert [(site["path"], site["line"]) for site in answer["references"]] == [("main.r", 1)]
    assert not answer["at_least"]
    printed = feeder(repo, "references", "cart.r#total")
    assert "1 reference: 1 resolved, 0 by name." in printed.err
    assert "unknown: relations of lua" in feeder(repo, "references", "other.lua#fill").err

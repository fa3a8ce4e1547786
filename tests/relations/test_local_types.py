"""`implementations` lists anonymous and local classes, and constants of an enum that have a body.

The cases are in `cases/local_types.json`; `marked_sites` says what the marks mean.
"""

from typing import Any

import pytest

from command_runner import RunFeeder
from relations.marked_sites import answers, cases, commit_marked
from source.repos import Repo


@pytest.mark.parametrize("case", cases("local_types"), ids=lambda case: case["id"])
def test_local_types_are_listed(feeder: RunFeeder, repo: Repo, case: Any) -> None:
    places = commit_marked(repo, case["files"])
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for key, query in case["q"].items():
        given = answers(feeder, repo, query, places, key)
        assert (given.missed, given.wrong) == (set(), set()), query


PANEL: dict[str, str | bytes] = {
    "Listener.java": "interface Listener {\n  void heard();\n}\n",
    "Panel.java": (
        "class Panel {\n  Object kept = wrap(new Listener() {\n    public void heard() {}\n"
        "  });\n\n  void start() {\n    add(new Listener() {\n      public void heard() {}\n"
        "    });\n  }\n}\n"
    ),
}


def test_a_local_type_is_one_line_in_the_function_around_it(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit(PANEL)
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    printed = feeder(repo, "implementations", "Listener").out
    assert printed.splitlines() == ["Panel.java:2  in Panel", "Panel.java:7  in Panel.start"]
    listed = feeder(repo, "implementations", "Listener", "--json").json["implementations"]
    assert [(node["start_line"], node["end_line"], node["is_local"]) for node in listed] == [
        (2, 2, True),
        (7, 7, True),
    ]
    assert feeder(repo, "search", "implements:Listener", "--json").json["total"] == 2


def test_a_class_below_a_type_of_the_same_name_is_listed_once(
    feeder: RunFeeder, repo: Repo
) -> None:
    """`shop.Cart` may mean either class, and means the one that `shop` exports."""
    repo.commit(
        {
            "shop/core/cart.py": "class Cart:\n    pass\n",
            "shop/cart.py": "from .core.cart import Cart as Core\n\n\nclass Cart(Core): ...\n",
            "shop/__init__.py": "from .cart import Cart as Cart\n",
            "test_cart.py": "import shop\n\n\ndef test_own():\n    class Own(shop.Cart): ...\n",
        }
    )
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    printed = feeder(repo, "implementations", "shop/core/cart.py#Cart").out
    assert printed.splitlines() == [
        "shop/cart.py:4-4  Cart",
        "  test_cart.py:5  in test_own",
    ]


def test_a_field_with_a_wrapped_object_does_not_make_its_class_a_subtype(
    feeder: RunFeeder, repo: Repo
) -> None:
    """`wrap(new Listener() {…})` in a field of Panel: Panel is no Listener."""
    repo.commit(PANEL | {"Use.java": "class Use {\n  void go(Panel p) {\n    p.heard();\n  }\n}\n"})
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    answer = feeder(repo, "references", "Listener.java#Listener.heard", "--json").json
    [site] = [reference for reference in answer["references"] if reference["path"] == "Use.java"]
    assert not site["resolved"]


@pytest.mark.parametrize(
    ("path", "text", "sentence"),
    [
        (
            "Sink.java",
            "interface Sink {\n  void take();\n}\n",
            "Nothing in the index implements Sink. "
            "Lambdas, which can stand for an interface, are not seen.",
        ),
        (
            "sink.ts",
            "export interface Sink {\n  take(): void;\n}\n",
            "Nothing in the index implements Sink. "
            "Objects that have its members without naming it are not seen.",
        ),
        ("sink.php", "<?php\ninterface Sink {\n}\n", "Nothing in the index implements Sink."),
    ],
)
def test_no_implementation_names_what_cannot_be_seen(
    feeder: RunFeeder, repo: Repo, path: str, text: str, sentence: str
) -> None:
    repo.commit({path: text})
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    assert sentence in feeder(repo, "implementations", "Sink").err.splitlines()

"""Node ids and embedding inputs."""

from hashlib import sha1
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder import nodes as nodes_module
from feeder.nodes import Node, embedding_input, node_ids


def a_node(identity: str | None, start: int, end: int, *, symbol: bool = True) -> Node:
    """A node with the fields that make its id."""
    name, path = (identity, None) if symbol else (None, identity)
    return Node("python", "method", name, None, path, start, end, "")


@pytest.mark.parametrize(
    ("repo", "path", "node", "expected"),
    [
        (
            "acme/shop",
            "src/cart.py",
            a_node("Cart.add", 12, 30),
            "bf4a99b942ea5bb224016eb62dcab900ebe1a6aa",
        ),
        (
            "acme/shop",
            "src/main/java/acme/Cart.java",
            a_node("acme.shop.Cart.add", 12, 30),
            "d3cf81d18c8141f0356b16c808433c942b4ba9fb",
        ),
        (
            "acme/shop",
            "README.md",
            a_node("Install > From source", 8, 21, symbol=False),
            "2adf259d06815bf1be497939fa6b1c60662c195f",
        ),
        (
            "acme/shop",
            "docs/größe.md",
            a_node("Größe", 1, 4, symbol=False),
            "a413f370b071c92eb203c3d732a1a1bd5d44a1e4",
        ),
        ("acme/shop", "LICENSE", a_node(None, 1, 21), "25c56d91457c904317caa0b9399a740ef342cdbe"),
    ],
)
def test_id_is_the_sha1_of_repo_path_identity_and_lines(
    repo: str, path: str, node: Node, expected: str
) -> None:
    """A node's id depends on its place and name only."""
    assert node_ids(repo, path, [node]) == [expected]


def test_second_node_of_a_name_on_the_same_lines_is_numbered() -> None:
    """Overloads on one line get `#2` after the name."""
    one = a_node("Cart.add", 12, 30)
    assert node_ids("acme/shop", "src/cart.py", [one, one]) == [
        "bf4a99b942ea5bb224016eb62dcab900ebe1a6aa",
        "1a3066a9ebcaf711066d67fe3bf5aa8ed8d99167",
    ]


def test_the_second_part_of_one_line_without_a_name_is_numbered() -> None:
    """Parts of one long line have only their number as identity."""
    part = a_node(None, 1, 1)
    assert node_ids("acme/shop", "app.min.js", [part, part])[1] == (
        "569d47b5db09f3d9e556a8ee6a5421747a30570f"
    )


def test_name_that_looks_like_a_number_does_not_collide() -> None:
    """Ids of a file are distinct, even if a name itself ends in `#2`."""
    nodes = [a_node("a", 1, 1), a_node("a", 1, 1), a_node("a#2", 1, 1)]
    assert len(set(node_ids("r", "p", nodes))) == 3


@given(names=st.lists(st.sampled_from(["a", "a#2", "a#3", "a#2#2", "b", ""]), max_size=12))
def test_names_of_one_line_are_numbered_in_their_order(names: list[str]) -> None:
    """Each gets its own name if it is free, else the first free number after it."""
    taken: list[str] = []
    for name in names:
        numbers = (name if number == 1 else f"{name}#{number}" for number in count(1))
        taken.append(next(number for number in numbers if number not in taken))
    keys = [f"r|p|{name}|1:1" if name else "r|p|1:1" for name in taken]
    nodes = [a_node(name or None, 1, 1) for name in names]
    assert node_ids("r", "p", nodes) == [sha1(key.encode()).hexdigest() for key in keys]


def test_many_names_of_one_line_are_hashed_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """A minified file has thousands of them: the work is linear, not quadratic."""
    keys: list[str] = []
    real = nodes_module._id_source

    def counted(*parts: Any) -> str:
        keys.append(real(*parts))
        return keys[-1]

    monkeypatch.setattr(nodes_module, "_id_source", counted)
    assert len(set(node_ids("r", "p", [a_node("a", 1, 1)] * 500))) == 500
    assert len(keys) < 2 * 500


def test_an_embedding_input_begins_with_path_and_name() -> None:
    """Path, language, type, name and signature precede the text."""
    node = Node(
        "python", "method", "Cart.add", "def add(self):", None, 1, 2, "def add(self):\n ..."
    )
    assert embedding_input("src/cart.py", node) == (
        "src/cart.py python method Cart.add\ndef add(self):\ndef add(self):\n ..."
    )

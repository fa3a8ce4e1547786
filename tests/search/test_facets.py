"""By what an answer can be narrowed: counts of its hits."""

from dataclasses import dataclass
from typing import Any, cast

from feeder.search.results import Result, count_facets


@dataclass
class Node:
    """What is counted of a hit."""

    path: str
    language: str | None = "python"
    node_type: str = "method"


def counted(*nodes: Node) -> Any:
    found: list[Any] = [Result(cast(Any, node), 1.0, {}) for node in nodes]
    return count_facets(found)


def test_folders_are_told_where_paths_part() -> None:
    """What all have in common narrows nothing; a file beside the folders is in none of them."""
    some = [Node("src/shop/a/x.py"), Node("src/shop/b/c/y.py"), Node("src/shop/b/z.py")]
    assert counted(*some)["path"] == {"/src/shop/b": 2, "/src/shop/a": 1}
    assert counted(*some, Node("src/shop/w.py"))["path"] == {"/src/shop/b": 2, "/src/shop/a": 1}
    assert counted(*some, Node("setup.py"))["path"] == {"/src": 3}
    assert counted(Node("a.py"), Node("b.py"))["path"] == {}
    assert counted(Node("src/a.py"), Node("srcs/b.py"))["path"] == {"/src": 1, "/srcs": 1}


def test_what_most_have_comes_first() -> None:
    """A file without a language is of none."""
    some = [Node("a.go", "go"), Node("test_b.py"), Node("c.py", node_type="class"), Node("d", None)]
    said = counted(*some)
    assert list(said["language"].items()) == [("python", 2), ("go", 1)]
    assert said["node_type"] == {"method": 3, "class": 1}
    assert said["tests"] == {"no": 3, "only": 1}


def test_nothing_found_has_nothing_to_narrow() -> None:
    assert counted() == {"language": {}, "path": {}, "node_type": {}, "tests": {}}

"""Counts of the hits by folder, language, type and category."""

from dataclasses import dataclass
from typing import Any, cast

from feeder.ranking.results import Result, count_facets


@dataclass
class Node:
    """The fields of a hit that are counted."""

    path: str
    language: str | None = "python"
    node_type: str = "method"


def counted(*nodes: Node) -> Any:
    found: list[Any] = [Result(cast(Any, node), 1.0, {}) for node in nodes]
    return count_facets(found)


def test_folder_counts_start_where_paths_diverge() -> None:
    """A prefix common to all hits is left out; files beside the folders are not counted."""
    some = [Node("src/shop/a/x.py"), Node("src/shop/b/c/y.py"), Node("src/shop/b/z.py")]
    assert counted(*some)["path"] == {"/src/shop/b": 2, "/src/shop/a": 1}
    assert counted(*some, Node("src/shop/w.py"))["path"] == {"/src/shop/b": 2, "/src/shop/a": 1}
    assert counted(*some, Node("setup.py"))["path"] == {"/src": 3}
    assert counted(Node("a.py"), Node("b.py"))["path"] == {}
    assert counted(Node("src/a.py"), Node("srcs/b.py"))["path"] == {"/src": 1, "/srcs": 1}


def test_values_are_ordered_by_count() -> None:
    """A file without a language is not counted."""
    some = [Node("a.go", "go"), Node("test_b.py"), Node("c.py", node_type="class"), Node("d", None)]
    counts = counted(*some)
    assert list(counts["language"].items()) == [("python", 2), ("go", 1)]
    assert counts["node_type"] == {"method": 3, "class": 1}
    assert counts["tests"] == {"no": 3, "only": 1}


def test_no_hits_have_no_facets() -> None:
    assert counted() == {"language": {}, "path": {}, "node_type": {}, "tests": {}}

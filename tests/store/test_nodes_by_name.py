"""Nodes are read by the names in their relations."""

from collections.abc import Iterator

import pytest

from feeder.relation import IMPLEMENTS, IMPORT, INHERITS
from feeder.source.git_trees import Commit
from feeder.store import REMOTE, Database, relations
from feeder.store.relations import nodes_with_kinds, nodes_with_name
from feeder.store.sqlite import SQLite
from index_helpers import REPO, open_database, run_sync
from source.repos import Repo

FILES: dict[str, str | bytes] = {
    "cart.rb": (
        "class Cart\n  def open?\n    1\n  end\nend\n\n"
        "class Big < Cart\n  def use(one)\n    one.open?\n    one.open_all\n  end\nend\n"
    ),
    "use.py": (
        "from cart import Cart\n\n\n"
        "def fill(box: Cart):\n    return MyCart(box)\n\n\n"
        "def make():\n    return Cart.create(1)\n\n\n"
        "def other():\n    return 'Cart', MyCart(1)\n"
    ),
}


@pytest.fixture
def database(repo: Repo) -> Iterator[Database]:
    repo.commit(FILES)
    database = open_database()
    run_sync(Commit(repo.path), database)
    yield database
    database.close()


def test_name_is_no_part_of_another_one(database: Database) -> None:
    def symbols(name: str, *, with_receivers: bool) -> list[str | None]:
        nodes, is_cut = nodes_with_name(database, REPO, name, with_receivers=with_receivers)
        assert not is_cut
        return [node.symbol for node in nodes]

    assert symbols("open?", with_receivers=False) == ["Big.use"]
    assert symbols("open", with_receivers=True) == []
    # the import, the parameter's type; not `MyCart` and a string alone
    assert symbols("Cart", with_receivers=False) == ["Big", None, "fill"]
    assert symbols("Cart", with_receivers=True) == ["Big", None, "fill", "make"]


def test_nodes_are_those_with_one_of_three_kinds(database: Database) -> None:
    nodes, is_cut = nodes_with_kinds(database, REPO, "Cart", INHERITS + IMPLEMENTS + IMPORT)
    assert [node.symbol for node in nodes] == ["Big", None]
    assert not is_cut


@pytest.mark.parametrize("with_receivers", [False, True])
def test_cut_list_has_the_first_nodes_by_path(
    database: Database, repo: Repo, monkeypatch: pytest.MonkeyPatch, *, with_receivers: bool
) -> None:
    """Files that are written later, too; the list is the one that D1 gives."""
    repo.commit({f"{name}.py": "def make():\n    return Cart(1)\n" for name in "ba"})
    run_sync(Commit(repo.path), database)
    monkeypatch.setattr(relations, "MAX_ROWS", 3)

    def paths() -> list[str]:
        nodes, is_cut = nodes_with_name(database, REPO, "Cart", with_receivers=with_receivers)
        assert is_cut
        return [node.path for node in nodes]

    assert paths() == ["a.py", "b.py", "cart.rb"]
    monkeypatch.setattr(SQLite, "access", REMOTE)
    assert paths() == ["a.py", "b.py", "cart.rb"]

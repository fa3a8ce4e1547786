"""A query that stands in a file as it is, such as an error message, finds its node first."""

from command_runner import RunFeeder
from source.repos import Repo

RAISES = (
    "def lock(path):\n    if not path:\n"
    "        raise ValueError('cart cannot be locked twice')\n    return path\n"
)
SIMILAR = "".join(
    f"def cart_locked{n}(cart):\n    # a locked cart cannot be locked, be it twice\n"
    f"    return cart.locked and cart.twice\n\n\n"
    for n in range(9)
)


def test_message_is_found_before_nodes_with_its_words(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit({"a/similar.py": SIMILAR, "b/locks.py": RAISES})
    assert feeder(repo, "sync", "-q").code == 0
    query = "cart cannot be locked twice"
    [first, *_] = feeder(repo, "search", *query.split(), "--json").json["hits"]
    assert first["symbol"] == "lock"
    [first, *_] = feeder(repo, "search", "twice locked cart cannot be", "--json").json["hits"]
    assert first["symbol"] != "lock"

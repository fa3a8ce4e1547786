"""An excluded word leaves out the classes that have it in the lines of their methods."""

import pytest

from command_runner import RunFeeder
from source.repos import Repo

CLIENT = (
    "class Client:\n    name = 'client'\n\n    def send(self):\n        return redirect(self)\n"
    "\n    def close(self):\n        return 'client is closed'\n"
)
OTHER = "class ClientState:\n    opened = 'client'\n\n    def reset(self):\n        return 1\n"


@pytest.mark.parametrize("query", ["client", "type:class"])
def test_class_is_left_out_for_a_word_of_its_methods(
    feeder: RunFeeder, repo: Repo, query: str
) -> None:
    """Its other methods stay."""
    repo.commit({"client.py": CLIENT, "state.py": OTHER})
    assert feeder(repo, "sync", "-q").code == 0

    def symbols(*words: str) -> set[str]:
        return {hit["symbol"] for hit in feeder(repo, "search", *words, "--json").json["hits"]}

    assert {"Client", "ClientState"} <= symbols(query)
    found = symbols(query, "-redirect")
    assert "ClientState" in found
    assert not {"Client", "Client.send"} & found
    assert ("Client.close" in found) == (query == "client")

"""Methods that syntax calls without their name: the answer says which calls are not indexed.

`syntax_calls` has the files and says what the marks mean.
"""

import pytest

from command_runner import RunFeeder
from relations.syntax_calls import CASES, MARK, plain
from source.repos import Repo


@pytest.mark.parametrize("language", CASES)
def test_calls_without_the_name_are_said_not_to_be_indexed(
    feeder: RunFeeder, repo: Repo, language: str
) -> None:
    path, marked = CASES[language]
    repo.commit({path: plain(marked)})
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    for number, line in enumerate(marked.split("\n"), 1):
        if mark := MARK.search(line):
            answer = feeder(repo, "references", f"{path}:{number}", "--json").json
            said = f": {mark[1]} are not indexed." if mark[1] else ""
            assert (answer["reason"] or "").endswith(said), line
            assert answer["at_least"] == bool(mark[1]), line
            assert ("Nothing in the index refers" in answer["reason"]) != bool(mark[1]), line


def test_calls_by_name_are_listed_beside_the_sentence(feeder: RunFeeder, repo: Repo) -> None:
    """Line 3 calls the method by its name, line 6 by an operator."""
    text = "class Cart:\n    def __add__(self, other):\n        return other.__add__(self)\n"
    repo.commit({"cart.py": f"{text}\n\nCART = Cart() + Cart()\n"})
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    printed = feeder(repo, "references", "Cart.__add__")
    assert printed.out.startswith("cart.py\n     3: ")
    end = "1 reference: 1 resolved, 0 by name; calls through operators are not indexed."
    assert f"at least {end}" in printed.err

"""What the four tools answer about a repository: lines, how many there are, how old they are."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from feeder.config import Settings
from feeder.mcp import ProgressCallback, RefreshResult, ToolResult
from feeder.mcp.service import IndexService
from feeder.store.query_log_file import QueryLog
from mcp_server.conftest import index
from mcp_server.stdio_client import McpClient, call, start_mcp_client, text_of
from source.repos import Repo

Ask = Callable[..., ToolResult]
HEAD = r"The index equals HEAD [0-9a-f]{7}\."


def desk(folder: Path) -> IndexService:
    return IndexService(Settings(directory=folder, vectors=False, quiet=True))


def asking(folder: Path) -> Ask:
    """Calls a tool on the index of a folder."""
    some = desk(folder)

    def ask(tool: str, **arguments: Any) -> ToolResult:
        return some.call(tool, arguments, lambda _: None)

    return ask


@pytest.fixture(scope="session")
def ask(shop: Path) -> Ask:
    return asking(shop)


def answered(message: ToolResult) -> str:
    assert not message.is_error, message.text
    return message.text


def refused(message: ToolResult) -> str:
    assert message.is_error, message.text
    return message.text


def ends(text: str) -> list[str]:
    """What stands below the last hit."""
    return text.rsplit("\n\n", maxsplit=1)[-1].split("\n")


def test_a_hit_is_its_place_and_its_code(ask: Ask) -> None:
    """Dedented, without fences; below all how many there are, and what the index equals."""
    text = answered(ask("search", query="addLine"))
    assert text.startswith(
        "src/cart.py:9-10 method Cart.addLine\n"
        "def addLine(self, article, count):\n"
        "    self.lines.append((article, count))\n\n"
    )
    *_, count, equals = ends(text)
    assert re.fullmatch(r"\d+ of \d+", count)
    assert re.fullmatch(HEAD, equals)


def test_filters_may_stand_beside_the_question_or_in_it(ask: Ask) -> None:
    """Both narrow to the same."""
    beside = answered(ask("search", query="exchange", path="src", type="method", language="py"))
    within = answered(ask("search", query="exchange path:src type:method lang:py"))
    assert beside == within
    assert beside.startswith("src/money.py:4-6 method exchange\n")
    assert "tests/" not in beside


def test_what_is_excluded_is_not_there(ask: Ask) -> None:
    """A folder, and tests."""
    assert "tests/test_money.py" in answered(ask("search", query="exchange"))
    for more in ({"exclude": "tests"}, {"exclude": ["docs", "tests"]}, {"tests": "no"}):
        assert "tests/test_money.py" not in answered(ask("search", query="exchange", **more))


def test_a_path_may_be_written_from_the_systems_root(ask: Ask, shop: Path) -> None:
    """Agents know files by their whole paths."""
    whole = answered(ask("search", query="exchange", path=str(shop / "src")))
    assert whole == answered(ask("search", query="exchange", path="src"))
    assert answered(ask("read", target=f"{shop}/src/money.py:4-4")).startswith("src/money.py:4-4\n")
    assert "src/cart.py" in answered(ask("outline", path=str(shop)))


def test_pages_follow_each_other(ask: Ask) -> None:
    """The end of a page names the next; all hits are on one of them."""
    first = answered(ask("search", query="cart total exchange", limit=2, detail="locations"))
    assert re.match(r"2 of \d+; next: offset=2$", ends(first)[0])
    total = int(ends(first)[0].split()[2].rstrip(";"))
    seen = []
    for offset in range(0, total, 2):
        text = answered(
            ask("search", query="cart total exchange", limit=2, offset=offset, detail="locations")
        )
        seen += text.split("\n\n")[:-1]
    assert len({*seen}) == len(seen) == total
    beyond = answered(ask("search", query="cart total exchange", offset=1000))
    assert ends(beyond)[0] == f"No hits from offset 1000 on: {total} in all."


DETAILS = {
    "locations": "src/cart.py:12-13 method Cart.total",
    "signature": "src/cart.py:12-13 method Cart.total\ndef total(self):",
    "full": "src/cart.py:12-13 method Cart.total\ndef total(self):\n"
    "    return sum(Decimal(price) for _, price in self.lines)",
}


@pytest.mark.parametrize("detail", DETAILS)
def test_as_much_of_a_hit_is_shown_as_is_asked_for(ask: Ask, detail: str) -> None:
    text = answered(ask("search", query="Cart.total", limit=1, detail=detail))
    assert text.split("\n\n")[0] == DETAILS[detail]
    assert "Shortened" not in text


def test_a_node_is_read_by_each_of_its_names(ask: Ask) -> None:
    """A path and a symbol, a symbol alone, its lines' first."""
    body = "def exchange(amount: int, rate: float) -> float:\n"
    for target in ("src/money.py#exchange", "money.py#exchange"):
        text = answered(ask("read", target=target))
        assert text.startswith(f"src/money.py:4-6 method exchange\n{body}")
    assert answered(ask("read", target="src/money.py:4-5")).startswith(f"src/money.py:4-5\n{body}")


def test_several_are_read_at_once_and_one_that_is_not_there_hinders_none(ask: Ask) -> None:
    """It is told with the nearest; where there is none at all, that is an error."""
    text = answered(ask("read", target=["src/mony.py", "src/cart.py#Cart.total"]))
    first, second, last = text.split("\n\n")
    assert (
        first == "The index has no src/mony.py. Did you mean src/money.py or tests/test_money.py?"
    )
    assert second == DETAILS["full"]
    assert re.fullmatch(HEAD, last)
    assert "Did you mean" in refused(ask("read", target="src/mony.py"))


@pytest.mark.parametrize(
    "target", ["../../../etc/passwd", "/etc/passwd", "src/../../x", "..", "a\0b", "x" * 1_000]
)
def test_what_lies_outside_is_not_there(ask: Ask, target: str) -> None:
    """Only what is indexed is read; what is told of it is no longer than what was asked."""
    for tool, name in (("read", "target"), ("similar", "target"), ("outline", "path")):
        text = refused(ask(tool, **{name: target}))
        assert "The index has no " in text
        assert "root:" not in text
        assert len(text) < 1_200


def test_a_node_that_is_like_another_is_found(ask: Ask) -> None:
    """Without itself."""
    text = answered(ask("similar", target="src/money.py#exchange", limit=1))
    assert text.startswith("tests/test_money.py:")
    assert "method exchange\n" not in text


def test_an_outline_has_names_and_lines_but_no_bodies(ask: Ask) -> None:
    """Deeper ones further in, unless a depth is asked for."""
    text = answered(ask("outline", path="src/cart.py"))
    assert text.startswith(
        "src/cart.py\n"
        " 6-13 class Cart\n"
        "  9-10 method Cart.addLine\n"
        "  12-13 method Cart.total\n"
        " 16-17 method emptyCart\n\n"
        "4 symbols and sections in 1 file\n"
    )
    flat = answered(ask("outline", path="src/cart.py", depth=1))
    assert flat.startswith("src/cart.py\n 6-13 class Cart\n 16-17 method emptyCart\n\n")


def test_an_empty_answer_says_which_filter_left_nothing(ask: Ask) -> None:
    """With what there would be without it."""
    text = answered(ask("search", query="Cart.total", path="docs"))
    assert text.startswith("No hits in shop with these filters. Without `path`: ")
    assert "first src/cart.py:12-13 Cart.total." in text


def test_of_two_phrases_that_are_not_in_one_node_it_is_not_said_that_no_node_has_a_word(
    ask: Ask,
) -> None:
    """They are named as what left nothing; a pattern finds either."""
    text = answered(ask("search", query='"def total" OR "def exchange"'))
    assert "Without `phrases, patterns and begin*`: " in text
    assert "has a word of the query" not in text
    either = answered(ask("search", query="/def total|def exchange/", path="src"))
    assert "src/cart.py:" in either
    assert "src/money.py:" in either


def test_a_filter_that_names_nothing_is_an_error_with_the_nearest(ask: Ask) -> None:
    text = refused(ask("search", query="x", language="pythn"))
    assert text == "The index has no language pythn. The nearest: python, python3."


def test_an_empty_question_is_answered(ask: Ask) -> None:
    """As nothing is: what to do instead."""
    text = answered(ask("search", query=""))
    assert text.startswith("No hits in shop. ")


def test_a_question_of_a_megabyte_is_read_in_part_and_so_it_says(server: McpClient) -> None:
    text = server.call_tool("search", query="exchange " * 120_000)
    assert "exchange" in text
    assert "Of the query the first 10,000 characters were read." in text


def test_no_index_is_an_error_with_the_remedy(tmp_path: Path) -> None:
    text = refused(asking(tmp_path)("search", query="x"))
    assert "There is no index at " in text
    assert "feeder sync" in text


def test_an_index_made_meanwhile_is_found_and_one_made_anew_too(tmp_path: Path) -> None:
    """The same server answers from what is there at each question."""
    repo = Repo(tmp_path / "repo")
    repo.commit({"a.py": "def apple():\n    pass\n"})
    ask = asking(repo.path)
    assert ask("search", query="apple").is_error
    index(repo)
    assert answered(ask("search", query="apple")).startswith("a.py:1-2 method apple\n")
    repo.commit({"b.py": "def banana():\n    pass\n"})
    behind = answered(ask("search", query="banana"))
    assert "behind HEAD" in ends(behind)[-1]
    index(repo)
    assert answered(ask("search", query="banana")).startswith("b.py:1-2 method banana\n")
    for file in (repo.path / ".feeder").glob("index.db*"):
        file.unlink()
    assert ask("search", query="banana").is_error
    index(repo)
    text = answered(ask("search", query="banana"))
    assert text.startswith("b.py:1-2 method banana\n")
    assert re.fullmatch(HEAD, ends(text)[-1])


def test_lines_are_those_of_the_files_now(tmp_path: Path) -> None:
    """Found again where they have moved, which is said."""
    repo = Repo(tmp_path / "repo")
    repo.commit({"a.py": "def apple():\n    return 'a long way to the tree'\n"})
    index(repo)
    (repo.path / "a.py").write_text(
        "import os\n\n\ndef apple():\n    return 'a long way to the tree'\n"
    )
    text = answered(asking(repo.path)("search", query="apple"))
    assert text.startswith("a.py:4-5 method apple (moved from 1-2)\ndef apple():\n")
    assert ends(text)[-1].startswith("1 of the files shown has changed since.")


def test_before_an_answer_somebody_may_bring_the_index_on(tmp_path: Path) -> None:
    """Who is asked before each call, makes the index, and has a word in the answer."""
    repo = Repo(tmp_path / "repo")
    repo.commit({"a.py": "def apple():\n    pass\n"})

    class Fed:
        def refresh(self, tell: ProgressCallback) -> RefreshResult:
            tell("feeding")
            index(repo)
            return RefreshResult(note="It was fed just now.")

    told: list[str] = []
    some = IndexService(Settings(directory=repo.path, vectors=False, quiet=True), Fed())
    text = answered(some.call("search", {"query": "apple"}, told.append))
    assert re.fullmatch(rf"It was fed just now\. {HEAD}", ends(text)[-1])
    assert "feeding" in told


def test_only_a_look_since_the_question_says_what_the_working_tree_is(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    head = repo.commit({"a.py": "def apple():\n    pass\n"})[:7]
    repo.write({"a.py": "def apple():\n    return 1\n"})
    index(repo, "--working-tree")
    repo.git("add", "-A")
    tree = repo.git("write-tree")

    class Looked:
        def refresh(self, _: ProgressCallback) -> RefreshResult:
            return RefreshResult(tree)

    settings = Settings(directory=repo.path, vectors=False, quiet=True)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search", {"query": "apple"}),
        ("search", {"query": "apple -path:a.py"}),
        ("read", {"target": "a.py:1-2"}),
        ("outline", {"path": "."}),
    ]
    for tool, message in calls:
        seen, unseen = (
            ends(answered(some.call(tool, message, lambda _: None)))[-1]
            for some in (IndexService(settings, Looked()), IndexService(settings))
        )
        assert seen == f"The index equals the working tree on {head}."
        assert unseen == f"The index equals the working tree last seen on {head}."


def test_an_index_that_is_damaged_while_it_is_served_is_told_with_a_remedy(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({f"{name}.py": f"def {name}():\n    pass\n" for name in ("apple", "pear")})
    index(repo)
    with start_mcp_client(repo.path, "--no-sync") as some:
        some.call_tool("search", query="apple")
        os.truncate(repo.path / ".feeder/index.db", 8192)
        [answer] = some.answers(call(1, "search", query="pear"))
    assert answer["result"]["isError"], answer
    assert "Delete it, or choose another with --db" in text_of(answer)


def test_no_name_in_an_error_is_more_than_text(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({"src/\x1b[31ma\n8 of 61.py": "def apple():\n    pass\n"})
    index(repo)
    for tool, argument in (("read", "target"), ("similar", "target"), ("outline", "path")):
        message = asking(repo.path)(tool, **{argument: "src/[31ma 8 of 61.py"})
        assert message.is_error
        assert r"Did you mean src/\u001b[31ma\u000a8 of 61.py?" in message.text


def test_a_question_is_noted_as_the_command_notes_it(tmp_path: Path) -> None:
    """But the pages that follow a first one are not, and none where that is not wanted."""
    repo = Repo(tmp_path / "repo")
    repo.commit({"a.py": "def apple():\n    pass\n"})
    index(repo)
    for options in ((), ("--no-query-log",)):
        with start_mcp_client(repo.path, *options) as some:
            some.call_tool("search", query=f"apple {len(options)}", path="a.py")
            some.call_tool("search", query="apple", offset=1)
            assert some.end()[0] == 0
    [noted] = QueryLog(repo.path / ".feeder/queries.db").queries()
    assert (noted.text, noted.hits) == ("apple 0", 1)


def test_what_cannot_be_seen_is_shown(tmp_path: Path) -> None:
    """Characters that a reader does not see, and a model may obey, come as their numbers."""
    repo = Repo(tmp_path / "repo")
    repo.commit({"a.py": "def apple():\n    return 'x\u202ey\U000e0041z'\n"})
    index(repo)
    text = answered(asking(repo.path)("search", query="apple"))
    assert "return 'x\\u202ey\\udb40\\udc41z'" in text
    assert "\u202e" not in text

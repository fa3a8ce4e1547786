"""The results of the tools: lines, totals and freshness."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from feeder.config import Settings
from feeder.mcp import NoRefresh, ProgressCallback, RefreshResult, ToolResult
from feeder.mcp.service import IndexService
from feeder.notes import Note, NoteKind
from feeder.store.query_log_file import QueryLog
from mcp_server.conftest import index
from mcp_server.stdio_client import McpClient, call, start_mcp_client, text_of
from source.repos import Repo

Ask = Callable[..., ToolResult]
HEAD = r"The index matches HEAD [0-9a-f]{7}\."


def open_service(folder: Path) -> IndexService:
    return IndexService(Settings(directory=folder, vectors=False, quiet=True))


def call_tools_in(folder: Path) -> Ask:
    """Returns a function that calls a tool on the index of a folder."""
    some = open_service(folder)

    def ask(tool: str, **arguments: Any) -> ToolResult:
        return some.call(tool, arguments, lambda _: None)

    return ask


@pytest.fixture(scope="session")
def ask(shop: Path) -> Ask:
    return call_tools_in(shop)


def result_text(message: ToolResult) -> str:
    assert not message.is_error, message.text
    return message.text


def error_text(message: ToolResult) -> str:
    assert message.is_error, message.text
    return message.text


def footer(text: str) -> list[str]:
    """Returns the text below the last hit."""
    return text.rsplit("\n\n", maxsplit=1)[-1].split("\n")


def test_hit_has_its_place_and_its_code(ask: Ask) -> None:
    """With three lines around it, dedented and without fences; the footer has the total and the
    freshness of the index.
    """
    text = result_text(ask("search", query="addLine"))
    assert text.startswith(
        "src/cart.py:9-10 method Cart.addLine [6-13]\n"
        "class Cart:\n"
        '    """Lines and their sum."""\n\n'
        "    def addLine(self, article, count):\n"
        "        self.lines.append((article, count))\n\n"
        "    def total(self):\n"
        "        return sum(Decimal(price) for _, price in self.lines)\n\n"
    )
    *_, count, equals = footer(text)
    assert re.fullmatch(r"\d+ of \d+", count)
    assert re.fullmatch(HEAD, equals)


def test_filters_work_as_arguments_and_in_the_query(ask: Ask) -> None:
    beside = result_text(ask("search", query="exchange", path="src", type="method", language="py"))
    within = result_text(ask("search", query="exchange path:src type:method lang:py"))
    assert beside == within
    assert beside.startswith("src/money.py:4-6 method exchange [1-6]\n")
    assert "tests/" not in beside


def test_excluded_folder_and_tests_are_left_out(ask: Ask) -> None:
    assert "tests/test_money.py" in result_text(ask("search", query="exchange"))
    for more in ({"exclude": "tests"}, {"exclude": ["docs", "tests"]}, {"tests": "no"}):
        assert "tests/test_money.py" not in result_text(ask("search", query="exchange", **more))


def test_absolute_paths_are_accepted(ask: Ask, shop: Path) -> None:
    """Agents know files by absolute paths."""
    whole = result_text(ask("search", query="exchange", path=str(shop / "src")))
    assert whole == result_text(ask("search", query="exchange", path="src"))
    assert result_text(ask("read", target=f"{shop}/src/money.py:4-4")).startswith(
        "src/money.py:4-4\n"
    )
    assert "src/cart.py" in result_text(ask("outline", path=str(shop)))


def test_pages_are_consecutive(ask: Ask) -> None:
    """The footer names the next offset; each hit is on one page."""
    first = result_text(ask("search", query="cart total exchange", limit=2, detail="locations"))
    assert re.match(r"2 of \d+; next: offset=2$", footer(first)[0])
    total = int(footer(first)[0].split()[2].rstrip(";"))
    seen = []
    for offset in range(0, total, 2):
        text = result_text(
            ask("search", query="cart total exchange", limit=2, offset=offset, detail="locations")
        )
        seen += text.split("\n\n")[:-1]
    assert len({*seen}) == len(seen) == total
    beyond = result_text(ask("search", query="cart total exchange", offset=1000))
    assert footer(beyond)[0] == f"Offset 1000 is past the end ({total} hits)."


DETAILS = {
    "locations": "src/cart.py:12-13 method Cart.total",
    "signature": "src/cart.py:12-13 method Cart.total\ndef total(self):",
    "full": "src/cart.py:12-13 method Cart.total [9-16]\n"
    "    def addLine(self, article, count):\n"
    "        self.lines.append((article, count))\n\n"
    "    def total(self):\n"
    "        return sum(Decimal(price) for _, price in self.lines)\n\n\n"
    "def emptyCart():",
}


@pytest.mark.parametrize("detail", DETAILS)
def test_detail_level_of_hits(ask: Ask, detail: str) -> None:
    text = result_text(ask("search", query="Cart.total", limit=1, detail=detail))
    assert text.startswith(f"{DETAILS[detail]}\n\n1 of ")
    assert "Shortened" not in text


def test_node_is_read_by_path_and_symbol_by_symbol_or_by_line(ask: Ask) -> None:
    body = "def exchange(amount: int, rate: float) -> float:\n"
    for target in ("src/money.py#exchange", "money.py#exchange"):
        text = result_text(ask("read", target=target))
        assert text.startswith(f"src/money.py:4-6 method exchange\n{body}")
    assert result_text(ask("read", target="src/money.py:4-5")).startswith(
        f"src/money.py:4-5\n{body}"
    )


def test_several_targets_are_read_and_unknown_ones_reported(ask: Ask) -> None:
    """With suggestions; it is an error only if none exists."""
    text = result_text(ask("read", target=["src/mony.py", "src/cart.py#Cart.total"]))
    first, second, last = text.split("\n\n")
    assert first == (
        "The index has no file, symbol or id 'src/mony.py'. "
        "Did you mean src/money.py or tests/test_money.py?"
    )
    assert second == (
        "src/cart.py:12-13 method Cart.total\ndef total(self):\n"
        "    return sum(Decimal(price) for _, price in self.lines)"
    )
    assert re.fullmatch(HEAD, last)
    assert "Did you mean" in error_text(ask("read", target="src/mony.py"))


@pytest.mark.parametrize(
    ("target", "says"),
    [
        *((path, "is outside the repository") for path in ("../../../etc/passwd", "/etc/passwd")),
        *((path, "is outside the repository") for path in ("src/../../x", "..")),
        *((path, "The index has no ") for path in ("a\0b", "x" * 1_000)),
    ],
)
def test_files_outside_the_index_are_not_read(ask: Ask, target: str, says: str) -> None:
    """The message is no longer than the argument."""
    for tool, name in (("read", "target"), ("search", "like"), ("outline", "path")):
        text = error_text(ask(tool, **{name: target}))
        assert says in text
        assert "root:" not in text
        assert len(text) < 1_200


def test_similar_finds_other_nodes(ask: Ask) -> None:
    """Not the node itself."""
    text = result_text(ask("search", like="src/money.py#exchange", limit=1))
    assert text.startswith("tests/test_money.py:")
    assert "method exchange\n" not in text
    within = result_text(
        ask("search", like="src/money.py#exchange", path="src", detail="locations")
    )
    assert re.findall(r"^(\w+)/\S+:\d+-\d+ ", within, re.MULTILINE)
    assert "tests/" not in within
    both = error_text(ask("search", query="money", like="src/money.py#exchange"))
    assert both == "`query` and `like` cannot be used together. Leave one of them out."


def test_next_page_of_similar_nodes_is_at_the_offset_that_the_answer_names(ask: Ask) -> None:
    """The pages of one node each have the nodes of one long page, in its order."""
    whole = result_text(ask("search", like="src/money.py#exchange", limit=3))
    headings = re.findall(r"^\S+:\d+-\d+ .+$", whole, re.MULTILINE)
    assert len(headings) == 3
    offset = 0
    for heading in headings:
        text = result_text(ask("search", like="src/money.py#exchange", limit=1, offset=offset))
        assert text.startswith(heading)
        [named] = re.findall(r"; next: offset=(\d+)", text) or [""]
        offset = int(named or 0)


def test_outline_has_names_and_lines_without_bodies(ask: Ask) -> None:
    """Nested ones are indented up to the given depth."""
    text = result_text(ask("outline", path="src/cart.py"))
    assert text.startswith(
        "src/cart.py\n"
        " 6-13 class Cart\n"
        "  9-10 method addLine\n"
        "  12-13 method total\n"
        " 16-17 method emptyCart\n\n"
        "4 symbols and sections in 1 file\n"
    )
    flat = result_text(ask("outline", path="src/cart.py", depth=1))
    assert flat.startswith("src/cart.py\n 6-13 class Cart\n 16-17 method emptyCart\n\n")


def test_empty_result_names_the_filter_to_relax(ask: Ask) -> None:
    """With the number of hits without it."""
    text = result_text(ask("search", query="Cart.total", path="docs"))
    assert text.startswith("No hits in shop with these filters. Without `path`: ")
    assert "first src/cart.py:12-13 Cart.total." in text


def test_two_phrases_without_a_common_node_are_named(
    ask: Ask,
) -> None:
    """The message does not claim that no node has the words; `OR` or a pattern finds either."""
    text = result_text(ask("search", query='"def total" "def exchange"'))
    assert "Without `phrases, patterns and begin*`: " in text
    assert "has a word of the query" not in text
    for query in ('"def total" OR "def exchange"', "/def total|def exchange/"):
        either = result_text(ask("search", query=query, path="src"))
        assert "src/cart.py:" in either
        assert "src/money.py:" in either


def test_query_with_an_unclosed_parenthesis_is_an_error(ask: Ask) -> None:
    text = error_text(ask("search", query="(total OR exchange"))
    assert text.startswith("A parenthesis is not closed: ")


def test_filter_without_a_match_is_an_error_with_suggestions(ask: Ask) -> None:
    text = error_text(ask("search", query="x", language="pythn"))
    assert text == "The index has no language 'pythn'. The nearest: python, python3."


def test_long_query_is_cut_and_the_cut_is_reported(server: McpClient) -> None:
    text = server.call_tool("search", query="exchange " * 120_000)
    assert "exchange" in text
    assert "Only the first 10,000 characters of the query were read." in text


def test_no_index_is_an_error_with_the_remedy(tmp_path: Path) -> None:
    text = error_text(call_tools_in(tmp_path)("search", query="x"))
    assert "There is no index at " in text
    assert "and the folder is not in a git repository. " in text
    assert "index the folder as it is: feeder process --path . -C " in text


def test_index_created_or_replaced_while_serving_is_used(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({"a.py": "def apple():\n    pass\n"})
    ask = call_tools_in(repo.path)
    assert ask("search", query="apple").is_error
    index(repo)
    assert result_text(ask("search", query="apple")).startswith("a.py:1-2 method apple\n")
    repo.commit({"b.py": "def banana():\n    pass\n"})
    behind = result_text(ask("search", query="banana"))
    assert "behind HEAD" in footer(behind)[-1]
    index(repo)
    assert result_text(ask("search", query="banana")).startswith("b.py:1-2 method banana\n")
    for file in (repo.path / ".feeder").glob("index.db*"):
        file.unlink()
    assert ask("search", query="banana").is_error
    index(repo)
    text = result_text(ask("search", query="banana"))
    assert text.startswith("b.py:1-2 method banana\n")
    assert re.fullmatch(HEAD, footer(text)[-1])


def test_lines_are_those_of_the_current_files(tmp_path: Path) -> None:
    """Moved lines are relocated, and the hit says so."""
    repo = Repo(tmp_path / "repo")
    repo.commit({"a.py": "def apple():\n    return 'a long way to the tree'\n"})
    index(repo)
    (repo.path / "a.py").write_text(
        "import os\n\n\ndef apple():\n    return 'a long way to the tree'\n"
    )
    text = result_text(call_tools_in(repo.path)("search", query="apple"))
    heading = "a.py:4-5 method apple [1-5] (moved from 1-2)"
    assert text.startswith(f"{heading}\nimport os\n\n\ndef apple():\n")
    assert footer(text)[-1].startswith("1 of the files shown has changed since it was indexed.")


def test_refresher_runs_before_each_call(tmp_path: Path) -> None:
    """It creates the index and adds a note to the result."""
    repo = Repo(tmp_path / "repo")
    repo.commit({"a.py": "def apple():\n    pass\n"})

    class CreatingRefresher(NoRefresh):
        def refresh(self, tell: ProgressCallback) -> RefreshResult:
            tell("feeding")
            index(repo)
            return RefreshResult(note=Note(NoteKind.UPDATE_FAILED, "It was fed just now."))

    told: list[str] = []
    some = IndexService(
        Settings(directory=repo.path, vectors=False, quiet=True), CreatingRefresher()
    )
    text = result_text(some.call("search", {"query": "apple"}, told.append))
    assert re.fullmatch(rf"It was fed just now\. {HEAD}", footer(text)[-1])
    assert "feeding" in told


def test_working_tree_is_named_only_after_a_check_since_the_call(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    head = repo.commit({"a.py": "def apple():\n    pass\n"})[:7]
    repo.write({"a.py": "def apple():\n    return 1\n"})
    index(repo, "--working-tree")
    repo.git("add", "-A")
    tree = repo.git("write-tree")

    class CheckingRefresher(NoRefresh):
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
            footer(result_text(some.call(tool, message, lambda _: None)))[-1]
            for some in (IndexService(settings, CheckingRefresher()), IndexService(settings))
        )
        assert seen == f"The index matches the working tree on {head}."
        assert unseen == f"The index matches the working tree as last indexed, on {head}."


def test_index_damaged_while_serving_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({f"{name}.py": f"def {name}():\n    pass\n" for name in ("apple", "pear")})
    index(repo)
    with start_mcp_client(repo.path, "--no-sync") as some:
        some.call_tool("search", query="apple")
        os.truncate(repo.path / ".feeder/index.db", 8192)
        [answer] = some.answers(call(1, "search", query="pear"))
    assert answer["result"]["isError"], answer
    assert "Delete it and build a new one with feeder sync, or choose another with --db" in text_of(
        answer
    )


def test_names_in_errors_are_escaped(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({"src/\x1b[31ma\n8 of 61.py": "def apple():\n    pass\n"})
    index(repo)
    for tool, argument in (("read", "target"), ("search", "like"), ("outline", "path")):
        message = call_tools_in(repo.path)(tool, **{argument: "src/[31ma 8 of 61.py"})
        assert message.is_error
        assert r"Did you mean src/\u001b[31ma\u000a8 of 61.py?" in message.text


def test_query_is_logged_like_that_of_the_command(tmp_path: Path) -> None:
    """Not for later pages, and not if logging is off."""
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


def test_invisible_characters_are_escaped(tmp_path: Path) -> None:
    """A reader does not see them, but a model may follow them."""
    repo = Repo(tmp_path / "repo")
    repo.commit({"a.py": "def apple():\n    return 'x\u202ey\U000e0041z'\n"})
    index(repo)
    text = result_text(call_tools_in(repo.path)("search", query="apple"))
    assert "return 'x\\u202ey\\udb40\\udc41z'" in text
    assert "\u202e" not in text


def test_every_line_is_listed_below_the_counts(ask: Ask) -> None:
    """Each file once, definitions first."""
    text = result_text(ask("grep", pattern="exchange"))
    first, _, rest = text.partition("\n\n")
    [count] = re.findall(r"^(\d+) matching lines in \d+ files$", first)
    assert rest.startswith("src/money.py\n")
    lines = [line for line in rest.split("\n") if re.match(r"\d+: ", line)]
    assert len(lines) == int(count)
    assert re.fullmatch(HEAD, footer(text)[-1])
    within = result_text(ask("grep", pattern="exchange", tests="no", path="src"))
    assert "tests/" not in within


def test_grep_finds_a_string_inside_words_and_a_regex(tmp_path: Path) -> None:
    """A string is no regex; one that only matches as a regex is read as one, and the answer says
    so.
    """
    repo = Repo(tmp_path / "keys")
    repo.commit({"a.py": "def warn():\n    return limits_fsync.max_ms_\n\n\nfsyncXmax = 1\n"})
    index(repo)
    ask = call_tools_in(repo.path)
    assert "\n2: return limits_fsync.max_ms_\n" in result_text(ask("grep", pattern="fsync.max"))
    assert "2 matching lines" in result_text(ask("grep", pattern="/fsync.max/"))
    assert "No matching line." in result_text(ask("grep", pattern="FSYNC.MAX"))
    assert "1 matching line in 1 file\n" in result_text(
        ask("grep", pattern="FSYNC.MAX", ignore_case=True)
    )
    either = result_text(ask("grep", pattern="fsyncX|max_ms"))
    assert "2 matching lines" in either
    assert "No line has this string; read as /fsyncX|max_ms/:" in either
    assert "`pattern` is empty." in error_text(ask("grep", pattern=" "))
    assert "`pattern` is empty." in error_text(ask("grep", pattern="/ /"))


def test_grep_shows_context_once(tmp_path: Path) -> None:
    """With its indentation; a line between two matches is not repeated."""
    repo = Repo(tmp_path / "context")
    source = "def pay():\n    a = 1\n    mark()\n    b = 2\n    mark()\n    c = 3\n\n\nmarked = 4\n"
    repo.commit({"pay.py": source})
    index(repo)
    text = result_text(call_tools_in(repo.path)("grep", pattern="mark()", context=1))
    assert "\npay.py\nin pay\n2-     a = 1\n3:     mark()\n4-     b = 2\n5:     mark()\n" in text
    assert "\n6-     c = 3\n" in text
    assert "marked" not in text


def test_grep_is_no_longer_than_git_grep(tmp_path: Path) -> None:
    """The lines below files; functions are named where that is still shorter."""
    repo = Repo(tmp_path / "short")
    often = "".join(f"    mark({n})\n" for n in range(9))
    repo.commit(
        {
            "src/shop/a_long_folder/often.py": f"class Cart:\n  def pay_all_of_it():\n{often}",
            "src/once.py": "def pay_once():\n  mark()\n",
        }
    )
    index(repo)
    ask = call_tools_in(repo.path)
    for pattern, has_names in (("mark", True), ("mark()", False)):
        text = result_text(ask("grep", pattern=pattern))
        found = repo.git("grep", "-n", "-F", pattern)
        _, lines, *_ = text.split("\n\n")
        assert len(lines) <= len(found)
        assert ("in pay" in lines or "in Cart.pay" in lines) == has_names


def test_matching_lines_fit_the_budget_and_the_rest_follows(tmp_path: Path) -> None:
    lines = [f"# marker {n} {'x' * 300}" for n in range(40)]
    repo = Repo(tmp_path / "long")
    repo.commit({"src/long.py": "\n".join([*lines, f"y = '{'y' * 500} marker 40'", ""])})
    index(repo)
    ask = call_tools_in(repo.path)
    seen: list[int] = []
    while True:
        page = result_text(ask("grep", pattern="marker", budget=600, offset=len(seen)))
        assert len(page.encode()) <= 600 * 3.2
        numbers = [int(n) for n in re.findall(r"^\d+: .*?\bmarker (\d+)", page, re.MULTILINE)]
        assert numbers == [*range(len(seen), len(seen) + len(numbers))]
        assert numbers
        seen += numbers
        if "next: offset=" not in page:
            break
        assert f"of 41 matching lines in 1 file; next: offset={len(seen)}" in page
    assert len(seen) == 41
    assert "Offset 41 is past the end (41 matching lines in 1 file)." in result_text(
        ask("grep", pattern="marker", offset=41)
    )
    assert "No matching line." in result_text(ask("grep", pattern="nowhere"))


def test_files_of_lines_that_do_not_fit_are_counted(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "many")
    files = {f"src/m{n:02}.py": f"marker = '{'x' * 150}'\nmarker\n" for n in range(40)}
    repo.commit(files)
    index(repo)
    text = result_text(call_tools_in(repo.path)("grep", pattern="marker", budget=600))
    shown = {path for path in files if f"\n{path}\n" in text}
    assert shown
    [counted] = re.findall(r"Not shown: (.*) and (\d+) more files\.", text)
    assert len(shown) + len(counted[0].split(", ")) + int(counted[1]) == len(files)
    assert all(entry.endswith(" 2") for entry in counted[0].split(", "))


@pytest.mark.parametrize("query", ["", "  ", '""'])
def test_empty_query_is_a_usage_error(ask: Ask, query: str) -> None:
    """With a filter it is none."""
    assert "The query is empty." in error_text(ask("search", query=query))
    assert not ask("search", query=query, path="src/money.py").is_error

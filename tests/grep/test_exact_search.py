"""Every line that matches a pattern, with its node: compared with what git grep itself finds."""

import random
import re
from pathlib import Path

import pytest

from feeder.config import Settings
from feeder.errors import UserError
from feeder.grep.exact_search import LinePage, LineRequest, search_lines
from feeder.query.request_filters import RequestFilters
from feeder.search.open_index import open_index
from feeder.snippets.line_matches import Section
from feeder.source.git_trees import Commit
from feeder.source.grep import PatternOptions
from feeder.store import Statement
from feeder.store.index_folder import create_index_folder
from feeder.store.migrations import migrate
from feeder.store.sqlite import SQLite
from index_helpers import REPO, run_sync
from source.repos import Repo

TEXT = PatternOptions(fixed_strings=True)
TOKEN = "ghp_" + "Zk3vQ8Lw2nRt7Ys1Xb5Mc9Pd4Fg6Hj0AaBbCc"[:36]
LONG_BODY = "".join(
    f"    value_{at} = load(value_{at - 1}, 'a longer text {at}')\n" for at in range(1, 90)
)
FILES: dict[str, str | bytes] = {
    "src/cart.py": '''\
"""A cart."""

LIMIT = 3


class Cart:
    """Holds articles; see add."""

    size: int = 0

    def add(self, article):
        """Calls add of the rows."""
        self.rows.add(article); self.log("add")
        return self.add

    def total(self):
        return sum(self.rows)
''',
    "src/crlf.py": b"def first():\r\n    return add\r\n\r\ndef add(x):\r\n    return x\r\n",
    "src/latin.py": "# coding: latin-1\nNAME = 'Größe add'\n".encode("latin-1"),
    "src/mark.py": b"\xef\xbb\xbfadd = 1\nother = add\n",
    "src/mac.txt": b"one\rtwo add\rthree\r",
    "src/logo.dat": b"\0add\n\0\nadd\n",
    "src/drawing.svg": "<svg>\n  <text>add</text>\n</svg>\n",
    "src/long.py": f"def long(value_0):\n{LONG_BODY}    return add\n",
    "tests/test_cart.py": "def test_add():\n    assert add(1)\n",
    "docs/guide.md": "# add\n\nHow to add an article.\n",
    "server.toml": '[server]\nadd = "yes"\n',
    ".env.production": "SECRET=add\nOTHER=add\n",
    "yarn.lock": "add\n",
    ".gitattributes": "*.svg -diff\n",
    "blank.txt": "add\n\nadd\n",
}


class World:
    """A repository with its index, as a command opens it."""

    def __init__(self, repo: Repo, database: SQLite) -> None:
        self.repo, self.database = repo, database

    def sync(self) -> None:
        run_sync(Commit(self.repo.path), self.database)

    def find(self, pattern: str, options: PatternOptions = TEXT, **more: object) -> LinePage:
        settings = Settings(self.repo.path, repo=REPO, store="local", quiet=True, vectors=False)
        with open_index(settings) as index:
            return search_lines(index, LineRequest(pattern, options, **more))  # type: ignore[arg-type]

    def lines(
        self, pattern: str, options: PatternOptions = TEXT, **more: object
    ) -> set[tuple[str, int]]:
        page = self.find(pattern, options, limit=100_000, **more)
        assert page.total == len(page.matches)
        return {(match.path, match.line) for match in page.matches}


def make_world(repo: Repo) -> World:
    folder = repo.path / ".feeder"
    create_index_folder(folder)
    database = SQLite(folder / "index.db")
    migrate(database)
    world = World(repo, database)
    world.sync()
    return world


@pytest.fixture
def world(repo: Repo) -> World:
    repo.commit(FILES)
    repo.commit({b"src/n\xe4me.py": "x = 1\nadd = 2\n"})
    repo.commit({"src/li\nne.py": "\nadd\n"})
    return make_world(repo)


def git_lines(repo: Repo, *arguments: str) -> set[tuple[str, int]]:
    """What git grep finds in HEAD, by another way of reading its output than the program's."""
    rows = repo.git("grep", "-a", "-n", "-z", "--full-name", *arguments, "HEAD", "--")
    found = re.findall(r"HEAD:([^\0]+)\0(\d+)\0[^\n]*(?:\n|\Z)", rows)
    return {(path, int(line)) for path, line in found}


def test_random_texts_are_found_where_git_grep_finds_them(world: World) -> None:
    """In all files of the index, and nowhere else: none of the skipped ones."""
    chosen = random.Random(5)
    [rows] = world.database.run([Statement("SELECT path FROM files WHERE state <> 'skipped'")])
    indexed = {str(path) for (path,) in rows} - {"src/mac.txt"}
    lines = [
        line
        for contents in FILES.values()
        if isinstance(contents, str)
        for line in contents.splitlines()
        if line.strip()
    ]
    for _ in range(60):
        line = chosen.choice(lines)
        start = chosen.randrange(len(line))
        text = line[start : start + chosen.randint(1, 12)]
        expected = {
            place for place in git_lines(world.repo, "-F", "-e", text) if place[0] in indexed
        }
        assert {place for place in world.lines(text) if place[0] in indexed} == expected, text


def test_definitions_come_first_then_code_tests_and_documents(world: World) -> None:
    page = world.find("add")
    assert [match.section for match in page.matches] == sorted(
        match.section for match in page.matches
    )
    definitions = [
        (match.path, match.line) for match in page.matches if match.section is Section.DEFINITION
    ]
    assert definitions == [
        ("server.toml", 2),
        ("src/cart.py", 11),
        ("src/crlf.py", 4),
        ("src/mark.py", 1),
        (r"src/n\xe4me.py", 2),
    ]
    assert [match.path for match in page.matches if match.is_test] == ["tests/test_cart.py"] * 2
    documents = [match.path for match in page.matches if match.section is Section.DOCUMENT]
    assert documents == ["blank.txt"] * 2 + ["docs/guide.md"] * 2 + ["src/mac.txt"]


def test_line_has_its_innermost_node(world: World) -> None:
    """Blank lines between nodes have none."""
    page = world.find("add", filters=RequestFilters(path=["src/cart.py"]))
    nodes = {match.line: match.node for match in page.matches}
    named = {
        line: node and (node.symbol, node.start_line, node.end_line) for line, node in nodes.items()
    }
    assert named == {
        7: ("Cart", 6, 17),
        **dict.fromkeys((11, 12, 13, 14), ("Cart.add", 11, 14)),
    }
    assert len({node.id for node in nodes.values() if node}) == 2
    blank = world.find("^$", PatternOptions(), filters=RequestFilters(path=["src/cart.py"]))
    symbols = {match.line: match.node and match.node.symbol for match in blank.matches}
    assert symbols == {2: None, 4: None, 5: None, 8: "Cart", 10: "Cart", 15: "Cart"}
    assert [match.line for match in blank.matches if match.node is None] == [4, 5]


def test_parts_of_a_long_node_are_one_node(world: World) -> None:
    """Its lines are those of all parts, and its id is that of the first."""
    page = world.find("long", filters=RequestFilters(path=["src/long.py"]))
    [[part_count]] = world.database.run(
        [Statement("SELECT count(*) FROM docs WHERE path = 'src/long.py'")]
    )[0]
    assert int(str(part_count)) > 1
    assert [match.line for match in page.matches] == list(range(1, 91))
    [node] = {match.node for match in page.matches}
    assert node is not None
    assert (node.symbol, node.start_line, node.end_line) == ("long", 1, 91)


def test_several_matches_of_a_line_are_one_match(world: World) -> None:
    """With all of their ranges; the column is that of the first, in bytes."""
    [match] = world.find("rows.add").matches
    assert (match.line, match.column, match.text[slice(*match.spans[0])]) == (13, 14, "rows.add")
    page = world.find("add", filters=RequestFilters(path=["src/cart.py"]))
    text = '        self.rows.add(article); self.log("add")'
    [match] = [match for match in page.matches if match.line == 13]
    assert (match.text, match.spans) == (text, [(18, 21), (42, 45)])
    [match] = world.find("e add'").matches
    assert match.text == "NAME = 'Größe add'"


def test_line_ends_and_byte_order_marks_are_no_part_of_a_line(world: World) -> None:
    [match] = world.find("def add(x)").matches
    assert (match.path, match.line, match.text) == ("src/crlf.py", 4, "def add(x):")
    first, second = world.find("add", filters=RequestFilters(path=["src/mark.py"])).matches
    assert (first.line, first.column, first.text) == (1, 1, "add = 1")
    assert (second.line, second.column, second.text) == (2, 9, "other = add")
    [match] = world.find("add", filters=RequestFilters(path=["src/mac.txt"])).matches
    assert (match.line, match.column, match.text) == (2, 5, "two add")


@pytest.mark.parametrize(
    ("pattern", "options", "found"),
    [
        (r"def a\w+\(", PatternOptions(), {"src/cart.py:11", "src/crlf.py:4"}),
        ("HOLDS", TEXT, set()),
        ("HOLDS", PatternOptions(ignore_case=True), {"src/cart.py:7"}),
        ("artic", PatternOptions(whole_words=True), set()),
        ("articles", PatternOptions(whole_words=True), {"src/cart.py:7"}),
        ("sum(self", TEXT, {"src/cart.py:17"}),
        ("--nothing", TEXT, set()),
    ],
)
def test_options_change_what_matches(
    world: World, pattern: str, options: PatternOptions, found: set[str]
) -> None:
    assert {f"{path}:{line}" for path, line in world.lines(pattern, options)} == found


def test_letters_that_are_not_ascii_are_single_characters(repo: Repo) -> None:
    repo.commit({"a.py": "name = 'GRÖSSE'\n"})
    world = make_world(repo)
    assert world.lines("gr.sse", PatternOptions(ignore_case=True)) == {("a.py", 1)}
    assert world.lines("größe|grösse", PatternOptions(ignore_case=True)) == {("a.py", 1)}


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        (RequestFilters(tests="only"), {"tests/test_cart.py"}),
        (RequestFilters(language=["toml"]), {"server.toml"}),
        (RequestFilters(path=["docs", "tests"]), {"docs/guide.md", "tests/test_cart.py"}),
        (RequestFilters(node_type=["method"], path=["src/cart.py"]), {"src/cart.py"}),
    ],
    ids=["tests", "language", "path", "node_type"],
)
def test_filters_are_those_of_a_search(
    world: World, filters: RequestFilters, paths: set[str]
) -> None:
    found = world.lines("add", filters=filters)
    assert {path for path, _ in found} == paths
    if filters.node_type:
        assert {line for _, line in found} == {11, 12, 13, 14}


def test_skipped_files_are_counted_and_not_shown(world: World) -> None:
    """Not binary ones, which have no lines."""
    page = world.find("add")
    assert [tuple(file) for file in page.skipped] == [
        (".env.production", "a name that suggests secrets", 2),
        ("yarn.lock", "a lock file", 1),
    ]
    assert not {".env.production", "yarn.lock", "src/logo.dat"} & {file.path for file in page.files}
    assert world.find("add", filters=RequestFilters(path=["src"])).skipped == []


def test_secrets_are_masked(repo: Repo) -> None:
    """In the context too; a private key is recognized by the lines around it."""
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "\n".join(["MIIEpAIBAAKCAQEA7bq" * 3] * 4)
    repo.commit({"a.py": f"x = 1\ntoken = '{TOKEN}'\n", "b.txt": f"{key}\nend of key\n"})
    world = make_world(repo)
    first, _ = world.find("x|token", PatternOptions(), before=1, after=1).matches
    shown = [*first.before, first.text, *first.after]
    [secret] = world.find("MIIEp", before=9, after=9, limit=1).matches
    assert len(shown) == 2
    assert TOKEN not in str(world.find("token", PatternOptions()).as_json())
    assert TOKEN[8:] not in str(shown)
    assert shown[1] == f"token = '{'x' * len(TOKEN)}'"
    assert "MIIEp" not in str([secret.before, secret.text, secret.after])


def test_lines_are_those_of_the_indexed_commit(world: World) -> None:
    """The status says how many of the files shown have changed since."""
    world.repo.write({"src/crlf.py": "# new\n\n\ndef other():\n    pass\n", "src/mark.py": None})
    [match] = world.find("def add(x)").matches
    assert (match.line, match.text, match.is_changed) == (4, "def add(x):", True)
    assert match.node is not None
    assert world.find("def add(x)").status.edited == 1
    assert world.find("def other").matches == []
    world.repo.commit({"src/new.py": "def other():\n    pass\n"})
    page = world.find("def add(x)")
    assert page.total == 1
    assert (page.status.behind, page.status.equals == page.status.head) == (1, False)


def test_file_indexed_from_the_disk_has_no_wrong_nodes(world: World) -> None:
    """The lines are the commit's, the nodes those of other contents."""
    world.repo.write({"src/crlf.py": "# one\n\ndef other():\n    pass\n"})
    statement = "UPDATE files SET blob = ? WHERE path = 'src/crlf.py'"
    blob = world.repo.git("hash-object", "src/crlf.py")
    world.database.run([Statement(statement, (blob,))])
    [match] = world.find("def add(x)").matches
    assert (match.line, match.text, match.node) == (4, "def add(x):", None)


def test_pages_have_every_line_once(world: World) -> None:
    whole = world.find("add", limit=1000)
    parts = [world.find("add", limit=7, offset=at) for at in range(0, whole.total, 7)]
    assert [match for part in parts for match in part.matches] == whole.matches
    assert {part.total for part in parts} == {whole.total}
    assert sum(file.matches for file in whole.files) == whole.total


def test_truncated_output_is_reported(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feeder.source.grep.MAX_LINES_BYTES", 500)
    page = world.find("add")
    assert page.at_least
    assert "matches more lines than feeder reads" in str(page.notes[0])


@pytest.mark.parametrize("pattern", ["foo(", "[z-a]"])
def test_invalid_pattern_is_an_error_with_the_reason(world: World, pattern: str) -> None:
    with pytest.raises(UserError, match=r"is not a valid regular expression: .+\. Correct it"):
        world.find(pattern, PatternOptions())
    assert world.lines(pattern) == set()


def test_pattern_of_two_lines_is_an_error(world: World) -> None:
    with pytest.raises(UserError, match="contains a line break"):
        world.find("a\nb")


def test_commit_that_is_not_here_is_an_error(world: World, tmp_path: Path) -> None:
    statement = f"UPDATE meta SET value = '{'0' * 40}' WHERE key = '{REPO}:head'"
    world.database.run([Statement(statement)])
    with pytest.raises(
        UserError, match=r"the indexed commit 0000000 of .* does not have it.*feeder sync"
    ):
        world.find("add")

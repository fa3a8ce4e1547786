"""`feeder grep`: formats, streams, exit codes and messages."""

import re
from pathlib import Path

import pytest

from command_runner import RunFeeder
from parse.documents import docx, p
from source.repos import Repo

CART = '''\
"""A cart."""

LIMIT = 3


class Cart:
    """Holds articles."""

    def add(self, article):
        self.rows.add(article)
        return self.rows

    def total(self):
        return self.add(1)
'''
FILES: dict[str, str | bytes] = {
    "src/cart.py": CART,
    "tests/test_cart.py": "def test_it():\n    cart.add(1)\n",
    "docs/guide.md": "# Guide\n\nUse add, or --dry.run=x here.\n",
    ".env.production": "KEY=cart.add\n",
}


@pytest.fixture
def shop(feeder: RunFeeder, repo: Repo) -> Repo:
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    return repo


def head(repo: Repo) -> str:
    return f"The index matches HEAD {repo.git('rev-parse', '--short=7', 'HEAD')}."


KEPT_OUT = (
    "1 more matching line in a file that is not in the index, not shown: .env.production "
    "(a name that suggests secrets)."
)


def test_lines_are_grouped_by_file_and_node(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "grep", r"\badd\b")
    assert answer.code == 0
    assert answer.out.splitlines() == [
        "src/cart.py  (definition)",
        "  9-11  method  Cart.add",
        "     9:     def add(self, article):",
        "src/cart.py",
        "  9-11  method  Cart.add",
        "    10:         self.rows.add(article)",
        "  13-14  method  Cart.total",
        "    14:         return self.add(1)",
        "tests/test_cart.py  (test)",
        "  1-2  method  test_it",
        "     2:     cart.add(1)",
        "docs/guide.md",
        "  1-3  md_section  Guide",
        "     3: Use add, or --dry.run=x here.",
        "5 matching lines in 3 files",
        KEPT_OUT,
        head(shop),
    ]


def test_context_lines_are_shown_once(feeder: RunFeeder, shop: Repo) -> None:
    lines = feeder(shop, "grep", "rows|^L", "src", "--context", "1").out.splitlines()
    assert lines[:-2] == [
        "src/cart.py  (definition)",
        "  1-3  chunk",
        "     2- ",
        "     3: LIMIT = 3",
        "     4- ",
        "src/cart.py",
        "  9-11  method  Cart.add",
        "     9-     def add(self, article):",
        "    10:         self.rows.add(article)",
        "    11:         return self.rows",
        "    12- ",
    ]


def test_gap_in_the_context_is_marked(feeder: RunFeeder, shop: Repo) -> None:
    """Lines between two matches are divided between them."""
    lines = feeder(shop, "grep", "rows.add|self.add", "--context", "1").out.splitlines()
    assert lines[:-2] == [
        "src/cart.py",
        "  9-11  method  Cart.add",
        "     9-     def add(self, article):",
        "    10:         self.rows.add(article)",
        "    11-         return self.rows",
        "      …",
        "  13-14  method  Cart.total",
        "    13-     def total(self):",
        "    14:         return self.add(1)",
    ]


def test_formats_for_programs_print_notes_on_stderr(feeder: RunFeeder, shop: Repo) -> None:
    """Paths are relative to the current folder."""
    src = shop.path / "src"
    answer = feeder(src, "grep", "-F", "add(", "--format", "vimgrep")
    assert answer.out.splitlines() == [
        "cart.py:9:9:    def add(self, article):",
        "cart.py:10:19:        self.rows.add(article)",
        "cart.py:14:21:        return self.add(1)",
        "../tests/test_cart.py:2:10:    cart.add(1)",
    ]
    assert answer.err.splitlines()[-2:] == ["4 matching lines in 2 files", head(shop)]
    answer = feeder(src, "grep", "add", "--count")
    assert answer.out == "cart.py:3\n../tests/test_cart.py:1\n../docs/guide.md:1\n"
    assert answer.err.splitlines()[-2:] == [KEPT_OUT, head(shop)]
    answer = feeder(shop, "grep", "-l", "add", "-q")
    assert (answer.out, answer.err) == ("src/cart.py\ntests/test_cart.py\ndocs/guide.md\n", "")


def test_json_has_every_field(feeder: RunFeeder, shop: Repo) -> None:
    facts = feeder(shop, "grep", "ADD", "-i", "-n", "1", "--json").json
    [match] = facts["matches"]
    assert re.fullmatch("[0-9a-f]{40}", match["node"].pop("id"))
    assert match == {
        "path": "src/cart.py",
        "line": 9,
        "column": 9,
        "text": "    def add(self, article):",
        "node": {
            "symbol": "Cart.add",
            "logical_path": None,
            "node_type": "method",
            "start_line": 9,
            "end_line": 11,
        },
        "is_definition": True,
        "is_test": False,
    }
    assert (facts["total"], facts["at_least"], facts["offset"], facts["notes"]) == (5, False, 0, [])
    reason = "a name that suggests secrets"
    assert facts["kept_out"] == [{"path": ".env.production", "reason": reason, "matches": 1}]
    assert facts["note"] == head(shop)
    assert facts["index"]["equals"] == shop.git("rev-parse", "HEAD")
    facts = feeder(shop, "grep", "add", "--count", "--json").json
    assert facts["files"][1] == {"path": "tests/test_cart.py", "matches": 1, "is_test": True}
    assert "matches" not in facts


def test_next_page_is_named(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "grep", "add", "-n", "2", "--offset", "1")
    assert "2 to 3 of 5 matching lines in 3 files; more: --offset 3" in answer.out.splitlines()
    answer = feeder(shop, "grep", "add", "--offset", "9")
    assert answer.out.splitlines()[0] == "Offset 9 is past the end (5 matching lines in 3 files)."


def test_no_match_is_a_message_on_stderr(feeder: RunFeeder, shop: Repo) -> None:
    """With exit code 1, as in ripgrep, or 0 on request."""
    answer = feeder(shop, "grep", "nowhere")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.splitlines()[-2:] == ["No line matches nowhere.", head(shop)]
    for form in ([], ["--json"], ["--count"]):
        assert feeder(shop, "grep", "nowhere", *form).code == 1
        assert feeder(shop, "grep", "nowhere", "--ok", *form).code == 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-A", "1"], ["2", "3"]),
        (["-B", "1"], ["1", "2"]),
        (["-C", "1"], ["1", "2", "3"]),
        (["-C1"], ["1", "2", "3"]),
        (["-C", "1", "-A", "0"], ["1", "2"]),
        (["-C", "../repo"], ["2"]),
    ],
    ids=" ".join,
)
def test_lines_of_context_as_in_ripgrep(
    feeder: RunFeeder, repo: Repo, options: list[str], expected: list[str]
) -> None:
    """-C with a number is context, and else the folder to run in, as in git."""
    repo.commit({"poem.txt": "one\ntwo\nthree\nfour\n"})
    assert feeder(repo, "sync", "-q").code == 0
    out = feeder(repo, "grep", "two", *options).out
    assert re.findall(r"^ *(\d+)[:-] ", out, re.MULTILINE) == expected


def test_paths_can_end_with_nul_and_globs_can_exclude(feeder: RunFeeder, shop: Repo) -> None:
    listed = feeder(shop, "grep", "-l", "add", "-q").out.splitlines()
    assert len(listed) > 1
    assert feeder(shop, "grep", "-l", "-0", "add", "-q").out == "".join(f"{it}\0" for it in listed)
    others = feeder(shop, "grep", "-l", "add", "-q", "-g", f"!{listed[0]}").out.splitlines()
    assert others == listed[1:]
    found = feeder(shop, "search", "-l", "-0", "add", "-q", "-t", "python").out
    by_filter = feeder(shop, "search", "add lang:python", "-l", "-q").out.split()
    assert found.split("\0") == [*by_filter, ""]


def test_pattern_may_begin_with_a_dash(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "grep", "-l", "--", "--dry.run", "docs")
    assert answer.out == "docs/guide.md\n"
    answer = feeder(shop, "grep", "--dry.run=x")
    assert answer.code == 2
    assert answer.err.splitlines()[-1] == (
        "Error: No such option '--dry.run'. To search for it, put -- before it: "
        "feeder grep -- --dry.run=x"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["foo("],
            r"foo\( is not a valid regular expression: .*, or search for it as text with -F",
        ),
        ([r"foo\k"], r"foo\\k is not a valid regular expression: \\k is not followed by "),
        ([""], "The pattern is empty"),
        (["add", "nowhere"], "The index has no file or folder 'nowhere'"),
        (["add", "-C", "./2"], r"Directory './2' does not exist\."),
        (["-n", "add"], "-n is the number of lines to show"),
        (["add", "--language", "koltin"], "The index has no language 'koltin'"),
    ],
    ids=str,
)
def test_user_errors_exit_with_2(
    feeder: RunFeeder, shop: Repo, arguments: list[str], message: str
) -> None:
    answer = feeder(shop, "grep", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert re.search(message, answer.err)


@pytest.mark.parametrize("command", [["grep"], ["search"]])
def test_pattern_that_backtracks_without_end_is_refused(
    feeder: RunFeeder, repo: Repo, command: list[str]
) -> None:
    """Git gives up such a line, and then reports nothing of any file."""
    repo.commit({"a.py": f"{'word ' * 2000}!\n"})
    assert feeder(repo, "sync", "-q").code == 0
    pattern = r"^(\w+\s?)+$"
    answer = feeder(repo, *command, f"/{pattern}/" if command == ["search"] else pattern)
    assert (answer.code, answer.out) == (2, "")
    assert "takes git too many steps on one line" in answer.err


def test_index_at_cloudflare_is_not_searched(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No request is sent."""
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "token")
    monkeypatch.setenv("CLOUDFLARE_ACCOUNT_ID", "account")
    monkeypatch.setenv("CLOUDFLARE_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("FEEDER_INDEX_NAME", "shop_code")
    answer = feeder(shop, "grep", "add")
    assert (answer.code, answer.out) == (2, "")
    assert "needs the files and the index on this machine" in answer.err
    assert feeder(shop, "grep", "add", "-l", "--store", "local").code == 0


def test_folder_outside_of_git_is_searched(feeder: RunFeeder, tmp_path: Path) -> None:
    """In the files on disk; the note counts those that have changed since they were indexed."""
    folder = tmp_path / "plain"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/a.py").write_text(CART)
    (folder / "b.py").write_text("x = 1\n")
    assert feeder(folder, "process", "--path", ".").code == 0
    [match] = feeder(folder, "grep", "def total", "--json").json["matches"]
    assert (match["path"], match["line"], match["node"]["symbol"]) == ("sub/a.py", 13, "Cart.total")
    (folder / "sub/a.py").write_text("# new\n" + CART)
    (folder / "new.py").write_text("def total(): pass\n")
    facts = feeder(folder, "grep", "def total", "--json").json
    [match] = facts["matches"]
    assert (match["path"], match["line"], match["node"]) == ("sub/a.py", 14, None)
    assert facts["note"] == "1 of the files shown has changed since it was indexed."


def test_working_tree_index_has_the_lines_of_the_working_tree(
    feeder: RunFeeder, shop: Repo
) -> None:
    shop.write({"src/new.py": "def adding():\n    pass\n"})
    assert feeder(shop, "grep", "adding", "-l").out == ""
    assert feeder(shop, "sync", "--working-tree", "-q").code == 0
    answer = feeder(shop, "grep", "adding")
    assert answer.out.splitlines()[:3] == [
        "src/new.py  (definition)",
        "  1-2  method  adding",
        "     1: def adding():",
    ]
    assert "working tree" in answer.out.splitlines()[-1]


def test_documents_are_not_searched(feeder: RunFeeder, shop: Repo) -> None:
    """A note says so: git knows their bytes and not their text."""
    shop.commit({"letter.docx": docx(p("Please add this."))})
    assert feeder(shop, "sync", "-q").code == 0
    facts = feeder(shop, "grep", "add|word", "--json").json
    paths = {match["path"] for match in facts["matches"]}
    assert paths == {"src/cart.py", "tests/test_cart.py", "docs/guide.md"}
    assert facts["notes"] == ["1 document was not searched: search there with feeder search."]


def every(feeder: RunFeeder, repo: Repo, *args: str) -> list[str]:
    """The rows of `search --every` for editors."""
    answer = feeder(repo, "search", "--every", "--format", "vimgrep", *args)
    assert answer.code == 0, answer.err
    return answer.out.splitlines()


def test_search_for_every_line_has_the_answer_of_grep(feeder: RunFeeder, shop: Repo) -> None:
    """In text and JSON; a word is whole, and its page has 100 lines."""
    for form in ([], ["--json"], ["-n", "2", "--offset", "1"]):
        listed = feeder(shop, "search", "--every", "add", *form)
        assert listed.out == feeder(shop, "grep", "-w", "-i", "add", *form).out
        assert listed.out
    assert feeder(shop, "search", "--every", "--json", "add").json["total"] == 5


def test_every_line_of_a_phrase_a_pattern_or_a_prefix(feeder: RunFeeder, shop: Repo) -> None:
    """Phrases and patterns match in any case; several words are a phrase."""
    total = ["src/cart.py:14:9:        return self.add(1)"]
    assert every(feeder, shop, '"RETURN self.add"') == total
    assert every(feeder, shop, "return", "self.add(1)") == total
    assert every(feeder, shop, r"/return self\.a/") == total
    assert every(feeder, shop, '"RETURN self.add"', "case:yes") == []
    assert every(feeder, shop, "artic*", "-l") == ["src/cart.py"]


def test_every_line_of_a_token_of_code(feeder: RunFeeder, shop: Repo) -> None:
    """In its case unless it is in lower case; without the marks around it."""
    assert every(feeder, shop, "LIMIT") == ["src/cart.py:3:1:LIMIT = 3"]
    assert every(feeder, shop, "Limit") == []
    assert every(feeder, shop, "limit") == ["src/cart.py:3:1:LIMIT = 3"]
    assert len(every(feeder, shop, "self.rows")) == 2
    assert every(feeder, shop, "self.row") == []
    assert len(every(feeder, shop, "cart.add(")) == 1
    assert every(feeder, shop, "art.add(") == []
    assert every(feeder, shop, "dry.run=") == every(feeder, shop, "dry.run")
    assert every(feeder, shop, "--", "total()") == ["src/cart.py:13:9:    def total(self):"]


def test_filters_of_a_query_hold_for_every_line(feeder: RunFeeder, shop: Repo) -> None:
    def paths(*query: str) -> list[str]:
        return every(feeder, shop, "-l", "add", *query)

    assert paths() == ["src/cart.py", "tests/test_cart.py", "docs/guide.md"]
    assert paths("tests:only") == ["tests/test_cart.py"]
    assert paths("lang:python", "-path:tests") == ["src/cart.py"]
    assert paths("path:docs") == ["docs/guide.md"]
    assert paths("symbol:total") == ["src/cart.py"]
    assert len(every(feeder, shop, "add", "symbol:total")) == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["add", "-total"], "-total, which excludes whole nodes"),
        (["tests:no"], "has no text to search lines for"),
        (['"add"', '"total"'], "the query has 2: add, total"),
        (["add", "--explain"], "Leave out --explain."),
        (["add", "--lines", "3", "--all-repos"], "Leave out --lines, --all-repos."),
    ],
)
def test_queries_that_list_no_lines_are_usage_errors(
    feeder: RunFeeder, shop: Repo, args: list[str], message: str
) -> None:
    answer = feeder(shop, "search", "--every", *args)
    assert answer.code == 2
    assert message in answer.err


def test_cut_list_for_an_editor_says_so_with_quiet_too(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit({"a.txt": "marker\n" * 3})
    assert feeder(repo, "sync", "-q").code == 0
    arguments = ("grep", "marker", "--format", "vimgrep", "-q", "-n")
    cut = "1 to 2 of 3 matching lines in 1 file; more: --offset 2\n"
    assert feeder(repo, *arguments, "2").err == cut
    assert feeder(repo, *arguments, "3").err == ""


def test_skipped_files_are_not_listed_as_indexed(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit({"a.py": "cart = 1\n", "blob.bin": "\0"})
    assert feeder(repo, "sync", "-q").code == 0
    expected = "The index has no file or folder 'nowhere'. It has: a.py.\n"
    assert feeder(repo, "grep", "cart", "nowhere").err.endswith(expected)
    assert feeder(repo, "search", "path:nowhere cart").err.endswith(expected)

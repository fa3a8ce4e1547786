"""The output of `feeder similar`, `outline` and `show`."""

import os
from pathlib import Path

import pytest

from command_runner import CommandResult, RunFeeder
from index_helpers import SHOP
from source.repos import Repo

pytestmark = pytest.mark.slow

FILES: dict[str, str | bytes] = SHOP | {
    "src/basket.py": (
        "from decimal import Decimal\n\n\n"
        "class Basket:\n"
        '    """Lines and their sum."""\n\n'
        "    def total(self):\n"
        "        return sum(Decimal(price) for _, price in self.lines)\n"
    ),
    "src/api/more.py": "def routes():\n    return []\n",
    "src/api/routes.py": "def total():\n    return 1\n\n\ndef routes():\n    return [total]\n",
}


@pytest.fixture
def environment() -> dict[str, str]:
    return {"FEEDER_MODEL": "static"}


@pytest.fixture
def shop(feeder: RunFeeder, repo: Repo) -> Repo:
    """A repository with an index of words and static vectors."""
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    return repo


TOTAL = [
    "    12      def total(self):",
    "    13          return sum(Decimal(price) for _, price in self.lines)",
]


@pytest.mark.parametrize("without", [[], ["--no-vectors"]])
@pytest.mark.parametrize("target", ["Cart.total", "src/cart.py:13", "src/cart.py#total"])
def test_similar_nodes_are_ranked(
    feeder: RunFeeder, shop: Repo, target: str, without: list[str]
) -> None:
    """By vectors and words, without the node itself and its class."""
    hits = feeder(shop, "similar", target, "--json", *without).json["hits"]
    assert hits[0]["symbol"] == "Basket.total"
    assert [hits[0]["meaning_rank"], hits[0]["word_rank"]] == ([None, 1] if without else [1, None])
    names = {(hit["path"], hit["symbol"]) for hit in hits}
    assert not names & {("src/cart.py", "Cart.total"), ("src/cart.py", "Cart")}


def test_similar_leaves_out_the_members_of_a_class(feeder: RunFeeder, shop: Repo) -> None:
    hits = feeder(shop, "similar", "Cart", "--json").json["hits"]
    symbols = {hit["symbol"] for hit in hits}
    assert "Basket" in symbols
    assert not {"Cart", "Cart.total", "Cart.addLine"} & symbols


def test_line_number_refers_to_the_current_file(feeder: RunFeeder, shop: Repo) -> None:
    """The user has it open in an editor."""
    text = (shop.path / "src/cart.py").read_text()
    (shop.path / "src/cart.py").write_text("# one\n# two\n# three\n" + text)
    hits = feeder(shop, "similar", "src/cart.py:15", "--json").json["hits"]
    assert hits[0]["symbol"] == "Basket.total"


def test_id_may_be_abbreviated(feeder: RunFeeder, shop: Repo) -> None:
    [hit] = feeder(shop, "search", "Cart.total", "--json", "-n", "1").json["hits"]
    for text in (hit["id"], hit["id"][:12]):
        shown = feeder(shop, "show", text).out.splitlines()
        assert shown[:3] == ["src/cart.py:12-13  method  Cart.total", *TOTAL]


LONG = ["def weigh(order):", *(f"    put(order, parcel_{n})" for n in range(200)), "    pass"]


def test_id_of_a_part_shows_the_whole_node(feeder: RunFeeder, repo: Repo) -> None:
    """The lines of the part are named."""
    repo.commit({"weigh.py": "\n".join([*LONG, ""])})
    assert feeder(repo, "sync", "-q").code == 0
    [hit] = feeder(repo, "search", "parcel_150", "--json").json["hits"]
    [shown] = feeder(repo, "show", hit["id"], "--json").json["hits"]
    assert shown["text"] == hit["text"] == "\n".join(LONG)
    assert shown["piece"] == hit["piece"] | {"matching": 1}
    assert shown["piece"]["start_line"] <= 152 <= shown["piece"]["end_line"]
    heading, *lines = feeder(repo, "show", "weigh").out.splitlines()
    assert heading == "weigh.py:1-202  method  weigh"
    assert [line[8:] for line in lines[:202]] == LONG


def test_similar_groups_parts_and_copies(feeder: RunFeeder, repo: Repo) -> None:
    """As in a search, consistently over all pages."""
    text = "\n".join([*LONG, ""])
    files = {f"{name}.py": text for name in "abc"} | {"d.py": text.replace("weigh", "load")}
    repo.commit(files)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "similar", "d.py#load", "--json").json
    [hit] = answer["hits"]
    assert (hit["start_line"], hit["end_line"]) == (1, 202)
    assert {hit["path"], *(copy["path"] for copy in hit["copies"])} == {"a.py", "b.py", "c.py"}
    pages = [feeder(repo, "similar", "d.py#load", "--json", f"--offset={n}") for n in (0, 1)]
    assert [page.json["total"] for page in pages] == [1, 1]
    assert [page.json["hits"] for page in pages] == [[hit], []]


def test_show_prints_current_lines(feeder: RunFeeder, shop: Repo) -> None:
    """By symbol at its current lines, by line numbers as given."""
    (shop.path / "src/cart.py").write_text("# new\n" + (shop.path / "src/cart.py").read_text())
    [heading, first, *_] = feeder(shop, "show", "src/cart.py#Cart.total").out.splitlines()
    assert heading == "src/cart.py:13-14  method  Cart.total  (moved from 12-13)"
    assert first == "    13      def total(self):"
    assert feeder(shop, "show", "src/cart.py:1-2").out.splitlines()[:3] == [
        "src/cart.py:1-2  lines",
        "     1  # new",
        '     2  """What a customer is about to buy."""',
    ]
    assert feeder(shop, "show", "cart.py:1", "-C", shop.path / "src").code == 0
    assert feeder(shop, "show", shop.path / "src/cart.py").out.splitlines()[1] == "     1  # new"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["show", "Cart.totl"], "The index has no file, symbol or id 'Cart.totl'. Did you mean "),
        (
            ["show", "src/crat.py"],
            "The index has no file, symbol or id 'src/crat.py'. Did you mean src/cart.py",
        ),
        (
            ["show", "src/crat.py:7"],
            "The index has no file, symbol or id 'src/crat.py'. Did you mean src/cart.py",
        ),
        (["show", "src/cart.py#totl"], "no symbol 'src/cart.py#totl'. Did you mean Cart.total?"),
        (["show", "src/cart.py:90"], "src/cart.py has lines 1 to 17. Use lines in that range."),
        (["show", "src/cart.py:0"], "src/cart.py has lines 1 to 17. Use lines in that range."),
        (
            ["show", "zzzz"],
            "The index has no file, symbol or id 'zzzz'. List its contents: feeder outline .",
        ),
        (
            ["show", ""],
            "The target is empty. Use a path, path:line, path#symbol, a symbol or an id.",
        ),
        (["similar", " "], "The target is empty. Use a path, "),
        (["show", "#Crat"], "The index has no file, symbol or id '#Crat'. "),
        (["show", "../../etc/passwd:1"], "../../etc/passwd is outside the repository."),
        (["show", "yarn.lock:1"], "yarn.lock is not in the index: it was skipped (a lock file)."),
        (["similar", "yarn.lock"], "yarn.lock is not in the index: it was skipped (a lock file)."),
        (["outline", "yarn.lock"], "yarn.lock is not in the index: it was skipped (a lock file)."),
        (
            ["similar", "src/api/routes.py"],
            "src/api/routes.py has 2 nodes: src/api/routes.py:1, src/api/routes.py:5. "
            "Choose one of them.",
        ),
        (["similar", "src/cart.py:5"], "src/cart.py has no node at line 5."),
        (["outline", "srcs"], "The index has no file or folder 'srcs'."),
        (["definition", "src/cart.py"], "src/cart.py is a file. List its symbols: feeder outline"),
        (
            ["similar", "routes"],
            "'routes' matches 2 targets: src/api/more.py#routes, src/api/routes.py#routes. "
            "Choose one of them.",
        ),
    ],
)
def test_unknown_target_is_an_error_with_suggestions(
    feeder: RunFeeder, shop: Repo, arguments: list[str], expected: str
) -> None:
    answer = feeder(shop, *arguments)
    assert (answer.code, answer.out) == (2, "")
    [error] = [line for line in answer.err.splitlines() if line.startswith("feeder: ")]
    assert expected in error


SKIPPED: dict[str, str | bytes] = {
    "a.py": "def total():\n    return 1\n",
    "deep/down/yarn.lock": "lock\n",
    "secret/credentials.json": "{}\n",
    "big.txt": "word " * 200_001,
    ".feederignore": "kept\n",
    "kept/out.py": "def total():\n    return 1\n",
    "noindex/.noindex": "",
    "noindex/one.py": "x = 1\n",
    "nul.txt": b"a\0b",
    "bad.pdf": b"neither text nor a PDF",
}


@pytest.mark.parametrize(
    ("target", "error"),
    [
        (
            "deep/down/yarn.lock",
            "deep/down/yarn.lock is not in the index: it was skipped (a lock file). To include it, "
            "add a line with its path and -linguist-generated to .gitattributes. An index at "
            "Cloudflare also needs a commit and feeder sync.",
        ),
        (
            "credentials.json:1-3",
            "secret/credentials.json is not in the index: it was skipped (a name that "
            "suggests secrets). Files with such names are never indexed. If it contains no "
            "secrets, rename it.",
        ),
        (
            "big.txt",
            "big.txt is not in the index: it was skipped (larger than the limit). To include it, "
            "run feeder sync with a larger --max-file-bytes, or --max-document-bytes for a "
            "document.",
        ),
        (
            "kept/out.py#total",
            "kept/out.py is not in the index: it was skipped (excluded by .feederignore). To "
            "include it, change .feederignore. An index at Cloudflare also needs a commit and "
            "feeder sync.",
        ),
        (
            "noindex/one.py",
            "noindex/one.py is not in the index: it was skipped (in a folder with .noindex). To "
            "include it, delete that .noindex. An index at Cloudflare also needs a commit and "
            "feeder sync.",
        ),
        (
            "nul.txt",
            "nul.txt is not in the index: it was skipped (binary). Open the file itself.",
        ),
        (
            "bad.pdf",
            "bad.pdf is not in the index: it was skipped (no pdf by its first bytes). Open the "
            "file itself.",
        ),
    ],
)
def test_skipped_file_is_named_with_reason_and_remedy(
    feeder: RunFeeder, repo: Repo, target: str, error: str
) -> None:
    """By its path; by its bare name if no indexed file has it."""
    repo.commit(SKIPPED)
    assert feeder(repo, "sync", "-q").code == 0
    run = feeder(repo, "show", target)
    assert (run.code, run.out) == (2, "")
    assert run.err.splitlines()[-1] == f"feeder: {error}"


def test_outline_of_a_skipped_folder_says_why(feeder: RunFeeder, repo: Repo) -> None:
    """Each of these folders has one file; `.` has others too."""
    repo.commit(SKIPPED)
    assert feeder(repo, "sync", "-q").code == 0
    for folder, reason in (("deep", "a lock file"), ("secret", "a name that suggests secrets")):
        run = feeder(repo, "outline", folder)
        assert run.code == 2
        assert f"feeder: Nothing in '{folder}' is indexed ({reason}). " in run.err
    assert feeder(repo, "outline", ".").code == 0


@pytest.mark.parametrize("path", ["secret/credentials.json", "credentials.json"])
@pytest.mark.parametrize("words", ["", "total"])
def test_search_in_a_skipped_file_says_why_nothing_is_found(
    feeder: RunFeeder, repo: Repo, path: str, words: str
) -> None:
    repo.commit(SKIPPED)
    assert feeder(repo, "sync", "-q").code == 0
    out = feeder(repo, "search", f"{words} path:{path}").out
    assert out.startswith("Nothing found. Try without path:\n" if words else "Nothing found.\n")
    assert (
        "secret/credentials.json is not in the index: it was skipped (a name that "
        "suggests secrets). Files with such names are never indexed. If it contains no "
        "secrets, rename it.\n"
    ) in out
    assert "skipped" not in feeder(repo, "search", "total path:a.py").out


def test_submodule_is_named_with_what_it_hides(
    feeder: RunFeeder, repo: Repo, tmp_path: Path
) -> None:
    """By the report, by its own path and by a path inside."""
    inner = Repo(tmp_path / "inner")
    inner.commit({"cart.py": "def total():\n    return 1\n"})
    repo.commit({"a.py": "x = 1\n"})
    allowed = ("-c", "protocol.file.allow=always")
    repo.git(*allowed, "submodule", "add", "-q", str(inner.path), "vendor/lib")
    repo.git("commit", "-q", "-m", "submodule")
    assert feeder(repo, "sync").out.splitlines()[-1] == (
        "  skipped 1: a submodule or a repository of its own (vendor/lib). "
        "To search one, run feeder sync in its folder"
    )
    expected = (
        "vendor/lib is not in the index: it was skipped (a submodule or a repository of its own). "
        "It has an index of its own: run feeder sync in that folder."
    )
    for command in (["show", "vendor/lib/cart.py:1"], ["outline", "vendor/lib"]):
        assert feeder(repo, *command).err.splitlines()[-1] == f"feeder: {expected}"
    assert expected in feeder(repo, "search", "total", "--path", "vendor/lib").out
    assert expected in feeder(repo, "grep", "total", "vendor/lib").err.splitlines()
    assert expected not in feeder(repo, "grep", "total", "a.py").err
    for command in (
        ["search", "total", "path:vendor/lib/src"],
        ["search", "total", "path:vendor/lib/*.py"],
        ["grep", "total", "vendor/lib/cart.py"],
    ):
        assert feeder(repo, *command).err.splitlines()[-1] == f"feeder: {expected}"
    excluded = feeder(repo, "search", "x", "-q", "--", "-path:vendor/lib/src")
    assert excluded.out.startswith("a.py:1  chunk")


def test_skipped_file_does_not_hide_an_indexed_one(feeder: RunFeeder, repo: Repo) -> None:
    """A bare name means the indexed file, wherever it is."""
    repo.commit({"a/one.py": "x = 1\n", "b/one.py": "x = 2\n", ".feederignore": "b\n"})
    assert feeder(repo, "sync", "-q").code == 0
    assert feeder(repo, "show", "one.py").out.startswith("a/one.py:1-1")
    assert "b/one.py is not in the index: it was skipped" in feeder(repo, "show", "b/one.py").err


@pytest.mark.parametrize("command", ["show", "similar"])
def test_name_of_several_symbols_is_not_resolved_silently(
    feeder: RunFeeder, shop: Repo, command: str
) -> None:
    """Also if one of them consists of the name alone; each can be given as it is listed."""
    run = feeder(shop, command, "total")
    assert (run.code, run.out) == (2, "")
    assert run.err.splitlines()[-1] == (
        "feeder: 'total' matches 3 targets: src/api/routes.py#total, src/cart.py#Cart.total, "
        "src/basket.py#Basket.total. Choose one of them."
    )
    shop.commit({"both.py": "def total():\n    return 2\n\n\n" + SUM})
    assert feeder(shop, "sync", "-q").code == 0
    for target in ("src/api/routes.py#total", "both.py#total", "both.py#Sum.total"):
        assert feeder(shop, command, target).code == 0
    assert feeder(shop, "show", "both.py#total").out.startswith("both.py:1-2  method  total\n")


def test_name_with_capitals_is_that_of_a_constant_before_that_of_a_function(
    feeder: RunFeeder, repo: Repo
) -> None:
    """A lowercase name is that of a type, whatever has members that are called so."""
    repo.commit(
        {
            "rate.py": "RATE = 19\n\n\ndef other():\n    return RATE\n",
            "tax.py": "def rate(net):\n    return net\n\n\nclass Total:\n    pass\n",
            "cart.py": "class Cart:\n    total = 0\n",
            "shop.py": "from rate import RATE\n\n\ndef price():\n    return RATE\n",
            "bill.py": "from tax import rate\n\n\ndef bill(net):\n    return rate(net)\n",
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    assert feeder(repo, "show", "RATE").out.startswith("rate.py:1-1  chunk\n     1  RATE = 19\n")
    assert feeder(repo, "show", "rate").out.startswith("tax.py:1-2  method  rate\n")
    assert feeder(repo, "show", "Rate").out.startswith("tax.py:1-2  method  rate\n")
    assert feeder(repo, "show", "total").out.startswith("tax.py:5-6  class  Total\n")
    for target, users in (("RATE", {"rate.py", "shop.py"}), ("rate", {"bill.py"})):
        facts = feeder(repo, "references", target, "--json").json
        assert {site["path"] for site in facts["references"]} == users


GO = (
    'package raft\n\nvar (\n\tErrNotLeader = errors.New("x")\n)\n\n'
    "func NewRaft() error {\n\treturn ErrNotLeader\n}\n"
)


def test_constant_of_a_package_that_its_folder_is_not_called_by_is_found(
    feeder: RunFeeder, repo: Repo
) -> None:
    """By the names of the file's other nodes; a class is no package."""
    repo.commit(
        {
            "api.go": GO,
            "shop.py": "LIMIT = 1\n\n\nclass Cart:\n    def total(self):\n        pass\n",
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    for name in ("raft.ErrNotLeader", "Raft::ErrNotLeader"):
        shown = feeder(repo, "show", name)
        assert shown.out.startswith("api.go:1-5  chunk\n")
    [site] = feeder(repo, "references", "raft.ErrNotLeader", "--json").json["references"]
    assert (site["path"], site["line"]) == ("api.go", 8)
    for name in ("Cart.LIMIT", "other.ErrNotLeader", "aft.ErrNotLeader"):
        assert feeder(repo, "show", name).code == 2


SUM = "class Sum:\n    def total(self):\n        return 3\n"

TWICE = (
    "class Price:\n"
    "    @property\n"
    "    def value(self):\n"
    "        return self._value\n\n"
    "    def other(self):\n"
    "        return 1\n\n"
    "    @value.setter\n"
    "    def value(self, new):\n"
    "        self._value = new\n"
)


def test_name_that_occurs_twice_in_a_file_is_shown_twice(feeder: RunFeeder, shop: Repo) -> None:
    """Only one node can be compared with others: `similar` lists their lines as they are now."""
    shop.commit({"price.py": TWICE})
    assert feeder(shop, "sync", "-q").code == 0
    hits = feeder(shop, "show", "Price.value", "--json").json["hits"]
    assert [(hit["start_line"], hit["end_line"]) for hit in hits] == [(2, 4), (9, 11)]
    (shop.path / "price.py").write_text("# new\n" + TWICE)
    run = feeder(shop, "similar", "Price.value")
    assert (run.code, run.out) == (2, "")
    assert run.err.splitlines()[-1] == (
        "feeder: price.py has 2 nodes of that name: price.py:3, price.py:10. Choose one of them."
    )
    assert feeder(shop, "similar", "price.py:10").code == 0


@pytest.mark.parametrize("target", ["empty.py", "empty.py:1"])
def test_empty_file_has_no_similar_nodes(feeder: RunFeeder, shop: Repo, target: str) -> None:
    """It is indexed, but has no node."""
    shop.commit({"empty.py": ""})
    assert feeder(shop, "sync", "-q").code == 0
    run = feeder(shop, "similar", target)
    assert run.code == 2
    assert "empty.py has no nodes because it has no text. Use another file." in run.err


def test_outline_lists_symbols_without_bodies(feeder: RunFeeder, shop: Repo) -> None:
    """Nested symbols are indented."""
    head = shop.git("rev-parse", "--short=7", "HEAD")
    assert feeder(shop, "outline", "src/cart.py").out.splitlines() == [
        "src/cart.py",
        "        6-13  class  Cart  class Cart:",
        "        9-10    method  addLine  def addLine(self, article, count):",
        "       12-13    method  total  def total(self):",
        "       16-17  method  emptyCart  def emptyCart():",
        f"The index matches HEAD {head}.",
    ]


def test_outline_of_a_folder_lists_its_files(feeder: RunFeeder, shop: Repo) -> None:
    """Relative to the working folder; `..` works within the repository."""
    facts = feeder(shop.path / "src", "outline", "api", "--json").json
    assert [file["path"] for file in facts["files"]] == ["src/api/more.py", "src/api/routes.py"]
    assert [node["symbol"] for node in facts["files"][1]["nodes"]] == ["total", "routes"]
    facts = feeder(shop.path / "src/api", "outline", "..", "--json").json
    assert [file["path"] for file in facts["files"]] == [
        *("src/__init__.py", "src/api/more.py", "src/api/routes.py", "src/basket.py", "src/cart.py")
    ]
    facts = feeder(shop.path / "src/api", "outline", "docs", "--json").json
    assert [node["logical_path"] for node in facts["files"][0]["nodes"]] == ["Guide"]


def test_outline_of_a_folder_lists_files_before_folders(feeder: RunFeeder, repo: Repo) -> None:
    """Deep folders are rolled up; so are those below `--depth`."""
    deep = {f"src/deep/down/d{at}.py": f"def f{at}():\n    return 1\n" for at in range(9)}
    repo.commit({"src/zoo.py": "class Zoo:\n    def open(self):\n        pass\n", **deep})
    assert feeder(repo, "sync", "-q").code == 0
    rows = [line for line in feeder(repo, "outline", "src").out.splitlines() if line[0] != " "]
    assert rows[:2] == ["src/zoo.py", "src/deep/down/d0.py"]
    lines = feeder(repo, "outline", "src", "--depth", "1").out.splitlines()
    assert lines[:3] == ["src/zoo.py", "         1-3  class  Zoo  class Zoo:", "src/deep/  9 files"]
    lines = feeder(repo, "outline", "src", "--max-lines", "2").out.splitlines()
    assert lines[:2] == ["src/zoo.py  Zoo", "src/deep/down/  9 files"]
    assert lines[2] == (
        "Shortened to top-level names in 2 levels of folders. Outline a file or a subfolder. "
        "Show all lines: --max-lines 0"
    )


def test_shortened_outline_names_a_type_and_not_those_inside_it(
    feeder: RunFeeder, repo: Repo
) -> None:
    event = "sealed class Event {\n  object Started : Event()\n  data class Failed(val x: Int)\n}\n"
    cart = "defmodule Shop do\n  defmodule Cart do\n    defstruct [:a]\n  end\nend\n"
    bag = "class Bag\n  class Item\n    class Part\n    end\n  end\nend\n"
    held = f"module Shop\n{bag}end\n"
    repo.commit({"a.kt": event, "b.ex": cart, "c.rb": bag, "d.rb": held})
    assert feeder(repo, "sync", "-q").code == 0
    assert feeder(repo, "outline", ".", "--max-lines", "4").out.splitlines()[:4] == [
        "a.kt  Event",
        "b.ex  Shop.Cart",
        "c.rb  Bag",
        "d.rb  Shop.Bag",
    ]


def test_shortened_outline_names_the_classes_of_a_module(feeder: RunFeeder, repo: Repo) -> None:
    """Not the module, which all files of a project have; one with a method of its own is named."""
    bodies = {"cop": "class Cop\n  end", "two": "class One\n  end\n  class Two\n  end"}
    files = {f"lib/{name}.rb": f"module Police\n  {body}\nend\n" for name, body in bodies.items()}
    repo.commit({**files, "lib/zone.rb": "module Police\n  def self.zone\n  end\nend\n"})
    assert feeder(repo, "sync", "-q").code == 0
    assert feeder(repo, "outline", "lib", "--max-lines", "3").out.splitlines()[:3] == [
        "lib/cop.rb  Police.Cop",
        "lib/two.rb  Police.One, Police.Two",
        "lib/zone.rb  Police",
    ]


@pytest.mark.parametrize(
    ("glob", "files"),
    [
        ("src/*.py", ["src/a.py", "src/deep/b.py"]),
        ("*/deep", ["src/deep/b.py", "src/deep/c.go"]),
        ("src/?.py", ["src/a.py"]),
        ("src/[!a]*.go", ["src/deep/c.go"]),
    ],
)
def test_outline_accepts_globs(feeder: RunFeeder, repo: Repo, glob: str, files: list[str]) -> None:
    """A star crosses folders, as in the filter `path:`."""
    contents = {"src/a.py": "a = 1\n", "src/deep/b.py": "b = 1\n", "src/deep/c.go": "package c\n"}
    repo.commit(contents)
    assert feeder(repo, "sync", "-q").code == 0
    facts = feeder(repo, "outline", glob, "--json").json
    assert [file["path"] for file in facts["files"]] == files


def test_outline_heads_members_that_a_file_defines_outside_of_their_class(
    feeder: RunFeeder, repo: Repo
) -> None:
    """A single one has its whole name; what is inside of a member has its last name."""
    cart = (
        "namespace shop {\n\n"
        "int Cart::add() {\n  struct Line {\n    int count;\n  };\n  return 1;\n}\n\n"
        "int Cart::total() {\n  return 2;\n}\n\n"
        "int Order::pay() {\n  return 3;\n}\n\n"
        "}\n"
    )
    repo.commit({"cart.cc": cart})
    assert feeder(repo, "sync", "-q").code == 0
    assert feeder(repo, "outline", "cart.cc").out.splitlines()[1:-1] == [
        "              shop.Cart",
        "         3-8    method  add  int Cart::add()",
        "       10-12    method  total  int Cart::total()",
        "       14-16  method  shop.Order.pay  int Order::pay()",
    ]


def test_outline_lists_constants(feeder: RunFeeder, repo: Repo) -> None:
    """At their current lines; they have no node of their own."""
    repo.commit({"a.py": "import os\n\nLIMIT = 3\n\n\ndef f():\n    return 1\n"})
    assert feeder(repo, "sync", "-q").code == 0
    assert feeder(repo, "outline", "a.py").out.splitlines()[1:3] == [
        "           3  member  LIMIT",
        "         6-7  method  f  def f():",
    ]
    repo.write({"a.py": "# new\nimport os\n\nLIMIT = 3\n\n\ndef f():\n    return 1\n"})
    [file] = feeder(repo, "outline", "a.py", "--json").json["files"]
    [node, *_] = file["nodes"]
    assert (node["node_type"], node["symbol"]) == ("member", "LIMIT")
    assert (node["start_line"], node["end_line"], node["state"]) == (4, 4, "moved")


def test_outline_lists_members_of_classes(feeder: RunFeeder, repo: Repo) -> None:
    """Below their class, at its depth and one more, also in a later part of a long class."""
    steps = "".join(f"    STEP_{at} = 'a step of the process, number {at}'\n" for at in range(90))
    outer = "class Outer:\n    LIMIT = 3\n\n    class Inner:\n        size = 1\n"
    repo.commit({"a.py": f"{outer}\n\nclass Long:\n{steps}"})
    assert feeder(repo, "sync", "-q").code == 0
    [file] = feeder(repo, "outline", "a.py", "--json").json["files"]
    rows = [
        (node["node_type"], node["symbol"], node["start_line"], node["depth"])
        for node in file["nodes"]
    ]
    assert rows[:5] == [
        ("class", "Outer", 1, 0),
        ("member", "Outer.LIMIT", 2, 1),
        ("class", "Outer.Inner", 4, 1),
        ("member", "Outer.Inner.size", 5, 2),
        ("class", "Long", 8, 0),
    ]
    assert rows[5:] == [("member", f"Long.STEP_{at}", at + 9, 1) for at in range(90)]
    lines = feeder(repo, "outline", "a.py", "--depth", "1").out.splitlines()
    assert [line.split()[2] for line in lines[1:-1]] == ["Outer", "Long"]


def test_outline_lists_every_node_of_a_name(feeder: RunFeeder, shop: Repo) -> None:
    """Hundreds in a row are shown as ranges, and in full in JSON. A long node is listed once."""
    many = "".join(f"def usual():\n    return {at}\n\n\n" for at in range(500))
    long = "def long():\n" + "".join(f"    step{at} = {at} * one_thing\n" for at in range(300))
    two = "def near(): return 1\ndef near(): return 2\n"
    shop.commit({"many.py": many, "long.py": long, "two.py": two})
    feeder(shop, "sync", "-q")
    assert feeder(shop, "outline", "many.py").out.splitlines()[1:-1] == [
        "         1-2  method  usual  def usual():",
        "            and 499 more of this name: 5-6, 9-10, 13-14, 17-18, …, 1997-1998",
    ]
    [file] = feeder(shop, "outline", "many.py", "--json").json["files"]
    places = [(node["start_line"], node["end_line"]) for node in file["nodes"]]
    assert places == [(4 * at + 1, 4 * at + 2) for at in range(500)]
    assert {node["depth"] for node in file["nodes"]} == {0}
    assert feeder(shop, "outline", "long.py").out.splitlines()[1:-1] == [
        "       1-301  method  long  def long():"
    ]
    assert feeder(shop, "outline", "two.py").out.splitlines()[1:-1] == [
        "         1-1  method  near  def near():",
        "         2-2  method  near  def near():",
    ]


def test_outline_indents_nodes_on_the_same_lines_by_name(feeder: RunFeeder, shop: Repo) -> None:
    text = "class A { b() {} }\nfunction f() {} function g() {}\n"
    shop.commit({"web/a.js": text})
    feeder(shop, "sync", "-q")
    lines = feeder(shop, "outline", "web/a.js").out.splitlines()[1:-1]
    assert [line.split("method")[0].split("class")[0] for line in lines] == [
        "         1-1  ",
        "         1-1    ",
        "         2-2  ",
        "         2-2  ",
    ]


def test_outline_follows_edits(feeder: RunFeeder, shop: Repo) -> None:
    text = (shop.path / "src/api/routes.py").read_text()
    (shop.path / "src/api/routes.py").write_text("\n" + text.replace("return 1", "return 2"))
    assert feeder(shop, "outline", "src/api/routes.py").out.splitlines()[1:3] == [
        "         2-3  method  total  def total():  (edited since, was 1-2)",
        "         6-7  method  routes  def routes():  (moved from 5-6)",
    ]


@pytest.mark.parametrize("name", ["c#.py", "c#/#.py", "li\ne.py", "12:3.py"])
@pytest.mark.parametrize("sign", ["#unusual", ":1-2"])
def test_file_name_may_contain_target_separators(
    feeder: RunFeeder, shop: Repo, name: str, sign: str
) -> None:
    """An existing file takes precedence."""
    shop.commit({name: "def unusual():\n    return 1\n"})
    feeder(shop, "sync", "-q")
    [hit] = feeder(shop, "show", f"{name}{sign}", "--json").json["hits"]
    assert (hit["path"], hit["text"]) == (name, "def unusual():\n    return 1")


ODD = b"odd/\xff\xfe.py"


@pytest.mark.parametrize(
    "typed",
    [os.fsdecode(ODD), r"odd/\xff\xfe.py", r"\xff\xfe.py", r"./odd/\xff\xfe.py"],
    ids=["as it lies there", "as it is shown", "its name alone", "from here"],
)
def test_file_name_that_is_not_utf8_is_accepted_as_printed(
    feeder: RunFeeder, shop: Repo, typed: str
) -> None:
    """Every command accepts the printed form and the raw bytes."""
    shop.commit({ODD: "def unusual():\n    return 1\n"})
    feeder(shop, "sync", "-q")
    first = r"odd/\xff\xfe.py:1-2  method  unusual"
    for sign in ("", "#unusual"):
        assert feeder(shop, "show", f"{typed}{sign}").out.splitlines()[0] == first
    assert feeder(shop, "search", "unusual", "--path", typed, "-n", "1").out.startswith(first)
    if "odd" in typed:
        assert feeder(shop, "outline", typed).out.splitlines()[0] == r"odd/\xff\xfe.py"


def test_file_name_with_a_backslash_is_accepted_raw_and_escaped(
    feeder: RunFeeder, shop: Repo
) -> None:
    r"""A file named `\\xff`, of four characters, differs from the one with that byte."""
    shop.commit({rb"n\xff.py".decode(): "def four():\n    pass\n"})
    feeder(shop, "sync", "-q")
    for typed in (r"n\xff.py", r"n\x5cxff.py"):
        assert feeder(shop, "show", typed).out.startswith(r"n\x5cxff.py:1-2  method  four")


@pytest.mark.parametrize("target", ["src/cart.py", "src/cart.py:12"])
def test_file_that_became_binary_has_no_lines(feeder: RunFeeder, shop: Repo, target: str) -> None:
    """The message says that it exists and what to do."""
    (shop.path / "src/cart.py").write_bytes(b"\0\1\2")
    answer = feeder(shop, "show", target)
    assert answer.code == 2
    assert answer.err.splitlines()[-1] == (
        "feeder: src/cart.py is no longer a text file. Restore it, or commit it and "
        "update the index: feeder sync"
    )
    [hit] = feeder(shop, "show", "src/cart.py#Cart.total", "--json").json["hits"]
    assert (hit["state"], hit["text"]) == ("gone", None)
    assert "(gone: " in feeder(shop, "outline", "src/cart.py").out


def test_many_nodes_of_a_name_in_one_file_do_not_hide_other_files(
    feeder: RunFeeder, shop: Repo
) -> None:
    many = "".join(f"def usual():\n    return {at}\n\n\n" for at in range(400))
    shop.commit({"a.py": many, "b.py": "def usual():\n    return 1\n"})
    feeder(shop, "sync", "-q")
    assert "'usual' matches 2 targets: a.py#usual, b.py#usual." in feeder(shop, "show", "usual").err


@pytest.mark.parametrize(
    "command", [["stats"], ["outline", "src"], ["show", "Cart.total"], ["search", "total", "-n1"]]
)
def test_repository_may_be_given_by_the_last_part_of_its_name(
    feeder: RunFeeder, shop: Repo, command: list[str]
) -> None:
    """In every command; if several match, all are named."""
    feeder(shop, "sync", "-q", "--repo", "acme/shop", "--db", "shared.db")

    def asked(repo: str) -> CommandResult:
        return feeder(shop, *command, "--db", "shared.db", "--repo", repo)

    assert asked("shop").out == asked("acme/shop").out != ""
    missed = asked("shpo")
    assert (missed.code, missed.out) == (2, "")
    assert "feeder: The index has no repository 'shpo'. The nearest: acme/shop." in missed.err
    feeder(shop, "sync", "-q", "--repo", "other/shop", "--db", "shared.db")
    several = asked("shop")
    assert (several.code, several.out) == (2, "")
    assert (
        "The name shop matches several repositories: acme/shop, other/shop. Use a full name."
        in several.err
    )
    assert asked("acme/shop").code == 0


LONG_TABLE = "".join(f"    'NAME_OF_A_SETTING_{at}': 'value number {at}',\n" for at in range(120))
SETTINGS = f"import os\n\n\nDEFAULTS = {{\n{LONG_TABLE}}}\n\nOTHER = 1\n"
ERRORS = (
    'package storage\n\nimport "errors"\n\n// The errors.\nvar (\n'
    '\tErrNotFound = errors.New("not found")\n\tErrOutOfBounds = errors.New("out of bounds")\n)\n'
)


def test_long_constant_is_shown_to_its_end(feeder: RunFeeder, repo: Repo) -> None:
    """Although its chunk has only the first lines; also after the file has changed."""
    repo.commit({"shop/settings.py": SETTINGS})
    assert feeder(repo, "sync", "-q").code == 0
    for target in ("DEFAULTS", "shop/settings.py#DEFAULTS", "settings.DEFAULTS"):
        lines = feeder(repo, "show", target).out.splitlines()
        assert lines[0] == "shop/settings.py:1-125  chunk"
        assert lines[4] == "     4  DEFAULTS = {"
        assert lines[-2] == "   125  }"
    repo.write({"shop/settings.py": f"# new\n{SETTINGS}"})
    lines = feeder(repo, "show", "DEFAULTS").out.splitlines()
    assert lines[0] == "shop/settings.py:2-126  chunk  (moved from 1-35)"
    assert "   126  }" in lines


@pytest.mark.parametrize(
    "name",
    ["storage.ErrOutOfBounds", "interface.ErrOutOfBounds", "storage.interface.ErrOutOfBounds"],
)
def test_constant_is_found_by_the_name_of_its_package_or_module(
    feeder: RunFeeder, repo: Repo, name: str
) -> None:
    use = "package scrape\n\nfunc add() error {\n\treturn storage.ErrOutOfBounds\n}\n"
    repo.commit({"storage/interface.go": ERRORS, "scrape/target.go": use})
    assert feeder(repo, "sync", "-q").code == 0
    assert "ErrOutOfBounds = errors.New" in feeder(repo, "show", name).out
    [first, *_] = feeder(repo, "search", name, "--json").json["hits"]
    assert (first["path"], first["name_rank"]) == ("storage/interface.go", 1)
    assert first["member"] == {"name": "ErrOutOfBounds", "line": 8}
    assert feeder(repo, "show", "scrape.ErrOutOfBounds").code == 2


def test_many_targets_have_lines_of_their_own(feeder: RunFeeder, repo: Repo) -> None:
    """The first ten of twelve files with a function of one name."""
    repo.commit({f"f{at:02}.py": "def main():\n    pass\n" for at in range(12)})
    assert feeder(repo, "sync", "-q").code == 0
    assert feeder(repo, "show", "main").err.splitlines()[-12:] == [
        "feeder: 'main' matches 12 targets. Choose one of them:",
        *(f"  f{at:02}.py#main" for at in range(10)),
        "  2 more",
    ]

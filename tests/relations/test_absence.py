"""What `references` says where no site is resolved: nothing refers only if no code has the name."""

import pytest

from command_runner import RunFeeder
from feeder.relations.name_lines import lines_of_code
from source.repos import Repo

FILES: dict[str, str | bytes] = {
    "a.py": (
        'def total(x):\n    """total of x"""\n    return x  # total\n\n\n'
        "def quiet():\n    pass\n\n\ndef used():\n    pass\n"
    ),
    "b.py": (
        "from a import used\n\n\nclass Cart:\n    def used(self):\n        return self.used()\n\n\n"
        'RULES = {"x": lambda obj: obj.total}\n# quiet\nNAME = "quiet"\nused()\n'
    ),
}


@pytest.fixture
def indexed(feeder: RunFeeder, repo: Repo) -> Repo:
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    return repo


def test_lines_with_the_name_are_shown_where_no_site_is_resolved(
    feeder: RunFeeder, indexed: Repo
) -> None:
    """Line 9 of b.py is the only code with `total`, beside its declaration."""
    answer = feeder(indexed, "references", "a.py#total", "--json").json
    assert answer["total"] == 0
    line = {"path": "b.py", "line": 9, "text": 'RULES = {"x": lambda obj: obj.total}'}
    assert answer["lines_with_name"] == [line]
    printed = feeder(indexed, "references", "a.py#total")
    assert 'b.py:9: RULES = {"x": lambda obj: obj.total}' in printed.out
    assert "No resolved reference to total; 1 line of code has the name" in printed.err
    assert "Nothing" not in printed.err


def test_nothing_refers_to_a_name_in_comments_and_strings_alone(
    feeder: RunFeeder, indexed: Repo
) -> None:
    printed = feeder(indexed, "references", "a.py#quiet")
    assert "Nothing in the index refers to quiet." in printed.err
    assert feeder(indexed, "references", "a.py#quiet", "--json").json["lines_with_name"] == []


def test_sites_that_mean_something_else_are_counted_and_listed(
    feeder: RunFeeder, indexed: Repo
) -> None:
    """`self.used()` is Cart's own; the import and the call of `used` are resolved."""
    printed = feeder(indexed, "references", "a.py#used")
    counts = "2 references: 2 resolved, 0 by name; 1 left out because it means something else"
    assert f"{counts} (--all lists them)." in printed.err
    answer = feeder(indexed, "references", "a.py#used", "--all", "--json").json
    assert answer["left_out"] == 1
    [other] = answer["elsewhere"]
    assert (other["path"], other["line"], other["kind"]) == ("b.py", 6, "call")
    assert "b.py:6" in feeder(indexed, "references", "a.py#used", "--all").out


def test_default_export_behind_a_call_is_possible(feeder: RunFeeder, repo: Repo) -> None:
    """What `memo` returns is not known, so that `<Card />` in app.tsx is listed by name."""
    repo.commit(
        {
            "ui/package.json": '{"name": "@acme/ui", "exports": {".": "./src/index.ts"}}',
            "ui/src/index.ts": 'export { default } from "./Card";\n',
            "ui/src/Card.tsx": "const Card = () => null;\nexport default memo(Card);\n",
            "app.tsx": 'import Card from "@acme/ui";\nexport const app = <Card />;\n',
            "other.tsx": 'import Card from "antd";\nexport const other = <Card />;\n',
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", "ui/src/Card.tsx#Card", "--json").json
    places = {
        (reference["path"], reference["line"]): reference["resolved"]
        for reference in answer["references"]
    }
    assert places["app.tsx", 2] is False
    assert ("other.tsx", 2) not in places


@pytest.mark.parametrize(
    ("language", "text", "lines"),
    [
        ("rust", "fn f<'a>(x: helper<'a>) {}\nlet c = '\"'; helper('\"');\n", [1, 2]),
        ("rust", '/// helper\nlet s = "helper";\n', []),
        ("python", 'print(f"{helper(1)}")\nx = "helper"  # helper\n', [1]),
        ("python", '"""helper\n\nhelper"""\nx = """{helper}"""\n', [4]),
        (
            "javascript",
            "x.replace(/'/g, helper(y)); z = 'a';\nconst u = 'http://a'; helper();\n",
            [1, 2],
        ),
        ("javascript", "x.replace(/a\\//, helper(y));\n/* helper\n helper */ y();\n", [1]),
        ("c", "char c = '\\''; helper(c); // helper\n", [1]),
        ("php", "# helper\n// helper\nhelper();\n", [3]),
    ],
)
def test_lines_of_code(language: str, text: str, lines: list[int]) -> None:
    """Outside of comments and strings; where quotes may enclose code, the line counts."""
    assert lines_of_code(text, "helper", language) == lines


def test_filters_that_exclude_all_references_are_said(feeder: RunFeeder, indexed: Repo) -> None:
    """`used` is imported and called by the module; nothing inherits it."""
    printed = feeder(indexed, "references", "a.py#used", "--kind", "inherit")
    assert "The filters exclude all 2 references to used." in printed.err
    assert "Nothing" not in printed.err


def test_callers_say_that_code_has_the_name(feeder: RunFeeder, indexed: Repo) -> None:
    printed = feeder(indexed, "references", "a.py#total", "--depth", "2")
    assert 'b.py:9: RULES = {"x": lambda obj: obj.total}' in printed.out
    assert "No resolved reference to total; 1 line of code has the name" in printed.err


def test_declaration_of_a_member_is_no_line_with_its_name(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit({"a.py": "class Cart:\n    total_size = 3\n\n    def add(self):\n        pass\n"})
    assert feeder(repo, "sync", "-q").code == 0
    printed = feeder(repo, "references", "a.py#Cart.total_size")
    assert "Nothing in the index refers to Cart.total_size." in printed.err


def test_file_that_cannot_be_read_is_no_proof_of_nothing(feeder: RunFeeder, repo: Repo) -> None:
    """b.py is neither in the working tree nor in git any more."""
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    (repo.path / "b.py").unlink()
    (repo.path / ".git").rename(repo.path / "no.git")
    printed = feeder(repo, "references", "a.py#total")
    assert "Nothing" not in printed.err


UNINDEXED: dict[str, str | bytes] = {
    "Cart.m": (
        "@implementation Cart\n- (int)total {\n  return 1;\n}\n@end\n\n"
        "int total(void) {\n  return 2;\n}\n\nint use(void) {\n  return total();\n}\n"
    ),
    "cart.lua": "local function helper(x) return x end\nprint(helper(1))\n",
    "Givens.scala": "package shop\n\nobject Givens:\n  given Ordering[Item] = Ordering.by(_.n)\n",
}


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("Cart.m#Cart.total", "Objective-C messages are not indexed."),
        ("cart.lua#helper", "relations of lua are not indexed, unless a grammar file adds them."),
        ("Givens.scala:4", "implicit uses of instances without a name are not indexed."),
    ],
)
def test_references_of_a_kind_that_is_not_indexed_are_at_least_those_listed(
    feeder: RunFeeder, repo: Repo, target: str, reason: str
) -> None:
    repo.commit(UNINDEXED)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "references", target, "--json").json
    assert answer["at_least"]
    assert answer["reason"].endswith(reason)


def test_by_name_sites_do_not_hide_that_messages_are_not_indexed(
    feeder: RunFeeder, repo: Repo
) -> None:
    """`cart.count` may be the property of this class."""
    repo.commit(
        {
            "Cart.m": "@interface Cart\n- (int)count;\n@end\n",
            "use.m": '#import "Cart.m"\nint use(Cart *cart) {\n  return cart.count;\n}\n',
        }
    )
    assert feeder(repo, "sync", "-q").code == 0
    printed = feeder(repo, "references", "Cart.m#Cart.count")
    assert printed.err.splitlines()[1].endswith("; Objective-C messages are not indexed.")


def test_impact_says_which_references_are_not_indexed(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit(UNINDEXED)
    repo.commit({"cart.lua": "local function helper(x, y) return x end\nprint(helper(1))\n"})
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "impact", "--json").json
    limit = "Relations of lua are not indexed, unless a grammar file adds them."
    assert (answer["limits"], answer["at_least"]) == ([limit], True)


def test_cut_list_says_so_with_quiet_too(feeder: RunFeeder, repo: Repo) -> None:
    """Two of three calls are listed; with all three, nothing is said."""
    repo.commit({"a.py": "def total():\n    pass\n\n\ntotal()\ntotal()\ntotal()\n"})
    assert feeder(repo, "sync", "-q").code == 0
    cut = feeder(repo, "references", "total", "-q", "-n", "2").err
    assert cut == "1 to 2 of 3 references: 3 resolved, 0 by name; more: --offset 2.\n"
    assert feeder(repo, "references", "total", "-q").err == ""

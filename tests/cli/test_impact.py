"""`feeder impact` lists what a change touches."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from command_runner import RunFeeder
from source.repos import Repo

FILES: dict[str, str | bytes] = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        "LIMIT_OF_LINES = 10\n\n\n"
        "class Cart:\n"
        "    def add(self, item):\n"
        "        self.items.append(item)\n\n"
        "    def close(self):\n"
        "        self.items.clear()\n"
    ),
    "shop/gift.py": (
        "from shop.cart import Cart\n\n\n"
        "class Gift(Cart):\n"
        "    def add(self, item):\n"
        "        self.wrap(item)\n"
    ),
    "shop/order.py": (
        "from shop.cart import Cart\n\n\n"
        "def order(item):\n"
        "    cart = Cart()\n"
        "    cart.add(item)\n"
        "    return cart\n"
    ),
    "tests/test_cart.py": (
        "from shop.cart import Cart\n\n\ndef test_add():\n    cart = Cart()\n    cart.add(1)\n"
    ),
    "tests/test_buying.py": (
        "from shop.order import order\n\n\ndef test_order():\n    assert order(1)\n"
    ),
    "tests/test_other.py": "def test_sum():\n    assert sum([1, 2]) == 3\n",
    "docs/guide.md": "# Guide\n\nFill it with `Cart.add`. Do add salt.\n",
}

EDITED = str(FILES["shop/cart.py"]).replace("def add(self, item):", "def add(self, item, n=1):")


@pytest.fixture
def environment() -> Mapping[str, str]:
    return {"FEEDER_VECTORS": "no"}


@pytest.fixture
def shop(feeder: RunFeeder, repo: Repo) -> Repo:
    """Two commits: all files, then another signature of `Cart.add`; the index equals the second."""
    repo.commit(FILES)
    repo.commit({"shop/cart.py": EDITED})
    assert feeder(repo, "sync", "-q").code == 0
    return repo


def sites(answer: dict[str, Any]) -> list[tuple[str, int, str, bool]]:
    return [
        (reference["path"], reference["line"], reference["kind"], reference["resolved"])
        for reference in answer["references"]
    ]


def test_change_of_a_method(feeder: RunFeeder, shop: Repo) -> None:
    """The last commit without `--base`: its callers and overriding members, and tests."""
    answer = feeder(shop, "impact", "--json").json
    [changed] = answer["changed"]
    assert (changed["name"], changed["change"], changed["path"]) == (
        "Cart.add",
        "edited",
        "shop/cart.py",
    )
    assert (changed["start_line"], changed["end_line"]) == (5, 6)
    assert changed["signature_changed"]
    assert sites(answer) == [
        ("shop/gift.py", 5, "override", True),
        ("shop/order.py", 6, "call", True),
    ]
    assert {reference["of"] for reference in answer["references"]} == {changed["id"]}
    assert answer["references"][1]["text"] == "    cart.add(item)"
    assert answer["references"][1]["enclosing"]["symbol"] == "order"
    tests = [(test["path"], test["node"], test["steps"]) for test in answer["tests"]]
    assert tests[:2] == [
        ("tests/test_cart.py", "test_add", 1),
        ("tests/test_buying.py", "test_order", 2),
    ]
    assert "name" in answer["tests"][0]["reasons"]
    assert [(document["path"], document["line"]) for document in answer["documents"]] == [
        ("docs/guide.md", 3)
    ]
    assert answer["totals"]["references"] == 2
    assert not answer["at_least"]


def test_commit_to_compare_with_is_an_argument_or_an_option(feeder: RunFeeder, shop: Repo) -> None:
    for arguments in (["HEAD~1"], ["--base", "HEAD~1"]):
        [changed] = feeder(shop, "impact", *arguments, "--json").json["changed"]
        assert changed["name"] == "Cart.add"
    assert feeder(shop, "impact", "HEAD", "--json").json["changed"] == []
    both = feeder(shop, "impact", "HEAD~1", "--base", "HEAD")
    assert (both.code, both.err) == (
        2,
        "feeder: REF and --base both name a commit. Use only one of them.\n",
    )


def test_test_files_for_a_runner(feeder: RunFeeder, shop: Repo) -> None:
    """Paths alone on stdout."""
    answer = feeder(shop, "impact", "--tests")
    assert answer.out.splitlines()[:2] == ["tests/test_cart.py", "tests/test_buying.py"]
    assert "Compared HEAD with" in answer.err
    assert feeder(shop, "impact", "--tests", "-n", "1").out == "tests/test_cart.py\n"


def edit_tests(repo: Repo) -> None:
    """Edits a test and what is none, adds a test, removes another one and renames a third."""
    repo.git("mv", "tests/test_buying.py", "tests/test_order.py")
    repo.commit(
        {
            "shop/cart.py": EDITED.replace("n=1", "n=2"),
            "tests/test_cart.py": str(FILES["tests/test_cart.py"]) + "    assert cart\n",
            "tests/test_new.py": "def test_new():\n    assert True\n",
            "tests/test_other.py": None,
            "tests/conftest.py": "def pytest_configure(config):\n    pass\n",
            "tests/helpers.py": "def make_cart():\n    return 1\n",
            "tests/test_data.json": "{}\n",
            "tests/fixtures/test_sample.py": "def test_sample():\n    pass\n",
            "tests/test_page.html": "<script>\nfunction test() {\n  go();\n}\n</script>\n",
        }
    )


CHANGED_TESTS = ["tests/test_cart.py", "tests/test_new.py", "tests/test_order.py"]


@pytest.mark.parametrize("indexed", ["before", "after"])
def test_changed_tests_come_first(feeder: RunFeeder, shop: Repo, indexed: str) -> None:
    """Without helpers, fixtures, data, pages and removed files, whichever version is indexed."""
    shop.commit(
        {"tests/test_far.py": "from shop.cart import Cart\n\n\ndef test_far():\n    Cart()\n"}
    )
    assert feeder(shop, "sync", "-q").code == 0
    edit_tests(shop)
    if indexed == "after":
        assert feeder(shop, "sync", "-q").code == 0
    expected = [*CHANGED_TESTS, "tests/test_far.py"]
    assert feeder(shop, "impact", "--tests", "-q").out.splitlines() == expected
    answer = feeder(shop, "impact", "--json").json
    assert [test["path"] for test in answer["tests"]] == expected
    assert [test["reasons"] for test in answer["tests"]][:3] == [["changed"]] * 3
    assert answer["totals"]["tests"] == 4
    cut = feeder(shop, "impact", "--tests", "-n", "1")
    assert cut.out.splitlines() == CHANGED_TESTS  # a changed test is never left out
    assert "Only the first 3 are listed. For all: -n 4" in cut.err


MANY_TESTS = 24


def test_all_tests_are_listed_to_run_and_the_first_to_read(feeder: RunFeeder, shop: Repo) -> None:
    """A list that is cut would run too few tests."""
    test = "from shop.cart import Cart\n\n\ndef test_far():\n    cart = Cart()\n    cart.add(1)\n"
    shop.commit({f"tests/test_far_{number}.py": test for number in range(MANY_TESTS)})
    shop.commit({"shop/cart.py": EDITED.replace("n=1", "n=2")})
    assert feeder(shop, "sync", "-q").code == 0
    listed = feeder(shop, "impact", "--tests", "-q").out.splitlines()
    assert {f"tests/test_far_{number}.py" for number in range(MANY_TESTS)} <= {*listed}
    assert len(feeder(shop, "impact", "--json").json["tests"]) == 20


def test_left_out_entries_are_counted_up(feeder: RunFeeder, repo: Repo) -> None:
    """Of five functions that are gone, the last two are called, and the first one is listed."""
    gone = "".join(f"def gone{number}():\n    pass\n\n\n" for number in range(5))
    calls = "    gone3()\n    gone4()\n"
    use = f"from shop.gone import *\n\n\ndef use():\n{calls}"
    repo.commit({"shop/gone.py": gone, "shop/use.py": use, "shop/__init__.py": ""})
    repo.commit({"shop/gone.py": "RATE = 1\n"})
    assert feeder(repo, "sync", "-q").code == 0
    for limit in range(1, 6):
        text = feeder(repo, "impact", "-n", str(limit)).out
        counts = [int(line.split()[1]) for line in text.splitlines() if line.startswith("  … ")]
        assert all(count > 0 for count in counts), text
        assert bool(counts) == (limit < 5), text


def test_limits_are_said_in_every_form(feeder: RunFeeder, repo: Repo) -> None:
    """Of 301 changed files 300 are compared; of their 300 functions 60 are looked up, 40 of them in
    documents, and similar code is looked for to 8. A guide names the first one in four lines.
    """
    old = {f"src/m{n:03}.py": f"def make_{n:03}():\n    return 1\n" for n in range(301)}
    guide = "Call `make_000`.\n\n" * 4
    repo.commit({**old, "docs/guide.md": f"# Guide\n\n{guide}"})
    repo.commit({path: str(text).replace("1\n", "2\n") for path, text in old.items()})
    assert feeder(repo, "sync", "-q").code == 0
    limits = [
        "300 of 301 changed files were compared.",
        "References to 60 of 300 changed nodes were looked up, changed signatures first.",
        "Documents were searched for the first 40 of 300 names.",
        "At most 3 lines of a document are listed for each name.",
        "Similar code was looked up for 8 of 300 edited methods.",
    ]
    answer = feeder(repo, "impact", "--json").json
    assert (answer["limits"], answer["at_least"]) == (limits, True)
    assert feeder(repo, "impact", "-q").err.splitlines() == limits
    assert {*limits} <= {*feeder(repo, "impact").err.splitlines()}
    tests = feeder(repo, "impact", "--tests", "-q")
    assert (tests.code, tests.out, tests.err.splitlines()) == (5, "", limits[:2])


def test_files_that_change_together_are_counted_up(feeder: RunFeeder, repo: Repo) -> None:
    """Of twelve files that always changed with this one, ten are listed."""
    for value in range(4):
        files = {f"with{n:02}.txt": f"{value}\n" for n in range(12)}
        repo.commit({**files, "shop.py": f"def one():\n    return {value}\n"})
    repo.commit({"shop.py": "def one():\n    return 9\n"})
    assert feeder(repo, "sync", "-q").code == 0
    text = feeder(repo, "impact").out
    section = text.partition("Usually changed together\n")[2].splitlines()
    assert (section[9].split()[0], section[10]) == ("with09.txt", "  … 2 more")


def test_changed_tests_of_the_working_tree(feeder: RunFeeder, shop: Repo) -> None:
    """Also those that are not committed, and no source changed."""
    (shop.path / "tests/test_new.py").write_text("def test_new():\n    pass\n")
    (shop.path / "tests/test_other.py").unlink()
    answer = feeder(shop, "impact", "--tests", "--working-tree", "-q")
    assert (answer.code, answer.out) == (0, "tests/test_new.py\n")


def test_a_test_that_was_only_touched_has_not_changed(feeder: RunFeeder, shop: Repo) -> None:
    """git lists a file with another time until it compares the contents."""
    file = shop.path / "tests/test_other.py"
    os.utime(file, (1, 1))
    touched = shop.git("diff-index", "--name-only", "HEAD")
    answer = feeder(shop, "impact", "--tests", "--working-tree", "-q", "--no-refresh")
    assert "tests/test_other.py" in touched
    assert (answer.code, answer.out) == (5, "")


@pytest.mark.parametrize("as_json", [False, True])
def test_no_test_to_run_has_an_exit_code_of_its_own(
    feeder: RunFeeder, repo: Repo, *, as_json: bool
) -> None:
    repo.commit({"a.py": "A = 1\n", "tests/conftest.py": "def fixture():\n    pass\n"})
    repo.commit({"a.py": "A = 2\n"})
    assert feeder(repo, "sync", "-q").code == 0
    assert feeder(repo, "impact").code == 0
    answer = feeder(repo, "impact", "--tests", "-q", *(["--json"] if as_json else []))
    assert answer.code == 5
    assert answer.json["tests"] == [] if as_json else (answer.out, answer.err) == ("", "")


def test_helpers_are_known_by_what_they_declare(feeder: RunFeeder, repo: Repo) -> None:
    """In a folder whose tests have no name of their own, and with a helper named as a test."""
    library = "function send(body) {\n  return body;\n}\nmodule.exports = send;\n"
    use = "const send = require('../lib/send');\n"
    helper = f"{use}function check(body) {{\n  return send(body);\n}}\n"
    repo.commit(
        {
            "lib/send.js": library,
            "test/app.use.js": f"{use}it('sends', () => {{\n  send(1);\n}});\n",
            "test/support/check.js": helper,
            "test/test-utils.js": helper,
        }
    )
    repo.commit({"lib/send.js": library.replace("return body", "return [body]")})
    assert feeder(repo, "sync", "-q").code == 0
    assert feeder(repo, "impact", "--tests", "-q").out == "test/app.use.js\n"


def test_test_named_after_the_changed_symbol(feeder: RunFeeder, repo: Repo) -> None:
    """Nothing else connects them."""
    library = "var res = {};\nres.download = function download(path) {\n  return path;\n};\n"
    test = "it('works', () => {\n  request('/');\n});\n"
    names = ("res.download", "res.send", "app.use")
    repo.commit({"lib/response.js": library})
    repo.commit({f"test/{name}.js": test for name in names})
    repo.commit({"lib/response.js": library.replace("return path", "return [path]")})
    assert feeder(repo, "sync", "-q").code == 0
    assert feeder(repo, "impact", "--tests", "-q").out == "test/res.download.js\n"


SHELL_LINE = r"""
tests=$(feeder impact --tests -q) &&
(IFS=$(printf '\n\r'); runner $(echo "$tests")) || [ $? -eq 5 ]
"""
"""The line of `--help` and the documents, with another runner."""


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "zsh"])
@pytest.mark.parametrize(
    ("feeder_code", "runner_code", "expected"),
    [(0, 0, 0), (0, 1, 1), (5, 0, 0), (2, 0, 1)],
)
def test_shell_line_runs_the_tests_or_nothing(
    tmp_path: Path, shell: str, feeder_code: int, runner_code: int, expected: int
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    out = "a/test a.py\nb/test_b.py\n" if feeder_code == 0 else ""
    scripts = {
        "feeder": f"printf '{out}'; exit {feeder_code}",
        "runner": f"printf '%s|' $# \"$@\"; exit {runner_code}",
    }
    for name, text in scripts.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    run = subprocess.run(
        [shell, "-ec", SHELL_LINE], env=environment, capture_output=True, text=True, check=False
    )
    ran = "2|a/test a.py|b/test_b.py|" if feeder_code == 0 else ""
    assert (run.returncode, run.stdout) == (expected, ran)


def test_shell_line_is_the_documented_one(feeder: RunFeeder, repo: Repo) -> None:
    line = " ".join(SHELL_LINE.replace("runner", "pytest").split())
    page = (Path(__file__).parents[2] / "docs/reference/references.md").read_text()
    for text in (feeder(repo, "impact", "--help").out, page):
        assert line in " ".join(text.split())


def test_working_tree(feeder: RunFeeder, shop: Repo) -> None:
    """An edited constant, a removed method, an untracked file; HEAD itself has nothing of these."""
    text = EDITED.replace("= 10", "= 20").partition("    def close")[0]
    (shop.path / "shop/cart.py").write_text(text)
    (shop.path / "shop/new.py").write_text("def fresh():\n    pass\n")
    answer = feeder(shop, "impact", "--working-tree", "--json").json
    changed = {node["name"]: node["change"] for node in answer["changed"]}
    assert changed == {"LIMIT_OF_LINES": "edited", "Cart.close": "removed", "fresh": "added"}
    assert "Cart.add" not in changed


def test_base_is_the_merge_base(feeder: RunFeeder, shop: Repo) -> None:
    """What the other branch changed since does not count."""
    main = shop.git("rev-parse", "--abbrev-ref", "HEAD").strip()
    shop.git("checkout", "-q", "-b", "feature", "HEAD~1")
    shop.commit({"shop/order.py": "def order(item):\n    return None\n"})
    answer = feeder(shop, "impact", "--base", main, "--json").json
    assert [node["name"] for node in answer["changed"] if node["name"]] == ["order"]
    assert answer["tests"][0]["path"] == "tests/test_buying.py"


def test_snapshots_are_no_tests_to_run(feeder: RunFeeder, repo: Repo) -> None:
    """Though their paths are those of tests, and earlier commits changed them with the file."""
    golden = "tests/testdata/cart.golden"
    repo.commit({**FILES, golden: "cart\n"})
    repo.commit({"shop/cart.py": f"{EDITED}\n", golden: "cart 2\n"})
    repo.commit({"shop/cart.py": EDITED})
    assert feeder(repo, "sync", "-q").code == 0
    tests = feeder(repo, "impact", "--tests", "-q").out.splitlines()
    assert sorted(tests) == ["tests/test_buying.py", "tests/test_cart.py", "tests/test_other.py"]


def test_functions_in_a_function_that_becomes_long_are_not_added(
    feeder: RunFeeder, repo: Repo
) -> None:
    """They are nodes of their own only in a long function; only the edited one is named."""
    inner = "".join(
        f"  function step{at}(cart) {{\n    return cart.add({at});\n  }}\n" for at in range(4)
    )
    filler = "".join(f"  fill('line {at} of a long function');\n" for at in range(90))
    short, long = f"function run() {{\n{inner}}}\n", f"function run() {{\n{inner}{filler}}}\n"
    for before, after in [(short, long), (long, short)]:
        repo.commit({"run.js": before})
        repo.commit({"run.js": after.replace("cart.add(3)", "cart.add(4)")})
        assert feeder(repo, "sync", "-q").code == 0
        changed = feeder(repo, "impact", "--json").json["changed"]
        assert [node["name"] for node in changed if node["name"] != "run"] == ["run.step3"]


def test_near_duplicates(feeder: RunFeeder, repo: Repo) -> None:
    body = "\n".join(f"    rows.append(render(line_{n}, width, height))" for n in range(6))
    function = "def {name}(rows, width, height):\n{body}\n    return rows\n"
    first = function.format(name="print_bill", body=body)
    other = function.format(name="print_offer", body=body)
    repo.commit({"a.py": first, "b.py": other, "c.py": "def far():\n    return 1\n"})
    assert feeder(repo, "sync", "-q").code == 0
    (repo.path / "a.py").write_text(first.replace("return rows", "return list(rows)"))
    answer = feeder(repo, "impact", "--working-tree", "--json").json
    assert [(node["path"], node["symbol"]) for node in answer["similar"]] == [
        ("b.py", "print_offer")
    ]
    assert answer["similar"][0]["similarity"] > 0.8


def test_text_has_sections_and_counts(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "impact", "-n", "1")
    assert answer.out.splitlines() == [
        "Signatures and deletions",
        "  edited  shop/cart.py:5-6  Cart.add",
        "    was def add(self, item):",
        "    now def add(self, item, n=1):",
        "    shop/gift.py:5  override  def add(self, item):",
        "    … 1 more",
        "",
        "Tests",
        "  tests/test_cart.py  test_add  (reference, name, history)",
        "  1 more test file has changed together with these files in the past",
        "  … 1 more",
        "",
        "Documents",
        "  docs/guide.md:3  Cart.add  Fill it with `Cart.add`. Do add salt.",
    ]


def test_callers_that_the_change_edits_are_named_below_a_signature(
    feeder: RunFeeder, repo: Repo
) -> None:
    """After those that it leaves as they were."""
    repo.commit(FILES)
    order = str(FILES["shop/order.py"])
    late = "from shop.cart import Cart\n\n\ndef late():\n    cart = Cart()\n    cart.add(2)\n"
    repo.commit({"shop/zoo.py": late})
    repo.commit(
        {"shop/cart.py": EDITED, "shop/order.py": order.replace("add(item)", "add(item, 2)")}
    )
    feeder(repo, "sync", "-q")
    out = feeder(repo, "impact").out.splitlines()
    assert out[4:7] == [
        "    shop/gift.py:5  override  def add(self, item):",
        "    shop/zoo.py:6  call  cart.add(2)",
        "    shop/order.py:6  call  cart.add(item, 2)  (edited too)",
    ]
    answer = feeder(repo, "impact", "--json").json
    assert [reference["edited"] for reference in answer["references"]] == [False, False, True]
    assert answer["changed"][0]["old_signature"] == "def add(self, item):"


def test_change_inside_a_body_names_no_callers_by_name(feeder: RunFeeder, repo: Repo) -> None:
    """A removed method does."""
    files = {**FILES, "shop/box.py": "def fill(box):\n    box.add(1)\n    box.close()\n"}
    repo.commit(files)
    cart = str(files["shop/cart.py"])
    repo.commit({"shop/cart.py": cart.replace("append(item)", "insert(0, item)")})
    feeder(repo, "sync", "-q")
    answer = feeder(repo, "impact", "--json").json
    assert all(resolved for _, _, _, resolved in sites(answer))
    assert {reference["path"] for reference in answer["references"]} == {
        "shop/gift.py",
        "shop/order.py",
    }
    repo.commit({"shop/cart.py": cart.partition("    def close")[0]})
    feeder(repo, "sync", "-q")
    answer = feeder(repo, "impact", "--json").json
    assert ("shop/box.py", 3, "call", False) in sites(answer)


def test_files_that_usually_change_together(feeder: RunFeeder, repo: Repo) -> None:
    """At least three times, and in a fifth of the commits; tests have their own list."""
    for at in range(4):
        more = {"shop/rare.py": f"X = {at}\n"} if at < 2 else {}
        repo.commit(
            {
                "shop/cart.py": f"def total():\n    return {at}\n",
                "shop/price.py": f"PRICE = {at}\n",
                "tests/test_other.py": f"def test_it():\n    assert {at} < 9\n",
                **more,
            }
        )
    repo.commit({"shop/cart.py": "def total():\n    return 9\n"})
    feeder(repo, "sync", "-q")
    answer = feeder(repo, "impact", "--json").json
    assert answer["together"] == [{"path": "shop/price.py", "commits": 4, "of": 4}]
    assert answer["totals"]["together"] == 1
    assert feeder(repo, "impact").out.splitlines()[-6:] == [
        "",
        "Tests",
        "  1 more test file has changed together with these files in the past",
        "",
        "Usually changed together",
        "  shop/price.py  (4 of 4 commits)",
    ]


def test_comment_of_the_next_constant_is_no_change(feeder: RunFeeder, repo: Repo) -> None:
    """Nor are blank lines after a constant."""
    repo.commit({"a.py": "import os\n\n# one\nFIRST = 1\n\n# three\nTHIRD = [\n    3,\n]\n"})
    new = "import os\n\n# one\nFIRST = 1\n\n# two\nSECOND = 2\n\n# three\nTHIRD = [\n    4,\n]\n"
    repo.commit({"a.py": new})
    feeder(repo, "sync", "-q")
    answer = feeder(repo, "impact", "--json").json
    assert {(node["change"], node["name"]) for node in answer["changed"]} == {
        ("added", "SECOND"),
        ("edited", "THIRD"),
    }


@pytest.fixture
def refreshed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index follows the files on disk, as outside of these tests."""
    monkeypatch.setenv("FEEDER_REFRESH", "on")


def own_lines(text: str) -> list[str]:
    """The lines without the first one, which names an index of words only."""
    first, *lines = text.splitlines()
    assert "words only" in first
    return lines


def commit_of(repo: Repo, revision: str = "HEAD") -> str:
    return repo.git("rev-parse", "--short=7", revision).strip()


def test_nothing_to_compare(feeder: RunFeeder, shop: Repo) -> None:
    """The two states are named, and what to type for what may have been meant."""
    head = commit_of(shop)
    lines = own_lines(feeder(shop, "impact", "--working-tree").err)
    assert lines[0] == f"No file differs between {head} and the working tree."
    lines = own_lines(feeder(shop, "impact", "HEAD").err)
    assert lines[:2] == [
        f"No file differs between {head} and HEAD.",
        "Both are the same commit. To list what that commit changes: feeder impact",
    ]


def test_commit_ahead_of_head(feeder: RunFeeder, shop: Repo) -> None:
    shop.git("checkout", "-q", "-b", "ahead")
    shop.commit({"shop/new.py": "def new():\n    pass\n"})
    shop.git("checkout", "-q", "-")
    head = commit_of(shop)
    assert own_lines(feeder(shop, "impact", "ahead").err)[:2] == [
        f"No file differs between {head} and HEAD.",
        "ahead is 1 commit ahead of HEAD, and impact lists what HEAD changes. To list what ahead "
        f"changes, check it out and run: feeder impact {head}",
    ]


@pytest.mark.usefixtures("refreshed")
def test_edits_on_disk_that_are_not_compared(feeder: RunFeeder, shop: Repo) -> None:
    note = "Uncommitted changes were not compared. To compare the files on disk: feeder impact"
    assert note not in feeder(shop, "impact").err
    (shop.path / "shop/order.py").write_text("def order(item):\n    return item\n")
    assert note in feeder(shop, "impact").err
    assert note in feeder(shop, "impact", "HEAD").err
    assert note not in feeder(shop, "impact", "--working-tree").err


@pytest.mark.parametrize("name", ["Cart", "shop/cart.py"])
def test_a_symbol_is_no_commit(feeder: RunFeeder, shop: Repo, name: str) -> None:
    error = feeder(shop, "impact", name)
    assert error.code == 2
    assert f"There is no commit '{name}'" in error.err
    assert f"To list what uses a symbol: feeder references {name}" in error.err
    unknown = feeder(shop, "impact", "0123456789abcdef").err
    assert "There is no commit '0123456789abcdef'" in unknown
    assert "feeder references" not in unknown


@pytest.mark.parametrize("is_committed", [False, True])
@pytest.mark.usefixtures("refreshed")
def test_renamed_file_with_the_imports_of_its_old_path(
    feeder: RunFeeder, shop: Repo, *, is_committed: bool
) -> None:
    """Nothing of it is removed; of its importers only those that do not follow are named."""
    order = str(FILES["shop/order.py"])
    shop.git("mv", "shop/cart.py", "shop/basket.py")
    (shop.path / "shop/order.py").write_text(order.replace("shop.cart", "shop.basket"))
    options = ["--working-tree"]
    if is_committed:
        shop.git("commit", "-q", "-a", "-m", "rename")
        options = []
    answer = feeder(shop, "impact", *options, "--json").json
    [renamed] = answer["renamed"]
    assert (renamed["from"], renamed["to"]) == ("shop/cart.py", "shop/basket.py")
    assert [(site["path"], site["line"]) for site in renamed["imports"]] == [
        ("shop/gift.py", 1),
        ("tests/test_cart.py", 1),
    ]
    assert {node["path"] for node in answer["changed"]} <= {"shop/order.py"}
    assert "tests/test_cart.py" in [test["path"] for test in answer["tests"]]
    text = feeder(shop, "impact", *options)
    assert text.out.splitlines()[:4] == [
        "Renamed files",
        "  renamed  shop/cart.py → shop/basket.py",
        "    shop/gift.py:1  imports the old path:  from shop.cart import Cart",
        "    tests/test_cart.py:1  imports the old path:  from shop.cart import Cart",
    ]
    assert ": 1 file renamed, " in text.err


@pytest.mark.usefixtures("refreshed")
def test_imports_of_a_renamed_file_by_whatever_name(feeder: RunFeeder, repo: Repo) -> None:
    """A default import, a type, all names and a re-export; not the other file of its name, and not
    an import that names the new path.
    """
    repo.commit(
        {
            "src/modules/clip.ts": (
                "class Clip {}\nexport function cut() {}\nexport { Clip as default };\n"
            ),
            "src/core.ts": "import Clip from './modules/clip.js';\nnew Clip();\n",
            "src/theme.ts": "import type Board from './modules/clip.js';\nlet one: Board;\n",
            "src/all.ts": "import * as clips from './modules/clip';\nclips.cut();\n",
            "src/index.ts": "\nexport { cut } from './modules/clip';\n",
            "src/other.ts": "import Clip from './old/clip.js';\nnew Clip();\n",
            "src/old/clip.ts": "export default class Clip {}\n",
            "test/clip.spec.ts": "import Clip from '../src/modules/clip.js';\nnew Clip();\n",
            "src/new.ts": "import Clip from './modules/board.js';\nnew Clip();\n",
        }
    )
    repo.git("mv", "src/modules/clip.ts", "src/modules/board.ts")
    [renamed] = feeder(repo, "impact", "--working-tree", "--json").json["renamed"]
    assert [(site["path"], site["line"]) for site in renamed["imports"]] == [
        ("src/all.ts", 1),
        ("src/core.ts", 1),
        ("src/index.ts", 2),
        ("src/theme.ts", 1),
        ("test/clip.spec.ts", 1),
    ]


@pytest.mark.usefixtures("refreshed")
def test_modules_of_a_renamed_file_of_python(feeder: RunFeeder, repo: Repo) -> None:
    """By its package, by its name in the package, and from inside of the package."""
    repo.commit(
        {
            "shop/__init__.py": "",
            "shop/cart.py": "def add():\n    return 1\n",
            "a.py": "from shop import cart\n\ncart.add()\n",
            "b.py": "import shop.cart\n\nshop.cart.add()\n",
            "c.py": "from shop.cart import add as put\n\nput()\n",
            "shop/d.py": "from . import cart\n\ncart.add()\n",
            "shop/e.py": "from .cart import *\n\nadd()\n",
            "f.py": "from other import cart\n\ncart.add()\n",
        }
    )
    repo.git("mv", "shop/cart.py", "shop/basket.py")
    [renamed] = feeder(repo, "impact", "--working-tree", "--json").json["renamed"]
    assert [(site["path"], site["line"]) for site in renamed["imports"]] == [
        ("a.py", 1),
        ("b.py", 1),
        ("c.py", 1),
        ("shop/d.py", 1),
        ("shop/e.py", 1),
    ]


UNNAMED_IMPORTS = {
    "javascript": (
        "src/cart.js",
        {
            "src/cart.js": "globalThis.add = () => 1;\n",
            "src/a.js": "import './cart.js';\nimport './style.css';\n",
            "src/b.js": "import {} from './cart';\nexport {} from './cart';\n",
            "src/c.js": "require('./cart');\nuse(require('./cart'));\n",
            "src/d.js": "const page = () => import('./cart.js');\n",
            "src/e.js": "const { add, put: set } = require('./cart');\n",
            "src/f.js": "new Worker(new URL('./cart.js', import.meta.url));\n",
            "src/g.test.js": "jest.mock('./cart');\njest.mock('./stock');\n",
            "src/h.js": "load('./cart');\nrequire('./old/cart');\nimport './cart.css';\n",
            "src/old/cart.js": "globalThis.add = () => 2;\n",
            "src/old/h.js": "require('./cart');\n",
        },
        [
            *("a.js:1", "b.js:1", "b.js:2", "c.js:1", "c.js:2"),
            *("d.js:1", "e.js:1", "f.js:1", "g.test.js:1"),
        ],
    ),
    "typescript": (
        "src/cart.ts",
        {
            "src/cart.ts": "export interface Cart { a: string }\n",
            "src/a.ts": "import './cart';\nlet one: import('./cart').Cart;\n",
            "src/b.ts": "declare module './cart' {\n  interface Cart { b: string }\n}\n",
            "src/c.ts": "export * from './cart';\nimport cart = require('./cart');\n",
        },
        ["a.ts:1", "a.ts:2", "b.ts:1", "c.ts:1", "c.ts:2"],
    ),
    "other languages": (
        "src/cart.css",
        {
            "src/cart.css": ".cart { color: red }\n",
            "src/a.ts": "import './cart.css';\nimport styles from './cart.css';\n",
            "src/b.ts": "import './other/cart.css';\nimport './cart';\n",
        },
        ["a.ts:1", "a.ts:2"],
    ),
    "css": (
        "src/cart.css",
        {
            "src/cart.css": ".cart { color: red }\n",
            "src/a.css": (
                '@import "cart.css";\n@import url("./cart.css") screen;\n@import url(cart.css);\n'
            ),
            "src/b.css": '@import "other/cart.css";\n.cart { color: red }\n',
            "src/sub/c.css": '@import "../cart.css";\n@import "cart.css";\n',
        },
        ["a.css:1", "a.css:2", "a.css:3", "sub/c.css:1"],
    ),
    "scss": (
        "src/_cart.scss",
        {
            "src/_cart.scss": "$size: 1px;\n",
            "src/a.scss": (
                '@use "cart";\n@use "cart" as c;\n@use "cart" as *;\n'
                '@import "cart", "other";\n@forward "cart";\n@import "other", "cart";\n'
            ),
            "src/b.scss": '@use "sass:map";\n@import "other/cart";\n',
            "src/sub/c.scss": "@use '../cart';\n",
        },
        ["a.scss:1", "a.scss:2", "a.scss:3", "a.scss:4", "a.scss:5", "a.scss:6", "sub/c.scss:1"],
    ),
    "php": (
        "src/cart.php",
        {
            "src/cart.php": "<?php\nfunction add() { return 1; }\n",
            "src/a.php": "<?php\nrequire 'cart.php';\nrequire_once(\"cart.php\");\n",
            "src/b.php": "<?php\ninclude __DIR__ . '/cart.php';\n",
            "src/c.php": '<?php\n$one = include_once dirname(__FILE__) . "/cart.php";\n',
            "test/d.php": "<?php\nrequire dirname(__DIR__) . '/src/cart.php';\n",
            "test/e.php": (
                "<?php\nrequire(ROOT . '/src/cart.php');\nrequire \"$root/src/cart.php\";\n"
            ),
            "test/f.php": "<?php\nrequire __DIR__ . '/cart.php';\nload('src/cart.php');\n",
            "test/cart.php": "<?php\nfunction add() { return 2; }\n",
        },
        ["a.php:2", "a.php:3", "b.php:2", "c.php:2", "d.php:2", "e.php:2", "e.php:3"],
    ),
    "rust": (
        "src/cart.rs",
        {
            "src/cart.rs": "pub fn add() -> u32 {\n    1\n}\n",
            "src/lib.rs": "mod stock;\npub mod cart;\nmod old { pub fn add() {} }\n",
            "src/stock.rs": '#[path = "cart.rs"]\nmod other;\ninclude!("cart.rs");\n',
            "src/shop/mod.rs": 'mod cart;\nconst A: &str = include_str!("../cart.rs");\n',
            "src/shop/cart.rs": "pub fn add() -> u32 {\n    2\n}\n",
        },
        ["lib.rs:2", "shop/mod.rs:2", "stock.rs:1", "stock.rs:3"],
    ),
    "dart": (
        "lib/cart.dart",
        {
            "lib/cart.dart": "part of 'shop.dart';\nint add() => 1;\n",
            "lib/shop.dart": "library shop;\nimport 'stock.dart';\npart 'cart.dart';\n",
            "lib/stock.dart": "int stock() => 1;\n",
        },
        ["shop.dart:3"],
    ),
    "ruby": (
        "lib/cart.rb",
        {
            "lib/cart.rb": "def add\n  1\nend\n",
            "lib/a.rb": "require_relative 'cart'\nrequire 'cart'\nrequire './cart'\n",
            "lib/b.rb": "autoload :Cart, 'cart'\nload 'cart.rb'\n",
            "lib/c.rb": "require File.expand_path('../cart', __FILE__)\n",
            "lib/d.rb": "require File.join(File.dirname(__FILE__), 'cart')\n",
            "lib/old/e.rb": "require_relative 'cart'\nrequire_relative '../cart'\n",
            "lib/old/cart.rb": "def add\n  2\nend\n",
        },
        ["a.rb:1", "a.rb:2", "a.rb:3", "b.rb:1", "b.rb:2", "c.rb:1", "d.rb:1", "old/e.rb:2"],
    ),
    "c": (
        "src/cart.h",
        {
            "src/cart.h": "int add(void);\n",
            "src/a.c": '#include "cart.h"\n#include <stdio.h>\nint one(void) { return add(); }\n',
            "test/b.c": '#include "../src/cart.h"\n#include "old/cart.h"\n',
            "test/old/cart.h": "int put(void);\n",
        },
        ["a.c:1", "b.c:1"],
    ),
    "python": (
        "shop/cart.py",
        {
            "shop/cart.py": "def add():\n    return 1\n",
            "a.py": "import shop.cart\nimport shop.stock\n",
            "b.py": "import importlib\n\nimportlib.import_module('shop.cart')\n",
        },
        ["a.py:1", "b.py:3"],
    ),
}


@pytest.mark.parametrize("name", UNNAMED_IMPORTS)
@pytest.mark.usefixtures("refreshed")
def test_imports_that_bind_no_name(feeder: RunFeeder, repo: Repo, name: str) -> None:
    """They name the old path of a renamed file too; other files of its name are not meant."""
    old, files, expected = UNNAMED_IMPORTS[name]
    repo.commit(dict(files))
    new = old.replace("cart", "basket")
    repo.git("mv", old, new)
    [renamed] = feeder(repo, "impact", "--working-tree", "--json").json["renamed"]
    assert renamed["to"] == new
    listed = [f"{site['path']}:{site['line']}" for site in renamed["imports"]]
    assert [site.partition("/")[2] if "/" in site else site for site in listed] == expected


@pytest.mark.usefixtures("refreshed")
def test_edits_within_a_renamed_file(feeder: RunFeeder, shop: Repo) -> None:
    """They have the new path; what is gone from it has the old one."""
    rest = "".join(f"    def step_{n}(self):\n        return self.items[{n}]\n\n" for n in range(9))
    shop.commit({"shop/cart.py": EDITED.replace("    def close", f"{rest}    def close")})
    (shop.path / "shop/cart.py").unlink()
    text = EDITED.replace("n=1", "n=2").partition("    def close")[0] + rest
    (shop.path / "shop/basket.py").write_text(text)
    answer = feeder(shop, "impact", "--working-tree", "--json").json
    changed = {(node["path"], node["name"], node["change"]) for node in answer["changed"]}
    assert changed - {("shop/basket.py", "Cart", "edited")} == {
        ("shop/basket.py", "Cart.add", "edited"),
        ("shop/cart.py", "Cart.close", "removed"),
    }


def test_renamed_document_that_is_read_in_another_way(feeder: RunFeeder, shop: Repo) -> None:
    """Its sections become chunks, and nothing has changed."""
    shop.git("mv", "docs/guide.md", "docs/guide.txt")
    answer = feeder(shop, "impact", "--working-tree", "--json").json
    assert (len(answer["renamed"]), answer["changed"]) == (1, [])


def test_merge_conflicts_are_named(feeder: RunFeeder, shop: Repo) -> None:
    main = shop.git("rev-parse", "--abbrev-ref", "HEAD").strip()
    shop.git("checkout", "-q", "-b", "feature", "HEAD~1")
    shop.commit({"shop/cart.py": EDITED.replace("n=1", "n=2")})
    with pytest.raises(subprocess.CalledProcessError):
        shop.git("merge", "-q", main)
    answer = feeder(shop, "impact", "--working-tree")
    assert (
        "A file has merge conflicts, so this list may be wrong there: shop/cart.py. Resolve them, "
        "then run this again. Compared the working tree with "
    ) in answer.err
    json = feeder(shop, "impact", "--working-tree", "--json").json
    assert json["conflicts"] == ["shop/cart.py"]


def test_references_that_the_limit_leaves_out_are_not_denied(feeder: RunFeeder, repo: Repo) -> None:
    """Two functions change their parameters; with one entry per list, the second one's call is
    counted.
    """
    repo.commit(
        {
            "a.py": "def first():\n    pass\n\n\ndef second():\n    pass\n",
            "b.py": "from a import first, second\n\n\ndef use():\n    first()\n    second()\n",
        }
    )
    repo.commit({"a.py": "def third():\n    return [1, 2, 3]\n"})
    assert feeder(repo, "sync", "-q").code == 0
    for limit in range(2, 5):
        out = feeder(repo, "impact", "-n", str(limit)).out
        assert "no references found" not in out.partition("Other changes")[0]


def test_first_commit_needs_a_base(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "impact")
    assert answer.code == 2
    assert answer.err.endswith(
        "feeder: HEAD has no parent to compare with. Run feeder impact --working-tree to compare "
        "the files on disk, or name a commit to compare with (--base REF).\n"
    )


def test_change_of_a_test_whose_name_ends_with_a_dot(feeder: RunFeeder, repo: Repo) -> None:
    test = 'it("returns one.", () => {\n  open(1);\n});\n'
    repo.commit({"open.test.js": test})
    repo.commit({"open.test.js": test.replace("1", "2")})
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "impact", "--json").json
    assert [node["name"] for node in answer["changed"]] == ["returns one."]


def test_the_first_commit_has_no_parent_to_list_a_change_from(
    feeder: RunFeeder, repo: Repo
) -> None:
    """Only a later commit is advised to be compared with its parent."""
    repo.commit({"a.py": "def one():\n    return two()\n\n\ndef two():\n    return 2\n"})
    assert feeder(repo, "sync", "-q").code == 0
    first = feeder(repo, "impact", "HEAD")
    assert (first.code, "feeder impact" in first.err) == (0, False)
    repo.commit({"a.py": "A = 2\n"})
    assert "To list what that commit changes: feeder impact" in feeder(repo, "impact", "HEAD").err

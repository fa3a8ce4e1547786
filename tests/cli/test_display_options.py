"""The options that change how the hits of a search are shown."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from command_runner import RunFeeder
from feeder.cli.terminal import Terminal
from index_helpers import SHOP
from source.repos import Repo

pytestmark = pytest.mark.slow

LONG = "".join(f"    step{at} = {at}\n" for at in range(20))
FILES: dict[str, str | bytes] = SHOP | {
    "src/long.py": f"def prepare(parcel):\n{LONG}    if parcel.dispatched:\n        stop()\n{LONG}",
    "wide.py": f"def wide():\n    return '{'漢' * 60}', 'needle', '{'x' * 60}'\n",
    "docs/cart.md": "# Fill it\n\nThe cart is full.\n",
    "evil.py": "def evil():\n    return '\x1b[2J\x1b]0;owned\x07 \u202e needless'\n",
}


@pytest.fixture
def shop(feeder: RunFeeder, repo: Repo) -> Repo:
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    return repo


def head(repo: Repo) -> str:
    return f"The index matches HEAD {repo.git('rev-parse', '--short=7', 'HEAD')}."


def test_matching_lines_are_shown_below_the_signature(feeder: RunFeeder, shop: Repo) -> None:
    assert feeder(shop, "search", "dispatched", "--lines", "4", "-n", "1").out.splitlines() == [
        "src/long.py:1-43  method  prepare",
        "     1  def prepare(parcel):",
        "        …",
        "    21      step19 = 19",
        "    22      if parcel.dispatched:",
        "    23          stop()",
        "        … 20 lines more",
        head(shop),
    ]


def test_all_lines_are_shown_on_request(feeder: RunFeeder, shop: Repo) -> None:
    lines = feeder(shop, "search", "dispatched", "--full", "-n", "1").out.splitlines()
    assert lines[1:-1] == [
        f"{number:>6}  {line}"
        for number, line in enumerate(str(FILES["src/long.py"]).splitlines(), start=1)
    ]


def test_second_page_continues_the_first(feeder: RunFeeder, shop: Repo) -> None:
    """The total is shown."""
    whole = feeder(shop, "search", "cart", "--json").json
    ids = [hit["id"] for hit in whole["hits"]]
    assert whole["total"] == len(ids) > 3
    pages = [
        feeder(shop, "search", "cart", "--json", "-n", "2", "--offset", offset).json
        for offset in ("0", "2")
    ]
    assert [hit["id"] for page in pages for hit in page["hits"]] == ids[:4]
    assert [(page["offset"], page["total"]) for page in pages] == [(0, len(ids)), (2, len(ids))]
    shown = feeder(shop, "search", "cart", "-n", "2", "--offset", "1", "--lines", "0").out
    assert shown.splitlines()[2:] == [f"2 to 3 of {len(ids)}; more: --offset 3", head(shop)]
    assert feeder(shop, "search", "cart", "--offset", "50").out.splitlines() == [
        f"Offset 50 is past the end ({len(ids)} hits).",
        head(shop),
    ]


def test_places_are_relative_to_the_working_folder(feeder: RunFeeder, shop: Repo) -> None:
    """Columns are bytes from 1; notes are on stderr."""
    answer = feeder(shop.path / "src", "search", "dispatched", "--format", "vimgrep")
    assert answer.out == "long.py:22:15:    if parcel.dispatched:\n"
    assert answer.err.splitlines()[-1] == head(shop)
    answer = feeder(shop.path / "docs", "search", "needle", "--format", "vimgrep", "-q")
    line = str(FILES["wide.py"]).splitlines()[1]
    column = len(line.partition("needle")[0].encode()) + 1
    assert (answer.out, answer.err) == (f"../wide.py:2:{column}:{line}\n", "")


def test_file_list_names_each_file_once(feeder: RunFeeder, shop: Repo) -> None:
    out = feeder(shop.path / "src", "search", "cart", "-l").out.splitlines()
    assert out[0] == "cart.py"
    assert len(out) == len({*out}) > 1


def test_missing_files_are_left_out_of_places(feeder: RunFeeder, shop: Repo) -> None:
    """Although git may still have their lines; stderr names them."""
    (shop.path / "src/cart.py").unlink()
    (shop.path / "docs/cart.md").write_text("# Other\n\nAll is new here.\n")
    committed = shop.git("rev-parse", "HEAD")[:10]
    for form in (["-l"], ["--format", "vimgrep"]):
        answer = feeder(shop, "search", "cart install", *form, "-n", "50")
        assert "docs/guide.md" in answer.out
        assert not [line for line in answer.out.splitlines() if "cart." in line.partition(":")[0]]
        assert (
            f"Left out: src/cart.py:16 (deleted in the working tree, as committed in {committed})"
            in answer.err
        )
        assert (
            "Left out: docs/cart.md:1 (gone: the file has changed and no longer has" in answer.err
        )
        assert "Left out" not in feeder(shop, "search", "cart install", *form, "-q").err


def test_files_of_another_repository_are_left_out_of_places(feeder: RunFeeder, shop: Repo) -> None:
    """A local file may have the same path."""
    feeder(shop, "sync", "-q", "--repo", "acme/other")
    answer = feeder(shop, "search", "emptyCart", "repo:acme/other", "-l", "-n", "1")
    assert answer.out == ""
    assert "Left out: src/cart.py:16 (in acme/other)" in answer.err


def test_notes_of_a_search_are_on_stderr(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "search", "emptyCrat", "-l")
    assert "No symbol is named emptyCrat. Similar names: emptyCart" in answer.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["cart tests:no tests:only"], "tests:no is ignored: tests:only replaces it."),
        (
            ["cart tests:only", "--tests", "no"],
            "tests:only is ignored: tests:no from outside the query replaces it.",
        ),
        (["cart case:no case:yes"], "case:no is ignored: case:yes replaces it."),
    ],
)
def test_overridden_options_are_reported(
    feeder: RunFeeder, shop: Repo, arguments: list[str], expected: str
) -> None:
    """The last one counts, and options override filters in the query."""
    assert expected in feeder(shop, "search", *arguments).out.splitlines()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "typ:method cart",
            "'typ:method' was searched for as text. There is no filter 'typ:'. "
            "Did you mean type:method?",
        ),
        (
            "cart tests:maybe",
            "'tests:maybe' was searched for as text. To filter, write one of "
            "tests:yes, tests:no, tests:only.",
        ),
        (
            "cart -symbol:add",
            "'-symbol:add' was searched for as text. There is no filter '-symbol:'. "
            "Filters that exclude: -lang:, -language:, -path:, -type:, -category:, -tag:.",
        ),
    ],
)
def test_misspelt_filters_are_reported_beside_the_hits(
    feeder: RunFeeder, shop: Repo, query: str, expected: str
) -> None:
    """They may be text: nothing that is typed is a syntax error."""
    answer = feeder(shop, "search", query, "--json").json
    assert answer["notes"] == [expected]  # and none about words that the index lacks
    assert answer["hits"]
    assert expected in feeder(shop, "search", query).out.splitlines()
    assert expected in feeder(shop, "search", "--every", query).err


def test_five_of_many_misspelt_filters_are_reported(feeder: RunFeeder, shop: Repo) -> None:
    typed = " ".join(f"typ:x{at}" for at in range(1100))
    notes = feeder(shop, "search", f"cart {typed}", "--json").json["notes"]
    found = [note for note in notes if "searched for as text" in note]
    assert [note.split()[0] for note in found] == [*(f"'typ:x{at}'" for at in range(5)), "Also"]
    assert "1,095 more" in found[-1]
    five = feeder(shop, "search", "cart " + " ".join(typed.split()[:5]), "--json").json["notes"]
    assert not [note for note in five if note.startswith("Also")]


@pytest.mark.parametrize("form", [[], ["--format", "vimgrep"]])
def test_minified_line_is_cut_around_the_match(
    feeder: RunFeeder, shop: Repo, form: list[str]
) -> None:
    """Not with `--full` and not in JSON."""
    text = f"function f() {{ {'a = 1; ' * 9_000}thimble(); {'b = 2; ' * 9_000}}}"
    shop.commit({"web/page.js": f"{text}\n"})
    feeder(shop, "sync", "-q")
    search = ["search", "thimble", "-n", "1"]
    out = feeder(shop, *search, *form).out
    assert max(map(len, out.splitlines())) < 450
    assert "thimble(); b = 2;" in out
    assert text in feeder(shop, *search, *form, "--full").out
    if not form:
        assert text in feeder(shop, "show", "web/page.js").out
        assert feeder(shop, *search, "--json").json["hits"][0]["window"]["lines"] == [text]


def test_explain_shows_the_scores(feeder: RunFeeder, shop: Repo) -> None:
    """4 for the name and the token each, 1 for words, 1 for text, and 0.6 of these for the file."""
    lines = feeder(shop, "search", "emptyCart", "--explain", "--lines", "0").out.splitlines()
    assert lines[:2] == [
        "src/cart.py:16-17  method  emptyCart",
        "        score 11.2: name +4 (rank 1), literal +4 (rank 1), spelled +1 (rank 1), "
        "word +1 (rank 1), file +1.2",
    ]


@pytest.mark.parametrize("arguments", [(), ("--json",), ("--format", "vimgrep"), ("--full",)])
def test_control_characters_in_code_are_escaped(
    feeder: RunFeeder, shop: Repo, arguments: tuple[str, ...]
) -> None:
    """Even with colours, which are the only control sequences."""
    out = feeder(shop, "search", "needless", *arguments).out
    assert "\\u001b[2J" in out
    assert not {"\x1b", "\x07", "\u202e"} & {*out}
    out = feeder(shop, "search", "needless", "--color", "always").out
    assert "\\u001b[2J" in out
    assert "\x1b[1;31mneedless\x1b[0m" in out
    assert "\x1b[2J" not in out


def test_a_heading_never_loses_file_and_line(feeder: RunFeeder, repo: Repo) -> None:
    """Names are cut first, then folders; a blank line parts the hits."""
    path = "a_long_folder/of_a_package/needles.py"
    repo.commit({path: "class SomewhatLongName:\n    def find_needle_in_haystack(self): ...\n"})
    assert feeder(repo, "sync", "-q").code == 0
    for width in (40, 60):
        lines = on_a_terminal(repo.path, width, "search", "needle", "-q", "--no-vectors")
        [heading] = [line for line in lines if "method" in line]
        assert "needles.py:2-2  method" in heading
        assert heading.endswith("haystack"[-4:])
        assert len(heading) <= width
    plain = feeder(repo, "search", "needle", "-q").out
    assert f"{path}:2-2  method  SomewhatLongName.find_needle_in_haystack\n" in plain
    assert "\n\n" in plain


@pytest.mark.parametrize("width", [40, 80])
def test_no_line_is_wider_than_the_terminal(shop: Repo, width: int) -> None:
    """The matching word is visible, however far right it is."""
    lines = on_a_terminal(shop.path, width, "search", "needle", "-q", "--no-vectors")
    assert any("needle" in line for line in lines)
    assert all(
        len(line) + sum(character > "\u2e80" for character in line) <= width for line in lines
    )


def on_a_terminal(folder: Path, width: int, *arguments: str) -> list[str]:
    """Returns what the program prints on a terminal, without colours."""
    ours, other = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "feeder", *arguments, "--color", "never"],
        cwd=folder,
        env=os.environ | {"COLUMNS": str(width)},
        stdin=other,
        stdout=other,
        stderr=other,
    ) as program:
        os.close(other)
        out = b""
        try:
            while part := os.read(ours, 65_536):
                out += part
        except OSError:  # how Linux says that nobody writes there any more
            pass
    os.close(ours)
    assert program.returncode == 0
    return out.decode().split("\r\n")[:-1]


def test_notes_are_wrapped_on_a_terminal() -> None:
    text = "The index is 3 commits behind HEAD (2457e5e → abc1234): feeder sync"
    assert Terminal(width=36).wrap(text) == [
        "The index is 3 commits behind HEAD",
        "(2457e5e → abc1234): feeder sync",
    ]


def test_incomplete_first_run_is_reported(feeder: RunFeeder, repo: Repo) -> None:
    """One of two shards is done; for files that were only processed nothing is missing."""
    repo.commit(SHOP)
    feeder(repo, "process", "--path", "src", "-q")
    assert feeder(repo, "search", "cart", "--json").json["note"] == ""
    (repo.path / ".feeder/index.db").unlink()
    assert feeder(repo, "sync", "-q", "--shard", "1/2", "--run", "one").code == 0
    said = "No sync has finished yet, so files are missing. To continue: feeder sync"
    assert feeder(repo, "search", "nowhere").out.splitlines()[-1] == said
    feeder(repo, "sync", "-q")
    assert said not in feeder(repo, "search", "nowhere").out


def test_index_of_a_folder_names_the_folder(feeder: RunFeeder, repo: Repo) -> None:
    """Wherever freshness is shown, with the command that updates it."""
    repo.commit(SHOP | {"my src/a.py": "def cart(): ...\n"})
    assert feeder(repo, "sync", "-q", "--path", "my src").code == 0
    commit = repo.git("rev-parse", "HEAD")
    equals = f"The index of the folder my src matches HEAD {commit[:7]}."
    assert feeder(repo, "search", "cart").out.splitlines()[-1] == equals
    assert feeder(repo, "outline", "my src").out.splitlines()[-1] == equals
    assert feeder(repo, "show", "my src/a.py").out.splitlines()[-1] == equals
    answer = feeder(repo, "search", "cart", "--json").json
    assert (answer["index"]["equals"], answer["index"]["below"]) == (commit, "my src")
    first = f"repo at {commit}, folder my src only"
    assert feeder(repo, "stats").out.splitlines()[0] == first
    assert feeder(repo, "stats", "--json").json["meta"]["below"] == "my src"
    proof = feeder(repo, "validate", "--path", "my src").out
    assert "the index has the same files as HEAD in the folder my src: " in proof
    repo.commit({"my src/b.py": "B = 1\n"})
    assert feeder(repo, "search", "cart").out.splitlines()[-1] == (
        f"The index of the folder my src is 1 commit behind HEAD ({commit[:7]} → "
        f"{repo.git('rev-parse', 'HEAD')[:7]}): feeder sync --path 'my src'"
    )
    repo.git("reset", "-q", "--hard", commit)
    assert feeder(repo, "search", "cart", "--json").json["note"] == equals
    feeder(repo, "sync", "-q", "--force")
    assert feeder(repo, "search", "cart", "--json").json["index"]["below"] == ""


def test_pieces_of_a_table_show_its_header_row(feeder: RunFeeder, repo: Repo) -> None:
    """Of a CSV file only the first piece has it."""
    rows = [f"{n},name of {n},{'zebra' if n == 300 else 'horse'}" for n in range(400)]
    repo.commit({"animals.csv": "\n".join(["id,name,kind", *rows, ""])})
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    lines = feeder(repo, "search", "zebra", "-n", "1", "--lines", "2").out.splitlines()
    assert lines[1:3] == ["        id,name,kind", "        …"]
    assert "   302  300,name of 300,zebra" in lines
    first = feeder(repo, "search", '"name of 1,"', "-n", "1", "--lines", "2").out
    assert first.count("        id,name,kind") == 1
    whole = feeder(repo, "search", '"name of 1,"', "-n", "1", "--full").out
    assert whole.count("id,name,kind") == 1
    assert "     1  id,name,kind" in whole

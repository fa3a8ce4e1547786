"""`python -m bench answers` on small sets of queries and snapshots."""

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from answers import command, name_queries
from answers.ablation import PARTS
from answers.command import main
from answers.doc_comments import first_sentence, remove_doc_comments, split_doc_comment
from answers.measure import ALL_SETS
from answers.sets import SMALL

from source.repos import Repo

pytestmark = pytest.mark.slow

CART = """\
class ShoppingCart:
    def emptyAllArticles(self):
        self.articles.clear()


def computeGrandTotal(lines):
    return sum(lines)
"""
FILES = {
    "lib/cart.py": CART,
    "lib/deep/tax.py": "def tax(net):\n    return net * 19 / 100\n",
    "docs/guide.md": "# Guide\n\nHow an article is taken out of a cart.\n",
}
QUERIES = [
    {"query": "clear the articles", "relevant": ["lib/cart.py"], "category": "architecture"},
    {"query": "net", "relevant": [], "secondary": [{"path": "tax.py", "start_line": 1}]},
]
RUST = "use std::fmt;\n\npub fn weigh() {}\n\npub fn measure() {}\n"


@pytest.fixture
def folders(tmp_path: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Queries about two repositories, of which one has a snapshot, and about a document."""
    commit = repo.commit(FILES)
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "mirror/acme+shop/repo"))
    data = tmp_path / "questions/data"
    small = sorted(SMALL)[0]
    specs = [
        {"name": name, "url": f"https://github.com/acme/{slug}.git", "revision": revision}
        | {"benchmark_root": "lib", "language": "python"}
        for name, slug, revision in ((small, "shop", commit), ("gone", "gone", "0" * 40))
    ]
    chunks = [{"original_index": n, "content": text} for n, text in enumerate(RUST.split("\n\n"))]
    data_files: dict[str, Any] = {
        "repositories.json": specs,
        f"questions/{small}.json": QUERIES,
        "questions/gone.json": QUERIES,
        "contextual_chunks.json": [
            {"original_uuid": "u1", "doc_id": "doc_1", "content": RUST, "chunks": chunks}
        ],
        "contextual_questions.json": [["measure", [["u1", 2]]]],
    }
    for name, facts in data_files.items():
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text(json.dumps(facts))
    monkeypatch.setenv("EVAL_QUESTIONS", str(tmp_path / "questions"))
    monkeypatch.setenv("EVAL_MIRROR", str(tmp_path / "mirror"))
    return tmp_path


def run_bench(monkeypatch: pytest.MonkeyPatch, folder: Path, *arguments: str) -> int:
    argv = ["bench", "answers", "--work", str(folder / "work"), *arguments]
    monkeypatch.setattr(sys, "argv", argv)
    return main()


def test_each_set_is_run_and_missing_ones_are_reported(
    folders: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """One row per measure with its command; the right answers come first."""
    sets = "repositories-small,contextual,vue,repositories-whole"
    assert run_bench(monkeypatch, folders, "--only", sets, "--by", "words") == 0
    out, err = capfd.readouterr()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in out.splitlines()]
    figures = {(row[0], row[2]): row[1:2] + row[3:] for row in rows[2:]}
    small = "`python -m bench answers --only repositories-small`"
    assert figures["repositories-small", "NDCG@10"] == ["2", "1.000", "—", "—", "—", small]
    assert figures["contextual", "pass@5"][:2] == ["1", "1.000"]
    assert figures["repositories-whole", "hit@10"][:2] == ["2", "1.000"]
    assert not any(name == "vue" for name, _ in figures)
    assert "left out: vue: no " in err
    # it is none of the ten
    assert "gone" not in err


def test_name_queries_are_made_from_the_index(
    folders: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of names with eight letters and more; a repository without a snapshot is left out."""
    file = folders / "each.json"
    arguments = ("--only", "names", "--by", "words", "--json", str(file))
    assert run_bench(monkeypatch, folders, *arguments) == 0
    out, err = capfd.readouterr()
    assert "left out: gone: no " in err
    assert "| names: exact | 3 | hit@1 | 1.000 |" in out
    [facts] = json.loads(file.read_text()).values()
    exact = {answered["query"] for answered in facts["each"] if answered["group"] == "exact"}
    assert exact == {"ShoppingCart", "emptyAllArticles", "computeGrandTotal"}


@pytest.mark.parametrize("name", ["EVAL_QUESTIONS", "EVAL_MIRROR"])
@pytest.mark.parametrize("value", ["", "/nowhere"])
def test_missing_folder_is_an_error(
    folders: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    name: str,
    value: str,
) -> None:
    """It names the option."""
    monkeypatch.setenv(name, value)
    assert run_bench(monkeypatch, folders, "--only", "vue") == 2
    assert name in capfd.readouterr().err


def test_empty_set_is_an_error(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_bench(monkeypatch, folders, "--only", "vue", "--by", "words") == 1


def test_unknown_set_is_refused(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit) as ended:
        run_bench(monkeypatch, folders, "--only", "vie")
    assert ended.value.code == 2


NAMES = [f"acme.Shop.{name}" for name in ("parseDeltaFile", "applyDeltaFile", "add", "HTTPServer")]


def test_name_queries_are_deterministic() -> None:
    """In any order of names; short ones give none."""
    queries = name_queries.queries(NAMES)
    assert queries == name_queries.queries(reversed(NAMES))
    exact = [query["query"] for query in queries if query["group"] == "exact"]
    assert sorted(exact) == ["HTTPServer", "applyDeltaFile", "parseDeltaFile"]


@pytest.mark.parametrize("seed", range(20))
def test_misspelling_is_one_edit(seed: int) -> None:
    """A letter removed, added or replaced, or two swapped; never the first."""
    name = "parseDeltaFile"
    wrong = name_queries.misspell(name, random.Random(seed))
    assert wrong != name and wrong[0] == name[0]
    at = next(n for n in range(len(name)) if wrong[n : n + 1] != name[n])
    left, rest = wrong[at:], name[at:]
    dropped, doubled, replaced = left == rest[1:], left[1:] == rest, left[1:] == rest[1:]
    swapped = left[:2] == rest[1::-1] and left[2:] == rest[2:]
    assert dropped or doubled or replaced or swapped


@pytest.mark.parametrize("seed", range(20))
def test_partial_name_is_from_the_middle_or_the_end(seed: int) -> None:
    """Whole words except the first, or three of five letters."""
    draw = random.Random(seed)
    assert name_queries.words_without_first("parseDeltaFile", draw) in {"Delta", "DeltaFile"}
    run = name_queries.letters_from_inside("parseDeltaFile", draw)
    assert len(run) == 8 and run in "arseDeltaFile"
    assert name_queries.words_without_first("restart", draw) is None


def test_partial_name_of_many_symbols_is_no_query() -> None:
    """One of a few symbols has several answers."""
    queries = name_queries.queries([f"s.load{n}DeltaFile" for n in "ABCD"])
    assert {query["group"] for query in queries if query["query"] == "DeltaFile"} == set()
    queries = name_queries.queries(NAMES)
    right = [query["answers"] for query in queries if query["query"] == "DeltaFile"]
    assert all(
        answer == [{"symbol": "applyDeltaFile"}, {"symbol": "parseDeltaFile"}] for answer in right
    )
    assert right


def test_help_lists_every_set(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", "answers", "--help"])
    with pytest.raises(SystemExit):
        command.main()
    out = " ".join(capfd.readouterr().out.split())
    assert all(name in out for name in ALL_SETS)


@pytest.mark.parametrize(
    ("comment", "query"),
    [
        (
            "Empties the cart of a customer. It stays open.",
            "Empties the cart of a customer",
        ),
        ("/**\n * Empties the\n * cart <b>now</b>.\n * @param cart\n */", "Empties the cart now"),
        ("/// Empties all\n/// of the cart\n///\n/// # Panics\n", "Empties all of the cart"),
        ("# Empties the cart of `it`\n", "Empties the cart of it"),
        ("-- | Empties the cart, at once", "Empties the cart, at once"),
        ("// TODO: empty the cart here some day", None),
        ("/* Copyright of the cart is ours alone. */", None),
        ("// a = b(c, d) + 27 * 3 - e[4]; f()", None),
        ("// Short.", None),
        ("", None),
    ],
)
def test_doc_comment_becomes_a_query(comment: str, query: str | None) -> None:
    """Its first sentence, if it is prose of at least four words."""
    assert first_sentence(comment) == query


@pytest.mark.parametrize(
    ("language", "text", "code"),
    [
        ("python", 'def a():\n    """What it does."""\n    return 1\n', "def a():\n    return 1\n"),
        ("go", "// A does it.\n// Well.\nfunc A() {}\n", "func A() {}\n"),
        ("java", "/** Does it. */\nvoid a() {}\n", "void a() {}\n"),
        ("rust", "/// Does it.\n#[inline]\nfn a() {}\n", "#[inline]\nfn a() {}\n"),
        ("go", "func A() {\n\t// inside\n}\n", None),
    ],
)
def test_doc_comment_is_removed_from_the_source(language: str, text: str, code: str | None) -> None:
    """And nothing else."""
    split = split_doc_comment(language, text)
    assert (split and split[1]) == code


def test_functions_are_searched_by_their_removed_doc_comments(tmp_path: Path) -> None:
    """Not tests, and not repeated comments."""
    comment = '    """Weighs all articles of the cart."""\n'
    twice = '    """Does what everyone else does too."""\n'
    sources = {
        "a.py": f"def weigh(cart):\n{comment}    return sum(cart)\n",
        "b.py": f"def one(x):\n{twice}    return x\n\n\ndef two(y):\n{twice}    return y + y\n",
        "test_a.py": f"def test_weigh():\n{comment}    assert weigh([1]) == 1\n",
    }
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "latin.py").write_bytes("# größe\n".encode("latin-1"))
    files, queries = remove_doc_comments(tmp_path, [*sources, "latin.py", "gone.py"])
    assert [query["query"] for query in queries] == ["Weighs all articles of the cart"]
    assert queries[0]["answers"] == [{"path": "a.py", "symbol": "weigh"}]
    assert files.keys() == sources.keys()
    assert "Weighs" not in files["a.py"] and "everyone" not in files["b.py"]
    assert files["test_a.py"] == sources["test_a.py"]


@pytest.mark.parametrize("part", PARTS)
def test_each_disabled_part_of_the_ranking_exists(part: str) -> None:
    """A renamed part would be measured as having no effect."""
    module, attribute, _ = PARTS[part]
    assert hasattr(module, attribute)

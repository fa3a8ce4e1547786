"""A command that reads the index brings it up to date with the files first."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from command_runner import RunFeeder
from feeder.cli import fresh_index
from feeder.store.ownership import SERVER_LOCK, command_lock, try_lock
from feeder.store.sqlite import SQLite
from index_helpers import CART, GUIDE, query_rows
from source.repos import Repo

TAX = "def vat_rate():\n    return 19\n"


@pytest.fixture
def environment() -> Mapping[str, str]:
    return {"FEEDER_REFRESH": "on", "FEEDER_MODEL": "static"}


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit({"src/cart.py": CART, "docs/guide.md": GUIDE})
    return repo


def index_of(repo: Repo) -> Path:
    return repo.path / ".feeder" / "index.db"


def paths_in(index: Path) -> set[str]:
    database = SQLite(index)
    try:
        return set(query_rows(database, "SELECT DISTINCT path FROM docs"))
    finally:
        database.close()


def hits(feeder: RunFeeder, repo: Repo, *arguments: str) -> dict[str, Any]:
    """The hits of a search by their paths."""
    return {hit["path"]: hit for hit in feeder(repo, "search", "--json", *arguments).json["hits"]}


def test_first_search_makes_the_index_and_answers(shop: Repo, feeder: RunFeeder) -> None:
    found = feeder(shop, "search", "add line")
    assert (found.code, "src/cart.py" in found.out) == (0, True)
    assert "Indexing 2 files." in found.err
    assert "Indexing" not in found.out
    assert feeder(shop, "validate").code == 0
    assert "Indexing" not in feeder(shop, "search", "add line").err


def test_search_after_a_sync_compares_no_file_again(shop: Repo, feeder: RunFeeder) -> None:
    """Unless a file on disk is not as in HEAD."""
    synced = index_of(shop).with_name("index.db-synced")
    assert feeder(shop, "sync").code == 0
    recorded = synced.read_bytes()
    assert "src/cart.py" in hits(feeder, shop, "add line")
    assert synced.read_bytes() == recorded
    shop.write({"src/tax.py": TAX})
    assert "src/tax.py" in hits(feeder, shop, "vat_rate")
    assert synced.read_bytes() != recorded


def test_sync_of_a_shard_records_nothing(shop: Repo, feeder: RunFeeder) -> None:
    for shard in ("1/2", "2/2"):
        assert feeder(shop, "sync", "--shard", shard, "--run", "first").code == 0
        assert not index_of(shop).with_name("index.db-synced").exists()


def test_sync_of_head_beside_edited_files_records_nothing(shop: Repo, feeder: RunFeeder) -> None:
    shop.write({"src/tax.py": TAX})
    assert feeder(shop, "sync").code == 0
    assert not index_of(shop).with_name("index.db-synced").exists()
    assert "src/tax.py" in hits(feeder, shop, "vat_rate")


@pytest.mark.parametrize(
    "command",
    [
        ("search", "vat_rate"),
        ("grep", "vat_rate"),
        ("definition", "vat_rate"),
        ("references", "vat_rate"),
        ("show", "src/tax.py#vat_rate"),
        ("outline", "src"),
        ("overview",),
        ("similar", "src/tax.py:1"),
        ("impact", "--working-tree"),
    ],
    ids=lambda command: command[0],
)
def test_every_reading_command_knows_an_untracked_file(
    shop: Repo, feeder: RunFeeder, command: tuple[str, ...]
) -> None:
    assert feeder(shop, "sync", "-q").code == 0
    shop.write({"src/tax.py": TAX})
    answer = feeder(shop, *command)
    assert answer.code == 0
    assert "src/tax.py" in paths_in(index_of(shop))
    assert "vat_rate" in answer.out + answer.err or command[0] == "similar"


def test_edits_deletions_and_branches_are_followed(shop: Repo, feeder: RunFeeder) -> None:
    feeder(shop, "sync", "-q")
    shop.write({"src/tax.py": TAX, "docs/guide.md": None})
    feeder(shop, "search", "x")
    assert paths_in(index_of(shop)) == {"src/cart.py", "src/tax.py"}
    shop.write({"src/tax.py": TAX.replace("vat_rate", "sales_tax")})
    assert hits(feeder, shop, "sales_tax")["src/tax.py"]["symbol"] == "sales_tax"
    assert feeder(shop, "validate").code == 0
    shop.git("stash", "-u", "-q")
    feeder(shop, "search", "x")
    assert paths_in(index_of(shop)) == {"src/cart.py", "docs/guide.md"}
    shop.git("checkout", "-q", "-b", "taxes")
    shop.commit({"src/tax.py": TAX})
    assert "src/tax.py" in hits(feeder, shop, "vat_rate")
    shop.git("checkout", "-q", "-")
    assert "src/tax.py" not in hits(feeder, shop, "vat_rate")
    assert feeder(shop, "validate").code == 0


def test_nothing_is_written_or_loaded_when_nothing_changed(shop: Repo, feeder: RunFeeder) -> None:
    shop.write({"src/tax.py": TAX})
    feeder(shop, "search", "x")
    feeder(shop, "search", "x")
    before = {path.name: path.stat().st_mtime_ns for path in index_of(shop).parent.glob("index.*")}
    program = (
        "import sys; from feeder.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: print('feeder.sync.sync' in sys.modules)"
    )
    command = [sys.executable, "-c", program, "grep", "-l", "vat_rate"]
    done = subprocess.run(command, cwd=shop.path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["src/tax.py", "False"]
    after = {path.name: path.stat().st_mtime_ns for path in index_of(shop).parent.glob("index.*")}
    assert after == before


def test_the_place_of_the_index_is_said_when_it_surprises(
    shop: Repo, feeder: RunFeeder, tmp_path: Path
) -> None:
    line = "local index"
    assert line not in feeder(shop, "search", "cart").err
    assert line not in feeder(shop, "grep", "cart").err
    assert line in feeder(shop, "search", "--no-vectors", "cart").err
    assert line in feeder(shop, "sync").err


def test_files_that_are_not_indexed_are_listed_by_reason(shop: Repo, feeder: RunFeeder) -> None:
    shop.write({"yarn.lock": "x\n", ".env": "TOKEN=1\n", "web/yarn.lock": "y\n"})
    listed = feeder(shop, "skipped").out.splitlines()
    assert [line for line in listed if line.startswith("  ")] == [
        "  web/yarn.lock",
        "  yarn.lock",
        "  .env",
    ]
    assert [line.partition(".")[0] for line in listed if not line.startswith("  ")] == [
        "A lock file",
        "A name that suggests secrets",
    ]
    only = feeder(shop, "skipped", "--reason", "secrets", "--json").json
    assert only == [{"path": ".env", "reason": "a name that suggests secrets"}]


def test_lines_with_masked_secrets_are_listed_without_them(shop: Repo, feeder: RunFeeder) -> None:
    token = "ghp_" + "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"
    shop.write({"src/keys.py": f"# keys\nTOKEN = '{token}'\n", "notes.md": "no secret\n"})
    listed = feeder(shop, "skipped", "--masked")
    assert listed.out == "src/keys.py:2\n"
    assert "1 line has a masked secret." in listed.err
    assert token not in listed.out + listed.err
    assert feeder(shop, "skipped", "--masked", "--json").json == [
        {"path": "src/keys.py", "line": 2}
    ]
    assert feeder(shop, "skipped", "--masked", "--reason", "x").code == 2
    assert feeder(shop, "skipped", "--masked", "--unparsed").code == 2


def test_index_without_masking_has_no_masked_lines(shop: Repo, feeder: RunFeeder) -> None:
    token = "ghp_" + "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"
    shop.commit({"src/keys.py": f"TOKEN = '{token}'\n"})
    assert feeder(shop, "sync", "--no-mask-secrets").code == 0
    assert feeder(shop, "skipped", "--masked").out == ""


def test_at_most_three_hits_are_near_in_meaning_only(repo: Repo, feeder: RunFeeder) -> None:
    repo.commit({f"{name}.py": f"def {name}():\n    return {name!r}\n" for name in "abcdef"})
    found = feeder(repo, "search", "kubernetes", "--lines", "0").out.splitlines()
    assert found[0] == "No match by name or word; nearest in meaning:"
    assert len([line for line in found if "method" in line]) == 3


def test_nothing_is_near_nonsense(repo: Repo, feeder: RunFeeder) -> None:
    repo.commit({f"{name}.py": f"def {name}():\n    return {name!r}\n" for name in "abcdef"})
    found = feeder(repo, "search", "zzqqxx")
    assert "Nothing found." in found.out
    assert ".py:" not in found.out


def test_no_other_classs_member_is_suggested(repo: Repo, feeder: RunFeeder) -> None:
    code = "class Cart:\n    def additem(self): ...\n\nclass Box:\n    def addition(self): ...\n"
    repo.commit({"shop.py": code + "    def open(self): ...\n"})
    assert "Did you mean Cart.additem?" in feeder(repo, "show", "shop.py#Cart.aditem").err
    assert "Did you mean Cart.additem?" in feeder(repo, "show", "shop.py#Cart.additen").err
    assert "Did you mean" not in feeder(repo, "show", "shop.py#nope").err


@pytest.mark.parametrize("off", ["option", "variable"])
def test_without_refresh_the_answer_says_how_far_it_is_behind(
    shop: Repo, feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch, off: str
) -> None:
    feeder(shop, "sync", "-q")
    shop.write({"src/tax.py": TAX})
    option = ["--no-refresh"] if off == "option" else []
    if off == "variable":
        monkeypatch.setenv("FEEDER_REFRESH", "off")
    found = feeder(shop, "search", *option, "cart")
    assert "1 file on disk differs from the index" in found.out
    assert paths_in(index_of(shop)) == {"src/cart.py", "docs/guide.md"}


@pytest.mark.parametrize("command", ["definition", "implementations"])
def test_definitions_and_implementations_say_that_they_are_behind(
    repo: Repo, feeder: RunFeeder, command: str
) -> None:
    """A line above them has moved them; with an index of these files they say nothing."""
    base, box = "class Base:\n    pass\n", "class Box(Base):\n    pass\n"
    repo.commit({"base.py": base, "box.py": f"from base import Base\n\n\n{box}"})
    note = "1 file on disk differs from the index"
    assert note not in feeder(repo, command, "Base").err
    repo.write({"base.py": f"# moved\n{base}"})
    assert note in feeder(repo, command, "Base", "--no-refresh").err


def test_without_refresh_no_index_is_made(shop: Repo, feeder: RunFeeder) -> None:
    found = feeder(shop, "search", "--no-refresh", "cart")
    assert (found.code, index_of(shop).exists()) == (2, False)


def test_a_folder_outside_of_git_is_not_indexed_unasked(tmp_path: Path, feeder: RunFeeder) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "tax.py").write_text(TAX)
    found = feeder(folder, "search", "vat")
    assert (found.code, "feeder process --path ." in found.err) == (2, True)
    assert not (folder / ".feeder").exists()


def test_a_home_folder_is_not_indexed_unasked(
    shop: Repo, feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(shop.path / "docs"))
    found = feeder(shop, "search", "cart")
    assert (found.code, "contains a home folder" in found.err) == (2, True)
    assert not index_of(shop).exists()


def test_the_kinds_of_vectors_stay(shop: Repo, feeder: RunFeeder) -> None:
    """A search by words only is no reason to delete vectors, and one by meaning none to add any."""
    feeder(shop, "sync", "-q")
    shop.write({"src/tax.py": TAX})
    feeder(shop, "search", "--no-vectors", "vat_rate")
    assert hits(feeder, shop, "vat rate")["src/tax.py"]["meaning_rank"]
    feeder(shop, "sync", "-q", "--no-vectors")
    shop.write({"src/tax.py": TAX + "\n"})
    assert hits(feeder, shop, "vat rate")["src/tax.py"]["meaning_rank"] is None
    assert feeder(shop, "validate", "--no-vectors").code == 0


def test_another_repositorys_index_is_left_alone(
    shop: Repo, tmp_path: Path, feeder: RunFeeder
) -> None:
    other = Repo(tmp_path / "other")
    other.commit({"main.py": "def run():\n    pass\n"})
    shared = tmp_path / "shared.db"
    feeder(shop, "sync", "-q", "--db", str(shared))
    for option in ([], ["--repo", "repo"]):
        feeder(other, "search", "--db", str(shared), *option, "cart")
    assert paths_in(shared) == {"src/cart.py", "docs/guide.md"}
    shop.write({"src/tax.py": TAX})
    feeder(shop, "search", "--db", str(shared), "cart")
    assert "src/tax.py" in paths_in(shared)


def test_the_folder_and_the_options_of_the_index_stay(shop: Repo, feeder: RunFeeder) -> None:
    feeder(shop, "sync", "-q", "--path", "src", "--max-file-bytes", "40")
    shop.write({"src/tax.py": TAX, "src/long.py": TAX + "#" * 40, "docs/new.md": "# New\n"})
    feeder(shop, "search", "x")
    assert paths_in(index_of(shop)) == {"src/tax.py"}
    feeder(shop, "sync", "-q", "--path", "src", "--force")
    feeder(shop, "search", "x")
    assert paths_in(index_of(shop)) == {"src/cart.py", "src/tax.py", "src/long.py"}


@pytest.mark.parametrize("writer", ["command", "refresh"])
def test_an_index_that_is_being_written_answers_as_it_is(
    shop: Repo, feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    feeder(shop, "sync", "-q")
    shop.write({"src/tax.py": TAX})
    monkeypatch.setattr(fresh_index, "WAIT_S", 0.1)
    index = index_of(shop)
    with command_lock(index) if writer == "command" else try_lock(index, SERVER_LOCK):
        found = feeder(shop, "search", "cart")
    assert (found.code, "src/cart.py" in found.out) == (0, True)
    assert "is updating the index. This answer is from the index as it is." in found.err
    assert paths_in(index) == {"src/cart.py", "docs/guide.md"}


def test_a_failed_update_is_no_reason_for_no_answer(
    shop: Repo, tmp_path: Path, feeder: RunFeeder
) -> None:
    grammar = tmp_path / "grammar.json"
    grammar.write_text("{}")
    assert feeder(shop, "sync", "-q", "--grammar", str(grammar)).code == 0
    grammar.unlink()
    shop.write({"src/tax.py": TAX})
    found = feeder(shop, "search", "cart")
    assert (found.code, "src/cart.py" in found.out) == (0, True)
    assert "The index could not be updated" in found.err


@pytest.mark.slow
def test_commands_at_once_all_answer(shop: Repo, tmp_path: Path) -> None:
    """While an editor saves: none is superseded, and in the end the index equals the files."""
    command = [sys.executable, "-m", "feeder", "search", "-q", "vat_rate"]

    def save(version: str) -> None:
        saved = tmp_path / "tax.py"
        saved.write_text(f"{TAX}\n\nVERSION = {version}\n")
        saved.replace(shop.path / "src/tax.py")  # no reader finds it empty

    def start() -> subprocess.Popen[str]:
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, cwd=shop.path, text=True, **pipes)

    for number in range(2):
        save(f"{number}")
        running = [start() for _ in range(3)]
        save(f"{number} + 10")
        ended = [(*process.communicate(), process.returncode) for process in running]
        assert all("src/tax.py" in out and code == 0 for out, _, code in ended), ended
    assert subprocess.run(command, cwd=shop.path, capture_output=True, check=False).returncode == 0
    validate = [sys.executable, "-m", "feeder", "validate"]
    assert subprocess.run(validate, cwd=shop.path, capture_output=True, check=False).returncode == 0


def test_folder_of_the_index_that_does_not_exist(shop: Repo, feeder: RunFeeder) -> None:
    error = feeder(shop, "search", "vat", "--db", "nowhere/index.db")
    assert error.code == 2
    assert error.err == (
        "feeder: The folder nowhere, where the index should be, does not exist. "
        "Create it, or choose another location with --db.\n"
    )

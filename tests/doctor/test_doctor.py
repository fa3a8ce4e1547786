"""The findings of `feeder doctor`: a correct setup and each problem."""

import os
import shutil
import sys
from contextlib import closing
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from command_runner import CommandResult, RunFeeder
from feeder.config import Settings
from feeder.doctor import Finding
from feeder.doctor.environment import check_extras, check_open_files
from feeder.installation import install_command
from feeder.parse.extract import NOT_INSTALLED
from feeder.store import Statement
from feeder.store.migrations import known_migrations
from feeder.store.sqlite import SQLite
from index_helpers import SHOP
from source.repos import Repo

pytestmark = pytest.mark.slow


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit(SHOP)
    return repo


def findings(answer: CommandResult) -> dict[str, dict[str, Any]]:
    """The findings by their names."""
    return {finding["name"]: finding for finding in answer.json["findings"]}


def test_up_to_date_index_has_no_problems(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync", "-q")
    answer = feeder(shop, "doctor", "--json")
    found = findings(answer)
    assert answer.code == 0
    assert not answer.json["stops"]
    index = found["index"]
    assert "The index matches HEAD " in index["says"]
    assert not any(found[name]["remedy"] for name in ("index", "contents", "parser", "git", "disk"))
    assert found["contents"]["says"] == "7 nodes in 4 files, all up to date; 2 skipped"
    assert found["store"]["says"] == "this machine (the default)"


def test_without_an_index_the_remedy_is_named(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "doctor", "--json")
    assert answer.code == 0
    remedy = "Create it: feeder sync"
    assert findings(answer)["index"] == Finding("index", "there is none yet", remedy)._asdict()
    assert not (shop.path / ".feeder").exists()


def test_index_behind_head_is_a_warning(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync", "-q")
    shop.commit({"more.py": "def more():\n    return 1\n"})
    answer = feeder(shop, "doctor", "--json")
    assert answer.code == 0
    assert findings(answer)["index"]["remedy"] == "feeder sync"
    assert "1 commit behind HEAD" in findings(answer)["index"]["says"]


def test_outside_git_the_alternatives_are_named(feeder: RunFeeder, tmp_path: Path) -> None:
    answer = feeder(tmp_path, "doctor")
    assert answer.code == 0
    assert "feeder process --path ." in answer.out


def test_missing_git_is_an_error(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", os.fspath(tmp_path / "bin"))
    answer = feeder(shop, "doctor", "--json")
    assert answer.code == 1
    assert findings(answer)["git"]["stops"]
    assert findings(answer)["git"]["remedy"] == "Install it, or add it to the PATH."
    assert [finding["name"] for finding in answer.json["findings"] if finding["stops"]] == ["git"]
    assert not findings(answer)["parser"]["stops"]


def test_file_instead_of_the_index_is_an_error(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync", "-q")
    (shop.path / ".feeder" / "index.db").write_bytes(b"this is no database at all\n" * 100)
    answer = feeder(shop, "doctor", "--json")
    assert answer.code == 1
    assert findings(answer)["index"]["stops"]
    assert findings(answer)["index"]["remedy"]


def test_damaged_index_is_an_error(feeder: RunFeeder, shop: Repo) -> None:
    """Pages of zeros in the middle of the file."""
    feeder(shop, "sync", "-q")
    index = shop.path / ".feeder/index.db"
    content = bytearray(index.read_bytes())
    content[3 * 4096 : 7 * 4096] = bytes(4 * 4096)
    index.write_bytes(content)
    answer = feeder(shop, "doctor", "--json")
    assert answer.code == 1
    found = findings(answer)["index"]
    assert f"{index} is damaged" in found["says"]
    assert found["remedy"] == f"Delete {index}, then run: feeder sync"


def test_invalid_grammar_is_an_error(feeder: RunFeeder, shop: Repo) -> None:
    own = shop.path / "own.json"
    own.write_text('{"python": {"queries": ["(no_such_node) @method"]}}', "utf-8")
    answer = feeder(shop, "doctor", "--json", "--grammar", own)
    assert answer.code == 1
    assert findings(answer)["parser"]["stops"]


def test_unreadable_settings_are_an_error(feeder: RunFeeder, shop: Repo) -> None:
    (shop.path / ".feeder.toml").write_text("[categories\n", "utf-8")
    answer = feeder(shop, "doctor", "--json")
    assert answer.code == 1
    assert findings(answer)["settings"]["stops"]


def test_token_without_other_settings_names_what_is_missing(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "a-token-that-nobody-sees")
    answer = feeder(shop, "doctor", "--json", "--store", "cloudflare")
    assert answer.code == 1
    assert "the account id" in findings(answer)["credentials"]["says"]
    assert "a-token-that-nobody-sees" not in answer.out + answer.err


def test_token_in_an_address_is_not_shown(feeder: RunFeeder, shop: Repo) -> None:
    """Nor in a path."""
    token = "ghp_" + "a1B2" * 9
    shop.git("remote", "add", "origin", f"https://127.0.0.1/{token}@shop/cart.git")
    answer = feeder(shop, "doctor", "--model", f"http://127.0.0.1:9/{token}/v1#m")
    assert token not in answer.out + answer.err
    assert "x" * len(token) in answer.out


def test_home_folder_is_not_shown(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", os.fspath(shop.path.parent))
    answer = feeder(shop, "doctor")
    assert os.fspath(shop.path.parent) not in answer.out
    assert "~/repo" in answer.out


def test_too_low_limit_of_open_files_is_an_error() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, before[1]))
    try:
        [found] = check_open_files(Settings())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert found.stops
    assert found.remedy == "Raise it to at least 128: ulimit -n 128"


@pytest.mark.needs("serve")
def test_extras_are_those_of_the_program() -> None:
    named = {check_extra.name: check_extra for check_extra in check_extras(Settings())}
    assert named.keys() == {"[cloudflare]", "[documents]", "[local]", "[serve]", "[share]"}
    assert "starlette" in named["[serve]"].says
    assert not named["[serve]"].absent


def test_missing_extra_is_neither_ok_nor_an_error(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has a mark of its own."""

    def absent(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr("feeder.doctor.environment.version", absent)
    answer = feeder(shop, "doctor", "--json")
    found = findings(answer)["[documents]"]
    assert (answer.code, found["absent"], found["stops"], found["remedy"]) == (0, True, False, "")
    [line] = [
        splitline
        for splitline in feeder(shop, "doctor").out.splitlines()
        if "[documents]" in splitline
    ]
    says = f"not installed; to add it: {install_command('documents')}"
    assert line.split(maxsplit=2) == ["-", "[documents]", says]


def test_older_index_is_not_migrated(feeder: RunFeeder, shop: Repo) -> None:
    """Any other command would migrate it."""
    *before, last = known_migrations()
    (shop.path / ".feeder").mkdir()
    file = shop.path / ".feeder" / "index.db"
    with closing(SQLite(file)) as database:
        database.script("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT);", [])
        for step in before:
            add = Statement("INSERT INTO d1_migrations (name) VALUES (?)", (step.name,))
            database.script(step.sql, [add])
    content = file.read_bytes()
    found = findings(feeder(shop, "doctor", "--model", "words", "--json"))["index"]
    assert found["says"].endswith(f"has an older schema, without {last.name}")
    assert (found["stops"], "feeder sync" in found["remedy"]) == (False, True)
    assert file.read_bytes() == content


def test_read_only_index_folder_is_an_error(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the file is writable: SQLite writes files beside it."""
    feeder(shop, "sync", "-q")
    locked = shop.path / ".feeder"
    # root may write everywhere
    monkeypatch.setattr(os, "access", lambda path, mode, **_: Path(path) != locked)
    answer = feeder(shop, "doctor", "--json")
    assert answer.code == 1
    assert findings(answer)["disk"]["says"] == f"{locked} is not writable"


def test_missing_vectors_for_searches_are_reported(feeder: RunFeeder, shop: Repo) -> None:
    """For an index of words searched with the static model."""
    feeder(shop, "sync", "-q", "--no-vectors")
    found = findings(feeder(shop, "doctor", "--vectors", "--model", "static", "--json"))
    assert found["vectors"]["says"] == "none, words only"
    assert found["model"]["says"].startswith("feeder-static-")
    assert "Make them: feeder sync" in found["model"]["remedy"]


def test_missing_library_that_compares_vectors_is_an_error(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search finds by words only without it."""
    monkeypatch.setitem(sys.modules, "simsimd", None)
    answer = feeder(shop, "doctor", "--vectors", "--model", "static", "--json")
    assert answer.code == 1
    assert "the package simsimd cannot be loaded" in findings(answer)["model"]["says"]


@pytest.mark.usefixtures("retries_without_delay")
def test_unreachable_model_is_an_error(feeder: RunFeeder, shop: Repo) -> None:
    """Of vectors or descriptions; the index is checked all the same."""
    feeder(shop, "sync", "-q", "--no-vectors")
    nobody = "http://127.0.0.1:9/v1#none"
    for options, name in ((("--model", nobody), "model"), (("--describe", nobody), "describing")):
        answer = feeder(shop, "doctor", "--vectors", *options, "--json")
        assert answer.code == 1
        stops = [finding["name"] for finding in answer.json["findings"] if finding["stops"]]
        assert (stops, findings(answer)["index"]["stops"]) == ([name], False)


def changed(shop: Repo, *statements: Statement) -> None:
    """In the index."""
    with closing(SQLite(shop.path / ".feeder" / "index.db")) as database:
        database.run(statements)


def test_incomplete_index_is_reported(feeder: RunFeeder, shop: Repo) -> None:
    """As a killed run leaves it."""
    feeder(shop, "sync", "-q")
    changed(
        shop,
        Statement("UPDATE meta SET value = 'another' WHERE key LIKE '%:run'"),
        Statement("DELETE FROM meta WHERE key LIKE '%:tree'"),
    )
    found = findings(feeder(shop, "doctor", "--json"))["index"]
    assert "a later sync is running or was stopped" in found["says"]
    assert (found["remedy"], found["stops"]) == ("feeder sync", False)


def test_stored_source_is_counted(feeder: RunFeeder, shop: Repo) -> None:
    """Three files have lines."""
    feeder(shop, "sync", "-q", "--texts")
    says = findings(feeder(shop, "doctor", "--json"))["stored source"]["says"]
    rows, _, size = says.partition(", ")
    assert rows == "3 rows"
    assert size.endswith(" bytes compressed")


def test_pending_descriptions_are_reported(feeder: RunFeeder, repo: Repo) -> None:
    """One of three methods and classes is described."""
    repo.commit(
        {"a.py": "def one():\n    pass\n\n\ndef two():\n    pass\n\n\nclass C:\n    x = 1\n"}
    )
    feeder(repo, "sync", "-q")
    columns, values = "sha, model, prompt, line, reason", "'x', 'm', '', 'One.', ''"
    changed(
        repo,
        Statement("UPDATE docs SET describes = 'x' WHERE symbol = 'one'"),
        Statement(f"INSERT INTO descriptions ({columns}) VALUES ({values})"),
    )
    found = findings(feeder(repo, "doctor", "--json"))["descriptions"]
    assert found["says"] == "1 nodes by m"
    assert found["remedy"] == "Describe 2 more: feeder sync --describe MODEL"


def test_skipped_documents_are_reported(feeder: RunFeeder, shop: Repo) -> None:
    """If the installation cannot read them."""
    feeder(shop, "sync", "-q")
    kept_out = "UPDATE files SET reason = ? WHERE path = 'logo.bin'"
    counts = Statement("DELETE FROM meta WHERE key LIKE '%:counts'")
    changed(shop, Statement(kept_out, (NOT_INSTALLED,)), counts)
    found = findings(feeder(shop, "doctor", "--json"))["documents"]
    assert found["says"] == "1 skipped"
    assert install_command("documents") in found["remedy"]


def test_index_of_documents_without_the_extra_is_an_error(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a sync by this installation."""
    feeder(shop, "sync", "-q")
    made_by = "UPDATE meta SET value = 'documents:1/1/1' WHERE key LIKE '%:parser'"
    a_pdf = "UPDATE files SET path = 'a.pdf' WHERE path = 'config.json'"
    changed(shop, Statement(made_by), Statement(a_pdf))
    monkeypatch.setattr("feeder.doctor.index_checks.extractor_versions", lambda: "")
    answer = feeder(shop, "doctor", "--json")
    assert (answer.code, findings(answer)["documents"]["stops"]) == (1, True)
    assert findings(answer)["documents"]["says"].startswith("the index has 1;")


def test_doctor_writes_nothing(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync", "-q")
    shutil.rmtree(shop.path / ".feeder")
    before = sorted(shop.path.rglob("*"))
    feeder(shop, "doctor")
    assert sorted(shop.path.rglob("*")) == before

"""What `feeder doctor` sees: of a machine as it should be, and of each thing that is not."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from feeder.config import Settings
from feeder.health import Finding
from feeder.health.machine import limits
from feeder.health.program import extras
from running import Answer, Feeder
from tree.repos import Repo
from worlds import SHOP


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit(SHOP)
    return repo


def seen(answer: Answer) -> dict[str, dict[str, Any]]:
    """The findings by their names."""
    return {one["name"]: one for one in answer.facts["findings"]}


def test_a_fed_index_of_head_has_nothing_to_be_done(feeder: Feeder, shop: Repo) -> None:
    feeder(shop, "sync", "-q")
    answer = feeder(shop, "doctor", "--json")
    found = seen(answer)
    assert answer.code == 0
    assert not answer.facts["stops"]
    index = found["index"]
    assert "The index equals HEAD " in index["says"]
    assert not any(found[name]["remedy"] for name in ("index", "holds", "parser", "git", "disk"))
    assert found["store"]["says"] == "this machine (no CLOUDFLARE_API_TOKEN)"


def test_without_an_index_it_says_how_to_make_one(feeder: Feeder, shop: Repo) -> None:
    answer = feeder(shop, "doctor", "--json")
    assert answer.code == 0
    assert (
        seen(answer)["index"]
        == Finding("index", "there is none yet", "Make it: feeder sync")._asdict()
    )
    assert not (shop.path / ".feeder").exists()


def test_an_index_behind_head_is_no_stop(feeder: Feeder, shop: Repo) -> None:
    feeder(shop, "sync", "-q")
    shop.commit({"more.py": "def more():\n    return 1\n"})
    answer = feeder(shop, "doctor", "--json")
    assert answer.code == 0
    assert seen(answer)["index"]["remedy"] == "feeder sync"
    assert "1 commit behind HEAD" in seen(answer)["index"]["says"]


def test_outside_of_git_it_says_what_can_be_done(feeder: Feeder, tmp_path: Path) -> None:
    answer = feeder(tmp_path, "doctor")
    assert answer.code == 0
    assert "feeder process --path ." in answer.out


def test_without_git_a_run_is_stopped(
    feeder: Feeder, shop: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", os.fspath(tmp_path / "bin"))
    answer = feeder(shop, "doctor", "--json")
    assert answer.code == 1
    assert seen(answer)["git"]["stops"]
    assert seen(answer)["git"]["remedy"] == "Install it, or put it on the PATH."
    assert not seen(answer)["parser"]["stops"]


def test_a_file_in_place_of_the_index_stops_a_run(feeder: Feeder, shop: Repo) -> None:
    feeder(shop, "sync", "-q")
    (shop.path / ".feeder" / "index.db").write_bytes(b"this is no database at all\n" * 100)
    answer = feeder(shop, "doctor", "--json")
    assert answer.code == 1
    assert seen(answer)["index"]["stops"]
    assert seen(answer)["index"]["remedy"]


def test_a_grammar_that_does_not_compile_stops_a_run(feeder: Feeder, shop: Repo) -> None:
    own = shop.path / "own.json"
    own.write_text('{"python": {"queries": ["(no_such_node) @method"]}}', "utf-8")
    answer = feeder(shop, "doctor", "--json", "--grammar", own)
    assert answer.code == 1
    assert seen(answer)["parser"]["stops"]


def test_settings_that_cannot_be_read_stop_a_run(feeder: Feeder, shop: Repo) -> None:
    (shop.path / ".feeder.toml").write_text("[categories\n", "utf-8")
    answer = feeder(shop, "doctor", "--json")
    assert answer.code == 1
    assert seen(answer)["settings"]["stops"]


def test_a_token_alone_says_what_lacks_and_is_not_shown(
    feeder: Feeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "a-token-that-nobody-sees")
    answer = feeder(shop, "doctor", "--json", "--store", "cloudflare")
    assert answer.code == 1
    assert "the account's id" in seen(answer)["credentials"]["says"]
    assert "a-token-that-nobody-sees" not in answer.out + answer.err


def test_the_users_folder_is_not_named(
    feeder: Feeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", os.fspath(shop.path.parent))
    answer = feeder(shop, "doctor")
    assert os.fspath(shop.path.parent) not in answer.out
    assert "~/repo" in answer.out


def test_a_limit_on_open_files_that_is_too_low_stops_a_run() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, before[1]))
    try:
        [found] = limits(Settings())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert found.stops
    assert found.remedy == "Raise it to 128 at least: ulimit -n 128"


def test_extras_are_those_of_the_program() -> None:
    named = {one.name: one for one in extras(Settings())}
    assert {"[local]", "[serve]"} <= named.keys()
    assert "starlette" in named["[serve]"].says


def test_nothing_is_written(feeder: Feeder, shop: Repo) -> None:
    feeder(shop, "sync", "-q")
    shutil.rmtree(shop.path / ".feeder")
    before = sorted(shop.path.rglob("*"))
    feeder(shop, "doctor")
    assert sorted(shop.path.rglob("*")) == before

"""`--describe` in the commands: report, exit codes and output."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer, description_of_name, error_reply, running_chat_server

from command_runner import RunFeeder, command_runner
from index_helpers import SHOP
from source.repos import Repo

KEY = "Xk29-qLmR47_vTzE81wPbN36sHcYdU05jGaF"


@pytest.fixture
def feeder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> RunFeeder:
    monkeypatch.setenv("FEEDER_JOBS", "1")
    monkeypatch.setenv("FEEDER_MODEL", "static")
    monkeypatch.setenv("FEEDER_API_KEY", KEY)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return command_runner(monkeypatch, capfd)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A model server that the environment names."""
    with running_chat_server() as model:
        monkeypatch.setenv("FEEDER_DESCRIBE", f"{model.url}#some-model")
        yield model


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit(SHOP)
    return repo


def test_run_reports_descriptions_and_commands_show_them(
    feeder: RunFeeder, shop: Repo, model: ChatServer
) -> None:
    dry = feeder(shop, "sync", "--dry-run")
    assert "Descriptions: 4 would be requested; about " in dry.out
    assert "the price is unknown" in dry.out
    assert model.log == []
    made = feeder(shop, "sync")
    assert (made.code, "Descriptions: 4 made.\n" in made.out) == (0, True)
    assert model.log[0].headers["Authorization"] == f"Bearer {KEY}"
    for command in ("search emptyCart", "show src/cart.py#emptyCart"):
        assert (
            "        Does what is called empty cart here.\n" in feeder(shop, *command.split()).out
        )
    assert f"descriptions: 4 nodes, by {model.model_name}" in feeder(shop, "stats").out
    assert feeder(shop, "validate").code == 0


def test_limit_exits_with_75_and_server_errors_with_their_code(
    feeder: RunFeeder, shop: Repo, model: ChatServer
) -> None:
    """Finished descriptions are stored, and the index equals HEAD."""
    model.always = error_reply(401, "no such key")
    refused = feeder(shop, "sync")
    assert (refused.code, "FEEDER_API_KEY" in refused.err) == (2, True)
    assert KEY not in refused.err
    assert feeder(shop, "validate").code == 0
    model.always = description_of_name
    assert feeder(shop, "sync", "--max-descriptions", "3").code == 75
    report = json.loads(feeder(shop, "sync", "--json").out)
    assert report["descriptions_made"] == 1


def test_describe_off_removes_descriptions_and_redescribe_needs_a_model(
    feeder: RunFeeder, shop: Repo, model: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    feeder(shop, "sync")
    dry = feeder(shop, "sync", "--describe", "off", "--dry-run")
    assert "Descriptions would be removed: 4.\n" in dry.out
    off = feeder(shop, "sync", "--describe", "off")
    assert (off.code, "Descriptions removed: 4.\n" in off.out) == (0, True)
    assert "descriptions" not in feeder(shop, "stats").out
    monkeypatch.delenv("FEEDER_DESCRIBE")
    again = feeder(shop, "sync", "--redescribe")
    assert (again.code, "Name it with --describe" in again.err) == (2, True)

"""The commands that messages about Cloudflare name work in the state in which they are printed."""

import re
import shlex

import pytest
from program import Console, console, feeder
from standin import StandIn

from command_runner import RunFeeder
from source.repos import Repo

__all__ = ["console", "feeder"]

LIMITED = "standin-token-with-some-permissions-0002"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository with a file to index."""
    repo.commit({"cart.py": "def add(cart, article):\n    cart.append(article)\n"})
    return repo


def remedy(message: str) -> list[str]:
    """Returns the arguments of the last command that a message names."""
    command = re.findall(r"feeder (?:init|sync)(?: --[\w-]+ [\w@/.-]+)*", message)[-1]
    return shlex.split(command)[1:]


@pytest.mark.parametrize("failing", ["sync", "init", "search"])
def test_deleted_database_is_made_again(
    feeder: RunFeeder, console: Console, shop: Repo, failing: str
) -> None:
    """The wrangler file still has its id."""
    feeder(shop, "init")
    assert feeder(shop, "sync").code == 0
    console.delete_database()

    failed = feeder(shop, failing, *(["cart"] if failing == "search" else []))
    assert failed.code == 2
    assert "D1" in failed.err
    command = remedy(failed.err)
    assert command == ["init", "--database-name", "acme_shop"]
    made = feeder(shop, *command)
    assert made.code == 0, made.err
    assert "created: D1 database acme_shop" in made.out
    synced = feeder(shop, "sync")
    assert synced.code == 0, synced.err
    assert console.sql("SELECT symbol FROM docs") == [["add"]]


def test_deleted_database_of_another_name_is_made_again(
    feeder: RunFeeder, console: Console, shop: Repo
) -> None:
    """By the name in the wrangler file."""
    feeder(shop, "init", "--database-name", "shops")
    console.delete_database("shops")
    command = remedy(feeder(shop, "sync").err)
    assert command == ["init", "--database-name", "shops"]
    assert feeder(shop, *command).code == 0
    assert feeder(shop, "sync").code == 0


def test_deleted_database_of_a_setting_is_made_again(
    feeder: RunFeeder, console: Console, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The setting has to go; until then it is named again."""
    feeder(shop, "init")
    monkeypatch.setenv("FEEDER_DATABASE_ID", console.database_id())
    console.delete_database()
    failed = feeder(shop, "sync")
    assert failed.code == 2
    assert "FEEDER_DATABASE_ID" in failed.err
    assert feeder(shop, *remedy(failed.err)).code == 0
    assert "FEEDER_DATABASE_ID" in feeder(shop, "sync").err
    monkeypatch.delenv("FEEDER_DATABASE_ID")
    assert feeder(shop, "sync").code == 0


def test_deleted_index_is_made_again(feeder: RunFeeder, console: Console, shop: Repo) -> None:
    feeder(shop, "init")
    console.delete_index()
    failed = feeder(shop, "sync")
    assert failed.code == 2
    assert remedy(failed.err) == ["init"]
    assert feeder(shop, *remedy(failed.err)).code == 0
    assert feeder(shop, "sync").code == 0


def test_database_without_tables_gets_them(
    feeder: RunFeeder, console: Console, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was made by hand."""
    monkeypatch.setenv("FEEDER_DATABASE_ID", console.make_database("by_hand"))
    failed = feeder(shop, "search", "cart")
    assert failed.code == 2
    assert remedy(failed.err) == ["init"]
    assert feeder(shop, *remedy(failed.err)).code == 0
    assert feeder(shop, "sync").code == 0


def test_index_of_other_dimensions_is_replaced(feeder: RunFeeder, shop: Repo) -> None:
    """The command names a place for the name of the user's choice."""
    feeder(shop, "init")
    model = ("--model", "@cf/baai/bge-m3")
    failed = feeder(shop, "sync", *model)
    assert failed.code == 2
    command = [word.replace("NAME", "acme_shop_large") for word in remedy(failed.err)]
    assert command == ["init", "--index-name", "acme_shop_large"]
    made = feeder(shop, *command, *model)
    assert made.code == 0, made.err
    synced = feeder(shop, "sync", *model)
    assert synced.code == 0, synced.err


@pytest.mark.parametrize("account", ["acme", "f" * 32, "not-the-id-of-any-account"])
@pytest.mark.parametrize("command", [["sync"], ["init"], ["search", "cart"]])
def test_wrong_account_id_is_named(
    feeder: RunFeeder,
    standin: StandIn,
    shop: Repo,
    monkeypatch: pytest.MonkeyPatch,
    account: str,
    command: list[str],
) -> None:
    """Not a missing database or model; with the right one the same command works."""
    feeder(shop, "init")
    feeder(shop, "sync")
    monkeypatch.setenv("CLOUDFLARE_ACCOUNT_ID", account)
    failed = feeder(shop, *command)
    assert failed.code == 2
    assert "Set CLOUDFLARE_ACCOUNT_ID to the" in failed.err
    assert not re.search(r"--database-id|--model|feeder init", failed.err)
    monkeypatch.setenv("CLOUDFLARE_ACCOUNT_ID", standin.account_id)
    assert feeder(shop, *command).code == 0


def test_token_without_workers_ai_is_named_by_init(
    feeder: RunFeeder,
    standin: StandIn,
    console: Console,
    shop: Repo,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before anything is created; the static model needs no permission."""
    standin.grant(LIMITED, "d1", "vectorize")
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", LIMITED)
    failed = feeder(shop, "init")
    assert failed.code == 2
    assert "Workers AI Read" in failed.err
    assert "does not have this model" not in failed.err
    assert console.names() == ([], [])
    assert remedy(failed.err) == ["init", "--model", "static"]
    assert feeder(shop, *remedy(failed.err)).code == 0
    assert feeder(shop, "sync", "--model", "static").code == 0


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (400, 7000, "No route for that URI"),
        (403, 10000, "Authentication error"),
        (401, 10000, "Authentication error"),
    ],
)
def test_refused_probe_of_workers_ai_is_no_missing_model(
    feeder: RunFeeder, standin: StandIn, shop: Repo, status: int, code: int, message: str
) -> None:
    """It names no model."""
    standin.fault(
        "server_error", route="ai.models", status=status, code=code, message=message, rate=1.0
    )
    failed = feeder(shop, "init")
    assert failed.code == 2
    assert "Workers AI Read" in failed.err
    assert "model (" not in failed.err


def test_index_with_vectors_of_another_model_is_replaced(feeder: RunFeeder, shop: Repo) -> None:
    """Both models have the same dimensions, and Vectorize cannot empty an index."""
    first, second = "@cf/baai/bge-m3", "@cf/qwen/qwen3-embedding-0.6b"
    feeder(shop, "init", "--model", first)
    feeder(shop, "sync", "--model", first)
    failed = feeder(shop, "sync", "--model", second)
    assert failed.code == 2
    command = [word.replace("NAME", "acme_shop_second") for word in remedy(failed.err)]
    assert command == ["init", "--index-name", "acme_shop_second"]
    made = feeder(shop, *command, "--model", second)
    assert made.code == 0, made.err
    synced = feeder(shop, "sync", "--model", second)
    assert synced.code == 0, synced.err


@pytest.mark.parametrize("command", [["sync"], ["search", "cart"]], ids=str)
def test_database_that_is_not_configured_is_made(
    feeder: RunFeeder, shop: Repo, command: list[str]
) -> None:
    failed = feeder(shop, *command, "--store", "cloudflare")
    assert failed.code == 2
    assert "FEEDER_DATABASE_ID (or --database-id)" in failed.err
    assert feeder(shop, *remedy(failed.err)).code == 0
    assert feeder(shop, "sync").code == 0


def test_index_that_is_made_again_gets_the_vectors(
    feeder: RunFeeder, console: Console, standin: StandIn, shop: Repo
) -> None:
    """The sync after `feeder init` sends them, although no file has changed."""
    feeder(shop, "init")
    assert feeder(shop, "sync").code == 0
    console.delete_index()
    failed = feeder(shop, "validate")
    assert failed.code == 2
    assert remedy(failed.err) == ["init"]
    assert "created: Vectorize index acme_shop_code" in feeder(shop, "init").out
    synced = feeder(shop, "sync")
    assert "The Vectorize index was deleted and created again" in synced.out + synced.err
    assert len(standin.vectors("acme_shop_code")) == 1
    again = feeder(shop, "sync")
    assert "nothing to do" in again.out

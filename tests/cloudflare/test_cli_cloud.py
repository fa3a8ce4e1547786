"""The commands with the cloud store: the choice of the store, output and errors."""

import socket
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from program import Console, console, feeder
from standin import StandIn

from command_runner import RunFeeder, command_runner
from feeder.embedding import STATIC_MODEL_NAME
from feeder.installation import install_command
from index_helpers import CART, SHOP
from source.repos import Repo

__all__ = ["console", "feeder"]

UNKNOWN = "99999999-8888-4777-8666-555555555555"
NOT_HERE = "f" * 32
PARTLY_RIGHT = "The index is correct in everything that was compared."


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit(SHOP)
    return repo


@pytest.fixture
def initialized_repo(feeder: RunFeeder, shop: Repo) -> Repo:
    """A repository with an empty index at Cloudflare."""
    assert feeder(shop, "init").code == 0
    return shop


@pytest.fixture
def indexed_repo(feeder: RunFeeder, initialized_repo: Repo) -> Repo:
    """A repository with its index at Cloudflare."""
    answer = feeder(initialized_repo, "sync")
    assert answer.code == 0, answer.err
    return initialized_repo


def test_sync_search_stats_and_validate(
    feeder: RunFeeder, standin: StandIn, indexed_repo: Repo
) -> None:
    answer = feeder(indexed_repo, "search", "addLine", "--json")
    first = answer.json["hits"][0]
    assert (first["symbol"], first["word_rank"], first["path"]) == (
        "Cart.addLine",
        1,
        "src/cart.py",
    )
    assert first["vector_rank"] is not None
    assert answer.err.startswith("acme/shop: Cloudflare, D1 database ")

    stats = feeder(indexed_repo, "stats", "--json").json
    assert stats["models"] == ["@cf/baai/bge-small-en-v1.5"]
    assert sum(stats["node_types"].values()) == 7
    assert stats["usage"]["dimensions"] == 7 * 384
    assert stats["usage"]["requests"] == {"d1": 1}
    assert 0 < stats["usage"]["free_tier"]["database_bytes"] < 0.01

    proof = feeder(indexed_repo, "validate", "--wait")
    assert (proof.code, proof.out.splitlines()[-1]) == (0, PARTLY_RIGHT)
    assert "docs not pending 7, vectors 7" in proof.out


def test_similar_uses_the_stored_vector(feeder: RunFeeder, standin: StandIn, shop: Repo) -> None:
    """One request for it and one for the nearest; no text is embedded."""
    static = ("--model", "static")
    assert feeder(shop, "init", *static).code == 0
    assert feeder(shop, "sync", *static).code == 0
    assert feeder(shop, "validate", "--wait", *static).code == 0
    before = standin.routes()
    answer = feeder(shop, "similar", "Cart.total", "--json", *static)
    assert answer.code == 0, answer.err
    hits = answer.json["hits"]
    assert hits[0]["vector_rank"] == 1
    assert not {"Cart", "Cart.total"} & {hit["symbol"] for hit in hits}
    asked = {name: count - before.get(name, 0) for name, count in standin.routes().items()}
    assert asked["vectorize.get_by_ids"] == asked["vectorize.query"] == 1
    assert not any(count for name, count in asked.items() if name.startswith("ai"))


def test_static_model_calls_no_service(feeder: RunFeeder, standin: StandIn, shop: Repo) -> None:
    """Its 256-number vectors are computed on this machine."""
    static = ("--model", "static")
    assert "(256 dimensions, cosine)" in feeder(shop, "init", *static).out
    answer = feeder(shop, "sync", *static, "--json")
    assert answer.code == 0, answer.err
    assert "ai" not in answer.json["requests"]
    assert answer.json["usage"]["dimensions"] == 7 * 256
    assert feeder(shop, "validate", "--wait", *static).code == 0
    [first, *_] = feeder(shop, "search", *static, "--json", "how are lines put into a cart").json[
        "hits"
    ]
    assert first["vector_rank"] is not None
    assert first["meaning_rank"] is None
    assert not any(count for name, count in standin.counts().items() if name.startswith("ai"))


def test_plain_commands_use_the_model_of_the_index(
    feeder: RunFeeder, standin: StandIn, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As README's workflow runs them, whichever model the first sync named."""
    monkeypatch.delenv("FEEDER_MODEL")
    static = ("--model", "static")
    assert feeder(shop, "init", *static).code == 0
    assert feeder(shop, "sync", *static).code == 0
    shop.commit({"src/total.py": "def grand_total(carts):\n    return sum(carts)\n"})
    planned = feeder(shop, "sync", "--dry-run", "--json")
    assert (planned.code, "ai" in planned.json["requests"]) == (0, False), planned.err
    changed = feeder(shop, "sync", "--json")
    assert changed.code == 0, changed.err
    assert changed.json["texts_embedded"] == changed.json["nodes_new"] > 0
    assert "The index has vectors by feeder-static-" in changed.err
    assert feeder(shop, "validate", "--wait").code == 0
    (shop.path / "src/total.py").write_text("def grand_total(all_carts):\n    return 1\n")
    assert feeder(shop, "process", "--path", "src/total.py").code == 0
    found = feeder(shop, "search", "--json", "how are lines put into a cart")
    assert found.json["hits"][0]["vector_rank"] is not None, found.err
    assert "feeder sync" not in found.err
    assert feeder(shop, "stats", "--json").json["models"] == [STATIC_MODEL_NAME]
    assert not any(count for name, count in standin.counts().items() if name.startswith("ai"))


def test_model_whose_address_is_unknown_has_to_be_named(
    feeder: RunFeeder, console: Console, indexed_repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another model's vectors would replace its own."""
    monkeypatch.delenv("FEEDER_MODEL")
    console.sql("UPDATE meta SET value = 'my-model' WHERE key = 'model'")
    answer = feeder(indexed_repo, "sync")
    assert (answer.code, answer.out) == (2, "")
    assert "The index has vectors by my-model. Select that model with --model" in answer.err
    found = feeder(indexed_repo, "search", "cart", "--json")
    assert found.code == 0
    assert "Searched by words only: The index has vectors by my-model." in found.err


def test_sync_without_changes_takes_one_request(
    feeder: RunFeeder, standin: StandIn, indexed_repo: Repo
) -> None:
    """It returns schema version, budget and model."""
    before = sum(standin.counts().values())
    answer = feeder(indexed_repo, "sync")
    assert (
        answer.out.splitlines()[0] == "The index is up to date with the source tree: nothing to do."
    )
    assert sum(standin.counts().values()) - before == 1
    assert "Requests: 1 D1." in answer.out.splitlines()


def test_process_apply_and_delete(feeder: RunFeeder, console: Console, indexed_repo: Repo) -> None:
    """As with a local index."""
    paths = "SELECT path FROM files WHERE path GLOB 'new*' ORDER BY path"
    (indexed_repo.path / "new.py").write_text("def fresh():\n    pass\n")
    assert feeder(indexed_repo, "process", "--path", "new.py").code == 0
    assert console.sql(paths) == [["new.py"]]
    (indexed_repo.path / "news.json").write_text('[{"file": "new.py", "action": "delete"}]')
    assert feeder(indexed_repo, "apply", "news.json").code == 0
    assert console.sql(paths) == []
    assert feeder(indexed_repo, "delete", "--path", "docs").code == 0
    assert console.sql("SELECT path FROM files WHERE path GLOB 'docs/*'") == []


def test_validate_finds_and_repairs_differences(
    feeder: RunFeeder, standin: StandIn, console: Console, indexed_repo: Repo
) -> None:
    """A missing vector, an extra one, a row and a posting."""
    index = "vectorize/v2/indexes/acme_shop_code"
    [lost] = console.sql("SELECT id FROM docs WHERE symbol = 'Cart.total'")[0]
    console.post(f"{index}/delete_by_ids", {"ids": [lost]})
    console.sql("DELETE FROM docs_fts WHERE rowid = (SELECT min(seq) FROM docs)")

    red = feeder(indexed_repo, "validate")
    assert red.code == 1
    assert f"src/cart.py: node {lost} has no vector" in red.out
    assert "has no posting" in red.out

    assert feeder(indexed_repo, "validate", "--repair").code == 0
    assert feeder(indexed_repo, "validate", "--wait").code == 0
    assert lost in standin.vectors("acme_shop_code")


def test_validate_waits_for_queued_writes(
    feeder: RunFeeder, standin: StandIn, initialized_repo: Repo
) -> None:
    """Vectorize applies writes later; without --wait they are missing."""
    standin.change(vectorize_delay_s=4)
    feeder(initialized_repo, "sync")
    early = feeder(initialized_repo, "validate")
    assert (early.code, "has no vector" in early.out) == (1, True)
    assert feeder(initialized_repo, "validate", "--wait").code == 0


def test_dry_run_estimates_requests_and_free_tier_shares(
    feeder: RunFeeder, standin: StandIn, initialized_repo: Repo, users_cache: Path
) -> None:
    """The run then takes as many."""
    before = standin.rows_written()
    facts = feeder(initialized_repo, "sync", "--dry-run", "--json").json
    assert standin.rows_written() == before
    assert facts["texts_embedded"] == 7
    # one request to Vectorize before the first vector: the index's dimensions are asked for
    assert facts["usage"]["requests"] == {"d1": 3, "vectorize": 2, "ai": 1}
    assert facts["usage"]["dimensions"] == 7 * 384
    assert facts["usage"]["free_tier"]["rows_written"] == (20 + 7 * 6 + 4 * 2) / 100_000
    assert not users_cache.parent.exists()

    real = feeder(initialized_repo, "sync", "--json").json
    assert real["usage"]["requests"] == {"d1": 3, "vectorize": 2, "ai": 1}
    assert real["requests"] == real["usage"]["requests"]


def test_dry_run_estimates_tokens_of_the_texts(
    feeder: RunFeeder, indexed_repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short and long ones, in any script, repeated or cached."""
    signs = "".join(f"計 = {number}\n" for number in range(400))
    same = "def apple():\n    return 'same'\n"
    indexed_repo.commit(
        {"signs.py": signs, "long.txt": "many words " * 2000, "a/x.py": same, "x.py": same}
    )
    (indexed_repo.path / "src/cart.py").rename(indexed_repo.path / "cart.py")
    indexed_repo.commit()
    foreseen = feeder(indexed_repo, "sync", "--dry-run", "--json").json
    real = feeder(indexed_repo, "sync", "--json").json
    assert foreseen["texts_embedded"] == real["texts_embedded"] > 10
    assert foreseen["usage"]["tokens"] == real["usage"]["tokens"]
    assert foreseen["usage"]["neurons"] == real["usage"]["neurons"]
    assert foreseen["usage"]["requests"]["ai"] == real["usage"]["requests"]["ai"]


def test_cached_texts_are_not_sent_to_workers_ai(
    feeder: RunFeeder, standin: StandIn, indexed_repo: Repo
) -> None:
    """A moved node is not embedded again."""
    indexed_repo.commit()
    feeder(indexed_repo, "sync")
    before = standin.counts()["ai"]
    indexed_repo.commit({"src/cart.py": f"\n{CART}"})
    facts = feeder(indexed_repo, "sync", "--json").json
    assert (facts["texts_embedded"], facts["texts_cached"]) == (0, 5)
    assert standin.counts()["ai"] == before


def test_missing_vectors_are_added_by_the_command_that_is_named(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that the user has not named needs no --model."""
    monkeypatch.delenv("FEEDER_MODEL")
    assert feeder(shop, "init").code == 0
    assert feeder(shop, "sync", "--model", "words").code == 0
    by_default = feeder(shop, "search", "cart").err.splitlines()[-1]
    assert by_default == "The index has no vectors by @cf/baai/bge-m3. Add them: feeder sync"
    named = feeder(shop, "search", "cart", "--model", "@cf/baai/bge-small-en-v1.5").err
    assert named.endswith("Add them: feeder sync --model @cf/baai/bge-small-en-v1.5\n")


def test_other_vectorize_index_gets_all_vectors(
    feeder: RunFeeder, standin: StandIn, indexed_repo: Repo
) -> None:
    """From the cache."""
    assert feeder(indexed_repo, "init", "--index-name", "moved").code == 0
    assert (
        feeder(indexed_repo, "search", "cart")
        .err.splitlines()[-1]
        .startswith("The index has no vectors by @cf/")
    )
    facts = feeder(indexed_repo, "sync", "--json").json
    assert (facts["texts_embedded"], facts["texts_cached"]) == (0, 7)
    assert len(standin.vectors("moved")) == 7
    assert feeder(indexed_repo, "validate", "--wait").code == 0

    back = feeder(indexed_repo, "sync", "--index-name", "acme_shop_code")
    assert (back.code, "has 7 vectors" in back.err, "--index-name" in back.err) == (2, True, True)


CHOICES = [
    ([], {}, True, "wrangler.toml names the index"),
    ([], {"CLOUDFLARE_API_TOKEN": ""}, False, "no CLOUDFLARE_API_TOKEN"),
    ([], {"CLOUDFLARE_ACCOUNT_ID": ""}, False, "no CLOUDFLARE_ACCOUNT_ID"),
    (["--store", "local"], {}, False, "--store local"),
    ([], {"FEEDER_STORE": "local"}, False, "--store local"),
    (["--store", "cloudflare"], {"FEEDER_STORE": "local"}, True, "--store cloudflare"),
    (["--db", "index.db"], {}, False, "--db names a file"),
    (
        ["--account-id", "0123456789abcdef0123456789abcdef"],
        {"CLOUDFLARE_ACCOUNT_ID": ""},
        True,
        "the account is set",
    ),
]


@pytest.mark.parametrize(("arguments", "environment", "is_cloud", "why"), CHOICES)
def test_first_line_names_the_store_and_the_reason(
    feeder: RunFeeder,
    monkeypatch: pytest.MonkeyPatch,
    initialized_repo: Repo,
    arguments: list[str],
    environment: dict[str, str],
    is_cloud: bool,
    why: str,
) -> None:
    """--store decides, then --db, then what configures the repository."""
    monkeypatch.setenv("FEEDER_VECTORS", "no")
    monkeypatch.delenv("FEEDER_MODEL")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    answer = feeder(initialized_repo, "sync", *arguments)

    assert answer.code == 0
    [line] = answer.err.splitlines()
    store = "Cloudflare, D1 database" if is_cloud else "local index"
    assert line.startswith(f"acme/shop: {store} ")
    assert f" ({why}), " in line


WRANGLER_FILES = {
    "no file": ("wrangler.toml", ""),
    "another Worker's": (
        "wrangler.toml",
        'account_id = "0123456789abcdef0123456789abcdef"\n[[d1_databases]]\nbinding = "DB"\n'
        f'database_id = "{UNKNOWN}"\n',
    ),
    "a placeholder": (
        "wrangler.toml",
        '[[d1_databases]]\nbinding = "CODE_DB"\n'
        'database_id = "00000000-0000-0000-0000-000000000000"\n',
    ),
    "JSON": ("wrangler.jsonc", '{"d1_databases": [{"binding": "DB"}], "vectorize": null}'),
}
READING_COMMANDS = (
    ("search", "addLine"),
    ("grep", "addLine"),
    ("stats",),
    ("outline", "src/cart.py"),
    ("references", "addLine"),
    ("doctor",),
    ("validate", "--no-content"),
)


@pytest.mark.parametrize(("name", "content"), WRANGLER_FILES.values(), ids=WRANGLER_FILES)
def test_credentials_of_wrangler_do_not_choose_cloudflare(
    feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch, shop: Repo, name: str, content: str
) -> None:
    """The first index is made on this machine, and every command reads it there."""
    monkeypatch.setenv("FEEDER_MODEL", "words")
    if content:
        (shop.path / name).write_text(content)
    answer = feeder(shop, "sync")
    assert (answer.code, answer.err) == (
        0,
        f"acme/shop: local index {shop.path}/.feeder/index.db, words only\n",
    )
    for command in READING_COMMANDS:
        answer = feeder(shop, *command)
        assert answer.code == 0, (command, answer)
        assert "loudflare" not in answer.err, command


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("FEEDER_DATABASE_ID", UNKNOWN, "the database is set"),
        ("FEEDER_INDEX_NAME", "nowhere", "the Vectorize index is set"),
        ("FEEDER_ACCOUNT_ID", NOT_HERE, "the account is set"),
    ],
)
def test_a_setting_of_the_index_at_cloudflare_chooses_it(
    feeder: RunFeeder,
    monkeypatch: pytest.MonkeyPatch,
    shop: Repo,
    variable: str,
    value: str,
    reason: str,
) -> None:
    """Also beside an index on this machine."""
    monkeypatch.setenv("FEEDER_MODEL", "words")
    assert feeder(shop, "sync").code == 0
    monkeypatch.setenv(variable, value)
    assert f"Cloudflare ({reason})" in feeder(shop, "doctor").out
    local = feeder(shop, "search", "addLine", "--store", "local")
    assert (local.code, "(--store local)" in local.err) == (0, True)


def test_init_beside_a_local_index_goes_to_cloudflare(
    feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch, shop: Repo
) -> None:
    """A token and an account are enough for it; afterwards wrangler.toml decides."""
    monkeypatch.delenv("FEEDER_MODEL")
    assert feeder(shop, "sync", "--model", "words").code == 0
    answer = feeder(shop, "init")
    assert (answer.code, answer.err.splitlines()[0]) == (
        0,
        "acme/shop: Cloudflare (token and account are set)",
    )
    answer = feeder(shop, "sync", "--model", "words")
    assert answer.err.startswith("acme/shop: Cloudflare, D1 database ")
    assert feeder(shop, "init", "--store", "local").out == "Ready.\n"


def test_flags_override_the_environment_and_both_override_wrangler_toml(
    feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch, initialized_repo: Repo
) -> None:
    """For the index and the database."""
    (initialized_repo.path / "sub").mkdir()
    place = initialized_repo.path / "sub"
    assert "Vectorize index acme_shop_code (" in feeder(place, "stats").err
    monkeypatch.setenv("FEEDER_INDEX_NAME", "of-environment")
    monkeypatch.setenv("FEEDER_DATABASE_ID", UNKNOWN)
    answer = feeder(place, "stats")
    assert f"D1 database {UNKNOWN}, Vectorize index of-environment (" in answer.err
    answer = feeder(place, "stats", "--index-name", "of-flag", "--database-id", NOT_HERE)
    assert f"D1 database {NOT_HERE}, Vectorize index of-flag (" in answer.err


def test_only_wrangler_toml_of_the_repository_is_read(
    feeder: RunFeeder, tmp_path: Path, shop: Repo
) -> None:
    """One in a parent folder belongs to another project."""
    (tmp_path / "wrangler.toml").write_text(
        f'[[d1_databases]]\nbinding = "CODE_DB"\ndatabase_id = "{UNKNOWN}"\n'
    )
    answer = feeder(shop, "stats", "--store", "cloudflare")
    assert (answer.code, "are missing: the database id." in answer.err) == (2, True)


def test_one_error_names_all_missing_settings(
    feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch, shop: Repo
) -> None:
    """The token, for which there is no flag, the account and the database."""
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN")
    monkeypatch.delenv("CLOUDFLARE_ACCOUNT_ID")
    answer = feeder(shop, "sync", "--store", "cloudflare")
    assert answer.code == 2
    assert answer.err == (
        "feeder: The store cloudflare is selected, but these settings are missing: the API "
        "token, the account id, the database id. Set CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID "
        "(or --account-id), FEEDER_DATABASE_ID (or --database-id), or use --store local. To create "
        "the database: feeder init\n"
    )
    assert "--api-token" not in feeder(shop, "sync", "--help").out


BAD = {
    "token": ({"CLOUDFLARE_API_TOKEN": "another-token"}, 2, "CLOUDFLARE_API_TOKEN"),
    "blank token": ({"CLOUDFLARE_API_TOKEN": "two words"}, 2, "CLOUDFLARE_API_TOKEN"),
    "account": ({"CLOUDFLARE_ACCOUNT_ID": NOT_HERE}, 2, "CLOUDFLARE_ACCOUNT_ID"),
    "no account": ({"CLOUDFLARE_ACCOUNT_ID": "me"}, 2, "CLOUDFLARE_ACCOUNT_ID"),
    "database": ({"FEEDER_DATABASE_ID": UNKNOWN}, 2, "--database-id"),
    "no database": ({"FEEDER_DATABASE_ID": "shop"}, 2, "--database-id"),
    "index": ({"FEEDER_INDEX_NAME": "nowhere"}, 2, "--index-name"),
    "model": ({"FEEDER_MODEL": "@cf/baai/bge-m4"}, 2, "bge-m3"),
    "dimensions": ({"FEEDER_DIMENSIONS": "100"}, 2, "--dimensions 384"),
    "other dimensions": ({"FEEDER_MODEL": "@cf/baai/bge-m3"}, 2, "--dimensions"),
    "address": ({"CLOUDFLARE_BASE_URL": "api.example"}, 2, "CLOUDFLARE_BASE_URL"),
}


@pytest.mark.parametrize("what", BAD)
def test_wrong_setting_is_an_error_before_any_write(
    feeder: RunFeeder,
    monkeypatch: pytest.MonkeyPatch,
    console: Console,
    initialized_repo: Repo,
    what: str,
) -> None:
    environment, code, said = BAD[what]
    before = console.standin.rows_written()
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    answer = feeder(initialized_repo, "sync")

    assert (answer.code, answer.out) == (code, "")
    last = answer.err.splitlines()[-1]
    assert last.startswith("feeder: ")
    assert said in last
    assert console.standin.rows_written() == before
    assert environment.get("CLOUDFLARE_API_TOKEN", "?" * 9) not in answer.err


@pytest.mark.parametrize(
    ("permissions", "expected", "rows"),
    [
        (["vectorize", "ai"], "D1 Edit", 0),
        (["d1", "ai"], "Vectorize Edit", 0),
        (["d1", "vectorize"], "Workers AI Read", 7),
    ],
)
def test_missing_permission_is_named(
    feeder: RunFeeder,
    monkeypatch: pytest.MonkeyPatch,
    console: Console,
    initialized_repo: Repo,
    permissions: list[str],
    expected: str,
    rows: int,
) -> None:
    """Without Workers AI the words are indexed, and the next run adds the vectors."""
    console.standin.grant("partial-token", *permissions)
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "partial-token")
    answer = feeder(initialized_repo, "sync")
    assert (answer.code, expected in answer.err) == (2, True)
    assert "partial-token" not in answer.out + answer.err
    assert console.sql("SELECT count(*) FROM docs") == [[rows]]

    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", console.standin.token)
    assert feeder(initialized_repo, "sync").code == 0
    assert (
        feeder(initialized_repo, "sync").code == 0
    )  # deletes what the run before may have left, once more
    assert feeder(initialized_repo, "validate", "--wait").code == 0


@pytest.mark.parametrize(
    ("permissions", "missing"),
    [
        (["vectorize", "ai"], "D1 Edit"),
        (["d1", "ai"], "Vectorize Edit"),
        (["d1", "vectorize"], "Workers AI Read"),
    ],
)
def test_init_names_a_missing_permission(
    feeder: RunFeeder,
    monkeypatch: pytest.MonkeyPatch,
    console: Console,
    shop: Repo,
    permissions: list[str],
    missing: str,
) -> None:
    """Before it creates anything."""
    console.standin.grant("partial-token", *permissions)
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "partial-token")
    answer = feeder(shop, "init")
    assert (answer.code, missing in answer.err) == (2, True)
    assert console.names() == ([], [])


def test_init_for_the_static_model_needs_no_workers_ai(
    feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch, console: Console, shop: Repo
) -> None:
    """The error for another model says so; once the index is there, no model is asked for."""
    console.standin.grant("partial-token", "d1", "vectorize")
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "partial-token")
    monkeypatch.delenv("FEEDER_MODEL")
    assert feeder(shop, "init").err.endswith("needs no Workers AI: feeder init --model static\n")
    assert feeder(shop, "init", "--model", "static").code == 0
    assert feeder(shop, "init").code == 0
    assert console.standin.counts()["ai"] == 1


@pytest.mark.parametrize("command", ["init", "init --dry-run", "worker --repo a/b --repo c/d"])
def test_a_missing_sdk_is_named_with_its_extra(
    feeder: RunFeeder,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    standin: StandIn,
    shop: Repo,
    command: str,
) -> None:
    """No request is sent; commands that feed and search do not need it."""
    assert feeder(shop, "init").code == 0
    before = standin.counts()
    monkeypatch.setitem(sys.modules, "cloudflare", None)
    answer = command_runner(monkeypatch, capfd)(shop, *command.split())
    assert (answer.code, install_command("cloudflare") in answer.err) == (2, True)
    assert standin.counts() == before
    for other in ("sync", "search total", "stats", "validate --wait", "doctor"):
        assert feeder(shop, *other.split()).code == 0


def test_init_gives_up_after_five_tries(feeder: RunFeeder, standin: StandIn, shop: Repo) -> None:
    """The SDK's own retries, which would multiply these, are off."""
    standin.fault("throttled", route="d1.create", times=99, retry_after=0)
    answer = feeder(shop, "init")
    assert answer.code == 1, answer.err
    routes = [entry["route"] for entry in standin.log()]
    assert routes.count("d1.create") == 5


@pytest.mark.parametrize("command", ["sync", "search x", "stats", "validate"])
@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1", "has no index. Create one with: feeder init"),
        ("CREATE TABLE users (id)", "has no index. Create one with: feeder init"),
        (
            "CREATE TABLE meta (key, value); CREATE TABLE d1_migrations (id, name); "
            "INSERT INTO d1_migrations VALUES (1, '0001_users.sql')",
            "has no index. Create one with: feeder init",
        ),
    ],
)
def test_database_without_an_index_is_refused(
    feeder: RunFeeder,
    console: Console,
    initialized_repo: Repo,
    command: str,
    sql: str,
    expected: str,
) -> None:
    """It is not changed."""
    other = console.make_database()
    console.sql(sql, other)
    before = console.sql("SELECT name FROM sqlite_schema ORDER BY name", other)
    answer = feeder(initialized_repo, *command.split(), "--database-id", other)
    assert (answer.code, expected in answer.err) == (2, True)
    assert console.sql("SELECT name FROM sqlite_schema ORDER BY name", other) == before


@pytest.mark.parametrize("command", ["sync", "search x", "stats", "validate"])
def test_newer_schema_is_refused(
    feeder: RunFeeder, console: Console, indexed_repo: Repo, command: str
) -> None:
    """With the first request; the remedy is a newer program."""
    console.sql("INSERT INTO d1_migrations (name) VALUES ('0009_later.sql')")
    before = sum(console.standin.counts().values())
    answer = feeder(indexed_repo, *command.split())
    assert (answer.code, "0009_later.sql. Update feeder." in answer.err) == (2, True)
    assert sum(console.standin.counts().values()) == before + 1


def test_older_schema_asks_for_init(
    feeder: RunFeeder, console: Console, indexed_repo: Repo
) -> None:
    """It is not migrated implicitly."""
    console.sql("DELETE FROM d1_migrations")
    answer = feeder(indexed_repo, "sync")
    assert (answer.code, "lacks the migration 0001_init.sql" in answer.err) == (2, True)
    assert "with: feeder init (with --dry-run it prints what that costs)\n" in answer.err


def test_exhausted_quota_ends_the_run_with_its_report(
    feeder: RunFeeder, standin: StandIn, initialized_repo: Repo
) -> None:
    """The words are indexed; the message says when to run again, and that run completes."""
    standin.fault("ai_daily_neurons", route="ai.run")
    answer = feeder(initialized_repo, "sync")
    assert answer.code == 1
    assert "resets at 00:00 UTC" in answer.err
    assert answer.out.startswith("Files: 4 processed")
    assert feeder(initialized_repo, "search", "addLine").out.startswith("src/cart.py:")

    assert feeder(initialized_repo, "sync").code == 0
    assert feeder(initialized_repo, "validate", "--wait").code == 0


class LoginPage(BaseHTTPRequestHandler):
    """A proxy's login page instead of a response."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b"<html><head><title>Log in to the guest network</title></head></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.headers["Content-Length"] = "0"
        self.do_POST()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def guest_network() -> Iterator[str]:
    """The address of a login page instead of Cloudflare's."""
    server = HTTPServer(("127.0.0.1", 0), LoginPage)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/client/v4"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("command", ["sync", "init"])
def test_page_of_a_proxy_is_an_error(
    feeder: RunFeeder,
    monkeypatch: pytest.MonkeyPatch,
    initialized_repo: Repo,
    guest_network: str,
    command: str,
) -> None:
    """With its title and what to check."""
    monkeypatch.setenv("CLOUDFLARE_BASE_URL", guest_network)
    answer = feeder(initialized_repo, command)
    assert answer.code == 2
    assert "Log in to the guest network" in answer.err
    assert "CLOUDFLARE_BASE_URL" in answer.err


@pytest.mark.usefixtures("retries_without_delay")
@pytest.mark.parametrize("command", ["sync", "init"])
def test_missing_network_is_an_error(
    feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch, initialized_repo: Repo, command: str
) -> None:
    """After all tries; no server listens at that port."""
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        port = unheard.getsockname()[1]
        monkeypatch.setenv("CLOUDFLARE_BASE_URL", f"http://127.0.0.1:{port}/client/v4")
        answer = feeder(initialized_repo, command)
    assert answer.code == 1
    assert "cannot be reached" in answer.err.splitlines()[-1]


def test_invalid_toml_is_an_error_with_its_position(feeder: RunFeeder, shop: Repo) -> None:
    (shop.path / "wrangler.toml").write_text("name = \n")
    answer = feeder(shop, "init")
    assert answer.code == 2
    assert f"{shop.path}/wrangler.toml cannot be read" in answer.err
    assert (shop.path / "wrangler.toml").read_text() == "name = \n"

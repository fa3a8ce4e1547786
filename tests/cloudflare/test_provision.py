"""`feeder init` at Cloudflare creates only what is missing."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from program import Console, console, feeder
from standin import StandIn

from command_runner import RunFeeder
from feeder.cloudflare.workers_ai import DEFAULT_MODEL, MODELS
from feeder.store import migrations
from source.repos import Repo

__all__ = ["console", "feeder"]

PROPERTIES = ["branch", "language", "node_type", "path", "repo", "tests"]
THINGS = [
    "D1 database acme_shop",
    "migration 0001_init.sql",
    "migration 0002_outbox_path.sql",
    "migration 0003_stopped.sql",
    "migration 0004_members.sql",
    "migration 0005_texts.sql",
    "migration 0006_descriptions.sql",
    "migration 0007_vector_line.sql",
    "migration 0008_file_parser.sql",
    "migration 0009_query_cost.sql",
    "migration 0010_names.sql",
    "migration 0011_relations.sql",
    "migration 0012_line_runs.sql",
    "migration 0013_file_lines.sql",
    "migration 0014_pairs.sql",
    "migration 0015_unparsed_lines.sql",
    "migration 0016_unread_files.sql",
    "Vectorize index acme_shop_code (384 dimensions, cosine)",
    "metadata index path",
    "metadata index language",
    "metadata index node_type",
    "metadata index repo",
    "metadata index branch",
    "metadata index tests",
]
SCHEMA = """
SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'
ORDER BY type, name
"""


def bindings(repo: Repo) -> dict[str, Any]:
    return tomllib.loads((repo.path / "wrangler.toml").read_text())


def lines(verb: str, repo: Repo) -> list[str]:
    things = [*THINGS, f"bindings in {repo.path}/wrangler.toml"]
    return [_line(verb, thing) for thing in things]


def _line(verb: str, thing: str) -> str:
    if verb == "created" and thing.startswith("metadata index"):
        return f"requested: {thing}, visible in Vectorize within minutes"
    return f"{verb}: {thing}"


def test_metadata_index_that_is_not_visible_yet_is_requested_again(
    feeder: RunFeeder, standin: StandIn, repo: Repo
) -> None:
    """The message says so; a later init finds it."""
    standin.change(vectorize_delay_s=30)
    first = feeder(repo, "init").out.splitlines()
    assert first == lines("created", repo)
    second = feeder(repo, "init").out.splitlines()
    assert [line for line in second if not line.startswith("exists: ")] == [
        _line("created", thing) for thing in THINGS if thing.startswith("metadata index")
    ]
    standin.settle()
    assert feeder(repo, "init").out.splitlines() == lines("exists", repo)


def test_init_creates_everything(feeder: RunFeeder, console: Console, repo: Repo) -> None:
    """Database, schema, index and metadata indexes; wrangler.toml gets the bindings."""
    answer = feeder(repo, "init")

    assert (answer.code, answer.out.splitlines()) == (0, lines("created", repo))
    assert answer.err.startswith("acme/shop: Cloudflare (token and account are set)\n")
    assert console.names() == (["acme_shop"], ["acme_shop_code"])
    assert console.properties() == PROPERTIES
    assert console.sql("SELECT name FROM d1_migrations ORDER BY id") == [
        ["0001_init.sql"],
        ["0002_outbox_path.sql"],
        ["0003_stopped.sql"],
        ["0004_members.sql"],
        ["0005_texts.sql"],
        ["0006_descriptions.sql"],
        ["0007_vector_line.sql"],
        ["0008_file_parser.sql"],
        ["0009_query_cost.sql"],
        ["0010_names.sql"],
        ["0011_relations.sql"],
        ["0012_line_runs.sql"],
        ["0013_file_lines.sql"],
        ["0014_pairs.sql"],
        ["0015_unparsed_lines.sql"],
        ["0016_unread_files.sql"],
    ]
    assert bindings(repo) == {
        "name": "acme-shop",
        "compatibility_date": "2026-04-01",
        "d1_databases": [
            {
                "binding": "CODE_DB",
                "database_name": "acme_shop",
                "database_id": console.database_id(),
                "migrations_dir": ".feeder/migrations",
            }
        ],
        "vectorize": [{"binding": "CODE_INDEX", "index_name": "acme_shop_code"}],
        "ai": {"binding": "AI"},
    }


def test_init_prints_the_cost_of_each_model(feeder: RunFeeder, repo: Repo) -> None:
    """For 10,000 nodes, computed by hand.

    5,000,000 stored dimensions; 720 bytes per text, 3 per token, $0.012 per million tokens, and
    1,000 neurons for $0.011.
    """
    model = ("--model", "@cf/qwen/qwen3-embedding-0.6b", "--dimensions", "256")
    answer = feeder(repo, "init", *model)
    lines = [" ".join(line.split()) for line in answer.err.splitlines()]
    assert "static 256 19,531 0 (0.0 %) 17 + 11 + 0" in lines
    assert "@cf/baai/bge-m3 1024 4,882 2,618 (26.2 %) 17 + 11 + 100" in lines
    [chosen] = [line for line in lines if line.startswith("* ")]
    assert chosen.startswith("* @cf/qwen/qwen3-embedding-0.6b --dimensions 256 256 19,531 2,618")
    assert "and in a Worker, and uses no service" in answer.err
    assert feeder(repo, "init", *model, "--quiet").err == ""


def test_second_init_changes_nothing(feeder: RunFeeder, console: Console, repo: Repo) -> None:
    feeder(repo, "init")
    before = (repo.path / "wrangler.toml").read_bytes()

    answer = feeder(repo, "init")

    assert (answer.code, answer.out.splitlines()) == (0, lines("exists", repo))
    assert (repo.path / "wrangler.toml").read_bytes() == before
    assert console.names() == (["acme_shop"], ["acme_shop_code"])


def test_init_finds_resources_by_name(feeder: RunFeeder, console: Console, repo: Repo) -> None:
    """In a database made by hand only what is missing is created."""
    database_id = console.make_database("acme_shop")
    console.make_database("acme_shop_too")

    answer = feeder(repo, "init")

    assert answer.out.splitlines()[:18] == [
        "exists: D1 database acme_shop",
        "created: migration 0001_init.sql",
        "created: migration 0002_outbox_path.sql",
        "created: migration 0003_stopped.sql",
        "created: migration 0004_members.sql",
        "created: migration 0005_texts.sql",
        "created: migration 0006_descriptions.sql",
        "created: migration 0007_vector_line.sql",
        "created: migration 0008_file_parser.sql",
        "created: migration 0009_query_cost.sql",
        "created: migration 0010_names.sql",
        "created: migration 0011_relations.sql",
        "created: migration 0012_line_runs.sql",
        "created: migration 0013_file_lines.sql",
        "created: migration 0014_pairs.sql",
        "created: migration 0015_unparsed_lines.sql",
        "created: migration 0016_unread_files.sql",
        "created: Vectorize index acme_shop_code (384 dimensions, cosine)",
    ]
    assert bindings(repo)["d1_databases"][0]["database_id"] == database_id


def test_dry_run_prints_what_a_migration_of_an_older_index_costs(
    feeder: RunFeeder, console: Console, repo: Repo
) -> None:
    """The migration of names writes a row for each node, that of lines one for each file."""
    feeder(repo, "init")
    console.sql("DELETE FROM d1_migrations WHERE name IN ('0010_names.sql', '0013_file_lines.sql')")
    for name, files, nodes in (("py", 1500, 8), ("lock", 10, 0)):
        console.sql(
            "INSERT INTO files (repo, path, blob, sha_head, nodes, state) "
            f"SELECT 'acme/shop', 'a' || value || '.{name}', '', '', {nodes}, 'clean' "
            f"FROM json_each('{[*range(files)]}')"
        )
    printed = feeder(repo, "init", "--dry-run").out.splitlines()
    names = "migration 0010_names.sql (12,000 rows written, 12.0 % of D1's free day)"
    lines_ = "migration 0013_file_lines.sql (1,500 rows written, 1.5 % of D1's free day)"
    assert {f"would be created: {names}", f"would be created: {lines_}"} <= set(printed)


def test_dry_run_creates_nothing(feeder: RunFeeder, console: Console, repo: Repo) -> None:
    """It prints what would be created."""
    answer = feeder(repo, "init", "--dry-run")
    assert (answer.code, answer.out.splitlines()) == (0, lines("would be created", repo))
    assert console.names() == ([], [])
    assert not (repo.path / "wrangler.toml").exists()
    assert not (repo.path / ".feeder").exists()

    feeder(repo, "init")
    again = feeder(repo, "init", "--dry-run")
    assert again.out.splitlines() == lines("exists", repo)


def test_json_lists_the_resources(feeder: RunFeeder, repo: Repo) -> None:
    """With their names and whether they existed."""
    facts = feeder(repo, "init", "--json").json
    assert facts[0] == {
        "name": "D1 database acme_shop",
        "is_there": False,
        "later": False,
        "older": 0,
        "rows": 0,
    }
    assert len(facts) == len(THINGS) + 1


def test_metadata_indexes_are_created_before_the_first_vector(
    feeder: RunFeeder, standin: StandIn, repo: Repo
) -> None:
    """They do not include vectors written before."""
    repo.commit({"a.py": "def apple():\n    pass\n"})
    feeder(repo, "init")
    feeder(repo, "sync")
    routes = [entry["route"] for entry in standin.log()]
    assert routes.index("vectorize.upsert") > max(
        at for at, route in enumerate(routes) if route == "vectorize.metadata_create"
    )


def test_missing_metadata_index_is_not_added_to_an_index_with_vectors(
    feeder: RunFeeder, console: Console, standin: StandIn, repo: Repo
) -> None:
    """This is reported, also in a dry run."""
    repo.commit({"a.py": "def apple():\n    pass\n"})
    feeder(repo, "init")
    base = "vectorize/v2/indexes/acme_shop_code/metadata_index/delete"
    console.post(base, {"propertyName": "path"})
    feeder(repo, "sync")
    standin.settle()

    for options in ((), ("--dry-run",)):
        lines = feeder(repo, "init", *options).out.splitlines()
        assert [line for line in lines if not line.startswith("exists: ")] == [
            "skipped: metadata index path, which would hide the 1 existing vectors. Fill "
            "another index: feeder init --index-name NAME, then feeder sync"
        ]
    assert console.properties() == ["branch", "language", "node_type", "repo", "tests"]
    facts = {fact["name"]: fact for fact in feeder(repo, "init", "--json").json}
    assert facts["metadata index path"]["older"] == 1


MINE = """\
# my Worker
name   = "web"
main = 'src/index.ts'    # the entry

[[d1_databases]]
binding = "DB"   # users
database_name = "users"
database_id = "11111111-2222-4333-8444-555555555555"

[vars]
GREETING = "grüß dich"
"""


def test_rest_of_wrangler_toml_is_unchanged(
    feeder: RunFeeder, console: Console, repo: Repo
) -> None:
    """Byte for byte, including comments; a foreign database keeps its binding."""
    file = repo.path / "wrangler.toml"
    file.write_text(MINE)

    answer = feeder(repo, "init", "--database-name", "acme_code")

    assert answer.code == 0
    stored = file.read_text()
    new = (
        '[[d1_databases]]\nbinding = "CODE_DB"\ndatabase_name = "acme_code"\n'
        f'database_id = "{console.database_id("acme_code")}"\n'
        'migrations_dir = ".feeder/migrations"\n\n'
    )
    assert stored.startswith(MINE.replace("[vars]", f"{new}[vars]"))
    said = bindings(repo)
    assert said["vars"] == {"GREETING": "grüß dich"}
    assert [d1_database["binding"] for d1_database in said["d1_databases"]] == ["DB", "CODE_DB"]
    assert said["d1_databases"][0]["database_id"] == "11111111-2222-4333-8444-555555555555"
    assert said["d1_databases"][1]["database_id"] == console.database_id("acme_code")
    assert feeder(repo, "stats").code == 0


def test_inline_bindings_stay_inline(feeder: RunFeeder, console: Console, repo: Repo) -> None:
    """A list of tables on one line gets one more entry."""
    file = repo.path / "wrangler.toml"
    one = '{ binding = "USERS", index_name = "users" }, { binding = "X", index_name = "x" }'
    file.write_text(f"vectorize = [{one}]\n")
    feeder(repo, "init")
    assert file.read_text().startswith(f"vectorize = [{one}, {{")
    assert [found["binding"] for found in bindings(repo)["vectorize"]] == [
        "USERS",
        "X",
        "CODE_INDEX",
    ]


def test_placeholder_id_is_replaced(feeder: RunFeeder, console: Console, repo: Repo) -> None:
    """This project's own wrangler.toml has one: an id of zeros."""
    own = (Path(__file__).parents[2] / "wrangler.toml").read_text()
    file = repo.path / "wrangler.toml"
    file.write_text(own)
    zeros = "00000000-0000-0000-0000-000000000000"

    assert feeder(repo, "sync").code == 2
    feeder(repo, "init")

    assert console.names() == (["acme_shop"], ["feeder_code"])
    filled = own.replace(zeros, console.database_id())
    assert file.read_text() == filled.replace('_name = "feeder"', '_name = "acme_shop"')


def test_init_and_wrangler_create_the_same_schema(
    feeder: RunFeeder, console: Console, repo: Repo
) -> None:
    """wrangler runs each file and records it; the result is equal to the last space."""
    feeder(repo, "init")
    other = console.make_database()
    console.sql(
        "CREATE TABLE IF NOT EXISTS d1_migrations(\n"
        "\t\tid         INTEGER PRIMARY KEY AUTOINCREMENT,\n"
        "\t\tname       TEXT UNIQUE,\n"
        "\t\tapplied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL\n);",
        other,
    )
    for file in sorted((repo.path / ".feeder/migrations").iterdir()):
        note = f"INSERT INTO d1_migrations (name)\nvalues ('{file.name}');"
        console.sql(f"{file.read_text()}\n{note}", other)

    assert console.sql(SCHEMA) == console.sql(SCHEMA, other)
    assert len(console.sql(SCHEMA)) > 10
    # each takes the other's work for its own
    assert feeder(repo, "init", "--database-id", other).out.splitlines()[:9] == [
        "exists: D1 database other",
        "exists: migration 0001_init.sql",
        "exists: migration 0002_outbox_path.sql",
        "exists: migration 0003_stopped.sql",
        "exists: migration 0004_members.sql",
        "exists: migration 0005_texts.sql",
        "exists: migration 0006_descriptions.sql",
        "exists: migration 0007_vector_line.sql",
        "exists: migration 0008_file_parser.sql",
    ]


def test_migrations_are_in_the_folder_of_wrangler_toml(feeder: RunFeeder, repo: Repo) -> None:
    """`wrangler d1 migrations apply --local` finds them there; git ignores it."""
    repo.commit({"README.md": "# Shop\n"})
    feeder(repo, "init")
    folder = repo.path / bindings(repo)["d1_databases"][0]["migrations_dir"]
    known = migrations.known_migrations()
    assert {file.name: file.read_text() for file in folder.iterdir()} == dict(known)
    assert repo.git("status", "--porcelain") == "?? wrangler.toml"


@pytest.mark.parametrize(("dimensions", "metric"), [(768, "cosine"), (384, "euclidean")])
def test_index_of_another_shape_is_an_error(
    feeder: RunFeeder, console: Console, repo: Repo, dimensions: int, metric: str
) -> None:
    """With the remedy, before anything is created."""
    console.make_index("acme_shop_code", dimensions, metric)

    answer = feeder(repo, "init")

    assert answer.code == 2
    assert f"acme_shop_code has {dimensions} dimensions and the metric {metric}" in (answer.err)
    assert "--index-name" in answer.err
    assert console.names() == ([], ["acme_shop_code"])
    assert not (repo.path / "wrangler.toml").exists()


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE users (id)",
        "CREATE TABLE users (id); CREATE TABLE d1_migrations (id, name); "
        "INSERT INTO d1_migrations VALUES (1, '0001_init.sql')",
    ],
)
def test_database_of_another_program_is_not_changed(
    feeder: RunFeeder, console: Console, repo: Repo, sql: str
) -> None:
    """Even if its migrations have the same names; nothing else is created."""
    database_id = console.make_database("acme_shop")
    console.sql(sql, database_id)
    before = console.sql("SELECT name FROM sqlite_schema", database_id)

    answer = feeder(repo, "init")

    assert answer.code == 2
    assert "contains tables of another program. Choose another database" in answer.err
    assert console.sql("SELECT name FROM sqlite_schema", database_id) == before
    assert console.names() == (["acme_shop"], [])


def test_newer_database_is_not_changed(feeder: RunFeeder, console: Console, repo: Repo) -> None:
    """The remedy is a newer program."""
    feeder(repo, "init")
    console.sql("INSERT INTO d1_migrations (name) VALUES ('0009_later.sql')")
    answer = feeder(repo, "init")
    assert (answer.code, "0009_later.sql. Update feeder." in answer.err) == (2, True)


@pytest.mark.parametrize(
    ("fault", "route"),
    [
        ({"kind": "reset", "after": True}, "d1.create"),
        ({"kind": "reset", "after": True}, "vectorize.create"),
        ({"kind": "server_error"}, "vectorize.metadata_create"),
        ({"kind": "bad_gateway"}, "d1.list"),
        ({"kind": "reset", "after": True}, "d1.query"),
    ],
    ids=str,
)
def test_lost_response_creates_nothing_twice(
    feeder: RunFeeder, console: Console, repo: Repo, fault: dict[str, Any], route: str
) -> None:
    console.standin.fault(route=route, **fault)

    answer = feeder(repo, "init")

    assert answer.code == 0, answer.err
    assert console.standin.faults()[0]["fired"] == 1
    assert console.names() == (["acme_shop"], ["acme_shop_code"])
    assert console.properties() == PROPERTIES


@pytest.mark.parametrize("route", ["d1.list", "d1.create", "vectorize.list_indexes"])
def test_error_with_status_200_is_an_error(
    feeder: RunFeeder, console: Console, repo: Repo, route: str
) -> None:
    console.standin.fault("success_false", route=route, times=9, retry_after=0)
    answer = feeder(repo, "init")
    assert (answer.code, "internal server error" in answer.err) == (1, True)


def test_global_api_key_does_not_replace_the_token(
    feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch, repo: Repo
) -> None:
    """CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY are not used."""
    monkeypatch.setenv("CLOUDFLARE_EMAIL", "me@example.org")
    monkeypatch.setenv("CLOUDFLARE_API_KEY", "0123456789abcdef0123456789abcdef01234")
    assert feeder(repo, "init").code == 0


def test_this_projects_wrangler_toml_matches_the_program() -> None:
    """Three bindings and the program's migrations."""
    root = Path(__file__).parents[2]
    said = tomllib.loads((root / "wrangler.toml").read_text())
    [database] = said["d1_databases"]
    [index] = said["vectorize"]
    assert (database["binding"], index["binding"], said["ai"]["binding"]) == (
        "CODE_DB",
        "CODE_INDEX",
        "AI",
    )
    names = [file.name for file in (root / database["migrations_dir"]).iterdir()]
    assert sorted(names) == [migration.name for migration in migrations.known_migrations()]


def test_a_binding_that_is_one_table_is_refused_before_anything_is_made(
    feeder: RunFeeder, standin: StandIn, repo: Repo
) -> None:
    """wrangler wants an array of tables; nothing is made at Cloudflare for a file that is wrong."""
    (repo.path / "wrangler.toml").write_text('[d1_databases]\nbinding = "DB"\n')
    answer = feeder(repo, "init")
    assert answer.code == 2
    assert "Write it as [[d1_databases]]" in answer.err
    assert not any(standin.counts().values())


def test_index_of_words_only_has_room_for_the_default_models_vectors(
    feeder: RunFeeder, console: Console, repo: Repo
) -> None:
    """Vectors can be added later, without another index."""
    repo.commit({"a.py": "def total():\n    return 1\n"})
    answer = feeder(repo, "init", "--model", "words")
    dimensions = MODELS[DEFAULT_MODEL].dimensions
    assert answer.code == 0, answer.err
    assert (
        f"created: Vectorize index acme_shop_code ({dimensions} dimensions, cosine)" in answer.out
    )
    assert feeder(repo, "sync", "--model", "words").code == 0
    assert feeder(repo, "search", "total", "--model", "words", "-l").out == "a.py\n"


def test_a_later_init_keeps_the_dimensions_of_the_index(
    feeder: RunFeeder, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a model it creates nothing and refuses nothing; another chosen one is refused."""
    monkeypatch.delenv("FEEDER_MODEL", raising=False)
    assert feeder(repo, "init", "--model", "static").code == 0
    again = feeder(repo, "init")
    assert again.code == 0, again.err
    assert "exists: Vectorize index acme_shop_code (256 dimensions, cosine)" in again.out
    assert not [line for line in again.out.splitlines() if not line.startswith("exists: ")]
    assert feeder(repo, "init", "--model", DEFAULT_MODEL).code == 2


def test_repositories_share_a_database_and_an_index(
    feeder: RunFeeder, console: Console, repo: Repo, tmp_path: Path
) -> None:
    """Each is searched alone; the second one creates nothing but its bindings."""
    other = Repo(tmp_path / "other")
    for one, text in ((repo, "def total():\n    return 1\n"), (other, "def total():\n    pass\n")):
        one.commit({"a.py": text})
        named = ("--repo", f"acme/{one.path.name}", "--model", "static")
        answer = feeder(one, "init", "--shared", "acme", *named)
        assert answer.code == 0, answer.err
        assert feeder(one, "sync", *named).code == 0
    created = [line for line in answer.out.splitlines() if not line.startswith("exists: ")]
    assert created == [f"created: bindings in {other.path / 'wrangler.toml'}"]
    assert console.names() == (["acme"], ["acme_code"])
    found = feeder(other, "search", "total", "--repo", "acme/other", "-l")
    assert found.out == "a.py\n"
    both = feeder(other, "init", "--shared", "acme", "--database-name", "other")
    assert both.code == 2
    assert "Use only one of them." in both.err


def test_the_first_run_makes_the_vectors_that_init_was_given(
    feeder: RunFeeder, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A workflow names no model; a later run follows the index."""
    monkeypatch.delenv("FEEDER_MODEL", raising=False)
    repo.commit({"a.py": "def total():\n    return 1\n"})
    assert feeder(repo, "init", "--model", "static").code == 0
    first = feeder(repo, "sync")
    assert first.code == 0, first.err
    assert "feeder init was given the model feeder-static-" in first.err
    repo.commit({"b.py": "def sum():\n    return 2\n"})
    second = feeder(repo, "sync")
    assert second.code == 0, second.err
    assert feeder(repo, "validate", "--wait").code == 0

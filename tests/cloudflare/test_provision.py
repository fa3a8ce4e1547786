"""`feeder init` at Cloudflare: what is missing is made, and nothing else."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from program import Console, console, feeder
from standin import StandIn

from command_runner import RunFeeder
from feeder.store import migrations
from source.repos import Repo

__all__ = ["console", "feeder"]

PROPERTIES = ["branch", "language", "node_type", "path", "repo"]
THINGS = [
    "D1 database acme_shop",
    "migration 0001_init.sql",
    "migration 0002_outbox_path.sql",
    "migration 0003_stopped.sql",
    "migration 0004_members.sql",
    "migration 0005_texts.sql",
    "migration 0006_descriptions.sql",
    "migration 0007_vector_line.sql",
    "Vectorize index acme_shop_code (384 dimensions, cosine)",
    "metadata index path",
    "metadata index language",
    "metadata index node_type",
    "metadata index repo",
    "metadata index branch",
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


def test_what_vectorize_does_not_show_yet_is_not_said_to_be_made_again(
    feeder: RunFeeder, standin: StandIn, repo: Repo
) -> None:
    """A second init asks for it once more, and says so; a later one finds it."""
    standin.change(vectorize_delay_s=30)
    first = feeder(repo, "init").out.splitlines()
    assert first == lines("created", repo)
    second = feeder(repo, "init").out.splitlines()
    assert [line for line in second if not line.startswith("exists: ")] == [
        _line("created", thing) for thing in THINGS if thing.startswith("metadata index")
    ]
    standin.settle()
    assert feeder(repo, "init").out.splitlines() == lines("exists", repo)


def test_init_makes_all_that_an_index_needs(
    feeder: RunFeeder, console: Console, repo: Repo
) -> None:
    """Database, schema, index, metadata indexes; each is told, and wrangler.toml says where."""
    answer = feeder(repo, "init")

    assert (answer.code, answer.out.splitlines()) == (0, lines("created", repo))
    assert answer.err.startswith("acme/shop: Cloudflare; token and account are set\n")
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


def test_init_says_what_each_model_costs(feeder: RunFeeder, repo: Repo) -> None:
    """Of 10,000 nodes; which fit, and what is chosen. Worked out by hand.

    5,000,000 stored dimensions; 720 bytes a text, 3 a token, 0.012 $ a million tokens, and 1,000
    neurons for 0.011 $; the static model's table takes two requests.
    """
    model = ("--model", "@cf/qwen/qwen3-embedding-0.6b", "--dimensions", "256")
    answer = feeder(repo, "init", *model)
    lines = [" ".join(line.split()) for line in answer.err.splitlines()]
    assert "static 256 19,531 0 (0.0 %) 19 + 11 + 0" in lines
    assert "@cf/baai/bge-m3 1024 4,882 2,618 (26.2 %) 17 + 11 + 100" in lines
    [chosen] = [line for line in lines if line.startswith("* ")]
    assert chosen.startswith("* @cf/qwen/qwen3-embedding-0.6b --dimensions 256 256 19,531 2,618")
    assert "it stores 500 rows in D1 once" in answer.err
    assert feeder(repo, "init", *model, "--quiet").err == ""


def test_a_second_init_finds_everything(feeder: RunFeeder, console: Console, repo: Repo) -> None:
    """It changes neither the account nor the file."""
    feeder(repo, "init")
    before = (repo.path / "wrangler.toml").read_bytes()

    answer = feeder(repo, "init")

    assert (answer.code, answer.out.splitlines()) == (0, lines("exists", repo))
    assert (repo.path / "wrangler.toml").read_bytes() == before
    assert console.names() == (["acme_shop"], ["acme_shop_code"])


def test_init_finds_by_name_what_no_file_binds(
    feeder: RunFeeder, console: Console, repo: Repo
) -> None:
    """A database made by hand is taken; only what it lacks is made."""
    database_id = console.make_database("acme_shop")
    console.make_database("acme_shop_too")

    answer = feeder(repo, "init")

    assert answer.out.splitlines()[:9] == [
        "exists: D1 database acme_shop",
        "created: migration 0001_init.sql",
        "created: migration 0002_outbox_path.sql",
        "created: migration 0003_stopped.sql",
        "created: migration 0004_members.sql",
        "created: migration 0005_texts.sql",
        "created: migration 0006_descriptions.sql",
        "created: migration 0007_vector_line.sql",
        "created: Vectorize index acme_shop_code (384 dimensions, cosine)",
    ]
    assert bindings(repo)["d1_databases"][0]["database_id"] == database_id


def test_a_dry_run_makes_nothing(feeder: RunFeeder, console: Console, repo: Repo) -> None:
    """It says what would be made."""
    answer = feeder(repo, "init", "--dry-run")
    assert (answer.code, answer.out.splitlines()) == (0, lines("would be created", repo))
    assert console.names() == ([], [])
    assert not (repo.path / "wrangler.toml").exists()
    assert not (repo.path / ".feeder").exists()

    feeder(repo, "init")
    again = feeder(repo, "init", "--dry-run")
    assert again.out.splitlines() == lines("exists", repo)


def test_a_machine_is_told_the_same(feeder: RunFeeder, repo: Repo) -> None:
    """Names, and whether they were there."""
    facts = feeder(repo, "init", "--json").json
    assert facts[0] == {
        "name": "D1 database acme_shop",
        "is_there": False,
        "later": False,
        "older": 0,
    }
    assert len(facts) == len(THINGS) + 1


def test_metadata_indexes_come_before_the_first_vector(
    feeder: RunFeeder, standin: StandIn, repo: Repo
) -> None:
    """Vectors written before are not in them."""
    repo.commit({"a.py": "def apple():\n    pass\n"})
    feeder(repo, "init")
    feeder(repo, "sync")
    routes = [entry["route"] for entry in standin.log()]
    assert routes.index("vectorize.upsert") > max(
        at for at, route in enumerate(routes) if route == "vectorize.metadata_create"
    )


def test_no_metadata_index_hides_older_vectors(
    feeder: RunFeeder, console: Console, standin: StandIn, repo: Repo
) -> None:
    """One of an index that was fed without is left out, and said; so it is in a dry run."""
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
    assert console.properties() == ["branch", "language", "node_type", "repo"]
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


def test_the_rest_of_wrangler_toml_stays(feeder: RunFeeder, console: Console, repo: Repo) -> None:
    """Byte for byte, with its comments and blanks; somebody else's database keeps its binding."""
    file = repo.path / "wrangler.toml"
    file.write_text(MINE)

    answer = feeder(repo, "init", "--database-name", "acme_code")

    assert answer.code == 0
    kept = file.read_text()
    new = (
        '[[d1_databases]]\nbinding = "CODE_DB"\ndatabase_name = "acme_code"\n'
        f'database_id = "{console.database_id("acme_code")}"\n'
        'migrations_dir = ".feeder/migrations"\n\n'
    )
    assert kept.startswith(MINE.replace("[vars]", f"{new}[vars]"))
    said = bindings(repo)
    assert said["vars"] == {"GREETING": "grüß dich"}
    assert [one["binding"] for one in said["d1_databases"]] == ["DB", "CODE_DB"]
    assert said["d1_databases"][0]["database_id"] == "11111111-2222-4333-8444-555555555555"
    assert said["d1_databases"][1]["database_id"] == console.database_id("acme_code")
    assert feeder(repo, "stats").code == 0


def test_inline_bindings_stay_inline(feeder: RunFeeder, console: Console, repo: Repo) -> None:
    """A list of tables on one line gets one more."""
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


def test_the_place_of_an_id_is_filled(feeder: RunFeeder, console: Console, repo: Repo) -> None:
    """This project's own wrangler.toml holds one: no database has an id of zeros."""
    own = (Path(__file__).parents[2] / "wrangler.toml").read_text()
    file = repo.path / "wrangler.toml"
    file.write_text(own)
    zeros = "00000000-0000-0000-0000-000000000000"

    assert feeder(repo, "sync").code == 2
    feeder(repo, "init")

    assert console.names() == (["acme_shop"], ["feeder_code"])
    filled = own.replace(zeros, console.database_id())
    assert file.read_text() == filled.replace('_name = "feeder"', '_name = "acme_shop"')


def test_init_and_wrangler_leave_the_same_schema(
    feeder: RunFeeder, console: Console, repo: Repo
) -> None:
    """wrangler sends its table, then each file's text with a note of it; to the blank the same."""
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
    assert feeder(repo, "init", "--database-id", other).out.splitlines()[:8] == [
        "exists: D1 database other",
        "exists: migration 0001_init.sql",
        "exists: migration 0002_outbox_path.sql",
        "exists: migration 0003_stopped.sql",
        "exists: migration 0004_members.sql",
        "exists: migration 0005_texts.sql",
        "exists: migration 0006_descriptions.sql",
        "exists: migration 0007_vector_line.sql",
    ]


def test_the_migrations_lie_where_wrangler_toml_says(feeder: RunFeeder, repo: Repo) -> None:
    """`wrangler d1 migrations apply --local` finds them there; git does not."""
    repo.commit({"README.md": "# Shop\n"})
    feeder(repo, "init")
    folder = repo.path / bindings(repo)["d1_databases"][0]["migrations_dir"]
    known = migrations.known_migrations()
    assert {file.name: file.read_text() for file in folder.iterdir()} == dict(known)
    assert repo.git("status", "--porcelain") == "?? wrangler.toml"


@pytest.mark.parametrize(("dimensions", "metric"), [(768, "cosine"), (384, "euclidean")])
def test_an_index_of_another_shape_is_named(
    feeder: RunFeeder, console: Console, repo: Repo, dimensions: int, metric: str
) -> None:
    """With the remedy, before anything is made."""
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
def test_another_programs_database_is_left_alone(
    feeder: RunFeeder, console: Console, repo: Repo, sql: str
) -> None:
    """Also where it has migrations of the same names; nothing is made elsewhere either."""
    database_id = console.make_database("acme_shop")
    console.sql(sql, database_id)
    before = console.sql("SELECT name FROM sqlite_schema", database_id)

    answer = feeder(repo, "init")

    assert answer.code == 2
    assert "contains tables of another program. Choose another database" in answer.err
    assert console.sql("SELECT name FROM sqlite_schema", database_id) == before
    assert console.names() == (["acme_shop"], [])


def test_a_newer_database_is_left_alone(feeder: RunFeeder, console: Console, repo: Repo) -> None:
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
def test_an_answer_that_is_lost_changes_nothing(
    feeder: RunFeeder, console: Console, repo: Repo, fault: dict[str, Any], route: str
) -> None:
    """What is made twice is there once."""
    console.standin.fault(route=route, **fault)

    answer = feeder(repo, "init")

    assert answer.code == 0, answer.err
    assert console.standin.faults()[0]["fired"] == 1
    assert console.names() == (["acme_shop"], ["acme_shop_code"])
    assert console.properties() == PROPERTIES


@pytest.mark.parametrize("route", ["d1.list", "d1.create", "vectorize.list_indexes"])
def test_a_refusal_in_an_answer_of_200_is_a_refusal(
    feeder: RunFeeder, console: Console, repo: Repo, route: str
) -> None:
    """Nothing is made on the word of its status."""
    console.standin.fault("success_false", route=route, times=9, retry_after=0)
    answer = feeder(repo, "init")
    assert (answer.code, "internal server error" in answer.err) == (1, True)


def test_a_key_of_old_in_the_environment_does_not_replace_the_token(
    feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch, repo: Repo
) -> None:
    """CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY are another way to log in, and not ours."""
    monkeypatch.setenv("CLOUDFLARE_EMAIL", "me@example.org")
    monkeypatch.setenv("CLOUDFLARE_API_KEY", "0123456789abcdef0123456789abcdef01234")
    assert feeder(repo, "init").code == 0


def test_this_projects_wrangler_toml_binds_what_the_program_makes() -> None:
    """The three bindings, with the program's own migrations, for `wrangler d1 migrations apply`."""
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

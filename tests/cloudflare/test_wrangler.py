"""wrangler's configuration file in each format: found, read and edited without other changes."""

import json
from pathlib import Path

import pytest
from program import Console, console, feeder

from command_runner import RunFeeder
from feeder import jsonc
from feeder.cloudflare import wrangler
from feeder.errors import UserError
from source.repos import Repo

__all__ = ["console", "feeder"]

ID = "11111111-2222-4333-8444-555555555555"
NAMES = wrangler.BindingNames("acme_shop", ID, "acme_shop_code", ".feeder/migrations")
WORKER = """\
// my Worker, made by "create"; {
{
\t"$schema": "node_modules/wrangler/config-schema.json",
\t"name": "web",
\t"main": "src/index.ts", // the entry: "main", }
\t/* "d1_databases": [{ "binding": "CODE_DB" }], */
\t"d1_databases": [
\t\t{ "binding": "DB", "database_name": "users", "database_id": "$USERS" }, // grüße }
\t],
\t"env": {
\t\t"preview": { "d1_databases": [{ "binding": "CODE_DB", "database_id": "preview" }] },
\t},
\t// the end
}
""".replace("$USERS", "99999999-2222-4333-8444-555555555555")
EDITED = WORKER.replace(
    "// grüße }\n",
    "// grüße }\n"
    '\t\t{\n\t\t\t"binding": "CODE_DB",\n\t\t\t"database_name": "acme_shop",\n'
    f'\t\t\t"database_id": "{ID}",\n\t\t\t"migrations_dir": ".feeder/migrations"\n\t\t}},\n',
).replace(
    "// the end\n",
    '// the end\n\t"vectorize": [\n\t\t{\n\t\t\t"binding": "CODE_INDEX",\n'
    '\t\t\t"index_name": "acme_shop_code"\n\t\t}\n\t],\n'
    '\t"ai": {\n\t\t"binding": "AI"\n\t},\n',
)


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["wrangler.json", "wrangler.jsonc"])
def test_bindings_are_added_to_json_with_comments(tmp_path: Path, name: str, eol: str) -> None:
    """Comments, commas, line ends and environments stay; a second run adds nothing."""
    file = tmp_path / name
    file.write_bytes(WORKER.replace("\n", eol).encode())

    assert wrangler.write_bindings(file, NAMES)

    assert file.read_bytes() == EDITED.replace("\n", eol).encode()
    assert wrangler.read_bindings(file) == wrangler.Bindings(
        None, ID, "acme_shop_code", "acme_shop"
    )
    assert not wrangler.write_bindings(file, NAMES)


def test_empty_object_is_filled(tmp_path: Path) -> None:
    """wrangler needs a name only to deploy."""
    file = tmp_path / "wrangler.jsonc"
    file.write_text("{}\n")
    wrangler.write_bindings(file, NAMES)
    assert jsonc.loads(file.read_text()) == {
        "d1_databases": [
            {
                "binding": "CODE_DB",
                "database_name": "acme_shop",
                "database_id": ID,
                "migrations_dir": ".feeder/migrations",
            }
        ],
        "vectorize": [{"binding": "CODE_INDEX", "index_name": "acme_shop_code"}],
        "ai": {"binding": "AI"},
    }


@pytest.mark.parametrize("name", ["wrangler.json", "wrangler.jsonc", "wrangler.toml"])
@pytest.mark.parametrize(
    "content",
    [
        b'{"name": "web" "main": 1}',
        b"name = 'web",
        b"\xff\xfe{\0}\0",
        b'{"d1_databases": {}}',
        b'vectorize = "x"',
        b'{"ratelimits": 3}',
        b"vars = true",
        b'{"vars": []}',
    ],
)
def test_invalid_file_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    """Nothing is written."""
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(UserError, match=rf"{name}(: \w+ is not a (list|table)| cannot be read)"):
        wrangler.read_bindings(file)
    assert file.read_bytes() == content


@pytest.mark.parametrize("key", ["d1_databases", "vectorize", "ai", "vars", "account_id"])
def test_null_counts_as_absent(tmp_path: Path, key: str) -> None:
    """And is replaced where a value is written."""
    file = tmp_path / "wrangler.jsonc"
    file.write_text(f'{{\n  "{key}": null, // none\n  "name": "shop"\n}}\n')
    assert wrangler.read_bindings(file) == wrangler.Bindings()
    identifier = "12345678-1234-4234-8234-123456789012"
    assert wrangler.write_bindings(file, wrangler.BindingNames("shop", identifier, "code", "m"))
    assert wrangler.read_bindings(file) == wrangler.Bindings(None, identifier, "code", "shop")
    assert json.loads(file.read_text().replace(" // none", ""))["ai"] == {"binding": "AI"}


def test_file_precedence_is_that_of_wrangler(tmp_path: Path) -> None:
    """The name counts before the folder: wrangler.json above precedes wrangler.jsonc here."""
    (tmp_path / "wrangler.json").write_text("{}")
    shop = tmp_path / "shop"
    web = shop / "web"
    (shop / ".git").mkdir(parents=True)
    web.mkdir()
    assert wrangler.find_file(web) is None
    (web / "wrangler.toml").touch()
    assert wrangler.find_file(web) == web / "wrangler.toml"
    (shop / "wrangler.jsonc").touch()
    assert wrangler.find_file(web) == shop / "wrangler.jsonc"
    (web / "wrangler.jsonc").touch()
    assert wrangler.find_file(web) == web / "wrangler.jsonc"
    (shop / "wrangler.json").touch()
    assert wrangler.find_file(web) == shop / "wrangler.json"


def test_init_edits_the_existing_file(feeder: RunFeeder, console: Console, repo: Repo) -> None:
    """No second file or database is created, and the commands read the file."""
    file = repo.path / "wrangler.jsonc"
    database_id = console.make_database("mine")
    one = f'{{ "binding": "CODE_DB", "database_id": "{database_id}" }}'
    text = f'{{\n  "d1_databases": [{one}] // x\n}}'
    file.write_text(text)

    answer = feeder(repo, "init")

    assert answer.code == 0, answer.err
    assert answer.out.splitlines()[-1] == f"created: bindings in {file}"
    assert console.names() == (["mine"], ["acme_shop_code"])
    assert not (repo.path / "wrangler.toml").exists()
    assert file.read_text() == text.replace(
        " }] // x\n}",
        ', "database_name": "mine" }], // x\n  "vectorize": [\n    {\n'
        '      "binding": "CODE_INDEX",\n      "index_name": "acme_shop_code"\n    }\n  ],\n'
        '  "ai": {\n    "binding": "AI"\n  }\n}',
    )
    assert feeder(repo, "stats").code == 0


def test_init_creates_nothing_with_an_invalid_file(
    feeder: RunFeeder, console: Console, repo: Repo
) -> None:
    (repo.path / "wrangler.jsonc").write_text('{"name": "web",,}')
    answer = feeder(repo, "init")
    assert answer.code == 2
    assert answer.err.endswith(
        f"feeder: {repo.path}/wrangler.jsonc cannot be read "
        "(line 1, column 16: a name in double quotes is expected). Correct the file.\n"
    )
    assert console.names() == ([], [])
    assert not (repo.path / "wrangler.toml").exists()

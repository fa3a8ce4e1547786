"""`feeder worker`: the folder, wrangler's configuration, and files that it must not change."""

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

import feeder as program
from command_runner import CommandResult, RunFeeder, command_runner
from edge.conftest import DATABASE
from feeder import jsonc, toml_edit
from feeder.edge.worker_folder import PACKAGE_FOLDER
from feeder.web import page_files
from source.repos import Repo

BOUND = f"""\
name = "shop"
compatibility_date = "2026-01-01" # ours

# what the index is
[[d1_databases]]
binding = "CODE_DB"
database_name = "code"
database_id = "{DATABASE}"

[[vectorize]]
binding = "CODE_INDEX"
index_name = "code"

[ai]
binding = "AI"
"""
ANOTHER = 'main = "src/index.ts"\n' + BOUND
OURS = {
    "main": "edge/worker.js",
    "upload_source_maps": True,
    "assets": {"directory": "edge/assets", "run_worker_first": ["/api/*", "/mcp"]},
    "ratelimits": [
        {"name": "LIMIT", "namespace_id": "8421", "simple": {"limit": 300, "period": 60}}
    ],
    "observability": {"enabled": True},
    "vars": {"REPO": "repo"},
}


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> RunFeeder:
    """Runs a command in a folder, without an account."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    return command_runner(monkeypatch, capfd)


@pytest.fixture
def shop(repo: Repo) -> Path:
    """A repository whose index `feeder init` has made."""
    repo.commit({"wrangler.toml": BOUND, "src/cart.py": "x = 1\n"})
    return repo.path


def done(answer: CommandResult) -> CommandResult:
    assert answer.code == 0, answer.err
    return answer


def actions(answer: CommandResult) -> dict[str, str]:
    """Returns the action for each file."""
    return {Path(file["file"]).name: file["action"] for file in done(answer).json["files"]}


def read_config(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text())


def snapshot(folder: Path) -> dict[str, bytes]:
    """Returns every file below, without those of git."""
    files = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_folder_is_complete(run: RunFeeder, shop: Path) -> None:
    """The built module, the page's files and the next steps."""
    done(run(shop, "worker", "edge"))
    there = snapshot(shop / "edge")
    page = {f"assets{path}" for path in page_files.file_paths()} | {
        "assets/index.html",
        "assets/_headers",
    }
    licences = {"assets/colours/languages.license"}
    own = {"worker.js", "static_model.bin", "README.md", ".noindex", ".written.json"}
    assert set(there) == page | licences | own
    assert there["worker.js"] == (PACKAGE_FOLDER / "worker.js").read_bytes()
    assert there["assets/app.js"] == (page_files.PAGE_FOLDER / "app.js").read_bytes()
    readme = there["README.md"].decode()
    assert program.__version__ in readme
    assert "    cd ..\n" in readme
    assert len(readme.splitlines()) < 40


def test_missing_entries_are_added_to_the_projects_configuration(
    run: RunFeeder, shop: Path
) -> None:
    """Next to what `feeder init` wrote; all other lines stay."""
    done(run(shop, "worker", "edge"))
    file = shop / "wrangler.toml"
    assert read_config(file) == {**tomllib.loads(BOUND), **OURS}
    keys = 'main = "edge/worker.js"\nupload_source_maps = true\n'
    assert file.read_text().startswith(BOUND.replace("# ours\n", f"# ours\n{keys}").strip())


OAUTH_ROUTES = ["/api/*", "/mcp", "/oauth/*", "/.well-known/*"]
WITH_OAUTH = {
    **OURS,
    "main": "edge/oauth.js",
    "assets": {
        "directory": "edge/assets",
        "run_worker_first": OAUTH_ROUTES,
    },
    "vars": {"REPO": "repo", "OAUTH_GITHUB_ID": "", "OAUTH_USERS": ""},
    "compatibility_flags": ["global_fetch_strictly_public"],
    "kv_namespaces": [{"binding": "OAUTH_KV"}],
}


def test_oauth_adds_its_module_and_its_store(run: RunFeeder, shop: Path) -> None:
    """Also to a Worker without it; it then stays, with what the user and wrangler have written."""
    done(run(shop, "worker", "edge"))
    plain = read_config(shop / "wrangler.toml")
    answer = run(shop, "worker", "edge", "--oauth", "github")
    assert "created edge/oauth.js\n" in done(answer).out
    assert "OAUTH_GITHUB_SECRET" in answer.err
    assert (shop / "edge/oauth.js").read_bytes() == (PACKAGE_FOLDER / "oauth.js").read_bytes()
    file = shop / "wrangler.toml"
    assert read_config(file) == {**plain, **WITH_OAUTH}
    text = file.read_text().replace('OAUTH_USERS = ""', 'OAUTH_USERS = "ada"')
    file.write_text(f'{text}id = "0f2a"\n')
    assert set(actions(run(shop, "worker", "edge", "--json")).values()) == {"unchanged"}
    assert read_config(file)["kv_namespaces"] == [{"binding": "OAUTH_KV", "id": "0f2a"}]
    assert read_config(file)["vars"]["OAUTH_USERS"] == "ada"


def test_oauth_keeps_other_stores_flags_and_routes(run: RunFeeder, shop: Path) -> None:
    file = shop / "wrangler.jsonc"
    before = f"""{{
    "name": "shop", "main": "edge/worker.js", "compatibility_date": "2026-01-01",
    "compatibility_flags": ["nodejs_compat"],
    "kv_namespaces": [{{ "binding": "OTHER", "id": "1" }}],
    "assets": {{ "directory": "edge/assets", "run_worker_first": ["/mine/*"] }},
    "d1_databases": [{{ "binding": "CODE_DB", "database_id": "{DATABASE}", "database_name": "x" }}],
}}
"""
    file.write_text(before)
    done(run(shop, "worker", "edge", "--oauth", "github"))
    facts = jsonc.loads(file.read_text())
    assert facts["compatibility_flags"] == ["nodejs_compat", "global_fetch_strictly_public"]
    assert facts["kv_namespaces"] == [{"binding": "OTHER", "id": "1"}, {"binding": "OAUTH_KV"}]
    assert facts["assets"]["run_worker_first"] == ["/mine/*", *OAUTH_ROUTES]


def test_oauth_is_left_out_again(run: RunFeeder, shop: Path) -> None:
    """By `main`: its module goes, and nothing of the user's."""
    done(run(shop, "worker", "edge", "--oauth", "github"))
    file = shop / "wrangler.toml"
    file.write_text(file.read_text().replace("edge/oauth.js", "edge/worker.js"))
    assert "deleted edge/oauth.js\n" in done(run(shop, "worker", "edge")).out
    assert not (shop / "edge/oauth.js").exists()
    assert read_config(file)["main"] == "edge/worker.js"


def test_trial_has_no_sign_in(run: RunFeeder, shop: Path) -> None:
    answer = run(shop, "worker", "--try", "--oauth", "github")
    assert answer.code == 2
    assert "Leave out --oauth" in answer.err


def test_json_configuration_keeps_its_comments(run: RunFeeder, shop: Path) -> None:
    file = shop / "wrangler.jsonc"
    before = f"""{{
\t// ours
\t"name": "shop", "compatibility_date": "2026-01-01",
\t"d1_databases": [{{ "binding": "CODE_DB", "database_id": "{DATABASE}", "database_name": "x" }}],
\t"vectorize": [{{ "binding": "CODE_INDEX", "index_name": "code" }}], "ai": {{ "binding": "AI" }},
}}
"""
    file.write_text(before)
    done(run(shop, "worker", "edge"))
    assert jsonc.loads(file.read_text()) == {**jsonc.loads(before), **OURS}
    assert "\t// ours\n" in file.read_text()
    assert read_config(shop / "wrangler.toml") == tomllib.loads(BOUND)


def test_configuration_of_another_worker_is_not_changed(run: RunFeeder, shop: Path) -> None:
    """The folder gets its own with the same bindings."""
    (shop / "wrangler.toml").write_text(ANOTHER)
    done(run(shop, "worker", "edge"))
    assert (shop / "wrangler.toml").read_text() == ANOTHER
    facts = read_config(shop / "edge/wrangler.toml")
    assert facts["main"] == "worker.js"
    assert facts["assets"]["directory"] == "assets"
    [database], [index] = facts["d1_databases"], facts["vectorize"]
    assert (database["database_id"], database["database_name"]) == (DATABASE, "code")
    assert database["migrations_dir"] == "../.feeder/migrations"
    assert index["index_name"] == "code"
    assert facts["ai"] == {"binding": "AI"}
    assert "    cd .\n" in (shop / "edge/README.md").read_text()


def test_user_settings_are_kept(run: RunFeeder, shop: Path) -> None:
    """A limit, the assets, a date; also in a file that we wrote before."""
    done(run(shop, "worker", "edge"))
    file = shop / "wrangler.toml"
    file.write_text(file.read_text().replace("limit = 300", "limit = 5 # enough"))
    before = file.read_bytes()
    assert set(actions(run(shop, "worker", "edge", "--json")).values()) == {"unchanged"}
    assert file.read_bytes() == before


def test_repository_and_github_name_are_set(run: RunFeeder, shop: Path) -> None:
    """For links; existing values stay."""
    Repo(shop).git("remote", "add", "origin", "git@github.com:acme/shop.git")
    done(run(shop, "worker", "edge"))
    file = shop / "wrangler.toml"
    assert read_config(file)["vars"] == {"REPO": "acme/shop", "GITHUB": "acme/shop"}
    file.write_text(f'{BOUND}\n[vars]\nGITHUB = "acme/other"\nPUBLIC = "true"\n')
    done(run(shop, "worker", "edge"))
    own = {"GITHUB": "acme/other", "PUBLIC": "true"}
    assert read_config(file)["vars"] == {**own, "REPO": "acme/shop"}


def test_second_run_changes_nothing(run: RunFeeder, shop: Path) -> None:
    done(run(shop, "worker", "edge"))
    before = snapshot(shop)
    assert done(run(shop, "worker", "edge")).out == f"unchanged: {len(before) - 1} files\n"
    assert snapshot(shop) == before


def test_dry_run_shows_the_changes_and_writes_nothing(run: RunFeeder, shop: Path) -> None:
    before = snapshot(shop)
    out = done(run(shop, "worker", "edge", "--dry-run")).out
    assert '+main = "edge/worker.js"\n' in out
    assert "would be created edge/worker.js\n" in out
    assert snapshot(shop) == before
    assert not (shop / "edge").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'main = "w"\n'),
        ("# a\n", 'main = "w"\n# a\n'),
        ("a = 1", 'a = 1\nmain = "w"\n'),
        ("a = 1\r\n[b]\r\n", 'a = 1\r\nmain = "w"\r\n[b]\r\n'),
        ("a = [\n[1],\n]\n\n# b\n [b]\n", 'a = [\n[1],\n]\nmain = "w"\n\n# b\n [b]\n'),
        ('a = """\n[b]\n"""\n[[c]]\n', 'a = """\n[b]\n"""\nmain = "w"\n[[c]]\n'),
        ("[b]\nmain = 1\n", 'main = "w"\n[b]\nmain = 1\n'),
    ],
)
def test_new_key_is_written_after_the_other_keys(before: str, after: str) -> None:
    """Before the first table and its comment."""
    assert toml_edit.set_value(before, ("main",), "w") == after


def older(folder: Path, name: str, text: str) -> None:
    """Makes a file look like one of an older version."""
    (folder / name).write_text(text)
    written = folder / ".written.json"
    facts = json.loads(written.read_text())
    facts["files"][name] = hashlib.sha256(text.encode()).hexdigest()
    written.write_text(json.dumps(facts))


def test_update_replaces_its_own_files(run: RunFeeder, shop: Path) -> None:
    """Those of an older version; files that are no longer used are deleted."""
    done(run(shop, "worker", "edge"))
    edge = shop / "edge"
    older(edge, "worker.js", "old\n")
    older(edge, "assets/gone.js", "old\n")
    (edge / "assets/own.js").write_text("own\n")
    out = done(run(shop, "worker", "edge")).out
    assert "changed edge/worker.js\n" in out
    assert "deleted edge/assets\n" in out
    assert (edge / "worker.js").read_bytes() == (PACKAGE_FOLDER / "worker.js").read_bytes()
    assert not (edge / "assets/gone.js").exists()
    assert (edge / "assets/own.js").read_text() == "own\n"


def test_edited_file_is_not_overwritten(run: RunFeeder, shop: Path) -> None:
    """Also if the next version changes it, or if it was there before."""
    edge = shop / "edge"
    edge.mkdir()
    (edge / "README.md").write_text("Mine.\n")
    out = done(run(shop, "worker", "edge")).out
    assert "kept edge/README.md, which was edited: --force overwrites it\n" in out
    (edge / "worker.js").write_text("mine\n")
    again = actions(run(shop, "worker", "edge", "--json"))
    assert {again["README.md"], again["worker.js"]} == {"kept"}
    assert (edge / "README.md").read_text() == "Mine.\n"
    assert (edge / "worker.js").read_text() == "mine\n"
    forced = actions(run(shop, "worker", "edge", "--json", "--force"))
    assert {forced["README.md"], forced["worker.js"]} == {"changed"}
    assert (edge / "worker.js").read_bytes() == (PACKAGE_FOLDER / "worker.js").read_bytes()


def test_without_an_index_the_remedy_is_named(run: RunFeeder, repo: Repo) -> None:
    answer = run(repo, "worker")
    assert answer.code == 2
    assert (
        "No D1 database is configured. Run feeder init --store cloudflare, which creates one"
        in answer.err
    )
    assert snapshot(repo.path) == {}
    done(run(repo, "worker", "--database-id", DATABASE, "--index-name", "other"))
    facts = read_config(repo.path / "feeder-worker/wrangler.toml")
    assert facts["d1_databases"][0]["database_id"] == DATABASE
    assert facts["vectorize"][0]["index_name"] == "other"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("wrangler.toml", f"ratelimits = 7\n{BOUND}", "ratelimits"),
        ("wrangler.toml", "name = 'x", "cannot be read"),
        ("edge/.written.json", "[]", ".written.json has been modified"),
        ("edge/.written.json", "{", ".written.json has been modified"),
        ("edge/worker.js", b"\xff", "is not valid UTF-8"),
    ],
)
def test_invalid_configuration_is_refused(
    run: RunFeeder, shop: Path, name: str, text: str | bytes, told: str
) -> None:
    """With the file's name, before anything is written."""
    file = shop / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = snapshot(shop)
    answer = run(shop, "worker", "edge")
    assert answer.code == 2
    assert told in answer.err
    assert snapshot(shop) == before


def test_symbolic_link_is_not_followed(run: RunFeeder, shop: Path, tmp_path: Path) -> None:
    """A commit may contain one that leads elsewhere."""
    (shop / "edge").mkdir()
    other = tmp_path / "other.js"
    (shop / "edge/worker.js").symlink_to(other)
    answer = run(shop, "worker", "edge")
    assert answer.code == 2
    assert "worker.js is a symbolic link. Remove it." in answer.err
    assert not other.exists()


def test_link_to_a_folder_is_not_followed(run: RunFeeder, shop: Path, tmp_path: Path) -> None:
    (shop / "edge").mkdir()
    (tmp_path / "other").mkdir()
    (shop / "edge/assets").symlink_to(tmp_path / "other")
    answer = run(shop, "worker", "edge")
    assert answer.code == 2
    assert "assets is a symbolic link. Remove it." in answer.err
    assert not list((tmp_path / "other").iterdir())


@pytest.mark.parametrize("place", [".", ".git", ".git/edge"])
def test_repository_root_is_refused_as_the_folder(run: RunFeeder, shop: Path, place: str) -> None:
    """Its `.noindex` would exclude the whole repository."""
    before = snapshot(shop)
    answer = run(shop, "worker", place)
    assert answer.code == 2
    assert "Name a folder of its own." in answer.err
    assert not list(shop.rglob(".written.json"))
    assert snapshot(shop) == before


def test_database_name_is_escaped(run: RunFeeder, shop: Path) -> None:
    """It comes from a configuration that somebody else has written."""
    (shop / "wrangler.toml").write_text(ANOTHER.replace('"code"', r'"a\"\nPUBLIC = true"', 1))
    done(run(shop, "worker", "edge"))
    assert read_config(shop / "edge/wrangler.toml")["name"] == "a-PUBLIC-true"


def test_folder_is_not_indexed(run: RunFeeder, shop: Path) -> None:
    """It is no part of the project."""
    done(run(shop, "worker", "edge"))
    repo = Repo(shop)
    repo.commit()
    done(run(shop, "sync", "--no-vectors", "--jobs", "1", "-q"))
    facts = done(run(shop, "stats", "--json")).json
    assert facts["files"]["clean"] == 2


def _clone(folder: Path, name: str, database: str, index: str) -> Path:
    """A clone whose wrangler file names a database and an index."""
    clone = Repo(folder / name)
    bound = BOUND.replace(DATABASE, database).replace('"code"', f'"{index}"')
    clone.commit({"wrangler.toml": bound, "a.py": "x = 1\n"})
    return clone.path


def test_several_repositories_are_bound_in_one_configuration(
    run: RunFeeder, tmp_path: Path
) -> None:
    """A second run changes nothing; another repository gets the next binding."""
    ids = [DATABASE, *(DATABASE.replace("1", digit) for digit in "89")]
    indexes = ["code", "code", "other"]
    clones = [
        _clone(tmp_path, name, database, index)
        for name, database, index in zip(("pay", "shop", "wiki"), ids, indexes, strict=True)
    ]
    place = tmp_path / "edge"
    place.mkdir()
    said = [word for clone in clones[:2] for word in ("--from", str(clone))]
    first = run(place, "worker", str(place), *said)
    done(first)
    assert "add --name NAME" in first.err
    config = read_config(place / "wrangler.toml")
    assert [
        (d1_database["binding"], d1_database["database_id"])
        for d1_database in config["d1_databases"]
    ] == [
        ("CODE_DB", ids[0]),
        ("CODE_DB_2", ids[1]),
    ]
    assert [(one["binding"], one["index_name"]) for one in config["vectorize"]] == [
        ("CODE_INDEX", "code")
    ]
    assert config["vars"] == {"REPOSITORIES": {"pay": "CODE_DB", "shop": "CODE_DB_2"}}
    again = run(place, "worker", str(place), *said, "--json")
    assert set(actions(again).values()) == {"unchanged"}
    assert set(actions(run(place, "worker", str(place), "--json")).values()) == {"unchanged"}
    refused = run(place, "worker", str(place), "--repo", "wiki")
    assert refused.code == 2
    command = f"feeder worker {place} --repo pay --repo shop --repo wiki"
    assert refused.err.rstrip().endswith(command)
    more = [*said, "--from", str(clones[2])]
    done(run(place, "worker", str(place), *more))
    config = read_config(place / "wrangler.toml")
    assert config["vars"]["REPOSITORIES"]["wiki"] == "CODE_DB_3"
    assert config["vectorize"][1] == {"binding": "CODE_INDEX_3", "index_name": "other"}


@pytest.mark.parametrize("named", ["--database-id", "--index-name"])
def test_the_database_of_one_repository_is_refused_for_several(
    run: RunFeeder, tmp_path: Path, named: str
) -> None:
    """For named repositories, and for a configuration that has several."""
    clone = _clone(tmp_path, "pay", DATABASE, "code")
    place = tmp_path / "edge"
    place.mkdir()
    several = ("worker", str(place), "--from", str(clone))
    answer = run(place, *several, named, "another")
    assert answer.code == 2
    assert "Several repositories are named, but --database-id and --index-name are" in answer.err
    assert not list(place.iterdir())
    done(run(place, *several))
    answer = run(place, "worker", str(place), named, "another")
    assert answer.code == 2
    assert (
        "wrangler.toml belongs to a Worker of several repositories, but --database-id" in answer.err
    )


def test_a_file_is_no_folder_for_the_worker(run: RunFeeder, tmp_path: Path) -> None:
    place = tmp_path / "notes.txt"
    place.write_text("x")
    clone = _clone(tmp_path, "pay", DATABASE, "code")
    answer = run(tmp_path, "worker", str(place), "--from", str(clone))
    assert answer.code == 2
    assert f"{place} is a file. Name a folder." in answer.err


def test_a_folder_without_a_database_is_named(run: RunFeeder, tmp_path: Path) -> None:
    bare = Repo(tmp_path / "bare")
    bare.commit({"a.py": "x = 1\n"})
    answer = run(tmp_path, "worker", str(tmp_path / "edge"), "--from", str(bare.path))
    assert answer.code == 2
    assert f"{bare.path} names no D1 database. Run feeder init there." in answer.err


@pytest.mark.parametrize("said", [("--from", "."), ("--repo", "a", "--repo", "b")])
def test_a_trial_of_several_repositories_is_refused(
    run: RunFeeder, tmp_path: Path, said: tuple[str, ...]
) -> None:
    answer = run(tmp_path, "worker", "--try", *said)
    assert answer.code == 2
    assert "--try serves the index of one repository" in answer.err

"""The commands as a user runs them: output, streams and exit codes."""

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from command_runner import CommandResult, RunFeeder
from feeder.cli.command_help import ShortHelp
from feeder.cli.main import cli
from feeder.store import Statement
from feeder.store.sqlite import SQLite
from index_helpers import CART, SHOP
from source.repos import Repo

PYTHON = Path(__file__).parents[2] / "languages/python"
COMMANDS = cli.load_commands()


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit(SHOP)
    return repo


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A folder outside of git."""
    folder = tmp_path / "plain"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.py").write_text("def apple():\n    pass\n")
    (folder / "sub/b.py").write_text("def bread():\n    pass\n")
    return folder


def search_hits(place: Repo | Path, sql: str) -> list[Any]:
    """What the index of a place answers."""
    root = place.path if isinstance(place, Repo) else place
    database = SQLite(root / ".feeder/index.db")
    [rows] = database.run([Statement(sql)])
    database.close()
    return [row[0] for row in rows]


PATHS = "SELECT path FROM files ORDER BY path"
COUNTS = ("files_processed", "files_deleted", "nodes_new", "nodes_deleted", "nodes_by_type")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(feeder: RunFeeder, plain: Path, command: str) -> None:
    """--help exits with 0, and the list of commands has each one."""
    answer = feeder(plain, command, "--help")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"Usage: feeder {command}")
    assert command in feeder(plain, "--help").out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_on_a_screen(
    feeder: RunFeeder, plain: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """With a command's own options; `--help-all` has those that commands share, too."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = feeder(plain, command, "--help").out.splitlines()
    assert len(lines) <= 42
    assert max(map(len, lines)) <= 80
    start = lines.index("Examples:") + 1
    assert lines.index("", start) - start >= 2
    listed = {line.split()[0] for line in lines if line.startswith("  -")}
    if "--help-all" not in listed:
        return
    assert not listed & {"--db", "--store", "--json"}
    listed_by_all = feeder(plain, command, "--help-all").out
    options = [param for param in COMMANDS[command].params if isinstance(param, click.Option)]
    assert all(
        max(option.opts, key=len) in listed_by_all for option in options if not option.hidden
    )


def test_list_of_commands_fits_on_a_screen(feeder: RunFeeder, plain: Path) -> None:
    lines = feeder(plain, "--help").out.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 80


EXAMPLES = [
    (name, call.strip())
    for name, command in COMMANDS.items()
    if isinstance(command, ShortHelp) and not isinstance(command, click.Group)
    for example in command.examples
    for call in re.split(r"[|<>#] | > ", example)
    if call.startswith(f"feeder {name}")
]


@pytest.mark.parametrize(("name", "call"), EXAMPLES, ids=str)
def test_examples_of_the_help_are_understood(name: str, call: str) -> None:
    """Each calls this command with options that it has."""
    command = COMMANDS[name]
    parser = command.make_parser(click.Context(command, info_name=name))
    assert parser.parse_args(shlex.split(call)[2:])


def test_a_command_without_embeddings_lists_no_model(feeder: RunFeeder, plain: Path) -> None:
    assert "--model" not in feeder(plain, "definition", "--help-all").out
    assert "--model" in feeder(plain, "search", "--help-all").out


@pytest.mark.parametrize("command", ["completion", "languages"])
def test_command_without_shared_options_has_one_help(
    feeder: RunFeeder, tmp_path: Path, command: str
) -> None:
    short, whole = (feeder(tmp_path, command, name) for name in ("--help", "--help-all"))
    assert (whole.code, whole.out) == (0, short.out)
    assert "--help-all" not in short.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_offers_commands_languages_and_files(
    feeder: RunFeeder, plain: Path, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    assert "_FEEDER_COMPLETE" in feeder(plain, "completion", shell).out
    monkeypatch.setenv("_FEEDER_COMPLETE", "bash_complete")
    for words, offered in (
        (["imp"], "plain,impact"),
        (["search", "--lang", "ko"], "plain,kotlin"),
        (["outline", "sr"], "file,sr"),
    ):
        monkeypatch.setenv("COMP_WORDS", " ".join(["feeder", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        assert offered in feeder(plain).out.splitlines()


def test_completion_in_fish_shows_whole_descriptions(feeder: RunFeeder, plain: Path) -> None:
    """The one of `outline` has a comma."""
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("there is no fish here")
    script = feeder(plain, "completion", "fish").out
    bin_folder = plain / "bin"
    bin_folder.mkdir()
    (bin_folder / "feeder").write_text(f'#!/bin/sh\nexec {sys.executable} -m feeder "$@"\n')
    (bin_folder / "feeder").chmod(0o755)
    path = f"{bin_folder}:{os.environ['PATH']}"
    answer = subprocess.run(
        [fish, "--no-config", "-c", f'{script}\ncomplete -C "feeder outl"'],
        env={**os.environ, "PATH": path, "HOME": str(plain)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.startswith("outline\tList the symbols of a file, a folder")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["definition", "Car"], ["plain,Cart", "plain,Cart.add", "plain,Cart.add_all"]),
        (["show", "add"], ["plain,add", "plain,add_all"]),
        (["references", "Cart.add_"], ["plain,Cart.add_all"]),
        (["similar", "-C", "..", "add_a"], ["file,add_a"]),
        (["implementations", "total"], ["file,total"]),
    ],
)
def test_completion_offers_symbols_of_the_index(
    feeder: RunFeeder,
    repo: Repo,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    offered: list[str],
) -> None:
    """By their whole name or its last part; files if there are none, or no index."""
    code = "class Cart:\n    def add(self): ...\n\n    def add_all(self):\n        total = 1\n"
    repo.commit({"cart.py": code})
    assert feeder(repo, "sync").code == 0
    monkeypatch.setenv("_FEEDER_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(["feeder", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    assert feeder(repo).out.splitlines() == offered


def test_completion_is_silent_about_a_damaged_index(
    feeder: RunFeeder, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo.path / "index.db").write_bytes(b"no database" * 100)
    monkeypatch.setenv("_FEEDER_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "feeder show --db index.db car")
    monkeypatch.setenv("COMP_CWORD", "4")
    answer = feeder(repo)
    assert (answer.out, answer.err) == ("file,car\n", "")


def test_summaries_are_those_of_the_commands() -> None:
    """`feeder --help` lists them without importing the commands."""
    commands = cli.load_commands()
    assert cli.summaries == {name: commands[name].get_short_help_str(1000) for name in commands}


def test_help_shows_each_summary_whole_at_80_columns(
    feeder: RunFeeder, plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = feeder(plain, "--help").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines[1:] if line.endswith(("...", "…"))]
    shown = {line.split()[0]: line.split(maxsplit=1)[1] for line in lines if len(line.split()) > 1}
    assert {name: shown[name] for name in cli.summaries} == cli.summaries


@pytest.mark.parametrize("group", ["mcp", "languages"])
def test_help_of_a_group_shows_each_summary_whole_at_80_columns(
    feeder: RunFeeder, plain: Path, monkeypatch: pytest.MonkeyPatch, group: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    listed = feeder(plain, group, "--help").out.partition("\nCommands:\n")[2].splitlines()
    assert listed
    assert not [line for line in listed if line.endswith(("...", "…"))]


@pytest.mark.parametrize(
    "arguments",
    [
        ["unheard"],
        ["sync", "--unheard"],
        ["search"],
        ["process"],
        ["sync", "--max-file-bytes", "many"],
        ["search", "x", "-n", "0"],
        ["apply", "nowhere.json"],
        ["deltas"],
    ],
    ids=" ".join,
)
def test_usage_error_exits_with_2(feeder: RunFeeder, plain: Path, arguments: list[str]) -> None:
    """The error is on stderr."""
    answer = feeder(plain, *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert "Error: " in answer.err


@pytest.mark.parametrize(
    ("name", "expected"),
    [("serach", "Did you mean search?"), ("Sync", "mean sync?"), ("read", "mean show?")],
)
def test_unknown_command_names_the_nearest(
    feeder: RunFeeder, plain: Path, name: str, expected: str
) -> None:
    """By letters, or another name for it, such as that of an MCP tool."""
    answer = feeder(plain, name, "x")
    assert (answer.code, answer.out) == (2, "")
    assert expected in answer.err
    assert "mean" not in feeder(plain, "qqq").err


def test_sync_makes_the_index_and_prints_a_report(feeder: RunFeeder, shop: Repo) -> None:
    """The report is on stdout, the line about the store on stderr."""
    answer = feeder(shop, "sync", "--repo", "acme/shop")
    assert answer.code == 0
    assert answer.err == (
        f"acme/shop: local index {shop.path}/.feeder/index.db, words only (--no-vectors)\n"
    )
    lines = answer.out.splitlines()
    assert lines[0] == "Files: 4 processed, 0 deleted, 0 unchanged, 2 skipped."
    assert lines[1] == "Nodes: 7 added, 0 deleted."
    assert search_hits(shop, PATHS) == sorted(SHOP)


def test_second_sync_reports_no_changes(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync")
    before = (shop.path / ".feeder/index.db").read_bytes()
    answer = feeder(shop, "sync")
    assert (
        answer.out.splitlines()[0] == "The index is up to date with the source tree: nothing to do."
    )
    assert (shop.path / ".feeder/index.db").read_bytes() == before


def test_index_folder_is_ignored_by_git(feeder: RunFeeder, shop: Repo) -> None:
    """And by the next run."""
    feeder(shop, "sync")
    assert shop.git("status", "--porcelain") == ""
    feeder(shop, "process", "--path", ".")
    assert search_hits(shop, PATHS) == sorted(SHOP)


def test_json_output_is_one_value(feeder: RunFeeder, shop: Repo) -> None:
    """stdout has nothing else."""
    facts = feeder(shop, "sync", "--json").json
    head = shop.git("rev-parse", "HEAD")
    assert (facts["head"], facts["branch"], facts["repo"]) == (head, "main", "repo")
    assert (facts["finished"], facts["dry_run"]) == (True, False)
    assert (facts["files_processed"], facts["nodes_new"]) == (4, 7)
    assert facts["nodes_by_type"] == {
        "method": 3,
        "class": 1,
        "chunk": 1,
        "md_section": 1,
        "json_object": 1,
    }
    assert facts["skipped"] == {"logo.bin": "binary, by its name", "yarn.lock": "a lock file"}
    assert facts["nodes_new"] == search_hits(shop, "SELECT count(*) FROM docs")[0]


CALLS = {
    "sync": [],
    "process": ["--path", "src"],
    "delete": ["--path", "docs"],
    "apply": ["-"],
    "deltas": ["--base", "HEAD"],
    "plan": ["--shards", "2"],
    "init": [],
    "validate": [],
    "cache": [],
    "search": ["emptyCart"],
    "skipped": [],
    "stats": [],
    "grep": ["emptyCart"],
    "references": ["src/cart.py#Cart"],
    "definition": ["Cart"],
    "implementations": ["src/cart.py#Cart"],
    "impact": ["--working-tree"],
    "overview": ["."],
    "similar": ["emptyCart"],
    "outline": ["src"],
    "show": ["emptyCart"],
    "evaluate": ["questions.jsonl"],
    "queries": [],
    "doctor": [],
    "languages": ["try", str(PYTHON), "src/cart.py"],
}


@pytest.mark.parametrize("command", CALLS)
def test_every_command_has_json_and_quiet(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Except some; `worker` is tested in tests/edge, `publish` and `pull` in tests/share."""
    others = {"action", "completion", "mcp", "publish", "pull", "serve", "worker"}
    assert {*CALLS, *others} == set(COMMANDS)
    feeder(shop, "sync")
    query = '{"query": "emptyCart", "answers": ["src/cart.py"]}'
    (shop.path / "questions.jsonl").write_text(query)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[]")))
    answer = feeder(shop, command, *CALLS[command], "--json", "-q")
    assert (answer.code, answer.err) == (0, "")
    assert isinstance(answer.json, dict | list)


def test_quiet_prints_no_report(feeder: RunFeeder, shop: Repo) -> None:
    """A result that was asked for is still printed: hits, JSON, what a dry run would do."""
    assert feeder(shop, "sync", "-q") == CommandResult(0, "", "")
    for command in ("search", "cart"), ("grep", "emptyCart"), ("outline",):
        found = feeder(shop, *command, "-q")
        whole = feeder(shop, *command).out.splitlines()
        assert (found.out.splitlines(), found.err) == (whole[:-1], "")
        assert whole[-1].startswith("The index matches HEAD ")
    assert feeder(shop, "sync", "-q", "--json").json["finished"]
    planned = feeder(shop, "sync", "-q", "--dry-run", "--force")
    assert ("Files:" in planned.out, planned.err) == (True, "")


def test_binary_file_is_skipped(feeder: RunFeeder, shop: Repo) -> None:
    """It is in one of the counts, with its reason in the list."""
    shop.commit({"nul.txt": b"a\0b"})
    facts = feeder(shop, "sync", "--json").json
    assert facts["files_processed"] == 4
    assert facts["skipped"]["nul.txt"] == "binary"


def test_file_that_crashes_the_parser_is_indexed_as_plain_text(
    feeder: RunFeeder, shop: Repo
) -> None:
    """The report names it with the reason, and the run succeeds."""
    shop.commit({"deep.yaml": b"- " * 254 + b"treasure\n"})
    answer = feeder(shop, "sync", "--json")
    assert answer.code == 0
    assert list(answer.json["as_plain_text"]) == ["deep.yaml"]
    assert answer.json["files_processed"] == 5
    assert [hit["path"] for hit in feeder(shop, "search", "treasure", "--json").json["hits"]] == [
        "deep.yaml"
    ]


def test_secrets_are_masked_unless_disabled(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report counts them; changing the setting parses all files again."""
    token = "gh" + "p_" + "aB3" * 12
    shop.commit({"deploy.py": f"def deploy(token='{token}'):\n    pass\n"})
    masked = json.loads(feeder(shop, "sync", "--json").out)
    assert masked["secrets_masked"] == {"deploy.py": 1}
    signature = "SELECT signature FROM docs WHERE symbol = 'deploy'"
    posted = f"SELECT rowid FROM docs_fts WHERE docs_fts MATCH '{token[4:]}'"
    assert search_hits(shop, signature) == [f"def deploy(token='{'x' * 40}'):"]
    assert search_hits(shop, posted) == []
    monkeypatch.setenv("FEEDER_MASK_SECRETS", "false")
    assert json.loads(feeder(shop, "sync", "--json").out)["secrets_masked"] == {}
    assert search_hits(shop, signature) == [f"def deploy(token='{token}'):"]
    assert len(search_hits(shop, posted)) == 1
    assert feeder(shop, "validate").code == 0
    assert feeder(shop, "validate", "--mask-secrets").code == 1


def test_dry_run_creates_nothing(feeder: RunFeeder, shop: Repo) -> None:
    """Its counts equal those of the run."""
    foreseen = feeder(shop, "sync", "--dry-run", "--json").json
    assert not (shop.path / ".feeder").exists()
    real = feeder(shop, "sync", "--json").json
    assert foreseen["dry_run"]
    assert [foreseen[name] for name in COUNTS] == [real[name] for name in COUNTS]


def test_dry_run_over_an_index_changes_nothing(feeder: RunFeeder, shop: Repo) -> None:
    """It counts edits, deletions, renames and moved lines."""
    feeder(shop, "sync")
    shop.git("mv", "docs/guide.md", "guide.md")
    edited = "\n" + CART.replace("return Cart()", "return Basket()")
    shop.commit({"src/cart.py": edited, "config.json": None})
    before = _files(shop.path)
    foreseen = feeder(shop, "sync", "--dry-run", "--json").json
    assert _files(shop.path) == before
    real = feeder(shop, "sync", "--json").json
    assert [foreseen[name] for name in COUNTS] == [real[name] for name in COUNTS]
    assert (real["files_processed"], real["files_deleted"]) == (2, 2)
    answer = feeder(shop, "sync", "--dry-run")
    expected = feeder(shop, "sync").out
    for verb in ("processed", "added", "deleted", "computed"):
        expected = expected.replace(verb, f"would be {verb}")
    assert answer.out == expected


def _files(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_environment_variables_replace_flags(
    feeder: RunFeeder, shop: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FEEDER_DB, FEEDER_REPO, FEEDER_BRANCH, FEEDER_MAX_FILE_BYTES; a flag overrides them."""
    monkeypatch.setenv("FEEDER_DB", str(tmp_path / "else.db"))
    monkeypatch.setenv("FEEDER_REPO", "acme/twin")
    monkeypatch.setenv("FEEDER_BRANCH", "release")
    monkeypatch.setenv("FEEDER_MAX_FILE_BYTES", "100")
    facts = feeder(shop, "sync", "--json").json
    assert (tmp_path / "else.db").exists()
    assert not (shop.path / ".feeder").exists()
    assert (facts["repo"], facts["branch"]) == ("acme/twin", "release")
    assert facts["skipped"]["src/cart.py"] == "larger than the limit"
    facts = feeder(shop, "sync", "--json", "--repo", "acme/flag", "--max-file-bytes", "9999").json
    assert facts["repo"] == "acme/flag"
    assert "src/cart.py" not in facts["skipped"]


def test_repository_is_named_after_its_remote(feeder: RunFeeder, shop: Repo) -> None:
    """Without a remote, after its folder."""
    assert feeder(shop, "sync", "--json").json["repo"] == "repo"
    shop.git("remote", "add", "origin", "https://user:secret@example.org/acme/shop.git")
    answer = feeder(shop, "sync", "--json")
    assert answer.json["repo"] == "acme/shop"
    assert "user:secret" not in answer.out + answer.err


def test_run_in_a_subfolder_indexes_the_whole_repository(feeder: RunFeeder, shop: Repo) -> None:
    """Also with -C."""
    feeder(shop.path / "src", "sync")
    assert search_hits(shop, PATHS) == sorted(SHOP)
    assert feeder(shop.path.parent, "search", "addLine", "-C", shop.path / "docs").out.startswith(
        "src/cart.py:9-10  method  Cart.addLine\n"
    )


@pytest.mark.parametrize("command", ["sync", "deltas --base HEAD"])
def test_command_that_needs_git_fails_outside_a_repository(
    feeder: RunFeeder, plain: Path, command: str
) -> None:
    """The error names the remedy."""
    answer = feeder(plain, *command.split())
    assert (answer.code, answer.out) == (2, "")
    assert "is not in a git repository. Change to a repository, or index the files" in answer.err
    assert len(answer.err.splitlines()) == 1
    assert not (plain / ".feeder").exists()


def test_sync_without_a_commit_is_an_error(feeder: RunFeeder, repo: Repo) -> None:
    """`process` works without one."""
    repo.write({"a.py": "x = 1\n"})
    answer = feeder(repo, "sync")
    assert answer.code == 2
    assert answer.err == (
        f"feeder: {repo.path} has no commit at HEAD. Commit something first, "
        "or index the files: feeder sync --working-tree\n"
    )
    missing = feeder(repo, "stats").err
    assert missing.endswith("Make one with: feeder sync --working-tree\n")
    assert feeder(repo, "sync", "--working-tree").code == 0
    assert "\nNo file was skipped. The index matches " in feeder(repo, "skipped").err
    assert feeder(repo, "process", "--path", "a.py").code == 0
    assert feeder(repo, "validate").code == 0


@pytest.mark.parametrize("command", ["search x", "stats", "validate"])
def test_reading_without_an_index_names_the_remedy(
    feeder: RunFeeder, shop: Repo, command: str
) -> None:
    """No index is made."""
    answer = feeder(shop, *command.split())
    assert (answer.code, answer.out) == (2, "")
    assert "Make one with: feeder sync\n" in answer.err
    assert not (shop.path / ".feeder").exists()


@pytest.mark.parametrize("command", ["search x", "stats", "sync", "validate", "init"])
@pytest.mark.parametrize("content", [b"no database" * 1000, None], ids=["corrupt", "foreign"])
def test_file_that_is_no_index_is_not_changed(
    feeder: RunFeeder, shop: Repo, tmp_path: Path, command: str, content: bytes | None
) -> None:
    """Every command fails with one sentence and exit code 2."""
    file = tmp_path / "other.db"
    if content is None:
        database = SQLite(file)
        database.run([Statement("CREATE TABLE bookmarks(x)")])
        database.close()
    else:
        file.write_bytes(content)
    before = file.read_bytes()
    answer = feeder(shop, *command.split(), "--db", file)
    assert (answer.code, answer.out) == (2, "")
    assert len(answer.err.splitlines()) == 1
    assert str(file) in answer.err
    assert file.read_bytes() == before


def test_process_indexes_a_folder_without_git(feeder: RunFeeder, plain: Path) -> None:
    """A search in a subfolder finds the index."""
    answer = feeder(plain, "process", "--path", ".")
    assert answer.code == 0
    assert search_hits(plain, PATHS) == ["a.py", "sub/b.py"]
    assert feeder(plain / "sub", "search", "apple").out.startswith("a.py:1-2  method  apple\n")
    assert feeder(plain, "validate").code == 0


def test_process_of_a_part_makes_the_index_in_the_working_folder(
    feeder: RunFeeder, plain: Path, tmp_path: Path
) -> None:
    """Or in the folder of -C, where the next command finds it."""
    feeder(plain, "process", "--path", "sub")
    assert search_hits(plain, PATHS) == ["sub/b.py"]
    assert feeder(plain, "search", "bread").out.startswith("sub/b.py:1-2")
    other, cwd = tmp_path / "other", tmp_path / "cwd"
    other.mkdir()
    cwd.mkdir()
    (other / "c.py").write_text("x = 1\n")
    feeder(cwd, "process", "--path", other)
    assert search_hits(other, PATHS) == ["c.py"]
    (other / "deep").mkdir()
    (other / "deep/d.py").write_text("y = 1\n")
    feeder(cwd, "process", "--path", other / "deep")
    assert search_hits(other, PATHS) == ["c.py", "deep/d.py"]


def test_several_paths_are_processed_and_deleted(feeder: RunFeeder, shop: Repo) -> None:
    """A folder loses its deleted files."""
    feeder(shop, "process", "--path", "src", "--path", "config.json")
    assert search_hits(shop, PATHS) == ["config.json", "src/__init__.py", "src/cart.py"]
    shop.write({"src/cart.py": None})
    facts = feeder(shop, "process", "--path", "src", "--json").json
    assert facts["files_deleted"] == 1
    facts = feeder(shop, "delete", "--path", "src", "--path", "never.py", "--json").json
    assert (facts["files_deleted"], search_hits(shop, PATHS)) == (1, ["config.json"])


@pytest.mark.parametrize("arguments", [["delete", "--path", "src"], ["apply", "gone.json"]])
def test_delete_makes_no_index(feeder: RunFeeder, plain: Path, arguments: list[str]) -> None:
    (plain / "gone.json").write_text('[{"file": "a.py", "action": "delete"}]')
    answer = feeder(plain, *arguments)
    assert answer.code == 0
    assert "0 deleted" in answer.out
    note = "Nothing was deleted: the index has no file at src; the index is empty."
    assert (note in answer.out) == ("src" in arguments)
    assert not (plain / ".feeder").exists()


@pytest.mark.parametrize(
    ("rules", "named", "expected"),
    [
        ({".gitignore": "# made\nbuild/\n"}, "build", "line 2 of .gitignore excludes"),
        ({".gitignore": "*.class\n"}, "build/sub", "(*.class)"),
        ({"build/.gitignore": "*\n"}, "build", "line 1 of build/.gitignore excludes"),
        ({".git/info/exclude": "/build\n"}, "build/sub", "line 1 of .git/info/exclude excludes"),
        ({}, "empty", "it has no files."),
    ],
)
@pytest.mark.parametrize("dry", [[], ["--dry-run"]], ids=["run", "dry run"])
def test_folder_without_files_names_the_excluding_rule(
    feeder: RunFeeder, shop: Repo, rules: dict[str, str], named: str, expected: str, dry: list[str]
) -> None:
    shop.write({**rules, "build/sub/A.class": "made\n"})
    (shop.path / "empty").mkdir()
    answer = feeder(shop, "process", "--path", named, *dry)
    assert (answer.code, "0 processed" in answer.out.replace("would be ", "")) == (0, True)
    first = answer.out.splitlines()[0]
    assert first.startswith(f"Nothing was indexed at {named}: ")
    assert expected in first


def test_folder_without_files_outside_git_names_the_rule(feeder: RunFeeder, plain: Path) -> None:
    """.gitignore applies there too."""
    (plain / ".gitignore").write_text("sub/\n")
    assert feeder(plain, "process", "--path", "sub").out.splitlines()[0] == (
        "Nothing was indexed at sub: .gitignore excludes all of its files."
    )


def test_paths_are_relative_to_the_working_folder(feeder: RunFeeder, shop: Repo) -> None:
    """Or to that of -C."""
    feeder(shop.path / "src", "process", "--path", "cart.py")
    assert search_hits(shop, PATHS) == ["src/cart.py"]
    feeder(shop.path.parent, "process", "-C", shop.path / "docs", "--path", "guide.md")
    assert search_hits(shop, PATHS) == ["docs/guide.md", "src/cart.py"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["process", "--path", "nowhere"], "does not exist"),
        (["process", "--path", "../beside"], "outside"),
        (["process", "--path", ".git/config"], "inside .git"),
        (["delete", "--path", "/etc"], "outside"),
        (["sync", "--grammar", "nowhere.json"], "nowhere.json"),
        (["sync", "--db", "nowhere/index.db"], "Create its folder"),
    ],
)
def test_unusable_path_is_an_error(
    feeder: RunFeeder, shop: Repo, command: list[str], expected: str
) -> None:
    """Exit code 2 and one sentence."""
    (shop.path.parent / "beside").mkdir()
    if command[0] != "process" or ".git" not in command[2]:
        feeder(shop, "sync")
    answer = feeder(shop, *command, "-q")
    assert (answer.code, answer.out) == (2, "")
    assert expected in answer.err
    assert len(answer.err.splitlines()) == 1


def test_apply_reads_deltas_from_a_file_or_stdin(feeder: RunFeeder, shop: Repo) -> None:
    base = shop.git("rev-parse", "HEAD")
    feeder(shop, "sync")
    shop.write({"config.json": None, "src/cart.py": "x = 1\n", "new.md": "# New\n"})
    shop.git("add", "-A")
    shop.git("commit", "-q", "-m", "a commit that git knows to leave .feeder out of")
    answer = feeder(shop, "deltas", "--base", base)
    assert answer.json == [
        {"file": "config.json", "action": "delete"},
        {"file": "new.md", "action": "process"},
        {"file": "src/cart.py", "action": "process"},
    ]
    file = shop.path.parent / "deltas.json"
    file.write_text(answer.out)
    facts = feeder(shop, "apply", file, "--json").json
    assert (facts["files_processed"], facts["files_deleted"]) == (2, 1)
    assert feeder(shop, "validate").code == 0
    command = [sys.executable, "-m", "feeder", "apply", "-", "--json"]
    done = subprocess.run(
        command,
        check=True,
        input=b'[{"file": "new.md", "action": "delete"}]',
        cwd=shop.path,
        capture_output=True,
    )
    assert json.loads(done.stdout)["files_deleted"] == 1


BAD_DELTAS = {
    "{": "not JSON",
    "[1, 2": "not JSON",
    '{"file": "a.py"}': "not a JSON array",
    "null": "not a JSON array",
    '[{"file": "a.py", "action": "process"}, 7]': "Entry 2",
    '[{"file": "a.py", "action": "change"}]': "Entry 1 of the deltas has no valid action",
    '[{"file": "a.py"}]': "Entry 1 of the deltas has no valid action",
    '[{"action": "process"}]': "Entry 1 of the deltas has no file",
    '[{"file": 7, "action": "process"}]': "Entry 1 of the deltas has no file",
    '[{"file": "", "action": "process"}]': "Entry 1 of the deltas has no file",
    '[{"file": "/etc/passwd", "action": "process"}]': "absolute",
    '[{"file": "src/../../x", "action": "delete"}]': "contains ..",
    '[{"file": "out/passwd", "action": "process"}]': "leaves the repository",
    '[{"file": "a\\u0000b", "action": "process"}]': "NUL",
    '[{"file": ".", "action": "process"}]': "names no file",
    '[{"file": "config.json", "action": "delete"}, {"file": "..", "action": "delete"}]': "Entry 2",
}


@pytest.mark.parametrize(("text", "expected"), BAD_DELTAS.items())
def test_invalid_deltas_write_nothing(
    feeder: RunFeeder, shop: Repo, text: str, expected: str
) -> None:
    """Exit code 2; the error names the entry."""
    (shop.path / "out").symlink_to("/etc")
    file = shop.path.parent / "deltas.json"
    file.write_text(text)
    for _ in range(2):
        before = _files(shop.path)
        answer = feeder(shop, "apply", file)
        assert (answer.code, answer.out) == (2, "")
        assert expected in answer.err
        assert len(answer.err.splitlines()) == 1
        assert _files(shop.path) == before
        feeder(shop, "sync")


def test_init_makes_an_empty_index(feeder: RunFeeder, shop: Repo) -> None:
    """A second one changes nothing; a dry run makes nothing."""
    assert feeder(shop, "init", "--dry-run").code == 0
    assert not (shop.path / ".feeder").exists()
    for _ in range(2):
        assert feeder(shop, "init").out == "Ready.\n"
    assert search_hits(shop, "SELECT count(*) FROM docs") == [0]
    assert feeder(shop, "init", "--json").json == {
        "index": f"{shop.path}/.feeder/index.db",
        "repo": "repo",
    }


def test_stats_count_by_state_type_and_language(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync")
    facts = feeder(shop, "stats", "--json").json
    assert facts["models"] == []
    assert facts["files"] == {"clean": 4, "skipped": 2}
    assert facts["languages"] == {"python": 5, "json": 1, "markdown": 1}
    assert facts["skipped"] == {"a lock file": 1, "binary, by its name": 1}
    lines = feeder(shop, "stats").out.splitlines()
    assert lines[0] == f"repo at {shop.git('rev-parse', 'HEAD')}"
    assert lines[1:3] == ["model: none, words only", "files: 6 (4 clean, 2 skipped)"]


def test_stats_of_an_interrupted_update(feeder: RunFeeder, shop: Repo) -> None:
    """The run has written its token and taken the tree away, as each does first."""
    feeder(shop, "sync")
    assert feeder(shop, "stats", "--json").json["unfinished"] is False
    database = SQLite(shop.path / ".feeder/index.db")
    database.run([Statement("UPDATE meta SET value = 'later' WHERE key = 'repo:run'")])
    database.run([Statement("DELETE FROM meta WHERE key = 'repo:tree'")])
    database.close()
    assert feeder(shop, "stats").out.splitlines()[:2] == [
        f"repo at {shop.git('rev-parse', 'HEAD')}",
        "A later update has not finished, so some files are newer. To continue: feeder sync",
    ]
    assert feeder(shop, "stats", "--json").json["unfinished"] is True
    feeder(shop, "sync")
    assert feeder(shop, "stats", "--json").json["unfinished"] is False


@pytest.mark.parametrize(
    "arguments",
    [
        ["outline", "../x.py"],
        ["outline", "/dev/null"],
        ["show", "../x.py:3"],
        ["show", "/dev/null"],
        ["references", "../x.py"],
        ["definition", "../x.py:1:1"],
        ["grep", "cart", "../x"],
        ["search", "cart", "--path", "/dev"],
    ],
)
def test_path_outside_the_repository(feeder: RunFeeder, shop: Repo, arguments: list[str]) -> None:
    """Also one that exists; below a folder, `..` leads into the repository."""
    feeder(shop, "sync")
    answer = feeder(shop, *arguments)
    assert answer.code == 2
    path = next(part for part in arguments if "/" in part).partition(":")[0]
    assert answer.err.splitlines()[-1] == (
        f"feeder: {path} is outside the repository. Name a path inside it, or run feeder in the "
        "repository that contains this path."
    )
    assert feeder(shop, "outline", "-C", "src", "../src").code == 0


def test_validate_exits_with_1_until_repaired(feeder: RunFeeder, shop: Repo) -> None:
    """Its counts are on stdout, also as JSON."""
    feeder(shop, "sync")
    database = SQLite(shop.path / ".feeder/index.db")
    database.run([Statement("DELETE FROM docs WHERE symbol = 'Cart.total'")])
    database.close()
    answer = feeder(shop, "validate")
    assert answer.code == 1
    assert "FAIL every file has the number of nodes recorded for it" in answer.out
    answer = feeder(shop, "validate", "--json")
    assert (answer.code, answer.json["passed"]) == (1, False)
    assert feeder(shop, "validate", "--repair").code == 0
    assert feeder(shop, "validate", "--json").json["passed"] is True


def test_search_prints_place_name_and_lines(feeder: RunFeeder, shop: Repo) -> None:
    """Within the filters and the limit."""
    feeder(shop, "sync")
    equals = f"The index matches HEAD {shop.git('rev-parse', '--short=7', 'HEAD')}."
    assert feeder(shop, "search", "total", "-n", "1").out.splitlines() == [
        "src/cart.py:12-13  method  Cart.total",
        "    12      def total(self):",
        "    13          return sum(Decimal(price) for _, price in self.lines)",
        equals,
    ]
    assert feeder(shop, "search", "cart", "--node-type", "class", "--lines", "0").out == (
        f"src/cart.py:6-13  class  Cart\n{equals}\n"
    )
    for filters, advice in {
        "--path *.md": "path:",
        "-path:src lang:python": "-path: or lang:",
        "path:src type:class calls:sum": "calls:sum or path: or type:",
    }.items():
        excluded = feeder(shop, "search", "cart", *filters.split()).out
        assert excluded.startswith(f"Nothing found. Try without {advice}\n")
    assert feeder(shop, "search", "type:class", "calls:sum").out.startswith("Nothing found.\n")
    quoted = feeder(shop, "search", '"cart of nobody"').out
    assert quoted.startswith("Nothing found. Try the words without quotes.\n")
    assert feeder(shop, "search", "unheard", "--json").json["hits"] == []
    assert len(feeder(shop, "search", "cart", "-n", "2", "--json").json["hits"]) == 2


def test_search_in_an_unknown_repository_names_the_indexed_ones(
    feeder: RunFeeder, shop: Repo
) -> None:
    """A name given with --repo does not follow that of the remote."""
    feeder(shop, "sync", "--repo", "acme/shop")
    shop.git("remote", "add", "origin", "https://git.example/acme/renamed.git")
    answer = feeder(shop, "search", "cart")
    assert answer.out == "Nothing found.\n"
    added = (
        "The index has no repository 'acme/renamed'. Add it: feeder sync. It has acme/shop; choose "
    )
    assert f"{added}one with --repo." in answer.err
    notes = feeder(shop, "search", "cart", "--json", "-q").json["notes"]
    assert f"{added}one with --repo." in notes


@pytest.mark.parametrize(
    "command",
    [
        ["grep", "cart"],
        ["grep", "-l", "cart"],
        ["search", "cart", "--every"],
        ["skipped"],
        ["skipped", "--masked"],
        ["skipped", "--unparsed"],
        ["outline"],
        ["overview"],
        ["show", "src/cart.py"],
        ["similar", "src/cart.py:1"],
        ["definition", "add_line"],
        ["implementations", "Cart"],
        ["references", "add_line"],
    ],
)
def test_no_command_finds_nothing_in_a_repository_that_the_index_lacks(
    feeder: RunFeeder, shop: Repo, command: list[str]
) -> None:
    """It is an error, which names those that the index has."""
    feeder(shop, "sync", "-q", "--repo", "acme/shop")
    feeder(shop, "sync", "-q", "--repo", "acme/shop@v2")
    answer = feeder(shop, *command, "--repo", "acme/stock")
    assert (answer.code, answer.out) == (2, "")
    assert "acme/stock" in answer.err and "acme/shop, acme/shop@v2" in answer.err, answer.err


@pytest.mark.parametrize(
    ("arguments", "nearest"),
    [
        (["--repo", "rpeo"], "The index has no repository 'rpeo'. It has: repo."),
        (["--language", "kotlni"], "The index has no language 'kotlni'. It has: "),
        (["--type", "clas"], "The index has no node type 'clas'. The nearest: class"),
        (["--path", "src/crat.py"], "The index has no file or folder 'src/crat.py'. The nearest: "),
        (["--prefer", "lang:pyton"], "The index has no language 'pyton'. The nearest: python"),
        (["--category", "test"], "The index has no category or tag 'test'. The nearest: tests."),
        (["--", "-lang:go", "type:clas"], "has no node type 'clas'. The nearest: class"),
    ],
)
def test_filter_without_a_match_exits_with_2(
    feeder: RunFeeder, shop: Repo, arguments: list[str], nearest: str
) -> None:
    """The error suggests the nearest value."""
    feeder(shop, "sync")
    answer = feeder(shop, "search", "cart", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert nearest in answer.err


def test_query_operators_as_separate_arguments(feeder: RunFeeder, shop: Repo) -> None:
    """Words, filters and excluded words."""
    feeder(shop, "sync")
    paths = {
        hit["path"] for hit in feeder(shop, "search", "cart", "-path:docs", "--json").json["hits"]
    }
    assert paths and not any(path.startswith("docs/") for path in paths)
    with_type = feeder(shop, "search", "type:class", "--json").json["hits"]
    assert {one["node_type"] for one in with_type} == {"class"}


def test_reading_commands_write_nothing_to_the_index(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the query log, if it is enabled."""
    monkeypatch.setenv("FEEDER_QUERY_LOG", "off")
    feeder(shop, "sync")
    monkeypatch.setenv("FEEDER_VECTORS", "yes")
    before = _files(shop.path)
    for command in (["search", "cart"], ["stats"], ["validate"]):
        assert feeder(shop, *command).code == 0
        assert _files(shop.path) == before


def test_repository_path_that_is_not_utf8_names_a_remedy_that_works(
    feeder: RunFeeder, tmp_path: Path
) -> None:
    """SQLite cannot open a file there."""
    repo = Repo(tmp_path / os.fsdecode(b"caf\xe9"))
    repo.commit({"a.py": "def apple():\n    pass\n"})
    answer = feeder(repo, "sync")
    assert answer.code == 2
    assert "--db" in answer.err
    database = tmp_path / "index.db"
    assert feeder(repo, "sync", "--db", database, "--json").json["repo"] == r"caf\xe9"
    assert feeder(repo, "search", "apple", "--db", database).code == 0


def test_file_names_of_any_bytes_are_searched(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit({b"caf\xe9 1.py": "def apple():\n    pass\n", b"a\nb.py": "def apple(): pass\n"})
    assert feeder(repo, "sync").code == 0
    glob = os.fsdecode(b"caf\xe9*")
    [found] = feeder(repo, "search", "apple", "--path", glob, "--json").json["hits"]
    assert found["path"] == r"caf\xe9 1.py"
    assert found["text"] == "def apple():\n    pass"
    assert feeder(repo, "delete", "--path", os.fsdecode(b"caf\xe9 1.py")).code == 0
    assert search_hits(repo, PATHS) == ["a\nb.py"]


def test_closed_pipe_prints_no_traceback(feeder: RunFeeder, shop: Repo) -> None:
    """As with `| head -1`."""
    for number in range(60):
        shop.write({f"{number}.txt": f"word {number}\n" * 400})
    shop.commit()
    feeder(shop, "sync")
    command = [sys.executable, "-m", "feeder", "search", "word", "-n", "100", "--json"]
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        command, cwd=shop.path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stdout and program.stderr
        assert program.stdout.readline() == b"{\n"
        program.stdout.close()
        errors = program.stderr.read().decode().splitlines()
    assert program.returncode == 141, "as a shell says of a program that SIGPIPE ended"
    assert len(errors) == 1
    assert errors[0].startswith("repo: local index")


def test_program_without_arguments_prints_help(feeder: RunFeeder, shop: Repo) -> None:
    """On stderr, with the exit code of a usage error."""
    answer = feeder(shop)
    assert (answer.code, answer.out) == (2, "")
    assert "\n  sync " in answer.err
    assert "\\u000a" not in answer.err


def test_init_names_the_wrangler_file_that_it_did_not_change(feeder: RunFeeder, shop: Repo) -> None:
    """The token is missing, so Cloudflare is not set up."""
    file = shop.path / "wrangler.jsonc"
    file.write_text("{}")
    lines = feeder(shop, "init").out.splitlines()
    assert lines[0] == "Ready."
    assert lines[1].startswith(f"{file} was not used (no CLOUDFLARE_API_TOKEN)")
    assert feeder(shop, "init", "--dry-run", "--store", "local").out == (
        "An index would be created on this machine.\n"
    )


def test_partial_run_by_another_version_keeps_the_vectors(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index then has two parser fingerprints, and a search says so."""
    monkeypatch.delenv("FEEDER_VECTORS")
    static = ("--model", "static")
    assert feeder(shop, "sync", *static).code == 0
    database = SQLite(shop.path / ".feeder/index.db")
    count = Statement("SELECT count(*) FROM meanings")
    try:
        before = database.run([count])
        mixed = "UPDATE meta SET value = 'mixed' WHERE key = 'repo:parser'"
        database.run([Statement(mixed)])
        (shop.path / "src/new.py").write_text("def newest():\n    return 1\n")
        assert feeder(shop, "process", "--path", "src/new.py", "--no-vectors").code == 0
        assert database.run([count]) == [[(int(str(before[0][0][0])) + 1,)]]
    finally:
        database.close()
    said = feeder(shop, "search", *static, "newest").err
    assert "The index has no vectors by feeder-static-" in said
    assert feeder(shop, "sync", *static).code == 0
    assert "lacks vectors" not in feeder(shop, "search", *static, "cart").err


def test_an_empty_query_is_an_error(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync")
    for query in (" ", '""', "'' \"\""):
        answer = feeder(shop, "search", query)
        assert answer.code == 2
        assert "feeder: The query is empty. Write words" in answer.err

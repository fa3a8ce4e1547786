"""A client file that is foreign, broken or read-only is refused and stays unchanged."""

import json
import os
import tomllib
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest
import tomlkit

from command_runner import RunFeeder
from feeder.mcp.clients.known_clients import CLIENTS, Client
from feeder.mcp.clients.server_entries import EntryEditor, is_own_entry
from source.repos import Repo

Picture = Callable[[], dict[str, bytes | None]]
CURSOR = ("mcp", "install", "--client", "cursor")
CODEX = ("mcp", "install", "--client", "codex")


@pytest.fixture
def file(home: Path) -> Path:
    """Cursor's file in an existing folder."""
    (home / ".cursor").mkdir()
    return home / ".cursor/mcp.json"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('{\n  "mcpServers": {}\n', "line 3, column 1: a comma or } is expected"),
        ('{"mcpServers": {"a": 1 "b": 2}}', "line 1, column 24: a comma or } is expected"),
        ("{'mcpServers': {}}", "line 1, column 2: this is not valid JSON"),
        ("// only this\n", "line 2, column 1: an object, {…}, is expected"),
        ("[]", "line 1, column 1: an object, {…}, is expected"),
        ('{"mcpServers": []}', "mcpServers is not a table of servers"),
        (
            '{"mcpServers": {"feeder": 1}}',
            "it already has another server feeder",
        ),
        (
            '{"mcpServers": {"feeder": {"command": "npx", "args": ["birds"]}}}',
            "it already has another server feeder",
        ),
        (
            '{"mcpServers": {"feeder": {}, "feeder": {"command": "feeder", "args": ["x", "mcp"]}}}',
            None,
        ),
    ],
)
def test_json_that_cannot_be_edited_is_refused_with_the_position(
    feeder: RunFeeder,
    repo: Repo,
    file: Path,
    read_all_files: Picture,
    content: str,
    why: str | None,
) -> None:
    """Of repeated keys the last one counts, as for other readers."""
    file.write_text(content)
    before = read_all_files()
    answer = feeder(repo, *CURSOR)
    if why is None:
        assert answer.code == 0
        assert json.loads(file.read_text())["mcpServers"]["feeder"]["args"][0] == "mcp"
        return
    assert (answer.code, answer.out) == (2, "")
    assert f"feeder: {file}: {why}" in answer.err
    assert "Nothing was written." in answer.err
    assert read_all_files() == before


SHAPES = ("null", "[]", "[1]", "[{}]", '"text"', '""', "3", "true", "{}", '{"x": null}')
"""Everything that can stand where a table, a command or an argument is expected."""


def _shaped_texts(client: Client, name: str) -> Iterator[tuple[str, bool]]:
    """Yields the text of each shape at each level, and whether it can be edited.

    null counts as absent, as for the clients. TOML has no null.
    """
    servers = (client.servers_key,)
    entry, other = (*servers, "feeder"), (*servers, "other")
    for place, shape in product([(), servers, entry, (*entry, "args"), other], SHAPES):
        data = json.loads(shape)
        for key in reversed(place):
            data = {key: data}
        if name.endswith(".toml") and ("null" in shape or not isinstance(data, dict)):
            continue
        is_table = shape in ("{}", '{"x": null}')
        is_editable = {(): is_table, entry: shape == "null", (*entry, "args"): False, other: True}
        text = tomlkit.dumps(data) if name.endswith(".toml") else json.dumps(data)
        yield text, is_editable.get(place, is_table or shape == "null")


@pytest.mark.parametrize("client", CLIENTS.values(), ids=[*CLIENTS])
def test_every_shape_of_a_client_file_is_edited_or_refused(client: Client) -> None:
    """At each level above the command."""
    [name, *_] = next(iter(client.files["server"].values()))
    editor = EntryEditor(name, client.servers_key)
    for text, is_editable in _shaped_texts(client, name):
        if is_editable:
            after = editor.add(text, client.server_entry("user", ["feeder", "mcp"]))
            assert is_own_entry(editor.own_entry(after)), text
            assert not is_own_entry(editor.own_entry(editor.remove(after))), text
        else:
            with pytest.raises(ValueError, match=r"not a table|another server|is expected"):
                editor.add(text, client.server_entry("user", ["feeder", "mcp"]))


@pytest.mark.parametrize("client", CLIENTS.values(), ids=[*CLIENTS])
def test_null_for_the_servers_is_replaced_and_restored(
    feeder: RunFeeder, repo: Repo, client: Client
) -> None:
    install = ("mcp", "install", "--client", client.name)
    [change] = feeder(repo, *install, "--json").json["changes"]
    file = Path(change["file"])
    if file.suffix == ".toml":
        text = f"{client.servers_key} = {{}}\n"
    else:
        text = f'{{\n  // mine\n  "{client.servers_key}": null, "a": 1\n}}\n'
    file.write_text(text)
    assert feeder(repo, *install).code == 0
    assert "feeder" in file.read_text()
    assert feeder(repo, "mcp", "uninstall").code == 0
    assert file.read_text() == text


def test_invalid_toml_is_refused_with_the_position(
    feeder: RunFeeder, home: Path, repo: Repo, read_all_files: Picture
) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text('model = "x"\n[mcp_servers\n')
    before = read_all_files()
    answer = feeder(repo, *CODEX)
    assert answer.code == 2
    assert "(at line 2, column 13). Nothing was written." in answer.err
    assert read_all_files() == before


@pytest.mark.parametrize("content", ["ü".encode("latin-1"), '{"a": 1}'.encode("utf-16")])
def test_file_that_is_not_utf8_is_refused(
    feeder: RunFeeder, repo: Repo, file: Path, read_all_files: Picture, content: bytes
) -> None:
    file.write_bytes(content)
    before = read_all_files()
    answer = feeder(repo, *CURSOR)
    assert answer.code == 2
    assert f"{file} is not valid UTF-8 at byte 0. Save it as UTF-8." in answer.err
    assert read_all_files() == before


def test_one_refused_file_prevents_all_writes(
    feeder: RunFeeder, repo: Repo, file: Path, read_all_files: Picture
) -> None:
    """The valid one comes first."""
    file.write_text("{")
    before = read_all_files()
    answer = feeder(repo, "mcp", "install", "--client", "claude", "--client", "cursor")
    assert answer.code == 2
    assert read_all_files() == before


def test_foreign_server_of_the_name_is_replaced_by_force_and_restored(
    feeder: RunFeeder, repo: Repo, file: Path, read_all_files: Picture
) -> None:
    file.write_text('{"mcpServers": {"feeder": {"command": "birds"}}}')
    before = read_all_files()
    assert feeder(repo, *CURSOR, "--force").code == 0
    [entry] = json.loads(file.read_text())["mcpServers"].values()
    assert (entry["command"], entry["args"][0]) == ("feeder", "mcp")
    assert feeder(repo, "mcp", "uninstall").code == 0
    assert read_all_files() == before


def test_foreign_server_of_the_name_is_kept_by_uninstall(
    feeder: RunFeeder, repo: Repo, file: Path, read_all_files: Picture
) -> None:
    """Unless it is forced."""
    file.write_text('{"mcpServers": {"feeder": {"command": "birds"}}}')
    before = read_all_files()
    answer = feeder(repo, "mcp", "uninstall")
    assert (answer.code, answer.out) == (
        0,
        "Nothing to remove: no user file has entries from feeder.\n",
    )
    assert read_all_files() == before
    assert feeder(repo, "mcp", "uninstall", "--force").code == 0
    assert not file.exists()


def test_uninstall_ignores_broken_files_without_feeder(
    feeder: RunFeeder, repo: Repo, file: Path
) -> None:
    """A broken file that names feeder is an error."""
    file.write_text("{")
    assert feeder(repo, "mcp", "uninstall").code == 0
    file.write_text('{"feeder"')
    assert feeder(repo, "mcp", "uninstall").code == 2


def test_folder_instead_of_the_file_is_refused(
    feeder: RunFeeder, repo: Repo, file: Path, read_all_files: Picture
) -> None:
    file.mkdir()
    before = read_all_files()
    answer = feeder(repo, *CURSOR)
    assert answer.code == 2
    assert f"{file} cannot be used (Is a directory). Make it a writable file." in answer.err
    assert read_all_files() == before


def test_file_instead_of_the_folder_is_refused(
    feeder: RunFeeder, home: Path, repo: Repo, read_all_files: Picture
) -> None:
    (home / ".codex").write_text("mine")
    before = read_all_files()
    answer = feeder(repo, *CODEX)
    assert answer.code == 2
    assert f"{home}/.codex/config.toml cannot be used (Not a directory)." in answer.err
    assert read_all_files() == before


def test_read_only_file_is_refused(
    feeder: RunFeeder, repo: Repo, file: Path, read_all_files: Picture
) -> None:
    """Although its folder is writable."""
    file.write_text("{}")
    file.chmod(0o444)
    before = read_all_files()
    answer = feeder(repo, *CURSOR)
    assert answer.code == 2
    assert f"{file} is read-only. Make it writable." in answer.err
    assert read_all_files() == before


def test_read_only_folder_is_refused(feeder: RunFeeder, repo: Repo, file: Path) -> None:
    """The receipt written before is harmless."""
    file.write_text("{}")
    file.parent.chmod(0o555)
    if os.access(file.parent, os.W_OK):
        pytest.skip("nothing is read-only for this user")
    answer = feeder(repo, *CURSOR)
    file.parent.chmod(0o755)
    assert answer.code == 2
    assert f"No permission to use {file}." in answer.err
    assert file.read_text() == "{}"
    assert [*file.parent.iterdir()] == [file]
    assert feeder(repo, *CURSOR).code == 0


def test_symbolic_link_is_followed_and_kept(
    feeder: RunFeeder, repo: Repo, file: Path, tmp_path: Path, read_all_files: Picture
) -> None:
    """As for dotfiles in a repository; the mode stays too."""
    stored = tmp_path / "dotfiles.json"
    stored.write_text("{}\n")
    stored.chmod(0o640)
    file.symlink_to(stored)
    before = read_all_files()
    assert feeder(repo, *CURSOR).code == 0
    assert file.is_symlink()
    assert "feeder" in stored.read_text()
    assert stored.stat().st_mode & 0o777 == 0o640
    assert feeder(repo, "mcp", "uninstall").code == 0
    assert (file.is_symlink(), stored.read_text()) == (True, "{}\n")
    assert read_all_files() == before


def test_link_to_a_missing_file_is_followed(
    feeder: RunFeeder, repo: Repo, file: Path, tmp_path: Path
) -> None:
    file.symlink_to(tmp_path / "kept/mcp.json")
    assert feeder(repo, *CURSOR).code == 0
    assert (tmp_path / "kept/mcp.json").is_file()
    assert feeder(repo, "mcp", "uninstall").code == 0
    assert file.is_symlink()
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("link", [".mcp.json", "CLAUDE.md", ".claude"])
def test_project_link_out_of_the_project_is_refused(
    feeder: RunFeeder, home: Path, repo: Repo, read_all_files: Picture, link: str
) -> None:
    """A commit could otherwise make install write another file."""
    (home / "profile").write_text("mine\n")
    (home / "folder").mkdir()
    (repo.path / link).symlink_to(home / ("folder" if link == ".claude" else "profile"))
    before = read_all_files()
    project = ["--client", "claude", "--scope", "project"]
    answer = feeder(repo, "mcp", "install", *project, "--instructions", "--agent")
    assert answer.code == 2
    assert "is a symbolic link that leads out of the project. Remove it." in answer.err
    assert read_all_files() == before


def test_new_file_follows_the_umask(feeder: RunFeeder, repo: Repo, file: Path) -> None:
    mask = os.umask(0o027)
    try:
        assert feeder(repo, *CURSOR).code == 0
    finally:
        os.umask(mask)
    assert file.stat().st_mode & 0o777 == 0o640
    assert [*file.parent.iterdir()] == [file]


def test_later_changes_are_kept(feeder: RunFeeder, repo: Repo, file: Path) -> None:
    """Other servers, and user settings in the feeder entry while it is installed."""
    feeder(repo, *CURSOR)
    text = file.read_text()
    facts = json.loads(text)
    facts["mcpServers"]["feeder"]["env"] = {"FEEDER_MODEL": "static"}
    facts["mcpServers"]["birds"] = {"command": "birds"}
    file.write_text(json.dumps(facts))
    [change] = feeder(repo, *CURSOR, "--json").json["changes"]
    assert change["action"] == "unchanged"
    assert json.loads(file.read_text()) == facts
    assert feeder(repo, "mcp", "uninstall").code == 0
    assert json.loads(file.read_text()) == {"mcpServers": {"birds": {"command": "birds"}}}


def test_without_a_receipt_the_entry_is_recognized(
    feeder: RunFeeder, home: Path, repo: Repo
) -> None:
    """As after a colleague's commit; an empty table and file are removed too."""
    (repo.path / ".codex").mkdir()
    codex = repo.path / ".codex/config.toml"
    codex.write_text("# ours\na = 1\n\n[b] # two\n")
    both = ["--client", "claude", "--client", "codex", "--scope", "project"]
    assert feeder(repo, "mcp", "install", *both).code == 0
    (home / ".local/state/feeder/installed.json").unlink()
    assert feeder(repo, "mcp", "uninstall", "--scope", "project").code == 0
    assert not (repo.path / ".mcp.json").exists()
    assert tomllib.loads(codex.read_text()) == {"a": 1, "b": {}}
    assert codex.read_text().startswith("# ours\na = 1\n\n[b] # two\n")


def test_invalid_receipts_are_refused(feeder: RunFeeder, home: Path, repo: Repo) -> None:
    (home / ".local/state/feeder").mkdir(parents=True)
    receipts = home / ".local/state/feeder/installed.json"
    entry = '"old": null, "new": "x", "folders": []'
    for content in (
        "{",
        "[1]",
        "null",
        '"x"',
        '{"a": 1}',
        '{"a": null}',
        '{"a": {"folders": []}}',
        f'{{"a": {{{entry}, "new": 1}}}}',
        f'{{"a": {{{entry}, "old": []}}}}',
        f'{{"a": {{{entry}, "folders": [1]}}}}',
        f'{{"a": {{{entry}}}, "": {{"folders": 1}}}}',
    ):
        receipts.write_text(content)
        answer = feeder(repo, *CURSOR)
        assert answer.code == 2
        assert f"{receipts} is not a list of receipts" in answer.err
        assert not (home / ".cursor").exists()

"""The documentation pages match the program and the action, and their examples work."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import click
import pytest
import yaml
from markdown_it import MarkdownIt

from feeder.cli.main import cli
from feeder.mcp.clients.known_clients import CLIENTS

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "docs/tables.py"
TOOLS = Path(sys.executable).parent
GUIDE = ROOT / "docs/how-to/github-action.md"
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted(ROOT.glob("docs/**/*.md")),
]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
OURS = "OWNER/feeder@COMMIT"
CALL = "OWNER/feeder/.github/workflows/index.yml@COMMIT"
# `on` is true in YAML
CALLED = yaml.safe_load((ROOT / ".github/workflows/index.yml").read_text())[True]["workflow_call"]
FENCE = re.compile(r"^( *)```yaml\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def rewritten(folder: Path, page: str) -> str:
    """Returns a page after the command that writes the tables."""
    file = folder / "page.md"
    file.write_text(page, "utf-8")
    subprocess.run([sys.executable, TABLES, file], check=True)
    return file.read_text("utf-8")


def rows(folder: Path, table: str) -> list[list[str]]:
    """Returns the text of a table's cells without its header, by an independent markdown reader.

    Code is in backticks.
    """
    page = rewritten(folder, f"<!-- table: {table} -->\n<!-- end -->\n")
    tokens = MarkdownIt("commonmark").enable("table").parse(page)
    cells: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            cells.append([])
        if token.type == "inline":
            parts = token.children or []
            assert {part.type for part in parts} <= {"text", "code_inline"}
            said = [f"`{part.content}`" if part.markup else part.content for part in parts]
            cells[-1].append("".join(said))
    return cells[1:]


def workflows() -> Iterator[Any]:
    """Yields each workflow that the guide shows."""
    for number, found in enumerate(FENCE.finditer(GUIDE.read_text("utf-8"))):
        yield pytest.param(dedent(found[2]), id=f"{GUIDE.stem}-{number}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tables_are_up_to_date(tmp_path: Path, page: Path) -> None:
    """`python docs/tables.py` would change nothing."""
    text = page.read_text("utf-8")
    assert rewritten(tmp_path, text) == text


def test_picture_of_readme_shows_the_committed_measurements(tmp_path: Path) -> None:
    """`python docs/first_index.py` would change nothing; it prints the figures."""
    drawn = tmp_path / "first-index.svg"
    command = [sys.executable, str(ROOT / "docs/first_index.py"), str(drawn)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert drawn.read_bytes() == (ROOT / "docs/pictures/first-index.svg").read_bytes()
    figures = re.findall(r" (\d*\.\d+)$", printed, re.MULTILINE)
    assert len(figures) == len(printed.splitlines()) > 2
    table = (ROOT / "docs/benchmarks/speed.md").read_text("utf-8")
    assert all(f"| {figure} |" in table for figure in figures)


def test_each_page_has_its_tables() -> None:
    marked = {page: re.findall("<!-- table: (.*) -->", page.read_text("utf-8")) for page in PAGES}
    assert {page.stem: tables for page, tables in marked.items() if tables} == {
        "cli": ["commands"],
        "settings": ["settings"],
        "github-action": ["inputs", "outputs"],
        "mcp-clients": ["clients"],
    }


def test_outdated_table_is_rewritten(tmp_path: Path) -> None:
    """The text around it stays."""
    old = "Before.\n<!-- table: outputs -->\n| old |\n<!-- end -->\nAfter.\n<!-- end -->\n"
    new = rewritten(tmp_path, old)
    assert new.startswith("Before.\n<!-- table: outputs -->\n\n| output | what it is |\n")
    assert new.endswith("|\n\n<!-- end -->\nAfter.\n<!-- end -->\n")
    assert "| old |" not in new


def test_table_of_commands_has_required_arguments(tmp_path: Path) -> None:
    """Of every command."""
    shown = [row[0].strip("`") for row in rows(tmp_path, "commands")]
    assert [one.split()[1] for one in shown] == list(cli.load_commands())
    assert {
        "feeder sync",
        "feeder search QUERY",
        "feeder apply DELTAS",
        "feeder process --path PATH …",
        "feeder plan --shards N",
    } <= {*shown}


def test_table_of_settings_has_flags_and_variables(tmp_path: Path) -> None:
    """Values are named by kind; file and variable names are code."""
    table = {flag: (twins, text) for flag, twins, text in rows(tmp_path, "settings")}
    assert table["`--jobs N`"][0] == "`FEEDER_JOBS`"
    assert table["`--account-id ID`"][0] == "`FEEDER_ACCOUNT_ID`"
    assert table["`--store cloudflare|local`"][0] == "`FEEDER_STORE`"
    assert table["`--vectors`, `--no-vectors`"][0] == "`FEEDER_VECTORS`"
    assert table["`--force`"][0] == "`FEEDER_FORCE`"
    assert table["`--max-file-bytes N`"][1].endswith(" Default: 1,000,000.")
    assert "`<owner>_<repo>_code`" in table["`--index-name NAME`"][1]
    assert "`.feeder/index.db`" in table["`--db FILE`"][1]
    assert not {"`--json`", "`--dry-run`", "`--limit N`"} & table.keys()


@pytest.mark.parametrize("kind", ["inputs", "outputs"])
def test_every_input_and_output_is_listed(tmp_path: Path, kind: str) -> None:
    """In the order of action.yml."""
    assert [row[0].strip("`") for row in rows(tmp_path, kind)] == list(ACTION[kind])


def test_every_client_is_listed_with_its_files(tmp_path: Path) -> None:
    """The user file before the project file."""
    table = {row[1].strip("`"): row for row in rows(tmp_path, "clients")}
    assert list(table) == list(CLIENTS)
    assert table["claude"][2:4] == ["`~/.claude.json`", "`.mcp.json`"]
    assert table["claude"][4] == "`~/.claude/CLAUDE.md`, `CLAUDE.md`"
    assert table["windsurf"][2:] == [
        *("`~/.codeium/windsurf/mcp_config.json`", "—", "`AGENTS.md`"),
        "`~/.codeium/windsurf/skills/feeder/SKILL.md`, `.windsurf/skills/feeder/SKILL.md`",
        "—",
    ]


def test_inputs_have_their_defaults(tmp_path: Path) -> None:
    """The cell is empty if there is none."""
    defaults = {name: default for name, _, default in rows(tmp_path, "inputs")}
    assert (defaults["`command`"], defaults["`api-token`"]) == ("`sync`", "")


@pytest.mark.parametrize("text", [*workflows()])
def test_shown_workflow_passes_actionlint(text: str) -> None:
    check = [str(TOOLS / "actionlint"), "-shellcheck=", "-"]
    answer = subprocess.run(check, input=text, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize("text", [*workflows()])
def test_shown_workflow_uses_existing_inputs(text: str) -> None:
    """And outputs, and secrets of the reusable workflow."""
    ours = [step for step in steps(text) if step["uses"] == OURS]
    calls = [job for job in yaml.safe_load(text)["jobs"].values() if job.get("uses") == CALL]
    assert ours or calls
    for step in ours:
        assert step["with"].keys() <= ACTION["inputs"].keys()
    for job in calls:
        assert job.get("with", {}).keys() <= CALLED["inputs"].keys()
        assert job["secrets"].keys() == CALLED["secrets"].keys()
    assert {*re.findall(r"steps\.\w+\.outputs\.([\w-]+)", text)} <= ACTION["outputs"].keys()


@pytest.mark.parametrize("text", [*workflows()])
def test_shown_workflow_passes_zizmor(tmp_path: Path, text: str) -> None:
    """With a commit filled in; it has read permissions only and the same pins as feed.yml."""
    file = tmp_path / ".github/workflows/feed.yml"
    file.parent.mkdir(parents=True)
    file.write_text(text.replace("COMMIT", "0" * 40))
    check = [str(TOOLS / "zizmor"), "--offline", "--no-progress", str(tmp_path)]
    answer = subprocess.run(check, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout
    said = yaml.safe_load(text)
    assert said["permissions"] == {}
    assert {*map(str, (job["permissions"] for job in said["jobs"].values()))} == {
        "{'contents': 'read'}"
    }
    own = re.findall(r"uses: (actions/.*)", (ROOT / ".github/workflows/feed.yml").read_text())
    assert {*re.findall(r"uses: (actions/.*)", text)} <= {*own}


def steps(text: str) -> Iterator[dict[str, Any]]:
    for job in yaml.safe_load(text)["jobs"].values():
        yield from job.get("steps", ())


def test_shown_number_of_assets_is_that_of_the_worker() -> None:
    """The files of the page, and the headers that Cloudflare sends with them."""
    page = (ROOT / "docs/how-to/worker.md").read_text("utf-8")
    [shown] = re.findall(r"created feeder-worker/assets: (\d+) files", page)
    files = [file for file in (ROOT / "src/feeder/web/page").rglob("*") if file.is_file()]
    assert int(shown) == len(files) + 1


@pytest.mark.parametrize("name", list(cli.load_commands()))
def test_every_command_has_json(name: str) -> None:
    """Except `action`, which runs others, and those that exchange messages.

    Commands that write have `--dry-run`. The options of `languages` are those of `languages try`.
    """
    command = cli.load_commands()[name]
    if isinstance(command, click.Group) and name == "languages":
        command = command.commands["try"]
    known = {flag for option in command.params for flag in option.opts}
    assert ({"--json", "--quiet"} <= known) == (
        name not in {"action", "completion", "mcp", "serve"}
    )
    writes = {"sync", "process", "delete", "apply", "init", "action", "worker"}
    assert ("--dry-run" in known) == (name in writes)


def test_overview_lists_each_page() -> None:
    overview = ROOT / "docs/README.md"
    linked = re.findall(r"^- .*?\]\(([^)#]+)\)", overview.read_text("utf-8"), re.MULTILINE)
    pages = (str(page.relative_to(overview.parent)) for page in overview.parent.glob("**/*.md"))
    assert sorted(linked) == sorted({*pages} - {"README.md"})


def links() -> Iterator[Any]:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
            if not target.startswith("https://"):
                yield pytest.param(page, target, id=f"{page.stem}-{target}")


@pytest.mark.parametrize(("page", "target"), [*links()])
def test_links_lead_to_existing_pages_and_headings(page: Path, target: str) -> None:
    name, _, heading = target.partition("#")
    there = page.parent / name if name else page
    assert there.is_file()
    text = there.read_text("utf-8") if heading else ""
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    assert not heading or heading in anchors

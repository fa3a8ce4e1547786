"""The program without its extras: what needs none works, and the rest names the extra.

It is installed from its wheel into an environment without other packages.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from chat_server import running_chat_server

from feeder.store import Statement
from feeder.store.sqlite import SQLite
from mcp_server.stdio_client import start_mcp_client
from parse.documents import Line, docx, p, pdf, xlsx
from source.repos import Repo
from test_distribution import ROOT, WHEELS, build

pytestmark = pytest.mark.slow

UV = Path(sys.executable).with_name("uv")
DOCUMENTS, LOCAL, SERVE = (
    f"headfeed[{extra}] @ file://" for extra in ("documents", "local", "serve")
)
UNREAD = "a document that needs the extra `documents`"
FILES: dict[str, str | bytes] = {
    "src/cart.py": "def total(prices):\n    return sum(prices)\n",
    "docs/guide.md": "# Carts\n\nHow the total is made.\n",
    "docs/prices.csv": "name,price\napple,1\n",
    "docs/old.rst": "Old carts\n=========\n\nThey had none.\n",
    "docs/manual.pdf": pdf([[Line("How carts are counted")]]),
    "docs/report.docx": docx(p("A report on carts")),
    "docs/sheet.xlsx": xlsx({"Carts": [["name", "price"], ["apple", 1]]}),
}


class CommandResult(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


class BareProgram:
    """The program of an environment, in a repository."""

    def __init__(self, command: Path, folder: Path) -> None:
        self.command, self.folder = command, folder

    def __call__(self, *arguments: str | Path) -> CommandResult:
        foreign = ("FEEDER_", "CLOUDFLARE_", "PYTHONPATH")
        own = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        done = subprocess.run(
            [str(self.command), *map(str, arguments)],
            cwd=self.folder,
            env={**own, "FEEDER_JOBS": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr
        return CommandResult(done.returncode, done.stdout, done.stderr)

    def change(self, *statements: str) -> None:
        """Changes the index as another installation would."""
        database = SQLite(self.folder / ".feeder/index.db")
        database.run([Statement(sql) for sql in statements])
        database.close()


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The feeder command of an environment without extras, installed without a registry."""
    [wheel] = build(ROOT, tmp_path_factory.mktemp("dist"), "-t", "wheel")
    venv = tmp_path_factory.mktemp("bare") / "venv"
    python = venv / "bin/python"
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, venv], check=True)
    install: list[str | Path] = [UV, "pip", "install", "--quiet", "--no-config", "--python", python]
    subprocess.run([*install, "--no-index", "--find-links", WHEELS, wheel], check=True)
    return venv / "bin/feeder"


@pytest.fixture
def bare(command: Path, repo: Repo) -> BareProgram:
    """The program in a repository with documents of all kinds."""
    repo.commit(FILES)
    return BareProgram(command, repo.path)


@pytest.fixture
def indexed(bare: BareProgram) -> BareProgram:
    assert bare("sync").code == 0
    return bare


def test_run_names_the_documents_that_it_skips(bare: BareProgram) -> None:
    """The index is correct."""
    done = bare("sync")
    assert (done.code, f"  skipped 3: {UNREAD}" in done.out) == (0, True)
    proof = bare("validate")
    assert (proof.code, proof.out.splitlines()[-1]) == (0, "The index is correct.")


def test_words_and_static_vectors_are_searched(indexed: BareProgram) -> None:
    """Also in text documents, which need no extra."""
    found = json.loads(indexed("search", "how much is it all together", "--json").out)["hits"]
    assert "meaning_rank" in found[0]
    assert any(hit["meaning_rank"] for hit in found)
    for question, path in (("apple", "docs/prices.csv"), ("old", "docs/old.rst")):
        assert path in indexed("search", question, "-l").out.splitlines()
    assert "return sum(prices)" in indexed("show", "src/cart.py#total").out


@pytest.mark.parametrize("asked", [("show",), ("outline",), ("similar",)])
def test_skipped_document_names_the_extra(indexed: BareProgram, asked: tuple[str, ...]) -> None:
    done = indexed(*asked, "docs/manual.pdf")
    error = f"docs/manual.pdf is not in the index: it was skipped ({UNREAD})."
    assert (done.code, error in done.err) == (2, True)


def test_documents_indexed_by_another_installation_stay(indexed: BareProgram) -> None:
    """They are found but not shown."""
    indexed.change(
        "UPDATE docs SET path = 'docs/manual.pdf', language = 'pdf' WHERE path = 'docs/old.rst'",
        "DELETE FROM files WHERE path = 'docs/old.rst'",
        "UPDATE files SET state = 'clean', reason = NULL WHERE path = 'docs/manual.pdf'",
        "UPDATE meta SET value = value || ' documents:1/5/0' WHERE key LIKE '%:parser'",
    )
    found = indexed("search", "old")
    assert (found.code, UNREAD in found.out) == (0, True)
    assert "edited" not in found.out
    shown = indexed("show", "docs/manual.pdf:1")
    assert (shown.code, UNREAD in shown.err) == (2, True)
    for run in (("sync", "--working-tree"), ("process", "--path", "docs/manual.pdf")):
        done = indexed(*run)
        assert (done.code, DOCUMENTS in done.err) == (2, True)
    doctor = indexed("doctor")
    assert (doctor.code, DOCUMENTS in doctor.out) == (1, True)


@pytest.mark.parametrize("run", ["sync", "search total", "show src/cart.py", "validate", "serve"])
def test_model_of_an_extra_is_refused_with_its_name(indexed: BareProgram, run: str) -> None:
    done = indexed(*run.split(), "--model", "minilm")
    extra = SERVE if run == "serve" else LOCAL
    assert (done.code, f"'{extra}" in done.err) == (2, True)


def test_model_in_a_folder_needs_the_extra(bare: BareProgram, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.onnx").touch()
    (folder / "vocab.txt").touch()
    (folder / "config.json").write_text('{"hidden_size": 4}')
    done = bare("sync", "--model", folder)
    assert (done.code, f"'{LOCAL}" in done.err) == (2, True)


def test_index_with_vectors_of_the_extra_is_searched_by_words(indexed: BareProgram) -> None:
    """With a note."""
    indexed.change(
        "INSERT INTO meta VALUES ('model', 'all-MiniLM-L6-v2-int8'), ('dimensions', '384')"
    )
    for run in (("search", "total"), ("sync",)):
        done = indexed(*run)
        assert done.code == 0
        assert "The index has vectors by all-MiniLM-L6-v2-int8" in done.err
        assert f"'{LOCAL}" in done.err
    assert f"'{LOCAL}" in indexed("doctor").out


@pytest.mark.parametrize("options", [(), ("--open",), ("--port", "8999", "--no-sync")])
def test_web_server_is_refused_with_the_extras_name(
    indexed: BareProgram, options: tuple[str, ...]
) -> None:
    done = indexed("serve", *options)
    assert (done.code, done.out) == (2, "")
    assert f"'{SERVE}" in done.err


def test_mcp_over_stdio_works(indexed: BareProgram) -> None:
    """It needs no web server."""
    with start_mcp_client(indexed.folder, command=(str(indexed.command), "mcp")) as agent:
        assert "src/cart.py:1-2" in agent.call_tool("search", query="total")


def test_missing_extras_are_no_error_in_doctor(indexed: BareProgram) -> None:
    """They have a mark of their own."""
    doctor = indexed("doctor", "--json")
    found = {finding["name"]: finding for finding in json.loads(doctor.out)["findings"]}
    for extra in ("[cloudflare]", "[documents]", "[local]", "[serve]"):
        assert (found[extra]["absent"], found[extra]["stops"]) == (True, False)
    assert found["documents"]["says"] == "3 skipped"
    assert doctor.code == 0


def test_descriptions_need_no_extra(bare: BareProgram) -> None:
    with running_chat_server() as model:
        done = bare("sync", "--describe", f"{model.url}#some-model")
    assert (done.code, "Descriptions: 1 made.\n" in done.out) == (0, True)
    assert "Does what is called total here." in bare("search", "total").out


def test_files_outside_git_are_indexed(command: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    for name in ("guide.md", "manual.pdf"):
        content = FILES[f"docs/{name}"]
        (plain / name).write_bytes(content.encode() if isinstance(content, str) else content)
    bare = BareProgram(command, plain)
    done = bare("process", "--path", ".")
    assert (done.code, UNREAD in done.out) == (0, True)
    assert "guide.md" in bare("search", "carts", "-l").out


@pytest.mark.parametrize(
    "run", ["stats", "plan --shards 2", "cache", "queries", "delete --path docs", "--help"]
)
def test_all_other_commands_work(indexed: BareProgram, run: str) -> None:
    assert indexed(*run.split()).code == 0

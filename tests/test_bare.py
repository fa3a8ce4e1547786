"""The program without its extras: all that needs none works, and the rest names what it needs.

It is installed as somebody would, from its wheel, into an environment that has nothing else.
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
DOCUMENTS, LOCAL, SERVE = (f"headfeed[{extra}]" for extra in ("documents", "local", "serve"))
UNREAD = f'a document, which is read where it is installed: pip install "{DOCUMENTS}"'
FILES: dict[str, str | bytes] = {
    "src/cart.py": "def total(prices):\n    return sum(prices)\n",
    "docs/guide.md": "# Carts\n\nHow the total is made.\n",
    "docs/prices.csv": "name,price\napple,1\n",
    "docs/old.rst": "Old carts\n=========\n\nThey had none.\n",
    "docs/manual.pdf": pdf([[Line("How carts are counted")]]),
    "docs/report.docx": docx(p("A report on carts")),
    "docs/sheet.xlsx": xlsx({"Carts": [["name", "price"], ["apple", 1]]}),
}


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


class Bare:
    """The program of an environment, in a repository."""

    def __init__(self, command: Path, folder: Path) -> None:
        self.command, self.folder = command, folder

    def __call__(self, *arguments: str | Path) -> Ended:
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
        return Ended(done.returncode, done.stdout, done.stderr)

    def change(self, *statements: str) -> None:
        """Something in the index, as another installation would have it."""
        database = SQLite(self.folder / ".feeder/index.db")
        database.run([Statement(sql) for sql in statements])
        database.close()


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """feeder of an environment without any extra; no package registry is asked."""
    [wheel] = build(ROOT, tmp_path_factory.mktemp("dist"), "-t", "wheel")
    venv = tmp_path_factory.mktemp("bare") / "venv"
    python = venv / "bin/python"
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, venv], check=True)
    install: list[str | Path] = [UV, "pip", "install", "--quiet", "--no-config", "--python", python]
    subprocess.run([*install, "--no-index", "--find-links", WHEELS, wheel], check=True)
    return venv / "bin/feeder"


@pytest.fixture
def bare(command: Path, repo: Repo) -> Bare:
    """In a repository with documents of all kinds."""
    repo.commit(FILES)
    return Bare(command, repo.path)


@pytest.fixture
def fed(bare: Bare) -> Bare:
    assert bare("sync").code == 0
    return bare


def test_a_run_reads_what_it_can_and_names_what_it_cannot(bare: Bare) -> None:
    """The index is right as it is."""
    done = bare("sync")
    assert (done.code, f"  skipped 3: {UNREAD}" in done.out) == (0, True)
    proof = bare("validate")
    assert (proof.code, proof.out.splitlines()[-1]) == (0, "The index is right.")


def test_words_and_the_model_that_comes_with_them_answer(fed: Bare) -> None:
    """Documents of text too, which need nothing."""
    found = json.loads(fed("search", "how much is it all together", "--json").out)["hits"]
    assert "meaning_rank" in found[0]
    assert any(hit["meaning_rank"] for hit in found)
    for question, path in (("apple", "docs/prices.csv"), ("old", "docs/old.rst")):
        assert path in fed("search", question, "-l").out.splitlines()
    assert "return sum(prices)" in fed("show", "src/cart.py#total").out


@pytest.mark.parametrize("asked", [("show",), ("outline",), ("similar",)])
def test_a_document_that_is_kept_out_says_what_reads_it(fed: Bare, asked: tuple[str, ...]) -> None:
    done = fed(*asked, "docs/manual.pdf")
    error = f"docs/manual.pdf is not in the index: it was skipped ({UNREAD})."
    assert (done.code, error in done.err) == (2, True)


def test_documents_of_an_index_that_others_made(fed: Bare) -> None:
    """They are found and not shown; no run takes them out by chance."""
    fed.change(
        "UPDATE docs SET path = 'docs/manual.pdf', language = 'pdf' WHERE path = 'docs/old.rst'",
        "DELETE FROM files WHERE path = 'docs/old.rst'",
        "UPDATE files SET state = 'clean', reason = NULL WHERE path = 'docs/manual.pdf'",
        "UPDATE meta SET value = value || ' documents:1/5/0' WHERE key LIKE '%:parser'",
    )
    found = fed("search", "old")
    assert (found.code, UNREAD in found.out) == (0, True)
    assert "edited" not in found.out
    shown = fed("show", "docs/manual.pdf:1")
    assert (shown.code, UNREAD in shown.err) == (2, True)
    for run in (("sync", "--working-tree"), ("process", "--path", "docs/manual.pdf")):
        done = fed(*run)
        assert (done.code, DOCUMENTS in done.err) == (2, True)
    doctor = fed("doctor")
    assert (doctor.code, DOCUMENTS in doctor.out) == (1, True)


@pytest.mark.parametrize("run", ["sync", "search total", "show src/cart.py", "validate", "serve"])
def test_the_model_of_an_extra_is_refused_with_its_name(fed: Bare, run: str) -> None:
    done = fed(*run.split(), "--model", "minilm")
    extra = SERVE if run == "serve" else LOCAL
    assert (done.code, f"pip install '{extra}'" in done.err) == (2, True)


def test_a_folders_model_needs_the_extra_too(bare: Bare, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.onnx").touch()
    (folder / "vocab.txt").touch()
    (folder / "config.json").write_text('{"hidden_size": 4}')
    done = bare("sync", "--model", folder)
    assert (done.code, f"pip install '{LOCAL}'" in done.err) == (2, True)


def test_an_index_with_that_models_vectors_is_asked_without_them(fed: Bare) -> None:
    """And that is said."""
    fed.change("INSERT INTO meta VALUES ('model', 'all-MiniLM-L6-v2-int8'), ('dimensions', '384')")
    for run in (("search", "total"), ("sync",)):
        done = fed(*run)
        assert done.code == 0
        assert "The index has vectors by all-MiniLM-L6-v2-int8" in done.err
        assert f"pip install '{LOCAL}'" in done.err
    assert f"pip install '{LOCAL}'" in fed("doctor").out


@pytest.mark.parametrize("options", [(), ("--open",), ("--port", "8999", "--no-sync")])
def test_the_web_server_is_refused_with_its_name(fed: Bare, options: tuple[str, ...]) -> None:
    done = fed("serve", *options)
    assert (done.code, done.out) == (2, "")
    assert f"pip install '{SERVE}'" in done.err


def test_coding_agents_are_answered(fed: Bare) -> None:
    """Over a pipe, which needs no web server."""
    with start_mcp_client(fed.folder, command=(str(fed.command), "mcp")) as agent:
        assert "src/cart.py:1-2" in agent.call_tool("search", query="total")


def test_nothing_of_an_extra_would_stop_a_run(fed: Bare) -> None:
    """What is absent has a mark of its own."""
    doctor = fed("doctor", "--json")
    found = {one["name"]: one for one in json.loads(doctor.out)["findings"]}
    for extra in ("[documents]", "[local]", "[serve]"):
        assert (found[extra]["absent"], found[extra]["stops"]) == (True, False)
    assert found["documents"]["says"] == "3 skipped"
    assert doctor.code == 0


def test_descriptions_need_no_library(bare: Bare) -> None:
    with running_chat_server() as model:
        done = bare("sync", "--describe", f"{model.url}#some-model")
    assert (done.code, "Descriptions: 1 made.\n" in done.out) == (0, True)
    assert "Does what is called total here." in bare("search", "total").out


def test_files_outside_of_git_are_read_too(command: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    for name in ("guide.md", "manual.pdf"):
        content = FILES[f"docs/{name}"]
        (plain / name).write_bytes(content.encode() if isinstance(content, str) else content)
    bare = Bare(command, plain)
    done = bare("process", "--path", ".")
    assert (done.code, UNREAD in done.out) == (0, True)
    assert "guide.md" in bare("search", "carts", "-l").out


@pytest.mark.parametrize(
    "run", ["stats", "plan --shards 2", "cache", "queries", "delete --path docs", "--help"]
)
def test_all_else_works(fed: Bare, run: str) -> None:
    assert fed(*run.split()).code == 0

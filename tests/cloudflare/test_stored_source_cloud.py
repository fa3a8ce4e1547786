"""Stored source in D1: its cost, and reading it in a Worker."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from clouds import Cloud

from feeder.parse.compressed_source import BLOCK_BYTES
from feeder.source.git_trees import Commit
from feeder.store import stored_source
from feeder.sync.context import SyncContext
from feeder.sync.sync import sync
from feeder.sync.validate import validate
from index_helpers import CART, REPO, SHOP
from source.repos import Repo

PAGE = (Path(__file__).parents[2] / "docs/how-to/cloudflare.md").read_text()
READ = """
import { readFileSync } from "node:fs";
const shown = [];
for (const row of JSON.parse(readFileSync(0, "utf8"))) shown.push(await lines(row));
process.stdout.write(JSON.stringify(shown));
"""
NAMES = ("id", "start_line", "end_line", "first_line", "numbers", "text")
LONG = "".join(f"def number_{number}():\n    return {number}\n\n\n" for number in range(1000))


def block(language: str) -> str:
    """Returns the code block of this language for stored source in docs/how-to/cloudflare.md."""
    section = PAGE.partition("## Store the source lines for the Worker")[2].partition("\n## ")[0]
    [found] = re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)
    return str(found)


def shown(rows: list[dict[str, Any]]) -> list[list[tuple[int, str]]]:
    """Runs the page's JavaScript on rows."""
    command = ["node", "--input-type=module", "--eval", block("js") + READ]
    done = subprocess.run(command, input=json.dumps(rows).encode(), capture_output=True, check=True)
    return [[(number, line) for number, line in load] for load in json.loads(done.stdout)]


@pytest.fixture
def shop(cloud: Cloud, repo: Repo) -> Repo:
    cloud.migrated()
    repo.commit({**SHOP, "src/long.py": LONG})
    return repo


def sync_with_source(cloud: Cloud, repo: Repo, *, texts: bool | None = None) -> SyncContext:
    run = cloud.feed(Commit(repo.path), texts=texts)
    sync(run)
    return run


def test_worker_code_of_the_docs_shows_the_lines_of_any_node(cloud: Cloud, shop: Repo) -> None:
    """With the page's own SQL and JavaScript; a class with its methods."""
    assert block("sql").strip() == stored_source.SOURCE_OF_NODES.strip()
    sync_with_source(cloud, shop, texts=True)
    assert len(LONG) > 2 * BLOCK_BYTES
    files = {"src/cart.py": CART.split("\n"), "src/long.py": LONG.split("\n")}
    nodes = cloud.rows("SELECT id, path, start_line, end_line FROM docs WHERE path GLOB 'src/*'")
    ids = json.dumps([id_ for id_, *_ in nodes])
    rows = [dict(zip(NAMES, row, strict=True)) for row in cloud.rows(block("sql"), ids)]
    found: dict[str, list[tuple[int, str]]] = {}
    for row, lines in zip(rows, shown(rows), strict=True):
        found.setdefault(str(row["id"]), []).extend(lines)
    for id_, path, start, end in nodes:
        expected = files[str(path)][int(str(start)) - 1 : int(str(end))]
        assert found[str(id_)] == list(enumerate(expected, start=int(str(start))))


def test_stored_source_takes_no_further_request_and_one_row_per_part(
    cloud: Cloud, shop: Repo
) -> None:
    """A run without changes takes one request, and nothing is embedded."""
    sync_with_source(cloud, shop)
    rows = cloud.standin.rows_written()
    cloud.spent()
    later = sync_with_source(cloud, shop, texts=True)
    assert cloud.spent() == {"d1": 4, "vectorize": 0, "ai": 0}
    parts = int(str(cloud.rows("SELECT count(*) FROM texts")[0][0]))
    assert parts == later.report.text_rows == 3 + -(-len(LONG) // BLOCK_BYTES)
    assert parts <= cloud.standin.rows_written() - rows <= parts + 30  # what a run notes of itself

    cloud.spent()
    sync_with_source(cloud, shop)
    assert cloud.spent() == {"d1": 1, "vectorize": 0, "ai": 0}

    shop.commit({"src/cart.py": CART.replace("self", "this", 1)})
    sync_with_source(cloud, shop)
    assert cloud.spent()["d1"] == 3
    assert validate(cloud.feed(Commit(shop.path)), wait=True).passed

    sync_with_source(cloud, shop, texts=False)
    assert cloud.rows("SELECT 1 FROM texts") == []
    assert cloud.rows("SELECT 1 FROM meta WHERE key GLOB '*:texts'") == []


def test_batches_are_halved_until_d1_accepts_them(cloud: Cloud, shop: Repo) -> None:
    """Down to one file."""
    sync_with_source(cloud, shop)
    cloud.standin.fault("d1_cpu", route="d1.raw", bytes_above=25_000)
    sync_with_source(cloud, shop, texts=True)
    assert stored_source.stored_paths(cloud.d1, REPO) == {
        "config.json",
        "docs/guide.md",
        "src/cart.py",
        "src/long.py",
    }


def test_dry_run_reports_rows_bytes_and_shares(cloud: Cloud, shop: Repo) -> None:
    """As the run then writes them."""
    from feeder.embedding import NO_USAGE
    from feeder.session.cost_estimate import estimated_usage

    planned = cloud.feed(Commit(shop.path), texts=True)
    sync(planned, dry_run=True)
    usage = estimated_usage(planned.report, None, NO_USAGE)
    plain = cloud.feed(Commit(shop.path))
    sync(plain, dry_run=True)
    without = estimated_usage(plain.report, None, NO_USAGE)
    assert usage.rows_written - without.rows_written == usage.text_rows
    run = sync_with_source(cloud, shop, texts=True)
    assert (usage.text_rows, usage.text_bytes) == (run.report.text_rows, run.report.text_bytes)
    assert any("are stored source: 0.0 MB (below 0.1 %" in line for line in usage.lines())

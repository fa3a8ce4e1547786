"""The official conformance suite finds in the Worker only what it finds in the program."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.worker_build import built
from edge.workerd import running
from mcp_server.test_conformance import HERE, suite_of

ROUTED = "  - dns-rebinding-protection # only names that Cloudflare routes to a Worker lead to it\n"


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A public Worker with the suite's tools."""
    place = tmp_path_factory.mktemp("conformance") / "worker.js"
    script = built(place, "--entry", "conformance", "--out")
    with running(folder=folder, script=script, vars={"PUBLIC": "true"}) as address:
        yield f"{address}/mcp"


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_conformance_suite_finds_only_what_is_expected(
    server: str, revision: str, tmp_path: Path
) -> None:
    """An expected failure that no longer occurs fails too."""
    expected = tmp_path / "expected.yml"
    expected.write_text((HERE / "expected.yml").read_text() + ROUTED)
    suite_of(revision, server, expected, tmp_path)

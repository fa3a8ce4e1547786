"""The official conformance suite finds only what `conformance/expected.yml` lists, in both eras."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from required_extras import require_extras

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent / "conformance"
ROOT = Path(__file__).parents[2]
SUITE = ROOT / "node_modules/@modelcontextprotocol/conformance/dist/index.js"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server with the suite's tools."""
    require_extras("serve")
    with subprocess.Popen(
        [sys.executable, "-m", "mcp_server.conformance.server"],
        cwd=ROOT / "tests",
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout
        yield server.stdout.readline().strip()
        server.kill()


def suite_of(revision: str, address: str, expected: Path, folder: Path) -> str:
    """Runs the suite in a folder and returns its output; fails for unexpected results."""
    suite = ["node", "--import", str(HERE / "hook.mjs"), str(SUITE), "server", "--url", address]
    asked = ["--requirements", revision, "--expected-failures", str(expected)]
    done = subprocess.run(
        [*suite, *asked],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    return done.stdout


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_conformance_suite_finds_only_what_is_expected(
    address: str, revision: str, tmp_path: Path
) -> None:
    """An expected failure that no longer occurs fails too."""
    printed = suite_of(revision, address, HERE / "expected.yml", tmp_path)
    assert "dns-rebinding-protection: 2 passed, 0 failed" in printed

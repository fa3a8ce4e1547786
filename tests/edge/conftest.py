"""The fixtures of the Worker's tests."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from edge.calling import BUILD, ROOT, Worker


@pytest.fixture(scope="session")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """Its functions, as `worker/test/peer.ts` names them."""
    program = tmp_path_factory.mktemp("worker") / "peer.mjs"
    command = ["node", str(BUILD), "--test", str(program), "--python", sys.executable]
    subprocess.run(command, check=True, cwd=ROOT)
    process = Worker(program)
    yield process
    process.stop()

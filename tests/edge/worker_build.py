"""Builds the Worker, or its functions for the tests."""

import subprocess
import sys
from pathlib import Path

from edge.worker_process import BUILD, ROOT


def build(*options: str) -> subprocess.CompletedProcess[str]:
    """Runs `worker/build.mjs` with this Python."""
    command = ["node", str(BUILD), *options, "--python", sys.executable]
    return subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)


def built(out: Path, *options: str) -> Path:
    """Returns the file that the build makes; the last option takes its path."""
    done = build(*options, str(out))
    assert done.returncode == 0, done.stderr
    return out

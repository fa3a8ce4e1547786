"""Calls the Worker's functions from Python, so that both languages get the same input."""

import json
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "worker" / "build.mjs"


class Worker:
    """A Node process with the Worker's functions."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            ["node", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
        )

    def call(self, name: str, *given: Any) -> Any:
        """Returns the result of a function."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps([name, *given]).encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer["answer"]

    def stop(self) -> None:
        """Ends the process."""
        self._process.communicate()

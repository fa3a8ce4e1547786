"""The Worker's own functions, called from Python: so both languages are given the same."""

import json
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "worker" / "build.mjs"


class Worker:
    """A process of Node that has the Worker's functions."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            ["node", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
        )

    def call(self, name: str, *given: Any) -> Any:
        """What the function of that name answers."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps([name, *given]).encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer["answer"]

    def stop(self) -> None:
        """Ends it."""
        self._process.communicate()

"""Runs feeder and records when its model was computing: `python model_clock.py FILE sync …`.

Wraps onnxruntime's `InferenceSession.run` in feeder's model process. Each line of FILE is a call:
thread id, start and end in seconds of one clock, as JSON.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE = "MODEL_CLOCK_FILE"


def main() -> None:
    """Runs feeder with the wrapped model process."""
    from feeder import child_process
    from feeder.cli.main import main

    original = child_process.ChildProcess
    variable = {FILE: sys.argv.pop(1)}

    def start(module: str, variables: Mapping[str, str]) -> child_process.ChildProcess:
        if module != "feeder.embedding.onnx_process":
            return original(module, variables)
        return original(Path(__file__).stem, {**variables, **variable})

    setattr(child_process, "ChildProcess", start)  # noqa: B010 - mypy forbids assigning to a class
    main()


def serve() -> None:
    """Serves as feeder's model process and records each call."""
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

    from feeder.embedding import onnx_process as network

    run = InferenceSession.run
    # the process is killed at the end, so writes are unbuffered
    with Path(os.environ[FILE]).open("ab", buffering=0) as file:

        def timed(*arguments: Any, **options: Any) -> Any:
            started = time.perf_counter()
            try:
                return run(*arguments, **options)
            finally:
                call = threading.get_ident(), started, time.perf_counter()
                file.write(f"{json.dumps(call)}\n".encode())

        InferenceSession.run = timed
        network.serve()


if __name__ == "__main__":
    main()

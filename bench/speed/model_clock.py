"""`python model_clock.py FILE sync …` runs feeder, and keeps when its model was computing.

For that it stands between onnxruntime and feeder's process for the model: a line of FILE is a call
of the model's `run`, with the thread that calls it, when it began and when it had its answer, in
seconds of one clock.
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
    """Ends as feeder ends."""
    from feeder.child_process import ChildProcess
    from feeder.cli.main import main
    from feeder.embedding import onnx as local

    mine = {FILE: sys.argv.pop(1)}

    def clocked(_module: str, variables: Mapping[str, str]) -> ChildProcess:
        return ChildProcess(Path(__file__).stem, {**variables, **mine})

    setattr(local, "ChildProcess", clocked)  # noqa: B010 - mypy knows it for a class
    main()


def serve() -> None:
    """What feeder's process for the model does, by the clock."""
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

    from feeder.embedding import onnx_process as network

    run = InferenceSession.run
    # that process is killed: what is not written at once is lost
    with Path(os.environ[FILE]).open("ab", buffering=0) as file:

        def timed(*arguments: Any, **more: Any) -> Any:
            began = time.perf_counter()
            try:
                return run(*arguments, **more)
            finally:
                call = threading.get_ident(), began, time.perf_counter()
                file.write(f"{json.dumps(call)}\n".encode())

        InferenceSession.run = timed
        network.serve()


if __name__ == "__main__":
    main()

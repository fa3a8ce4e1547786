"""`python model_clock.py FILE sync …` runs feeder, and keeps when its model was computing.

For that it stands between feeder and onnxruntime: what is measured is each call of the model's
`run`, from the thread that calls it until it has its answer.
"""

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

from onnxruntime.capi.onnxruntime_inference_collection import (  # type: ignore[import-untyped]
    InferenceSession,
)

calls: list[tuple[int, float, float]] = []
"""The thread of each call, when it began and when it ended, in seconds of one clock."""
_run = InferenceSession.run


def _timed(*arguments: Any, **more: Any) -> Any:
    began = time.perf_counter()
    try:
        return _run(*arguments, **more)
    finally:
        calls.append((threading.get_ident(), began, time.perf_counter()))


def main() -> None:
    """Ends as feeder ends."""
    from feeder.cli import main

    file = Path(sys.argv.pop(1))
    InferenceSession.run = _timed
    try:
        main()
    finally:
        file.write_text(json.dumps(calls))


if __name__ == "__main__":
    main()

"""The built Worker, made anew where the package has it, whole at any moment."""

import os
import subprocess
import sys
from pathlib import Path

from edge.calling import BUILD, ROOT

EDGE = ROOT / "src/feeder/edge"


def built(out: Path, *options: str) -> Path:
    """What `worker/build.mjs` makes; the last of the options says where to."""
    command = ["node", str(BUILD), *options, str(out), "--python", sys.executable]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    return out


def into_the_package(folder: Path) -> None:
    """As `make worker` does; tests beside this one may be reading it."""
    made = built(folder / "worker.js", "--out")
    for name in ("worker.js.map", "worker.js"):
        part = EDGE / f"{name}.{os.getpid()}"
        part.write_bytes(made.with_name(name).read_bytes())
        part.replace(EDGE / name)

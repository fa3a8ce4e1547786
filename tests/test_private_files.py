"""Temporary folders that are private, and deleted without an error."""

import os
import subprocess
import sys
from pathlib import Path

WRITES_UNTIL_THE_END = """
import contextlib, itertools, threading
from feeder.errors import FeederError
from feeder.private_files import temporary_folder

begun = threading.Event()

def write_files():
    # once the folder is gone, a file in it cannot be created
    with contextlib.suppress(FeederError), temporary_folder() as folder:
        for number in itertools.count():
            (folder / str(number)).touch()
            begun.set()

for _ in range(8):
    threading.Thread(target=write_files, daemon=True).start()
begun.wait()
"""


def test_program_ends_silently_while_threads_write_into_temporary_folders(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WRITES_UNTIL_THE_END],
        capture_output=True,
        check=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert ended.stderr == b""

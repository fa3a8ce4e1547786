"""On a full disk a command says what could not be written, what is kept, and what to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from feeder.errors import ServiceError
from feeder.store import Statement
from feeder.store.sqlite import SQLite

REMEDY = "Free some disk space, then run the command again: what was finished is kept."


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_output_to_a_full_disk_is_an_error(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "feeder", "doctor"],
            cwd=tmp_path,
            env={**os.environ, "HOME": str(tmp_path)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == (
        "feeder: The output cannot be written in full: the disk is full, or your quota is used up. "
        f"{REMEDY}\n"
    )


def test_full_index_keeps_what_was_finished(tmp_path: Path) -> None:
    """SQLite answers the same if its file may not grow."""
    database = SQLite(tmp_path / "index.db")
    database.run([Statement("CREATE TABLE t (x)"), Statement("INSERT INTO t VALUES (1)")])
    database.connection.execute("PRAGMA max_page_count = 3")
    with pytest.raises(ServiceError) as refused:
        database.run([Statement("INSERT INTO t VALUES (zeroblob(100000))")])
    assert str(refused.value) == (
        f"{tmp_path}/index.db cannot be written in full: the disk is full, or your quota is used "
        f"up. {REMEDY}"
    )
    assert database.run([Statement("SELECT x FROM t")]) == [[(1,)]]
    database.close()

"""A file is replaced as a whole, whoever else writes or reads it."""

import threading
from pathlib import Path

import pytest

from feeder.atomic_file import replace_file


def test_writers_at_once_leave_one_of_their_files(tmp_path: Path) -> None:
    file = tmp_path / "state"
    contents = [bytes([number]) * 100_000 for number in range(8)]
    start = threading.Barrier(len(contents))
    read: list[bytes] = []
    errors: list[OSError] = []

    def write(data: bytes) -> None:
        start.wait()
        for _ in range(20):
            try:
                replace_file(file, data)
            except OSError as exc:
                errors.append(exc)
            read.append(file.read_bytes())

    threads = [threading.Thread(target=write, args=(data,)) for data in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert set(read) <= set(contents)
    assert list(tmp_path.iterdir()) == [tmp_path / "state"]


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    with pytest.raises(OSError, match="state"):
        replace_file(tmp_path / "state", b"new")
    assert list(tmp_path.iterdir()) == [tmp_path / "state"]

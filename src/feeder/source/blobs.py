"""What is in git's objects? Their contents, by one process for all."""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from feeder.errors import UserError
from feeder.source.git_command import git_arguments, git_environment


def read_blobs(repository: Path, ids: Sequence[str]) -> Iterator[bytes]:
    """The contents of these objects in their order, by one process, one at a time in memory.

    Raises UserError for one that is not here.
    """
    for blob, contents in zip(ids, read_available_blobs(repository, ids), strict=True):
        if contents is None:
            raise missing_object_error(repository, blob)
        yield contents


def read_available_blobs(repository: Path, ids: Sequence[str]) -> Iterator[bytes | None]:
    """The same with None for objects that are not here."""
    if not ids:
        return
    from tempfile import TemporaryFile

    with TemporaryFile() as requests:
        # A file, because git would wait for us to read while we fill a pipe.
        requests.writelines(f"{blob}\n".encode() for blob in ids)
        requests.seek(0)
        with subprocess.Popen(
            git_arguments(repository, "cat-file", "--batch", "--buffer"),
            env=git_environment(),
            stdin=requests,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as batch:
            assert batch.stdout is not None
            for _ in ids:
                yield _read_object(batch.stdout)


def _read_object(batch: IO[bytes]) -> bytes | None:
    header = batch.readline().split()
    if len(header) != 3:  # "<id> missing", or nothing when git gave up
        return None
    contents = batch.read(int(header[2]))
    batch.read(1)
    return contents


def missing_object_error(repository: Path, blob: str) -> UserError:
    """What is raised for an object that is not there."""
    return UserError(
        f"{repository} does not hold the object {blob}. "
        "Check it with `git fsck`, or fetch it again."
    )

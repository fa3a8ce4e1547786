"""Replaces files as a whole, so that no other process or thread reads half of one."""

import os
from pathlib import Path

_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY


def replace_file(file: Path, contents: bytes, mode: int = 0o600) -> None:
    """Writes a file of which others see the old contents or the new ones; the last writer wins.

    `mode` are its permissions, less the umask. Raises OSError, and leaves the old file and nothing
    beside it.
    """
    temporary = file.with_name(f".{file.name}-{os.urandom(8).hex()}")
    try:
        with os.fdopen(os.open(temporary, _NEW, mode), "wb") as stream:
            stream.write(contents)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)

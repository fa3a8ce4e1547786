"""File locks between servers and commands, which may be other processes."""

import subprocess
import sys
from pathlib import Path

from feeder.store.ownership import (
    SERVER_LOCK,
    SERVER_VECTORS_LOCK,
    command_lock,
    is_locked_by_command,
    try_lock,
)


def test_only_one_server_gets_the_lock(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    with (
        try_lock(index, SERVER_LOCK) as first,
        try_lock(index, SERVER_LOCK) as second,
        try_lock(index, SERVER_VECTORS_LOCK) as other,
    ):
        assert (first, second, other) == (True, False, True)
    with try_lock(index, SERVER_LOCK) as again:
        assert again


def test_commands_exclude_servers_but_not_each_other(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    assert not is_locked_by_command(index)
    with command_lock(index), command_lock(index):
        assert is_locked_by_command(index)
    assert not is_locked_by_command(index)


def test_killed_process_releases_its_locks(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    program = (
        "import sys, time; from pathlib import Path; from feeder.store.ownership import *\n"
        "with try_lock(Path(sys.argv[1]), SERVER_LOCK), command_lock(Path(sys.argv[1])):\n"
        "    print('taken', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", program, str(index)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"taken\n"
        with try_lock(index, SERVER_LOCK) as is_mine:
            assert not is_mine
        assert is_locked_by_command(index)
        process.kill()
    with try_lock(index, SERVER_LOCK) as is_mine:
        assert is_mine
    assert not is_locked_by_command(index)


def test_locks_are_granted_if_no_file_can_be_created(tmp_path: Path) -> None:
    index = tmp_path / "nowhere" / "index.db"
    with try_lock(index, SERVER_LOCK) as is_mine, command_lock(index), command_lock(None):
        assert is_mine
        assert not is_locked_by_command(index)

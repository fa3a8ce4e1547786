"""The committed counts, in table.toml, and what is above them."""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import apsw

from counts.measuring import Counts

TABLE = Path(__file__).with_name("table.toml")
COMMAND = "python tests/counts --write"
LIMIT = 1.03
SQLITE = "sqlite"
PYTHON = (3, 11)
"""The version of Python that the counts below are of; others call and import differently."""
OF_ONE_PYTHON = {"calls", "python_modules"}
OF_ONE_SQLITE = {"vm_steps"}
_HEAD = f"""\
# What the program does in fixed runs. `{COMMAND}` writes this file, with Python 3.11.
# tests/counts/test_counts.py fails for a count that is more than 3 % above.
"""


def read(file: Path = TABLE) -> tuple[str, Counts]:
    """Returns the version of SQLite and the counts."""
    facts = tomllib.loads(file.read_text())
    return facts.pop(SQLITE), facts


def write(counts: Counts, file: Path = TABLE) -> None:
    """Writes the counts, which have to be those of Python 3.11."""
    lines = [_HEAD, f'{SQLITE} = "{apsw.sqlite_lib_version()}"\n']
    for run, found in counts.items():
        lines.append(f'\n["{run}"]\n')
        lines += [f"{name} = {found[name]:_}\n" for name in sorted(found)]
    file.write_text("".join(lines))


def not_compared(sqlite: str) -> dict[str, str]:
    """Returns the names that this Python and SQLite cannot compare, with the reason."""
    reasons: dict[str, str] = {}
    if sys.version_info[:2] != PYTHON:
        reasons |= dict.fromkeys(OF_ONE_PYTHON, "the table is of Python 3.11")
    if apsw.sqlite_lib_version() != sqlite:
        reasons |= dict.fromkeys(OF_ONE_SQLITE, f"the table is of SQLite {sqlite}")
    return reasons


def above(limit: float, expected: Counts, found: Counts) -> Iterator[str]:
    """Yields a message for each count above `limit` times the expected one."""
    for run, counts in found.items():
        for name, value in counts.items():
            known = expected.get(run, {}).get(name)
            if known is None:
                yield f"{run}: {name} is not in the table. Add it with `{COMMAND}`."
            elif value > known * limit:
                change = f", {value / known - 1:.1%} more" if known else ""
                yield (
                    f"{run}: {name} is {value:,}, in the table {known:,}{change}. If that is "
                    f"intended, renew the table with `{COMMAND}`."
                )

"""Prints the counts beside those of table.toml; with `--write` stores them there."""

import sys
import tempfile
from pathlib import Path

sys.path[:1] = [str(Path(__file__).parents[1])]  # in place of this folder

from counts import table  # noqa: E402 - importable by the sys.path entry above
from counts.measuring import measured  # noqa: E402


def main() -> None:
    """Raises SystemExit for `--write` with another Python than the table's."""
    writes = sys.argv[1:] == ["--write"]
    if writes and sys.version_info[:2] != table.PYTHON:
        raise SystemExit("The table is of Python 3.11: write it with that version.")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        found = measured(Path(scratch))
    expected = table.read()[1] if table.TABLE.exists() else {}
    for run, counts in found.items():
        for name in sorted(counts):
            known = expected.get(run, {}).get(name)
            change = f"{counts[name] / known - 1:+8.1%}" if known else "        "
            print(f"{counts[name]:>12,} {change}  {run}: {name}")
    if writes:
        table.write(found)


if __name__ == "__main__":
    main()

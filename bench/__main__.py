"""`python -m bench` measures how fast the program is; `--help` says what it can be told."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / folder) for folder in ("bench", "tests", "tests/services")]

from speed.command import main  # noqa: E402  # it lies where the line above points

if __name__ == "__main__":
    sys.exit(main())

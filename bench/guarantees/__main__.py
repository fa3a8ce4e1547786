"""`python bench/guarantees killed|refused|together` tries a promise and prints its table."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("bench", "tests", "tests/services")]

from guarantees.command import main  # noqa: E402  # it lies where the line above points

if __name__ == "__main__":
    sys.exit(main())

"""Tests a guarantee and prints its table: `python bench/guarantees killed|refused|together`."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("bench", "tests", "tests/services")]

from guarantees.command import main  # noqa: E402  # importable by the sys.path entries above

if __name__ == "__main__":
    sys.exit(main())

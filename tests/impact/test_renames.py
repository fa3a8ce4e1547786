"""Renamed files are found by their contents."""

import pytest

from feeder.impact.renames import find_renames

CART = b"def add():\n    return 1\n\n\ndef close():\n    return 2\n"
OTHER = b"import os\n\n\ndef walk(folder):\n    return os.walk(folder)\n"


@pytest.mark.parametrize(
    ("before", "after", "renames"),
    [
        ({"a.py": CART}, {"b.py": CART}, {"b.py": "a.py"}),
        ({"a.py": CART}, {"a.py": CART, "b.py": CART}, {}),
        ({"a.py": CART}, {"b.py": CART + b"X = 1\n"}, {"b.py": "a.py"}),
        ({"a.py": CART}, {"b.py": OTHER}, {}),
        ({"a.py": CART}, {"b.txt": CART}, {"b.txt": "a.py"}),
        ({"a.py": CART}, {"b.txt": CART + b"X = 1\n"}, {}),
        ({"a/__init__.py": b""}, {"b/__init__.py": b""}, {}),
        (
            {"x/cart.py": CART, "y/other.py": CART},
            {"z/other.py": CART, "z/cart.py": CART},
            {"z/other.py": "y/other.py", "z/cart.py": "x/cart.py"},
        ),
        (
            {"a.py": CART, "b.py": CART + b"X = 1\n"},
            {"c.py": CART + b"X = 1\nY = 2\n"},
            {"c.py": "b.py"},
        ),
    ],
)
def test_renames(
    before: dict[str, bytes], after: dict[str, bytes], renames: dict[str, str]
) -> None:
    """With more than half of the bytes in common, in files of one ending; equal files first."""
    assert find_renames(before, after) == renames

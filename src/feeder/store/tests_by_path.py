"""Which files are tests? By what their path says: data that SQL and Python read alike."""

import re
from fnmatch import translate

# of the path with a slash before it; `*` crosses folders, so these find a folder of that name too
TEST_PATH_GLOBS = (
    *("*/test/*", "*/tests/*", "*/spec/*", "*/specs/*", "*/__tests__/*", "*/__test__/*"),
    *("*/Test/*", "*/Tests/*", "*[a-z]Test/*", "*[a-z]Tests/*", "*[._-][Tt]ests/*"),
    *("*/test_*.py", "*/test[_-]*.[jt]s", "*/test_*.rb", "*/test_*.R", "*/test.*", "*/tests.*"),
    *("*/conftest.py", "*[_.-]test.*", "*[_.-]tests.*", "*[_.-]spec.*", "*.bats"),
    *("*[a-z0-9]Test.[a-z]*", "*[a-z0-9]Tests.[a-z]*", "*[a-z0-9]Spec.[a-z]*"),
    "*/Test[A-Z]*.java",
)
"""Globs as SQLite's GLOB and Python's fnmatchcase read them, of at most 50 bytes for D1.

Each has `test`, `spec` or `.bats` in it, in any case of letters.
"""

_TEST_PATH_PATTERN = re.compile("|".join(map(translate, TEST_PATH_GLOBS)))


def is_test_path(path: str) -> bool:
    """Whether a file is a test, or lies among them."""
    return _TEST_PATH_PATTERN.match(f"/{path}") is not None

"""Tells test files, which a runner runs, from their helpers, data and pages.

`tests/test_cart.py` is a test file; `tests/conftest.py`, `tests/fixtures/cart.py` and
`tests/page.html` are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from feeder.impact.name_convention import is_named_as_test
from feeder.store.scope import is_test_path

CODE_NODE_TYPES = frozenset({"class", "method"})

_DATA_FOLDER = re.compile(
    r"(?:^|/)(?:_*(?:fixtures?|mocks?|snapshots?|testdata|test[_-]data|golden)_*)/", re.IGNORECASE
)

_PAGE = re.compile(r"\.(?:x?html?|md\w?|markdown|rst|adoc|txt|ipynb)$", re.IGNORECASE)

_FIXTURES_FILE = re.compile(r"(?:^|/)conftest\.py$")
"""The file of pytest's fixtures, which may be named as tests: `test_apps`."""

_TEST_NAME = re.compile(r"(?:[Tt]est|TEST)(?![a-z])|main$")
"""The name of a test function, or of a test program's entry point."""

_TEST_SIGNATURE = re.compile(
    r"""
    ^(?:await\ )?(?:\w+\.)*(?:it|xit|fit|test|describe|context|suite|specify|scenario|TEST\w*)
      (?:\.\w+)*\ ?[("'`\[<]                                    # it("adds", …), test.each(…)(…)
    | @(?:\w+\.)*(?:\w*Test|test)\b                             # @Test, @ParameterizedTest
    | \[(?:\w+\.)*(?:Fact|Theory|Test\w*|DataTestMethod)\b      # [Fact], [TestMethod]
    """,
    re.VERBOSE,
)

_CARGO_TEST = re.compile(r"(?:^|/)tests/[^/]+\.rs$")
"""Cargo runs each file in this folder, and no file below its folders."""


class Declaration(Protocol):
    """A node's type, symbol and signature."""

    @property
    def node_type(self) -> str: ...
    @property
    def symbol(self) -> str | None: ...
    @property
    def signature(self) -> str | None: ...


def may_be_test(path: str) -> bool:
    """Tells whether a file is below a folder of tests or named as a test, and no data or page."""
    no_test = _DATA_FOLDER, _PAGE, _FIXTURES_FILE
    return is_test_path(path) and not any(pattern.search(path) for pattern in no_test)


def is_test_by_name(path: str) -> bool:
    """Tells whether the name alone makes a file of code a test file."""
    is_named = is_named_as_test(path) or _CARGO_TEST.search(path) is not None
    return may_be_test(path) and is_named


def is_test_file(path: str, nodes: Iterable[Declaration]) -> bool:
    """Tells whether a runner runs a file: it has code, and it is named as a test or declares one.

    Of `test/app.use.js` and `test/support/utils.js` the first has calls such as `it("adds", …)`.
    """
    code = [node for node in nodes if node.node_type in CODE_NODE_TYPES]
    if not code or not may_be_test(path):
        return False
    return is_test_by_name(path) or any(declares_test(node) for node in code)


def declares_test(node: Declaration) -> bool:
    """Tells whether a node is a test, by its name or the beginning of its signature."""
    if node.node_type != "method":
        return False
    name = (node.symbol or "").rpartition(".")[2]
    return (
        _TEST_NAME.match(name) is not None
        or _TEST_SIGNATURE.search(node.signature or "") is not None
    )

"""Defines a site that refers to a definition, the filter of a page of sites, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from feeder.relation import CALL, IMPLEMENTS, IMPORT, INHERITS, MENTION, UNNAMED, USE
from feeder.relations.modules import Definition
from feeder.relations.outcomes import Resolution
from feeder.store.relations import RelatedNode
from feeder.store.scope import is_test_path

KIND_NAMES = {
    CALL: "call",
    USE: "type",
    IMPORT: "import",
    INHERITS: "inherit",
    IMPLEMENTS: "implement",
    UNNAMED: "implement",
    MENTION: "mention",
}
"""The kinds of references by the kinds of relations."""

OVERRIDE = "override"
"""The kind of a member that has the definition's name, in a type below its type."""


class Reference(NamedTuple):
    """A site that refers to a definition, or may, or a member that overrides it; lines are as
    indexed.

    `column` counts characters from 1 and is 0 with an empty `text` if the line cannot be read.
    `through` is the member of a base that the site names, and that the definition overrides.
    """

    path: str
    line: int
    column: int
    kind: str
    resolved: bool
    text: str
    node: RelatedNode
    name: str
    receiver: str
    through: str = ""

    @property
    def detail(self) -> str:
        """The kind, with the member of a base that the site names: `call through Pump.flow`."""
        return f"{self.kind} through {self.through}" if self.through else self.kind

    def as_json(self) -> dict[str, Any]:
        """The reference for `--json`."""
        return {
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "kind": self.kind,
            "resolved": self.resolved,
            "text": self.text,
            "enclosing": {
                "id": self.node.id,
                "symbol": self.node.symbol,
                "node_type": self.node.node_type,
                "start_line": self.node.first_line,
                "end_line": self.node.last_line,
            },
            "is_test": is_test_path(self.path),
            **({"through": self.through} if self.through else {}),
        }


class Implementation(NamedTuple):
    """A type below a type, or a member that overrides a member; `depth` counts levels from 1.

    One that `is_local` is an anonymous or local class: the line that names its base, and the symbol
    of the function or type around it.
    """

    path: str
    start_line: int
    end_line: int
    symbol: str
    resolved: bool
    depth: int
    is_local: bool = False

    @property
    def place(self) -> str:
        """The path with the lines; a local class has the line that names its base."""
        last = "" if self.is_local else f"-{self.end_line}"
        return f"{self.path}:{self.start_line}{last}"

    @property
    def title(self) -> str:
        """The symbol; of a local class `in` and the symbol around it."""
        return f"in {self.symbol or 'the file'}" if self.is_local else self.symbol


class LeftOut(NamedTuple):
    """A site of a definition's name that means something else, with the evidence for it."""

    path: str
    line: int
    kind: str
    resolution: Resolution

    def as_json(self) -> dict[str, Any]:
        """The site for `--json`; `definition` is what it means, where the index has that."""
        other = self.resolution.definition
        return {
            "path": self.path,
            "line": self.line,
            "kind": self.kind,
            "means": self.resolution.because,
            "definition": f"{other.path}#{other.symbol}" if other else None,
        }


class ReferenceFilter(NamedTuple):
    """Selects the references of a page; no kinds mean all."""

    kinds: Sequence[str] = ()
    tests: str | None = None
    limit: int = 50
    offset: int = 0

    def selects(self, kind: str, path: str) -> bool:
        """Tells whether a site of a kind is listed; `path` is the file that `tests` looks at."""
        of_tests = self.tests in {None, "yes"} or is_test_path(path) == (self.tests == "only")
        return of_tests and (not self.kinds or kind in self.kinds)


class SiteOrder:
    """Resolved sites first, code before tests, overrides last, then the nearest file and line."""

    def __init__(self, definition: Definition) -> None:
        self._path = definition.path
        self._places: dict[str, tuple[bool, bool, int]] = {}

    def __call__(self, one: Reference) -> tuple[Any, ...]:
        """The sort key of a site."""
        place = self._places.get(one.path)
        if place is None:
            place = self._places[one.path] = self._place(one.path)
        is_test, is_other, distance = place
        is_override = one.kind == OVERRIDE
        path, line = one.path, one.line
        return not one.resolved, is_test, is_override, is_other, distance, path, line, one.kind

    def _place(self, path: str) -> tuple[bool, bool, int]:
        """Returns True if a file is a test, True if it is not the definition's, and its distance.

        The distance is the number of folders between the two files.
        """
        own_folders, folders = self._path.split("/")[:-1], path.split("/")[:-1]
        common = 0
        for left, right in zip(own_folders, folders, strict=False):
            if left != right:
                break
            common += 1
        distance = len(own_folders) + len(folders) - 2 * common
        return is_test_path(path), path != self._path, distance

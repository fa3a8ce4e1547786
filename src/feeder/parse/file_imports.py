"""`FileImports`: what a file imports, and the offsets and names that it binds by that."""

from collections.abc import Iterator, Mapping, Sequence

from feeder.parse.grammars import Capture, Captures
from feeder.parse.relation_names import (
    MODULE_LIMIT,
    NOTHING,
    Site,
    bound_names,
    import_relation,
    path_offsets,
    relation_of,
)
from feeder.relation import IMPORT

ALL = "*"
"""What an export of all names of a module names."""


class FileImports:
    """The imports of a file.

    Adds to `declared` the offsets of names that are no other relations, and to `names` what the
    imports bind.
    """

    def __init__(self, content: bytes, declared: set[int], names: set[bytes]) -> None:
        self._content = content
        self._declared = declared
        self._names = names
        self._sites: list[Site] = []
        self._bound_modules: set[int] = set()
        """Where modules begin of which a name is imported."""
        self._last_path = -1
        self.spread: list[tuple[int, str]] = []
        """Variables that stand for a module of which all names are exported, with their offsets."""
        self.have_wildcard = False

    def add(self, captures: Captures, settings: Mapping[str, str | None]) -> None:
        """Adds what an import binds."""
        modules, names, aliases = map(captures.get, ("module", "imports", "alias"))
        nodes = names or modules
        if not nodes:
            return
        relation, name = import_relation(
            self._source(modules) if modules else None,
            self._source(names) if names else None,
            self._source(aliases[:1]) if aliases else b"",
            settings.get("imported"),
            settings.get("prefix") or "",
        )
        if relation:
            self._sites.append((nodes[0].start_byte, relation))
            if modules and relation.name != NOTHING:
                self._bound_modules.add(modules[0].start_byte)
            self.have_wildcard |= "wildcard" in captures
            self._declare_path(nodes[0])
            if modules and names:
                self._declared.add(modules[0].start_byte)
                self._declare_path(modules[0])
            if aliases:
                self._declared.update([node.start_byte for node in aliases])
            self._names.add(name)

    def sites(self) -> list[Site]:
        """The imports, and exports of all names of a module; without those that bind nothing of a
        module of which a name is imported.
        """
        return [
            (start, relation)
            for start, relation in [*self._sites, *self._spread_sites()]
            if relation.name != NOTHING or start not in self._bound_modules
        ]

    def _spread_sites(self) -> Iterator[Site]:
        """Yields the export of all names of a module for a variable that stands for the module."""
        modules = {
            name: relation.qualifier.partition("=")[0]
            for _, relation in self._sites
            for name in bound_names(relation)
            if not relation.name
        }
        for start, name in self.spread:
            if module := modules.get(name):
                yield start, relation_of(IMPORT, ALL, module)

    def _declare_path(self, path: Capture) -> None:
        """Notes that the names of an imported path are no other relations."""
        start = path.start_byte
        if start != self._last_path:  # a module of which several names are imported
            self._last_path = start
            source = self._content[start : min(path.end_byte, start + MODULE_LIMIT)]
            if b"." in source or b"::" in source:
                self._declared.update([start + at for at in path_offsets(source)])

    def _source(self, nodes: Sequence[Capture]) -> bytes:
        return self._content[nodes[0].start_byte : nodes[-1].end_byte] if nodes else b""

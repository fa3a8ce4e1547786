"""What a change touches, as records: references, tests, documents, similar code, renamed files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.impact.changed_nodes import Change, ChangedNode, RenamedFile
from feeder.impact.mentions import Mention
from feeder.impact.near_duplicates import NearDuplicate
from feeder.relations.site_text import with_text
from feeder.relations.sites import Reference

CHANGED, HISTORY = "changed", "history"
"""The reasons of a test file that the change edits, and of one that earlier commits changed too."""


class ImpactReference(NamedTuple):
    """A site that refers to a changed node; `is_edited` if the change edits what is around it."""

    of: ChangedNode
    reference: Reference
    is_edited: bool = False

    def as_json(self) -> dict[str, Any]:
        """The site as `Reference.as_json`, with the id of the changed node."""
        return {"of": self.of.id, **self.reference.as_json(), "edited": self.is_edited}


class ImpactTest(NamedTuple):
    """A test file that a change edits or may break.

    `node` is the symbol of the test that reaches the change in `steps` (1 for a direct reference),
    empty with 0 steps for a file that the change itself edits, or that only its name or history
    connects. `reasons` are `changed` alone, or `reference`, `name` and `history`.
    """

    path: str
    node: str
    steps: int
    reasons: tuple[str, ...]
    score: float

    def as_json(self) -> dict[str, Any]:
        """The test for `--json`."""
        fields = self._asdict()
        return {**fields, "reasons": list(self.reasons), "score": round(self.score, 4)}


class CoChangedFile(NamedTuple):
    """A file that earlier commits changed together with the changed ones: `commits` of `of`."""

    path: str
    commits: int
    of: int

    def as_json(self) -> dict[str, Any]:
        """The file for `--json`."""
        return self._asdict()


class RenameImpact(NamedTuple):
    """A renamed file, and the sites that still import it from its old path."""

    file: RenamedFile
    imports: list[Reference]

    def as_json(self) -> dict[str, Any]:
        """The paths and sites for `--json`."""
        imports = [site.as_json() for site in self.imports]
        return {"from": self.file.old_path, "to": self.file.path, "imports": imports}


class Impact(NamedTuple):
    """The nodes, tests and documents that a change touches, each list with the surest first.

    `together` are files, other than tests, that usually change with these. `at_least` if references
    or tests may be missing; `limits` say why, and what else was not read.
    """

    change: Change
    references: list[ImpactReference]
    tests: list[ImpactTest]
    documents: list[Mention]
    similar: list[NearDuplicate]
    at_least: bool
    together: Sequence[CoChangedFile] = ()
    renames: Sequence[RenameImpact] = ()
    limits: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        """The lists for `--json`, and the limits that were reached."""
        return {
            "base": self.change.base,
            "conflicts": [*self.change.conflicts],
            "renamed": [rename.as_json() for rename in self.renames],
            "changed": [node.as_json() for node in self.change.nodes],
            "references": [reference.as_json() for reference in self.references],
            "tests": [test.as_json() for test in self.tests],
            "documents": [document.as_json() for document in self.documents],
            "similar": [duplicate.as_json() for duplicate in self.similar],
            "together": [file.as_json() for file in self.together],
            "limits": [*self.limits],
        }

    @property
    def counts(self) -> dict[str, int]:
        """The number of entries of each list."""
        return {
            "renamed": len(self.renames),
            "changed": len(self.change.nodes),
            "references": len(self.references),
            "tests": len(self.tests),
            "documents": len(self.documents),
            "similar": len(self.similar),
            "together": len(self.together),
        }

    def first(self, corpus: Corpus, limit: int) -> Impact:
        """The same with at most `limit` entries of each list, and the text of the references.

        Test files that the change edits are never left out.
        """
        references = self.references[:limit]
        texts = with_text(corpus, [reference.reference for reference in references])
        return self._replace(
            change=self.change._replace(nodes=self.change.nodes[:limit]),
            references=[
                reference._replace(reference=text)
                for reference, text in zip(references, texts, strict=True)
            ],
            tests=self.tests[: max(limit, len(self.change.tests))],
            documents=self.documents[:limit],
            similar=self.similar[:limit],
            together=self.together[:limit],
            renames=[
                rename._replace(imports=with_text(corpus, rename.imports[:limit]))
                for rename in self.renames[:limit]
            ],
        )

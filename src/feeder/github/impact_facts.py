"""What a pull request's change touches, as typed facts: outputs of a step, and rules for a gate.

The facts are read from the JSON of `feeder impact`. The JSON may come from a stranger's workflow,
so it is checked before anything is shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

import msgspec

from feeder.errors import UserError, os_reason
from feeder.escaping import count_of

MAX_FACTS_BYTES = 2_000_000
"""Larger files are refused: 300 entries of each list take a tenth of it."""

TESTS_MISSING, SIGNATURE_CALLERS, NONE = "tests-missing", "signature-callers", "none"
GATES = (NONE, TESTS_MISSING, SIGNATURE_CALLERS)

_PLAIN_PATH = re.compile(r"[A-Za-z0-9_./@+-]+")


class ChangedDeclaration(msgspec.Struct):
    """A declaration that the change adds, edits or removes; `name` is None for loose lines."""

    id: str
    path: str
    start_line: int
    change: str
    signature_changed: bool
    name: str | None = None


class ReferenceSite(msgspec.Struct):
    """A line outside of the change that refers to the changed declaration with the id `of`."""

    of: str
    path: str
    line: int
    kind: str
    resolved: bool


class DocumentLine(msgspec.Struct):
    """A line of a document that names the changed declaration with the id `of`."""

    of: str
    path: str
    line: int


class SimilarDeclaration(msgspec.Struct):
    """A declaration that resembles the changed one with the id `of`."""

    of: str
    path: str
    symbol: str


class TestFile(msgspec.Struct):
    """A test file to run."""

    path: str


class Totals(msgspec.Struct):
    """The lengths of the lists before they were cut."""

    changed: int
    references: int
    tests: int
    documents: int
    similar: int


class ImpactFacts(msgspec.Struct):
    """The result of `feeder impact --json`; fields that are not used here are ignored.

    `at_least` if references or tests may be missing; `limits` are sentences that say why.
    """

    changed: list[ChangedDeclaration]
    references: list[ReferenceSite]
    tests: list[TestFile]
    documents: list[DocumentLine]
    similar: list[SimilarDeclaration]
    totals: Totals
    at_least: bool = False
    limits: list[str] = []

    def name_of(self, id_: str) -> str:
        """The name of a changed declaration; empty if it is not listed."""
        return next((node.name or "" for node in self.changed if node.id == id_), "")


def decode_facts(text: bytes) -> ImpactFacts:
    """Raises ValueError for anything but the JSON of `feeder impact`."""
    # msgspec's own decoder refuses the lone surrogates of paths that are no UTF-8
    return msgspec.convert(json.loads(text), ImpactFacts)


def encode_facts(facts: ImpactFacts) -> str:
    """The JSON that `decode_facts` reads."""
    return json.dumps(msgspec.to_builtins(facts), indent=2)


def read_facts(file: Path) -> ImpactFacts:
    """Reads the output `impact-file` of another run; raises UserError for any other file."""
    remedy = "Pass the file that the output `impact-file` of the pull request's run names."
    try:
        with file.open("rb") as stream:
            text = stream.read(MAX_FACTS_BYTES + 1)
        if len(text) > MAX_FACTS_BYTES:
            raise UserError(f"{file} is larger than {MAX_FACTS_BYTES / 1e6:g} MB.", remedy)
        return decode_facts(text)
    except (OSError, ValueError, RecursionError) as exc:
        raise UserError(
            f"{file} is not a readable impact file ({os_reason(exc)}).", remedy
        ) from exc


def impact_outputs(facts: ImpactFacts) -> Iterator[tuple[str, str]]:
    """The outputs of a step: each list as JSON, and the paths in it as one line for a shell."""
    lists: dict[str, list[msgspec.Struct]] = {
        "tests": [*facts.tests],
        "changed": [*facts.changed],
        "callers": [*facts.references],
    }
    for name, entries in lists.items():
        values = msgspec.to_builtins(entries)
        yield name, json.dumps(values)
        yield f"{name}-list", " ".join(plain_paths(entry["path"] for entry in values))


def plain_paths(paths: Iterable[str]) -> list[str]:
    """Paths that a shell may split at blanks and expand unquoted.

    A path with any other character, as `tests/my test.py`, is replaced by the nearest folder above
    it without one (`tests`, in the end `.`): more is run than necessary, and nothing is missed. One
    that begins with a dash gets `./` in front.
    """
    return list(dict.fromkeys(map(_plain_path, paths)))


def _plain_path(path: str) -> str:
    folders = (path, *map(str, PurePosixPath(path).parents), ".")
    plain = next(folder for folder in folders if _PLAIN_PATH.fullmatch(folder))
    return f"./{plain}" if plain.startswith("-") else plain


def gate_reason(facts: ImpactFacts, gate: str) -> str:
    """Why a change does not pass the gate, in a line; empty if it does.

    `tests-missing`: declarations are added or edited, and no test file reaches any of them.
    `signature-callers`: a signature is changed or a declaration removed that other files refer to.
    """
    if gate == TESTS_MISSING:
        edited = [node for node in facts.changed if node.name and node.change != "removed"]
        if edited and not facts.totals.tests:
            count = count_of(facts.totals.changed, "changed declaration")
            return " ".join([f"No test reaches {count}.", *facts.limits])
    if gate == SIGNATURE_CALLERS:
        differing = {node.id for node in facts.changed if node.signature_changed}
        differing |= {node.id for node in facts.changed if node.change == "removed"}
        sites = [site for site in facts.references if site.of in differing and site.resolved]
        if sites:
            first = sites[0]
            return (
                f"The signature of {facts.name_of(first.of)} changed, and "
                f"{count_of(len(sites), 'reference')} outside of the change may not fit it: "
                f"{first.path}:{first.line} is the first."
            )
    return ""

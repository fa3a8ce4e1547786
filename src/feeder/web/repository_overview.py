"""Describes a repository on the page's start: the beginning of its README, its packages with their
most used symbols, its entry points, and the files that were changed last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from feeder.corpus.corpus import Corpus
from feeder.corpus.file_contents import current_files, masked_lines
from feeder.errors import UserError
from feeder.relations.overview import Overview, RankedSymbol, build_overview
from feeder.source.history import latest_changes
from feeder.store.inventory import files_below

MAX_PACKAGES = 8
MAX_PACKAGE_SYMBOLS = 4
MAX_ENTRY_POINTS = 12
MAX_CHANGED = 8
MAX_WALKED = 100
"""Files that were changed last, from which those that are indexed are taken."""
MAX_README_LINES = 12
"""Lines of the first paragraph; a longer one is cut."""

MIN_WORDS = 5
"""Words of a paragraph; a shorter one is a caption or a slogan."""

NO_HISTORY = "The last changes are unknown: this clone does not have the indexed commit."

_README = re.compile(r"readme(?:\.\w+)?", re.IGNORECASE)
_NO_PROSE = re.compile(r"\s*(?:[#<|=~`.:*+-]|!?\[!?\[|!\[|\d+\.\s)")
"""The first characters of headings, HTML, tables, rules, fences, directives, badges and lists."""

_LINK_NAME = re.compile(r"\[([^\]\[]+)\]")
_LINK_DEFINITION = re.compile(r" {0,3}\[([^\]]+)\]:\s*\S")
_UNDERLINE = re.compile(r"[=~^*-]{3,}\s*")
_WORD = re.compile(r"[^\W\d_]{2,}")

_latest: dict[tuple[str, str], dict[str, Any]] = {}
"""The packages and entry points by repository and state of its index: those asked for last."""


def repository_overview(
    corpus: Corpus, commit: str | None, *, mask_secrets: bool
) -> dict[str, Any]:
    """The facts as JSON, as of a commit; `notes` say why a list that is not known is empty."""
    packages = _packages(corpus)
    notes = [] if commit else [NO_HISTORY]
    return {
        "readme": _readme(corpus, mask_secrets=mask_secrets),
        **packages,
        "changed": _changed(corpus, commit),
        "notes": [*packages["notes"], *notes],
    }


def _readme(corpus: Corpus, *, mask_secrets: bool) -> dict[str, Any] | None:
    """The path and the first paragraph of the README at the root."""
    paths = files_below(corpus.database, corpus.repo, "")
    named = [path for path in paths if _README.fullmatch(path)]
    for path in sorted(named, key=lambda name: (not name.lower().endswith(".md"), name)):
        content = current_files(corpus.base, [path])[path].content
        lines = masked_lines(path, content, mask_secrets=mask_secrets) or []
        if paragraph := first_paragraph(lines):
            shown = paragraph[:MAX_README_LINES]
            return {"path": path, "lines": [*shown, *_link_definitions(shown, lines)]}
    return None


def _link_definitions(paragraph: Sequence[str], lines: Iterable[str]) -> list[str]:
    """The lines of a markdown file that define the links of a paragraph: `[WSGI]: https://…`."""
    names = {name.lower() for line in paragraph for name in _LINK_NAME.findall(line)}
    defined = ((line, _LINK_DEFINITION.match(line)) for line in lines)
    return [line for line, match in defined if match and match[1].lower() in names]


def first_paragraph(lines: Iterable[str]) -> list[str]:
    """The first paragraph of prose in a README; empty if there is none.

    Headings, badges, HTML, tables, lists, code and short lines are not prose:
    `["# Shop", "", "[![ci](a)](b)", "", "A shop for bicycles and their parts."]` gives the last.
    """
    for block in _blocks(lines):
        is_heading = len(block) > 1 and _UNDERLINE.fullmatch(block[1])
        is_code = block[0].startswith(("    ", "\t"))
        if is_heading or is_code or _NO_PROSE.match(block[0]):
            continue
        if len(_WORD.findall(" ".join(block))) >= MIN_WORDS:
            return block
    return []


def _blocks(lines: Iterable[str]) -> Iterator[list[str]]:
    """The runs of lines that are not blank and not in a code fence."""
    block: list[str] = []
    is_fenced = False
    for line in (*lines, ""):
        is_fence = line.lstrip().startswith(("```", "~~~"))
        if line.strip() and not is_fenced and not is_fence:
            block.append(line)
        elif block:
            yield block
            block = []
        is_fenced ^= is_fence


def _packages(corpus: Corpus) -> dict[str, Any]:
    """The packages and entry points, from a cache of the index's last state."""
    state = corpus.repo, repr(sorted(corpus.meta.items()))
    if state not in _latest:
        try:
            facts = _ranked(build_overview(corpus, "."))
        except UserError as exc:  # an index without relations or without files
            reason = f"Packages and entry points are unknown: {exc.problem} {exc.remedy}".rstrip()
            totals = {"packages": 0, "entry_points": 0}
            facts = {"packages": [], "entry_points": [], "totals": totals, "notes": [reason]}
        _latest.clear()
        _latest[state] = facts
    return _latest[state]


def _ranked(overview: Overview) -> dict[str, Any]:
    packages = [
        {
            "path": package.path,
            "files": package.files,
            "symbols": package.symbols,
            "most_used": [_symbol_json(symbol) for symbol in _most_used(overview, package.path)],
        }
        for package in overview.packages[:MAX_PACKAGES]
    ]
    entries = overview.entries
    entry_points = [entry.as_json() for entry in entries.listed[:MAX_ENTRY_POINTS]]
    totals = {
        "packages": overview.totals["packages"],
        "entry_points": overview.totals["entries"],
    }
    return {"packages": packages, "entry_points": entry_points, "totals": totals, "notes": []}


def _most_used(overview: Overview, package: str) -> Sequence[RankedSymbol]:
    """The symbols of a package that other files refer to, those with the highest rank first; of the
    root those in no folder.
    """
    prefix = "" if package == "." else f"{package}/"
    deeper = [other.path for other in overview.packages if other.path.startswith(prefix)]
    others = tuple(f"{path}/" for path in deeper if path not in (package, "."))
    first_named: dict[str, RankedSymbol] = {}
    for symbol in overview.symbols:
        is_inside = symbol.path.startswith(prefix) and not symbol.path.startswith(others)
        if is_inside and symbol.files:
            first_named.setdefault(symbol.symbol, symbol)
    return [*first_named.values()][:MAX_PACKAGE_SYMBOLS]


def _symbol_json(symbol: RankedSymbol) -> dict[str, Any]:
    fields = ("path", "symbol", "node_type", "start_line", "end_line", "files")
    return {name: getattr(symbol, name) for name in fields}


def _changed(corpus: Corpus, commit: str | None) -> list[dict[str, Any]]:
    """The indexed files that the commits up to this one changed last, newest first."""
    if commit is None:
        return []
    indexed = {*files_below(corpus.database, corpus.repo, "")}
    changes = latest_changes(corpus.base, commit, MAX_WALKED)
    listed = [(path, seconds) for path, seconds in changes.items() if path in indexed]
    return [{"path": path, "changed_s": seconds} for path, seconds in listed[:MAX_CHANGED]]

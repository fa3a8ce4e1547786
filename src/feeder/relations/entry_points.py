"""Finds where a repository is entered: commands and scripts of manifests, main functions, the
names of its packages' roots, routes, subcommands and workflows.

Entry point: `find_entry_points`. Manifests and routes need the files of the repository.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.corpus.file_contents import indexed_revision, indexed_texts, snapshot_repositories
from feeder.query.file_kinds import DOCUMENT_PATH_PATTERN, EXAMPLE_PATH_PATTERN
from feeder.query.must_match import make_grep
from feeder.relation import EXPORT, IMPORT, decode_relations
from feeder.store.inventory import file_blobs
from feeder.store.overview_nodes import NamedNode
from feeder.store.scope import is_test_path

COMMAND, SCRIPT, MAIN, ROOT = "command", "scripts", "main", "package root"
ROUTES, SUBCOMMANDS, WORKFLOW = "routes", "subcommands", "workflow"
"""The kinds of entry points, in the order in which they are listed."""

KINDS = (COMMAND, MAIN, ROOT, ROUTES, SUBCOMMANDS, SCRIPT, WORKFLOW)

OWN_MODULES = (".", "crate", "self")
"""How the modules of its own package begin where a root file imports from them."""

MAX_OF_KIND = 6
TITLE = f"Entry points, at most {MAX_OF_KIND} of each kind"
MAX_NAMES = 12
"""Names listed of one root file, or of the scripts of one manifest."""

_MANIFEST = re.compile(r"(?:^|/)(?:package\.json|pyproject\.toml|Cargo\.toml)$")

_ROOT_FILE = re.compile(r"(?:^|/)(?:__init__\.py|index\.[cm]?[jt]sx?|mod\.ts|lib\.rs)$")

_WORKFLOW = re.compile(r"^\.github/workflows/[^/]+\.ya?ml$")

_ROUTE = (
    r"^\s*@[\w.]+\.(?:route|get|post|put|patch|delete|websocket)\(\s*[rf]?[\"']/"
    r"|^\s*(?:[\w.]+\.)?(?:app|api|router|routes|server|mux|r|e)\.(?:get|post|put|patch|delete|all)"
    r"\(\s*[\"'`]/"
    r"|^\s*@(?:Get|Post|Put|Patch|Delete|Request)Mapping\b"
    r"|\.(?:HandleFunc|Handle|GET|POST|PUT|PATCH|DELETE)\(\s*\"/"
    r"|^\s*(?:get|post|put|patch|delete)\s+['\"]/"
    r"|\bRoute::(?:get|post|put|patch|delete|any)\("
)
"""Lines that declare a route of a server, in the forms of common frameworks."""

_SUBCOMMAND = (
    r"^\s*@[\w.]+\.(?:command|group)\(|\.add_parser\(\s*[\"']"
    r"|\bcobra\.Command\{|\.command\(\s*[\"'`]\w"
)
"""Lines that declare a command of a command line."""


class EntryPoint(NamedTuple):
    """An entry point: its kind, its name or names, and its place; `line` is 0 for a whole file."""

    kind: str
    name: str
    path: str
    line: int = 0

    def as_json(self) -> dict[str, Any]:
        """The entry point for `--json`."""
        return {**self._asdict(), "line": self.line or None}

    @property
    def place(self) -> str:
        """The path, with the line if there is one."""
        return f"{self.path}:{self.line}" if self.line else self.path


class EntryPoints(NamedTuple):
    """The first entry points of each kind, by kind, and the number of all by kind."""

    listed: list[EntryPoint]
    totals: Mapping[str, int]


def find_entry_points(
    corpus: Corpus, nodes: Sequence[NamedNode], paths: Collection[str]
) -> EntryPoints:
    """The entry points in files at `paths`, those nearest to the root first.

    Tests are left out; examples come last.
    """
    files = [path for path in paths if not is_test_path(path)]
    code = {node.path for node in nodes if node.node_type in {"class", "method"}}
    sources = [path for path in files if path in code and not DOCUMENT_PATH_PATTERN.search(path)]
    found = [
        *_declared_in_manifests(corpus, files),
        *_main_functions(nodes, {*files}),
        *_names_of_roots(nodes, files),
        *_matching_lines(corpus, ROUTES, _ROUTE, sources),
        *_matching_lines(corpus, SUBCOMMANDS, _SUBCOMMAND, sources),
        *(EntryPoint(WORKFLOW, "", path) for path in filter(_WORKFLOW.match, files)),
    ]
    by_kind: defaultdict[str, list[EntryPoint]] = defaultdict(list)
    for entry in sorted(found, key=_order):
        by_kind[entry.kind].append(entry)
    listed = [entry for kind in KINDS for entry in by_kind[kind][:MAX_OF_KIND]]
    return EntryPoints(listed, {kind: len(entries) for kind, entries in by_kind.items()})


def _order(one: EntryPoint) -> tuple[bool, int, str, int]:
    is_example = EXAMPLE_PATH_PATTERN.search(one.path) is not None
    return is_example, one.path.count("/"), one.path, one.line


def _declared_in_manifests(corpus: Corpus, paths: Iterable[str]) -> Iterator[EntryPoint]:
    manifests = sorted(filter(_MANIFEST.search, paths), key=lambda path: (path.count("/"), path))
    blobs = file_blobs(corpus.database, corpus.repo, manifests)
    repositories = snapshot_repositories(corpus.database)
    texts = indexed_texts(corpus.base, blobs, other_repositories=repositories)
    for path, text in texts.items():
        declared = _parse_manifest(path, text or "")
        for kind, names in _manifest_entries(path, declared):
            yield from (EntryPoint(kind, name, path) for name in names)


def _parse_manifest(path: str, text: str) -> Mapping[str, Any]:
    """The manifest; empty if it is not valid, which is for its own tools to say."""
    try:
        parsed = json.loads(text) if path.endswith(".json") else tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _manifest_entries(path: str, declared: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The commands, each as `name = target`, and the names of all scripts together."""
    if path.endswith("package.json"):
        commands = declared.get("bin", {})
        if isinstance(commands, str):
            commands = {str(declared.get("name", "")): commands}
        yield COMMAND, _pairs(commands)
        scripts = _table(declared, "scripts")
        yield SCRIPT, [_first_names(list(scripts))] if scripts else []
    elif path.endswith("pyproject.toml"):
        project = _table(declared, "project")
        yield COMMAND, _pairs(_table(project, "scripts")) + _pairs(_table(project, "gui-scripts"))
        yield COMMAND, _pairs(_table(_table(_table(declared, "tool"), "poetry"), "scripts"))
    else:
        binaries = declared.get("bin")
        binaries = binaries if isinstance(binaries, list) else []
        tables = [table for table in binaries if isinstance(table, dict)]
        yield (
            COMMAND,
            [f"{table.get('name')} = {table.get('path', 'src/main.rs')}" for table in tables],
        )


def _table(parent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = parent.get(name)
    return value if isinstance(value, dict) else {}


def _pairs(commands: Any) -> list[str]:
    items = commands.items() if isinstance(commands, dict) else ()
    return [f"{name} = {target}" for name, target in items if isinstance(target, str)]


def _main_functions(nodes: Iterable[NamedNode], paths: Collection[str]) -> Iterator[EntryPoint]:
    """Functions named `main`, the first of each file."""
    seen: set[str] = set()
    for node in nodes:
        is_main = node.node_type == "method" and node.symbol.rpartition(".")[2] in {"main", "Main"}
        if is_main and node.path in paths and node.path not in seen:
            seen.add(node.path)
            yield EntryPoint(MAIN, node.symbol, node.path, node.start_line)


def _names_of_roots(nodes: Iterable[NamedNode], paths: Iterable[str]) -> Iterator[EntryPoint]:
    """The names of the root files of packages, which have no root file in a folder above."""
    roots: list[str] = []
    folders: list[str] = []
    for path in sorted(filter(_ROOT_FILE.search, paths), key=lambda path: (path.count("/"), path)):
        folder = path.rpartition("/")[0]
        if not any(f"{folder}/".startswith(f"{above}/") for above in folders if above != folder):
            roots.append(path)
            folders.append(folder)
    names: defaultdict[str, dict[str, None]] = defaultdict(dict)
    wanted = {*roots}
    for node in nodes:
        if node.path in wanted:
            names[node.path].update(dict.fromkeys(_public_names(node)))
    for path in roots:
        exported = [name for name in names[path] if not name.startswith("_")]
        if exported:
            yield EntryPoint(ROOT, _first_names(exported), path)


def _first_names(names: Sequence[str]) -> str:
    more = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")


def _public_names(node: NamedNode) -> Iterator[str]:
    """The names that a node of a root file declares, exports or imports from its own package, as
    re-exports do.
    """
    if node.node_type in {"class", "method"} and node.symbol and "." not in node.symbol:
        yield node.symbol
    for relation in decode_relations(node.relations, EXPORT):
        if relation.name.isidentifier():
            yield relation.name
    for relation in decode_relations(node.relations, IMPORT):
        if relation.module.startswith(OWN_MODULES) and relation.name.isidentifier():
            yield relation.alias or relation.name


def _matching_lines(
    corpus: Corpus, kind: str, pattern: str, paths: Iterable[str]
) -> Iterator[EntryPoint]:
    """The files with lines of a kind, and how many each has."""
    revision = indexed_revision(corpus.base, corpus.database, corpus.repo, corpus.meta)
    matches = make_grep(revision.repository, revision.name)(pattern, True)
    wanted = {*paths}
    counts = Counter({path: len(lines) for path, lines in matches.lines.items() if path in wanted})
    for path, count in counts.items():
        if not EXAMPLE_PATH_PATTERN.search(path):
            yield EntryPoint(kind, f"({count})", path, matches.lines[path][0])

"""Resolves a target (`PATH:LINE`, `PATH#SYMBOL`, an id, a path or a symbol) to nodes, or
reports the nearest names.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fnmatch import translate
from itertools import islice
from operator import eq
from typing import NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.corpus.skipped_files import check_not_skipped
from feeder.corpus.unread_files import check_folder_not_skipped
from feeder.errors import AmbiguousTargetError, NotInIndexError, UnknownPathError, UserError
from feeder.nodes import Member
from feeder.notes import sync_command
from feeder.ranking.member_names import find_member
from feeder.relations.repeated_definitions import (
    without_declarations,
    without_sections_and_constructors,
)
from feeder.snippets.excerpts import ExcerptReader
from feeder.source import git
from feeder.source.paths import is_outside, outside_error, path_candidates
from feeder.store.hits import (
    MAX_NAMED_HITS,
    Hit,
    hits_by_id_prefix,
    hits_by_name,
    hits_in_files,
    symbol_names,
)
from feeder.store.inventory import files_at, files_below, files_named, missing_repository
from feeder.store.node_parts import read_part_ranges
from feeder.store.relations import has_relations
from feeder.store.rows import decode_members
from feeder.suggestions import nearest_names
from feeder.text import composed, last_name, normalize_symbol, symbol_ends_with

MAX_LISTED = 10
"""Candidates listed for an ambiguous target."""
MAX_SEPARATORS = 8
"""`#` characters tried as the separator before a symbol: each takes a request."""
EMPTY_TARGET_ERROR = (
    "The target is empty.",
    "Use a path, path:line, path#symbol, a symbol or an id.",
)
_LINES = re.compile(r"(?P<path>.+?):(?P<first>\d+)(?:-(?P<last>\d+)|:\d+)?", re.DOTALL)
_ID = re.compile(r"[0-9a-f]{7,40}")


class Target(NamedTuple):
    """The nodes of one name in a file, those of a whole file, or lines of it.

    `lines` are current line numbers. `member` is set for a constant in a chunk, with its indexed
    line.
    """

    path: str
    hits: list[Hit]
    lines: tuple[int, int] | None = None
    is_file: bool = False
    member: Member | None = None


def resolve_target(corpus: Corpus, text: str, directory: str = "") -> Target:
    """Resolves a target; a path is from the root, else from `directory`, else a unique file name.

    Raises UserError, with the nearest names or all candidates, if nothing or several things match.
    """
    if not text.strip():
        raise UserError(*EMPTY_TARGET_ERROR)
    lines = _LINES.fullmatch(text)
    if lines and (file := _resolve_file(corpus, lines["path"], directory)):
        first = int(lines["first"])
        return Target(file, _file_nodes(corpus, file), (first, int(lines["last"] or first)))
    # reads all files last: a path with a symbol is rarely the end of another path
    if file := _resolve_file(corpus, text, directory, anywhere="#" not in text):
        return Target(file, _file_nodes(corpus, file), is_file=True)
    for separator in islice(re.finditer("#(?=.)", text, re.DOTALL), MAX_SEPARATORS):
        if file := _resolve_file(corpus, text[: separator.start()], directory):
            return _symbol_in_file(_file_nodes(corpus, file), file, text[separator.end() :])
    if "#" in text and (file := _resolve_file(corpus, text, directory)):
        return Target(file, _file_nodes(corpus, file), is_file=True)
    path = lines["path"] if lines else text.partition("#")[0] or text
    if target := _by_id_or_symbol(corpus, text):
        return target
    check_not_skipped(corpus, path, directory, anywhere=_looks_like_path(path))
    _check_inside(corpus, path, directory)
    _check_no_folder(corpus, path, directory)
    raise _unknown_target_error(corpus, path)


def _file_nodes(corpus: Corpus, path: str) -> list[Hit]:
    return hits_in_files(corpus.database, corpus.repo, [path])


def _symbol_in_file(hits: Sequence[Hit], path: str, name: str) -> Target:
    # a whole name comes first: otherwise `total` could not be told from `Cart.total`
    nodes = _nodes_named(hits, name, (eq, symbol_ends_with))
    if target := _single_target(nodes, f"{path}#{name}"):
        return target
    names = _of_owner(name, [symbol for hit in hits for symbol in _names_of_hit(hit)])
    raise _not_found_error("symbol", f"{path}#{name}", _nearest_symbols(name, names), path)


def _by_id_or_symbol(corpus: Corpus, text: str) -> Target | None:
    """The target of the beginning of an id, else of a symbol."""
    hits = (
        hits_by_id_prefix(corpus.database, corpus.repo, text, MAX_LISTED + 1)
        if _ID.fullmatch(text)
        else []
    )
    symbol = normalize_symbol(text)
    all_named: dict[str, Hit] = {}
    for name in dict.fromkeys(
        (symbol, symbol.rpartition(".")[2])
    ):  # an owner and its member lie apart
        named = hits_by_name(corpus.database, corpus.repo, name)
        all_named |= {hit.id: hit for hit in named if hit.id not in all_named}
    if hits := hits or _nodes_named(list(all_named.values()), text, (symbol_ends_with,)):
        return _single_target(hits, text)
    return _single_target(
        _constants_in_namespace(corpus, text, named), last_name(normalize_symbol(text))
    )


def _constants_in_namespace(corpus: Corpus, text: str, named: Sequence[Hit]) -> list[Hit]:
    """The chunks among the nodes `named` with a constant of the namespace that the target names.

    A chunk has no namespace: that of a file is the beginning of the names of its other nodes, as
    of `raft.NewRaft` for `raft.ErrNotLeader`, and not itself a node.
    """
    namespace, _, name = normalize_symbol(text).casefold().rpartition(".")
    chunks = [hit for hit in named if namespace and _chunk_member(hit, name)]
    files = sorted({hit.path for hit in chunks})
    nodes = hits_in_files(corpus.database, corpus.repo, files) if files else []
    symbols = [(hit.path, normalize_symbol(hit.symbol or "").casefold()) for hit in nodes]
    below = {path for path, symbol in symbols if symbol.startswith(f"{namespace}.")}
    below -= {path for path, symbol in symbols if symbol == namespace}
    return [hit for hit in chunks if hit.path in below]


def members_named(corpus: Corpus, text: str) -> tuple[list[tuple[Hit, Member]], bool]:
    """The members of a name in this case of letters, such as constants of files, each with its
    node; in the order of paths and lines.

    The last value is True if there may be more.
    """
    name = last_name(normalize_symbol(text))
    named = hits_by_name(corpus.database, corpus.repo, name)
    matches = _members_of(named, text) or _members_of(
        _constants_in_namespace(corpus, text, named), name
    )
    ordered = sorted(matches.values(), key=lambda one: (one[0].path, one[1].line))
    return ordered, len(named) >= MAX_NAMED_HITS


def _members_of(hits: Iterable[Hit], text: str) -> dict[Hashable, tuple[Hit, Member]]:
    """The members of nodes that a text names, each once, though several parts may have it."""
    members: dict[Hashable, tuple[Hit, Member]] = {}
    for hit in hits:
        owner = normalize_symbol(hit.symbol or hit.logical_path or "")
        member = find_member(owner, hit.members, text, hit.path)
        if member and member.name == last_name(normalize_symbol(text)):
            members.setdefault((hit.path, owner, member), (hit, member))
    return members


def target_node(corpus: Corpus, target: Target) -> Hit:
    """The single node of a target; of lines the smallest node with the first of them.

    Raises UserError if there is none.
    """
    if not target.hits:
        raise UserError(f"{target.path} has no nodes because it has no text.", "Use another file.")
    if target.lines is None:
        return _single_node(corpus, target)
    reader = ExcerptReader(corpus.database, corpus.base, corpus.repo, target.hits[:1])
    line = reader.indexed_line(target.path, target.lines[0])
    holding = [hit for hit in target.hits if hit.start_line <= line <= hit.end_line]
    if not holding:
        raise UserError(
            f"{target.path} has no node at line {target.lines[0]}.",
            f"List its nodes: feeder outline {target.path}",
        )
    return min(holding, key=lambda hit: hit.end_line - hit.start_line)


def _single_node(corpus: Corpus, target: Target) -> Hit:
    """The node of a target without lines, the first of its parts."""
    hits = target.hits
    ranges = read_part_ranges(corpus.database, hits) if len(hits) > 1 else {}
    nodes: dict[Hashable, Hit] = {}
    for hit in hits:
        identity = hit.node_type, hit.symbol, hit.signature, ranges.get(hit.id, hit.id)
        nodes.setdefault(identity, hit)
    if len(nodes) > 1:
        reader = ExcerptReader(corpus.database, corpus.base, corpus.repo, list(nodes.values()))
        lines = (reader.read(hit).first or hit.start_line for hit in nodes.values())
        which = "" if target.is_file else " of that name"
        statement = f"{target.path} has {len(nodes)} nodes{which}"
        places = [f"{target.path}:{line}" for line in lines]
        raise AmbiguousTargetError(statement, places, "Choose one of them.")
    return hits[0]


def files_below_path(corpus: Corpus, text: str, directory: str = "") -> list[str]:
    """The indexed files at or below a path, or whose path or folder matches a glob.

    Raises UserError, with the nearest names, if there are none.
    """
    candidates = path_candidates(text or ".", directory)
    for path in candidates:
        if files := files_below(corpus.database, corpus.repo, "" if path == "." else path):
            return files
    all_files = files_below(corpus.database, corpus.repo, "")
    for path in candidates if re.search(r"[*?\[]", text) else ():
        globs = [path.rstrip("/"), f"{path.rstrip('/')}/*"]
        pattern = re.compile("|".join(map(translate, globs)))
        if files := [file for file in all_files if pattern.match(file)]:
            return files
    if not all_files:
        raise _no_files_error(corpus)
    check_not_skipped(corpus, text, directory, anywhere=_looks_like_path(text))
    _check_inside(corpus, text, directory)
    check_folder_not_skipped(corpus.database, corpus.repo, text, candidates)
    error = _not_found_error("file or folder", text, _nearest_paths(corpus, text))
    raise UnknownPathError(error.problem, error.remedy)


def check_no_file(corpus: Corpus, text: str, directory: str) -> None:
    """Raises UserError for the path of an indexed file, where a name is meant."""
    if _looks_like_path(text) and _resolve_file(corpus, text, directory):
        raise UserError(f"{text} is a file.", f"List its symbols: feeder outline {text}")


def _check_inside(corpus: Corpus, text: str, directory: str) -> None:
    """Raises UserError for a path outside of the repository."""
    if "/" not in text and text != "..":
        return
    files = files_below(corpus.database, corpus.repo, "") if text.startswith("/") else ()
    if is_outside(text, directory, {file.partition("/")[0] for file in files}):
        raise outside_error(text)


def _check_no_folder(corpus: Corpus, text: str, directory: str) -> None:
    """Raises UserError for a folder of indexed files."""
    for path in path_candidates(text, directory):
        folder = "" if path == "." else path
        if not path.startswith("*/") and files_below(corpus.database, corpus.repo, folder):
            raise UserError(f"{text} is a folder.", f"List its contents: feeder outline {text}")


def _resolve_file(
    corpus: Corpus, text: str, directory: str, *, anywhere: bool = True
) -> str | None:
    """The indexed file of a path, or with `anywhere` the only one of that name, else None."""
    if not text:
        return None
    for path in path_candidates(text, directory):
        is_end = path.startswith("*/")
        if is_end and not (anywhere and _looks_like_path(text)):
            return None
        find = files_named if is_end else files_at
        matches = find(corpus.database, corpus.repo, path.removeprefix("*/"))
        if len(matches) == 1:
            return matches[0]
    return None


def _nodes_named(
    hits: Iterable[Hit], name: str, matchers: Sequence[Callable[[str, str], bool]]
) -> list[Hit]:
    """Nodes whose names match by the first of the matchers that finds any, in this case or another.

    Else nodes with a member of that name, such as a constant. A name with capital letters or
    an owner means a member with the same case rather than a node with another case: `Ping.pong` is
    not `Ping.Pong`.
    """
    names = [(hit, normalize_symbol(hit.symbol or hit.logical_path or "")) for hit in hits]
    members = [
        (hit, member.name)
        for hit, full_name in names
        if (member := find_member(full_name, hit.members, name, hit.path))
    ]
    own_name = last_name(normalize_symbol(name))
    has_owner = own_name != normalize_symbol(name)
    if has_owner:  # `Cart.total` of the type, then `total` of cart.ts
        members = [member for member in members if member[0].symbol] or members
    is_exact = has_owner or own_name != own_name.lower()
    named_in_case = [hit for hit, member in members if is_exact and member == own_name]
    return (
        _nodes_matching(names, name, matchers, composed)
        or named_in_case
        or _nodes_matching(names, name, matchers, lambda text: composed(text).casefold())
        or [hit for hit, _ in members]
    )


def _nodes_matching(
    names: Iterable[tuple[Hit, str]],
    name: str,
    matchers: Sequence[Callable[[str, str], bool]],
    fold: Callable[[str], str],
) -> list[Hit]:
    searched = fold(normalize_symbol(name))
    matches = (
        [hit for hit, full_name in names if matches_name(fold(full_name), searched)]
        for matches_name in matchers
    )
    return next(filter(None, matches), [])


def _names_of_hit(hit: Hit) -> Iterator[str]:
    """The names of a node and of its members."""
    if hit.symbol:
        yield hit.symbol
    yield from (member.name for member in decode_members(hit.members))


def _target_label(hit: Hit, text: str) -> str:
    """The name of a node; for a chunk, the name of the member that the target means."""
    member = _chunk_member(hit, text)
    return hit.symbol or hit.logical_path or (member.name if member else hit.id)


def _chunk_member(hit: Hit, text: str) -> Member | None:
    """The member of a chunk that a target names; None for a node that has a name."""
    if hit.symbol or hit.logical_path:
        return None
    return find_member("", hit.members, text.rpartition("#")[2], hit.path)


def _single_target(hits: Sequence[Hit], text: str) -> Target | None:
    """The target if all hits have one name in one file; else raises UserError."""
    if not hits:
        return None
    hits = without_declarations(without_sections_and_constructors(hits))
    distinct = dict.fromkeys((hit.path, _target_label(hit, text)) for hit in hits)
    if len(distinct) == 1:
        return Target(hits[0].path, list(hits), member=_chunk_member(hits[0], text))
    labels = [f"{path}#{name}" for path, name in distinct]
    statement = f"'{text}' matches {len(labels)} targets"
    raise AmbiguousTargetError(statement, labels, "Choose one of them.")


def check_relations(corpus: Corpus) -> None:
    """Raises UserError if no node of the index has relations."""
    if has_relations(corpus.database, corpus.repo):
        return
    if not files_below(corpus.database, corpus.repo, ""):
        raise _no_files_error(corpus)
    raise UserError(
        f"The index of {corpus.repo} has no relations: it was made by an earlier version, "
        "or its languages have none.",
        "Bring it up to date: feeder sync",
    )


def _no_files_error(corpus: Corpus) -> UserError:
    if missing := missing_repository(corpus.database, corpus.repo):
        return UserError(*missing)
    working_tree = git.head_commit_or_none(corpus.base) is None
    remedy = f"Add some, then run: {sync_command(working_tree=working_tree)}"
    return UserError(f"The index has no files of the repository '{corpus.repo}'.", remedy)


def _unknown_target_error(corpus: Corpus, text: str) -> UserError:
    near = _nearest_paths(corpus, text) if _looks_like_path(text) else []
    near = near or _nearest_symbols(text, symbol_names(corpus.database, corpus.repo, text))
    if not near and not files_below(corpus.database, corpus.repo, ""):
        return _no_files_error(corpus)
    name = "" if _looks_like_path(text) else last_name(normalize_symbol(text))
    return _not_found_error("file, symbol or id", text, near, name=name)


def _looks_like_path(text: str) -> bool:
    return "/" in text or bool(re.search(r"\.\w{1,5}$", text))


def _nearest_symbols(text: str, symbols: Iterable[str]) -> list[str]:
    return nearest_names(normalize_symbol(text), symbols, ".")


def _of_owner(name: str, symbols: Sequence[str]) -> Sequence[str]:
    """The symbols of the class that a name names, if there are any: `Cart.nope` means a member of
    Cart.
    """
    owner = normalize_symbol(name).rpartition(".")[0]
    of_owner = [
        symbol for symbol in symbols if owner and symbol_ends_with(symbol.rpartition(".")[0], owner)
    ]
    return of_owner or symbols


def _nearest_paths(corpus: Corpus, text: str) -> list[str]:
    return nearest_names(text, files_below(corpus.database, corpus.repo, ""), "/")


def _not_found_error(
    kind: str, text: str, near: Sequence[str], within: str = ".", name: str = ""
) -> UserError:
    contents = "its contents" if within == "." else "the file's symbols"
    remedy = (
        f"Did you mean {' or '.join(near)}?"
        if near
        else f"List {contents}: feeder outline {within}"
    )
    return NotInIndexError(f"The index has no {kind} '{text}'.", remedy, name)

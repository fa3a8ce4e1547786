"""Matches a query against the members of a node: names in it that have no node of their own."""

from functools import lru_cache

from feeder.nodes import Member
from feeder.store.rows import decode_members
from feeder.suggestions import is_within_one_edit
from feeder.text import last_name, normalize_symbol, symbol_ends_with

COMPANION = ".companion"
"""Ends the symbol of Kotlin's companion objects without a name, casefolded."""


def find_member(owner: str | None, members: str, query: str, path: str = "") -> Member | None:
    """The member that the query names, alone (`RED`) or with its owner (`Color.RED`).

    If several differ only in case, the one in the query's case comes first. A chunk has no
    owner: its constants have the names of the module or package at its `path`. Members of a
    companion object are named without it.
    """
    if not members:
        return None
    searched_name = normalize_symbol(query).casefold()
    if last_name(searched_name) not in members.casefold():
        return None
    name = normalize_symbol(owner or "").casefold()
    if name and symbol_ends_with(name, searched_name):
        return None
    owners = (
        list(dict.fromkeys([name, name.removesuffix(COMPANION)]))
        if name or "." not in searched_name
        else ["", *module_names(path)]
    )
    matches = [
        member
        for member in decode_members(members)
        if any(
            symbol_ends_with(f"{owner}.{member.name.casefold()}", searched_name) for owner in owners
        )
    ]
    in_case = (member for member in matches if member.name == last_name(normalize_symbol(query)))
    return next(in_case, matches[0] if matches else None)


@lru_cache(10_000)
def own_names(symbol: str | None, members: str) -> list[str]:
    """The names by which a node is found: its symbol, or the constants in a chunk that has none."""
    if symbol or not members:
        return [symbol or ""]
    return [member.name for member in decode_members(members)] or [""]


def find_near_member(owner: str | None, members: str, query: str) -> Member | None:
    """The first member that the query may misspell, in any case; none if it may misspell the owner.

    A misspelling is one edit away.
    """
    name = last_name(normalize_symbol(query)).lower()
    if is_within_one_edit(name, last_name(normalize_symbol(owner or "")).lower()):
        return None
    near = (
        member
        for member in decode_members(members)
        if is_within_one_edit(name, member.name.lower())
    )
    return next(near, None)


@lru_cache(10_000)
def module_names(path: str) -> list[str]:
    """Names under which other files refer to a file: as a module, and as part of a package.

    A file such as `okhttp.base-conventions.gradle.kts` is no module `okhttp`.
    """
    folder, _, file = path.casefold().rpartition("/")
    package = folder.replace("/", ".")
    return [f"{package}.{file.rpartition('.')[0].removesuffix('.d')}", package]


def is_named(name: str, searched_name: str) -> bool:
    """Returns True if the query is the name or its last parts: `Cart.add` for `a.Cart.add`."""
    return symbol_ends_with(
        normalize_symbol(name).casefold(), normalize_symbol(searched_name).casefold()
    )

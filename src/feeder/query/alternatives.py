"""Reads `OR` and parentheses: `(get OR fetch) "user id"`, `lang:go OR lang:rust`.

`OR` joins the two parts beside it, as in web search: `a OR b c` is `(a OR b) c`. Entry point:
`read_alternatives`. The Worker has the same in `alternatives.ts`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, product
from math import prod
from typing import Any, NamedTuple

from feeder.errors import UserError

OR, AND = "OR", "AND"

MAX_CLAUSES = 32
"""Conditions that the alternatives of a query may have: `(a "b") OR (c "d")` has four."""

TEXT_FIELDS = ("words", "phrases", "prefixes", "either")
"""Fields of `Query` whose values can be alternatives of each other."""

REPEATABLE_FIELDS = ("languages", "paths", "node_types", "symbols", "repos", "categories")
"""Fields of which one value is enough anyway."""

RELATION_OR = "\n"
"""Joins the alternatives of a filter by relations; no value of a query has a line end."""

Values = Mapping[str, Sequence[Any]]
"""The values of a part of a query, by the field of `Query`."""


class _Part(NamedTuple):
    """A token or a group: its values, and the text as typed for errors."""

    values: Values
    typed: str


class _Group:
    """The parts between two parentheses, or of the whole query, in chains joined by `OR`."""

    def __init__(self) -> None:
        self._chains: list[list[_Part]] = []
        self._is_joining = False

    def add(self, part: _Part) -> None:
        if self._is_joining:
            self._chains[-1].append(part)
        else:
            self._chains.append([part])
        self._is_joining = False

    def add_operator(self, typed: str) -> None:
        """Adds `OR` or `AND`, which is a word where no part is before it."""
        if not self._chains or self._is_joining:
            self.add(_Part({"words": [typed]}, typed))
        else:
            self._is_joining = typed == OR

    def values(self) -> dict[str, list[Any]]:
        """The values of all parts; an `OR` that nothing follows is a word."""
        merged: defaultdict[str, list[Any]] = defaultdict(list)
        for parts in self._chains:
            for field, values in (_join(parts) if len(parts) > 1 else parts[0].values).items():
                merged[field] += values
        if self._is_joining:
            merged["words"].append(OR)
        return merged

    @property
    def typed(self) -> str:
        """The group as typed, with its parentheses."""
        chains = (f" {OR} ".join(part.typed for part in parts) for parts in self._chains)
        return f"({' '.join(chains)})"


def read_alternatives(
    text: str, token: re.Pattern[str], parse: Callable[[str], Values]
) -> dict[str, list[Any]]:
    """The values of a query with `OR`, by field; `either` has the texts of which one is required.

    `token` finds a text in quotes or slashes, also before a closing parenthesis, and `parse` reads
    a token. Raises UserError for unbalanced parentheses, and for alternatives of different kinds.
    """
    groups = [_Group()]
    for typed in _tokens(text, token):
        if typed == "(":
            groups.append(_Group())
        elif typed == ")":
            inner = groups.pop()
            if values := inner.values():
                groups[-1].add(_Part(values, inner.typed))
        elif typed in (OR, AND):
            groups[-1].add_operator(typed)
        else:
            groups[-1].add(_Part(parse(typed), typed))
    values = groups[0].values()
    if len(patterns := values.get("regex", [])) > 1:  # as without OR
        values["words"] += [f"/{pattern}/" for pattern in patterns[1:]]
        del patterns[1:]
    return values


def _tokens(text: str, token: re.Pattern[str]) -> Iterator[str]:
    """Yields tokens and grouping parentheses.

    Parentheses in code, as in `f(x)`, stay in their token.
    """
    opened: list[str] = []  # "(" for a group, else the word with the parenthesis
    at = 0
    while at < len(text):
        if text[at] == " ":
            at += 1
        elif text[at] == "(" and text[at + 1 : at + 2] != ")":
            opened.append("(")
            yield "("
            at += 1
        elif text[at] == ")" and (not opened or opened[-1] == "("):
            if not opened:
                raise _unbalanced("A closing parenthesis has no opening one")
            opened.pop()
            yield ")"
            at += 1
        else:
            match = token.match(text, at)
            end = match.end() if match and match["bare"] is None else _word_end(text, at, opened)
            yield text[at:end]
            at = end
    if "(" in opened:
        raise _unbalanced("A parenthesis is not closed")


def _word_end(text: str, start: int, opened: list[str]) -> int:
    """The end of a word: a space, or the parenthesis that closes a group."""
    for at in range(start, len(text)):
        if text[at] == " ":
            return at
        if text[at] == "(":
            opened.append("f(")
        elif text[at] == ")":
            if not opened or opened[-1] == "(":
                return at
            opened.pop()
    return len(text)


def _unbalanced(problem: str) -> UserError:
    return UserError(
        f"{problem}: a query with OR needs balanced parentheses.",
        'Add the missing one, or put code in double quotes: "f(a, b".',
    )


def _join(parts: Sequence[_Part]) -> Values:
    """The values of alternatives; words alone need no condition, since they rank."""
    alternatives = [part.values for part in parts]
    fields = {field for part in alternatives for field in part}
    values = [value for part in alternatives for given in part.values() for value in given]
    if len(fields) == 1 and fields <= {"words", *REPEATABLE_FIELDS}:
        return dict.fromkeys(fields, values)
    if fields <= {*TEXT_FIELDS}:
        return {"either": _clauses(list(map(_conditions, alternatives)))}
    if fields == {"regex"}:
        return {"regex": ["|".join(values)]}
    names = {str(value).partition(":")[0] for value in values}
    if fields == {"relations"} and len(names) == 1 and len(values) == len(parts):
        return {"relations": [RELATION_OR.join(values)]}
    raise UserError(
        f"OR cannot join {' and '.join(part.typed for part in parts)}. It joins only words, "
        "phrases and prefixes, or filters of one kind.",
        "Write filters outside the parentheses, as in lang:go (get OR fetch).",
    )


def _conditions(part: Values) -> list[tuple[str, ...]]:
    """The conditions of an alternative, each with the texts of which one is enough."""
    prefixes = (f"{prefix}*" for prefix in part.get("prefixes", ()))
    texts = chain(part.get("words", ()), part.get("phrases", ()), prefixes)
    return [*((text,) for text in texts), *part.get("either", ())]


def _clauses(alternatives: Sequence[Sequence[tuple[str, ...]]]) -> list[tuple[str, ...]]:
    """The conditions that hold if all of one alternative hold: one of each, in every choice."""
    if prod(map(len, alternatives)) > MAX_CLAUSES:
        raise UserError("The query has too many alternatives.", "Search for fewer at once.")
    return [tuple(dict.fromkeys(chain(*choice))) for choice in product(*alternatives)]

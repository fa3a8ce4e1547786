"""Defines what a name may refer to, and how its language sees it from another file."""

import posixpath
import re
from collections.abc import Collection
from typing import NamedTuple

from feeder.escaping import count_of
from feeder.traits import traits

COMMONJS_RECEIVERS = frozenset({"module", "exports", "module.exports"})
"""Receivers in JavaScript that are the module of the file itself."""

MODULE_EXPORTS = "module.exports"
"""The symbol of what a file of JavaScript exports as a whole, which only that file names so."""


def say_nothing_refers(definition: "Definition", lines: str = "", left_out: int = 0) -> str:
    """The answer if no site refers to a definition, or if its language has no relations.

    `lines` counts the lines of code with its name, empty if there is none: `21 lines of code`.
    """
    if reason := unindexed_references(definition):
        return f"What refers to {definition.symbol} is unknown: {reason}"
    if not lines:
        return f"Nothing in the index refers to {definition.symbol}."
    have = "has" if lines.startswith("1 ") else "have"
    end = f"{lines} {have} the name{say_left_out(left_out)}."
    return f"No resolved reference to {definition.symbol}; {end}"


def say_left_out(left_out: int) -> str:
    """The end of an answer's counts: `; 12 left out because they mean something else`, or ""."""
    if not left_out:
        return ""
    meaning = "it means something else" if left_out == 1 else "they mean something else"
    return f"; {left_out:,} left out because {meaning}"


def say_unindexed(definition: "Definition") -> str:
    """The end of an answer's counts: `; Objective-C messages are not indexed`, or nothing."""
    reason = unindexed_references(definition)
    return f"; {reason.rstrip('.')}" if reason else ""


def say_no_references(name: str) -> str:
    """The answer for a local name, a section or a chunk, to which no reference is recorded."""
    return f"References to {name} are not indexed: it is a local name or not a declaration."


def say_none_listed(definition: "Definition", excluded: int) -> str:
    """The answer if a definition has references, but none of those that were asked for."""
    references = "the only reference" if excluded == 1 else f"all {excluded:,} references"
    return f"The filters exclude {references} to {definition.symbol}. Leave them out to list more."


def say_no_caller(definition: "Definition", excluded: int) -> str:
    """The answer if a definition has references, but none of them is a caller."""
    references = count_of(excluded, "reference")
    why = "imports, calls from itself, or calls that the filters exclude"
    return f"{definition.symbol} has {references}, but no caller: only {why}."


def say_nothing_implements(definition: "Definition") -> str:
    """The answer if nothing implements a definition, or if its language has no relations."""
    if reason := _unindexed_relations(definition.language, has_some=definition.has_relations):
        return f"What implements {definition.symbol} is unknown: {reason}"
    unseen = traits(definition.language).unseen_implementations
    return f"Nothing in the index implements {definition.symbol}. {unseen}".rstrip()


def say_refers_to_nothing(name: str, reason: str) -> str:
    """The answer if a node or a file refers to nothing, or why its references are not indexed."""
    if reason:
        return f"What {name} refers to is unknown: {reason}"
    return f"{name} refers to nothing that the index defines."


def unindexed_references(definition: "Definition") -> str:
    """Why the index has not all references to a definition; empty if it has."""
    if not re.search(r"\w", definition.name):
        return _UNINDEXED_OPERATORS
    if definition.is_type and "[" in definition.name:  # given Show[Item] with …
        return _UNINDEXED_INSTANCES
    own = traits(definition.language)
    if own.unindexed_members and definition.owner and not definition.is_type:
        return own.unindexed_members
    for calls, pattern in own.syntax_calls.items():
        if not definition.is_type and re.search(pattern, definition.signature or definition.name):
            return f"{calls} are not indexed."
    return _unindexed_relations(definition.language, has_some=definition.has_relations)


def unindexed_uses(language: str, *, has_some: bool) -> str:
    """Why the index has not all that code of a language refers to; empty if it has.

    `has_some` tells whether the index has relations of the file. A function of Objective-C may send
    messages too.
    """
    return traits(language).unindexed_members or _unindexed_relations(language, has_some=has_some)


_UNINDEXED_OPERATORS = "uses of operators are not indexed."

_UNINDEXED_INSTANCES = "implicit uses of instances without a name are not indexed."


def _unindexed_relations(language: str | None, *, has_some: bool) -> str:
    """Returns why nothing is known of the relations of a language; empty if they are indexed.

    A grammar file of a user may add them: then the index has some.
    """
    if language and traits(language).only_imports:
        return f"of {language}, only imports are indexed."
    if not language or has_some or traits(language).has_relations:
        return ""
    return f"relations of {language} are not indexed, unless a grammar file adds them."


class Definition(NamedTuple):
    """A definition that names may refer to.

    - `owner`: the symbol of the type around it; empty for a name of a module or package.
    - `is_local`: no other file can refer to it by this name: what is private to its file, a static
      function of C outside of headers, `module.exports` of JavaScript.
    - `is_extension`: a function of Kotlin that extends a type, which is part of its symbol. It is
      imported from its package, like other functions.
    - `is_abstract`: a method of an interface of Go.
    - `package_name`: the package of a constant or variable, whose symbol does not have it; empty
      for other definitions, and if the file does not tell.
    - `is_function`: a function or method, and no field, constant or type.
    - `is_everywhere`: visible without an import where others are not: a macro of Rust.
    - `own_lines`: the lines that declare a member which has no node of its own.
    - `signature`: the declaration of a function or method.
    - `has_relations`: the index has relations of its file; set only in answers.
    """

    path: str
    language: str
    symbol: str
    name: str
    owner: str
    is_type: bool
    is_local: bool = False
    is_extension: bool = False
    is_abstract: bool = False
    package_name: str = ""
    is_function: bool = False
    is_everywhere: bool = False
    own_lines: frozenset[int] = frozenset()
    signature: str = ""
    has_relations: bool = False

    @property
    def package(self) -> str:
        """The qualifier of names of the file, such as `acme.shop`; may be empty."""
        return self.package_name or (self.owner or self.symbol).rpartition(".")[0]

    @property
    def is_variable(self) -> bool:
        """Tells whether it is a variable, constant or macro of a file or a package."""
        return not (self.owner or self.is_type or self.is_function)

    def is_in_package(self, package: str) -> bool:
        """Tells whether a package has it; the extended type of an extension has unknown parts."""
        if self.is_extension:
            return self.symbol.startswith(f"{package}.")
        return package == self.package


def type_of(path: str, symbol: str, language: str) -> Definition:
    """A type of a symbol; what stands before its name counts as a type around it."""
    outer, _, name = symbol.rpartition(".")
    return Definition(path, language, symbol, name, outer, is_type=True)


def in_same_package(path: str, package: str, definition: Definition) -> bool:
    """Tells whether a file of a package sees the definition without an import."""
    scope = traits(definition.language).package_scope
    if scope == "folder":
        return posixpath.dirname(path) == posixpath.dirname(definition.path)
    return scope == "package" and bool(package) and definition.is_in_package(package)


def in_no_package(package: str, definition: Definition) -> bool:
    """Tells whether neither a file nor a definition is in a package; PHP then looks there anyway.

    A type that is nested in another one has that as its package.
    """
    own = traits(definition.language)
    is_outside = not package or bool(own.variable_sigil)
    return own.package_scope == "package" and is_outside and not definition.package


def nearest_symbol(around: str, name: str, symbols: Collection[str]) -> str:
    """The symbol that a name means by the innermost of the modules around its site; empty for none.

    `Base` in `Shop.Cart.add` is `Shop.Base`, if there is no `Shop.Cart.add.Base` or
    `Shop.Cart.Base`, and the outermost `Base` otherwise.
    """
    outer = around
    while outer:
        if (symbol := f"{outer}.{name}") in symbols:
            return symbol
        outer = outer.rpartition(".")[0]
    return name if name in symbols else ""

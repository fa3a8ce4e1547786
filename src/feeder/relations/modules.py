"""Defines what a name may refer to, and how its language sees it from another file."""

import posixpath
from typing import NamedTuple

PACKAGE_LANGUAGES = frozenset(
    {"java", "kotlin", "scala", "groovy", "csharp", "php", "go", "swift", "dart"}
)
"""Languages in which the files of a package or folder see each other's names without an import."""

GLOBAL_LANGUAGES = frozenset(
    {"c", "cpp", "objc", "ruby", "swift", "pascal", "groovy", "csharp", "dart"}
)
"""Languages in which a name is visible without an import of that name."""

IMPLICIT_RECEIVER_LANGUAGES = frozenset(
    {"java", "kotlin", "scala", "groovy", "csharp", "cpp", "swift", "dart", "ruby", "pascal"}
)
"""Languages in which a method calls another one of its type without a receiver."""

METHOD_FIRST_LANGUAGES = frozenset({"java", "kotlin", "groovy", "php"})
"""Languages in which a call `f()` looks for a method first, even if a variable is called `f`."""

RELATION_LANGUAGES = frozenset(
    {
        *("c", "cpp", "csharp", "dart", "go", "groovy"),
        *("html", "java", "javascript", "kotlin", "objc", "pascal"),
        *("php", "python", "ruby", "rust", "scala", "svelte"),
        *("swift", "tsx", "typescript", "vue"),
    }
)
"""Languages whose relations are indexed without a grammar file of one's own."""

C_LANGUAGES = frozenset({"c", "cpp", "objc"})

SCRIPTS = frozenset({"typescript", "tsx", "javascript", "vue", "svelte"})

COMMONJS_RECEIVERS = frozenset({"module", "exports", "module.exports"})
"""Receivers in JavaScript that are the module of the file itself."""

MODULE_EXPORTS = "module.exports"
"""The symbol of what a file of JavaScript exports as a whole, which only that file names so."""


def say_nothing_refers(definition: "Definition") -> str:
    """The answer if no site refers to a definition, or if its language has no relations."""
    reason = _unindexed_relations(definition.language)
    if definition.language == "objc" and definition.owner and not definition.is_type:
        reason = _UNINDEXED_MESSAGES
    if reason:
        return f"What refers to {definition.symbol} is unknown: {reason}"
    return f"Nothing in the index refers to {definition.symbol}."


def say_nothing_implements(definition: "Definition") -> str:
    """The answer if nothing implements a definition, or if its language has no relations."""
    if reason := _unindexed_relations(definition.language):
        return f"What implements {definition.symbol} is unknown: {reason}"
    return f"Nothing in the index implements {definition.symbol}."


def say_refers_to_nothing(name: str, language: str) -> str:
    """The answer if a node or a file refers to nothing, or if its references are not indexed.

    A function of Objective-C may send messages too.
    """
    reason = _UNINDEXED_MESSAGES if language == "objc" else _unindexed_relations(language)
    if reason:
        return f"What {name} refers to is unknown: {reason}"
    return f"{name} refers to nothing that the index defines."


_UNINDEXED_MESSAGES = "messages of Objective-C are not indexed."


def _unindexed_relations(language: str | None) -> str:
    """Returns why nothing is known of the relations of a language; empty if they are indexed."""
    if not language or language in RELATION_LANGUAGES:
        return ""
    return f"relations of {language} are not indexed, unless a grammar file adds them."


QUALIFIED_LANGUAGES = PACKAGE_LANGUAGES - {"go", "swift", "dart"}
"""Languages in which an imported module is the beginning of a symbol."""


class Definition(NamedTuple):
    """A definition that names may refer to.

    `owner` is the symbol of the type around it, empty for a name of a module or package. A static
    function of C, outside of headers, is local, and so is `module.exports` of JavaScript: no other
    file can refer to it by this name. An extension of
    Kotlin is imported from its package like a function; its symbol has the extended type. A method
    of an interface of Go is abstract. `package_name` is that of a constant or variable of Go, whose
    symbol has none; empty if no symbol of its file has it.
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

    @property
    def package(self) -> str:
        """The qualifier of names of the file, such as `acme.shop`; may be empty."""
        return self.package_name or (self.owner or self.symbol).rpartition(".")[0]

    def is_in_package(self, package: str) -> bool:
        """Tells whether a package has it; the extended type of an extension has unknown parts."""
        if self.is_extension:
            return self.symbol.startswith(f"{package}.")
        return package == self.package


def in_same_package(path: str, package: str, definition: Definition) -> bool:
    """Tells whether a file of a package sees the definition without an import."""
    if definition.language == "go":
        return posixpath.dirname(path) == posixpath.dirname(definition.path)
    if definition.language in PACKAGE_LANGUAGES:
        return bool(package) and definition.is_in_package(package)
    return False

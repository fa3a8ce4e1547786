"""Which nodes of a name are no definition of their own: a declaration in a header, a constructor, a
section, a call that its argument names.
"""

import re
from collections.abc import Sequence, Set

from feeder.nodes import Node
from feeder.ranking.name_matching import DECLARATION_SUFFIXES
from feeder.store.hits import Hit
from feeder.traits import traits

DEFINED_IN_HEADER_PATTERN = re.compile(r"\b(?:static|inline|constexpr|template)\b")
"""A word in the signature of a function of C or C++ whose body is in the header."""

QUOTES = ('"', "'", "`")

CALL_PATTERN = re.compile(
    r"""(?:var _ = )?[^ (<`"'@\[]*(?:[(<`].*[)>`] ?[^ (<`"'@\[]*)?\( ?(?:"[^"]*|'[^']*|`[^`]*)"""
)
"""A signature that begins with a call, up to a place in the string that is its first argument.

Of several calls, as in `it.each([1])("add", …)` or `$(form).on("add", …)`, the last has the string.
"""


def without_sections_and_constructors(hits: Sequence[Hit]) -> Sequence[Hit]:
    """The nodes of code, if there are any; of a class and its constructor only the class.

    Nodes that are named by an argument, such as tests, count only if there are no others.
    """
    code = [hit for hit in hits if hit.symbol or not hit.logical_path] or hits
    code = [hit for hit in code if not is_named_by_argument(hit)] or code
    classes = {(hit.path, hit.symbol) for hit in code if hit.node_type == "class"}
    return [hit for hit in code if (hit.path, _constructed_symbol(hit)) not in classes]


def without_declarations(hits: Sequence[Hit]) -> Sequence[Hit]:
    """Drops declarations in headers and stub files if the definition itself is a hit too."""
    defined = {
        (hit.symbol, hit.node_type)
        for hit in hits
        if not hit.path.endswith(DECLARATION_SUFFIXES) and not _has_internal_linkage(hit)
    }
    stems = {file_stem(hit.path) for hit in hits if not hit.path.endswith(DECLARATION_SUFFIXES)}
    return [
        hit
        for hit in hits
        if (hit.symbol, hit.node_type) not in defined or not _declares(hit, stems)
    ]


def _declares(hit: Hit, stems: Set[str]) -> bool:
    """Tells whether a node of a header or a stub file declares what a file of these stems defines.

    A header may also define: types, inline functions, and members of a class of its own.
    """
    if not hit.path.endswith(DECLARATION_SUFFIXES):
        return False
    if traits(hit.language).family != "c":
        return True
    is_member = "." in (hit.symbol or "")
    defines = DEFINED_IN_HEADER_PATTERN.search(hit.signature or "")
    return (
        hit.node_type == "method"
        and not defines
        and (not is_member or file_stem(hit.path) in stems)
    )


def _has_internal_linkage(hit: Hit) -> bool:
    """Tells whether a function of C is known in its file alone."""
    return traits(hit.language).family == "c" and (hit.signature or "").startswith("static ")


def file_stem(path: str) -> str:
    """A file's name up to its first dot: `cart` for `shop/cart.h` and `shop/cart.cc`."""
    return path.rpartition("/")[2].partition(".")[0]


def _constructed_symbol(hit: Hit) -> str:
    """The class of a constructor that is called like it, as `Cart` of `Cart.Cart`."""
    outer, _, name = (hit.symbol or "").rpartition(".")
    return outer if outer.rpartition(".")[2] == name else ""


def is_named_by_argument(node: Hit | Node) -> bool:
    """Tells whether a node is a call with a block, such as `describe "add" do` or `it("add", …)`.

    Its argument is its name in the index, but code with that name does not refer to it.
    """
    signature = node.signature
    if node.node_type != "method" or not signature:
        return False
    if defining_calls := traits(node.language).defining_calls:
        return not re.match(defining_calls, signature)
    name = (node.symbol or "").rpartition(".")[2] or "."  # a sentence may end with a dot
    return any(
        f"{name}{quote}" in signature
        and CALL_PATTERN.fullmatch(signature.partition(f"{name}{quote}")[0])
        for quote in QUOTES
    )

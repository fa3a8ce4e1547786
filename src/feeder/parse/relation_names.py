"""Reads names, receivers and modules in the source of an identifier or expression, and makes the
relations of them.

Results are cached by source, which repeats within a file and from file to file.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from feeder.relation import CALL, IMPORT, LITERAL, MENTION, USE, encode_import, encode_relation

NAME_LIMIT = 100
"""Maximum bytes of a name; a longer one is no relation."""

MODULE_LIMIT = 200
"""Maximum bytes of an imported module; a longer one is no relation."""

RECEIVER_LIMIT = 60
"""Maximum bytes of a receiver as written; a longer one is an expression."""

EXPRESSION = "?"
"""The receiver of a call on the value of an expression."""

ACCESS_LIMIT = NAME_LIMIT + RECEIVER_LIMIT
"""Maximum bytes that are read at the end of an expression."""

CACHE_SIZE = 4_000
"""Distinct expressions whose relation is cached from file to file."""

_NAME = re.compile(r"[^\W\d][\w$]*[?!]?|\$[\w$]*")
_PLAIN_ACCESS = re.compile(
    rb"([A-Za-z_$][A-Za-z0-9_$]*(?:\.[A-Za-z0-9_$]+)*)\.([A-Za-z_][A-Za-z0-9_]*).", re.DOTALL
)
"""Names with dots, whose last one is not empty, and the byte that follows: most expressions."""
_LAST_NAME = re.compile(rb"@?[\w$\x80-\xff]+[?!]?\Z|`[^`]+`\Z")
WORD = re.compile(rb"[\w$\x80-\xff]+")
SEPARATOR_ENDS = frozenset(b".:>\\")
SIGIL = ord("$")
"""Precedes the name of a static property of PHP: `Cart::$total`."""
NAME_STARTS = SEPARATOR_ENDS | {SIGIL}
DOT = ord(".")
QUOTE = b"`"
"""Surrounds a name that would be a keyword: `type` in Kotlin, Scala and Swift."""
RANGE = b".."
_START = re.compile(rb"[)\]}\"']\Z")
"""The end of an expression before `..`."""
SPREAD = b"..."
"""Precedes what is spread or repeated: `...items`, `func add(items ...Item)`."""
PRECEDING = {ord(">"): b"-", ord(":"): b":"}
"""The first byte of a separator of two, by the second one."""
_BARE = re.compile(rb"(?:\A|[\s(,=&|!?:+\-*/%<\[{;])\Z")
"""What precedes a name that has `::` before it and no receiver."""
_ROOT = re.compile(rb"(?:(?<=[\s(,=&|!?+\-*/%<\[{;])|\A)(?:::|\\)(?=\w)")
"""The separator before a name of the outermost module: `::shop::add`, `\\Shop\\add`."""
_OWN_CRATE = b"$crate::"
"""The crate of a macro, in its text."""
_NUMBER = re.compile(rb"(?:\A|[^\w.)\]])\d+(?:\.\d+)?\Z")
"""A number at the end, but not the field of a tuple: `pair().0`."""
OPENING = ord("(")
_SEPARATORS = (b"?.", b"!!.", b"!.", b"&.", b"->", b"::", b"\\", b".")
_CLOSING = (b")", b"]", b"}", b'"', b"'", b"`", b">")
_BLANKED = bytes(
    code if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "_$.") else 32
    for code in range(256)
)
"""Replaces all but ASCII letters, digits, `_`, `$` and `.` by blanks."""


NOTHING = "!"
"""What an import names that loads a file and binds no name of it."""

Value = TypeVar("Value")


class CapturedRelation(NamedTuple):
    """A relation as a node has it: `text` is its encoding up to the lines."""

    kind: str
    name: str
    text: str

    @property
    def qualifier(self) -> str:
        """What the name belongs to, such as a receiver or a module; may be empty."""
        return self.text[len(self.name) + 2 : -1]


Site = tuple[int, CapturedRelation]
"""A byte offset and the relation there. Files have thousands, so it is no named tuple."""


def bound_names(relation: CapturedRelation) -> Iterator[str]:
    """Yields the name that an import binds; other relations bind none."""
    if relation.kind == IMPORT:
        yield relation.text.partition("=")[2].rstrip(":") or relation.name


@lru_cache(CACHE_SIZE)
def relation_of(kind: str, name: str, qualifier: str) -> CapturedRelation:
    """The relation of a name that has been checked."""
    return CapturedRelation(kind, name, encode_relation(name, kind, qualifier))


@lru_cache(CACHE_SIZE)
def named_relation(kind: str, source: bytes, receiver: str) -> CapturedRelation | None:
    """The relation of an identifier; None if it is no name, or a type of one letter alone."""
    name = checked_name(source)
    is_letter = kind == USE and len(name) == 1 and not receiver
    return relation_of(kind, name, receiver) if name and not is_letter else None


def _access(source: bytes) -> tuple[int, CapturedRelation | None]:
    """The relation of an expression that ends with a name, and the bytes of that name.

    `source` has one byte more: a `(` makes it a call. None without a name or a receiver.
    """
    is_call = source.endswith(b"(")
    plain = _PLAIN_ACCESS.fullmatch(source)
    if plain and plain.end(1) < RECEIVER_LIMIT and plain.end() - plain.end(1) <= NAME_LIMIT:
        receiver, name = plain[1].decode(), plain[2].decode()
        kind = CALL if is_call else MENTION
        return len(name), CapturedRelation(kind, name, encode_relation(name, kind, receiver))
    if not (match := _LAST_NAME.search(source[:-1])):
        return 0, None
    name = checked_name(match[0])
    receiver = receiver_of(source[: match.start()][-RECEIVER_LIMIT:])
    relation = relation_of(CALL if is_call else MENTION, name, receiver) if name else None
    return len(match[0]), relation


@lru_cache(CACHE_SIZE)
def checked_name(source: bytes) -> str:
    """The name as text; empty if it is none, or too long."""
    name = source.decode("utf-8", "replace").lstrip("@").strip("`")
    is_name = len(source) <= NAME_LIMIT and (name.isidentifier() or _NAME.fullmatch(name))
    return name if is_name else ""


def _declared_name(source: bytes) -> str:
    source = source.partition(b"<")[0].rstrip(b"?!")
    if name := checked_name(source):
        return name
    if any(bracket in source for bracket in (b"(", b"[", b"{")):
        return ""
    words = WORD.findall(source)
    return checked_name(words[-1]) if words else ""


@lru_cache(CACHE_SIZE)
def called_name(source: bytes) -> str:
    """`shop.NewCart()` of a called function; empty for another expression."""
    is_name = len(source) < RECEIVER_LIMIT and all(map(checked_name, source.split(b".")))
    return f"{source.decode()}()" if is_name else ""


@lru_cache(CACHE_SIZE)
def module_path(source: bytes) -> str:
    """A module's name without quotes and blanks, with dots for other separators of names."""
    if len(source) > MODULE_LIMIT:
        return ""
    text = "".join(source.decode("utf-8", "replace").split()).strip("\"'`<>")
    return text.replace("::", ".").replace("\\", ".")


@lru_cache(CACHE_SIZE)
def path_offsets(source: bytes) -> Sequence[int]:
    """The offsets of the names in an imported path."""
    return [match.start() for match in WORD.finditer(source)]


@lru_cache(CACHE_SIZE)
def import_relation(
    module_source: bytes | None,
    name_source: bytes | None,
    alias_source: bytes,
    imported: str | None,
    prefix: str,
) -> tuple[CapturedRelation | None, bytes]:
    """The relation of an import and the name that it gives the file; None without a name."""
    module = "" if module_source is None else module_path(module_source)
    if module and prefix:
        module = prefix + module.lstrip("/")
    alias = checked_name(alias_source)
    if imported is not None:
        name = imported
    else:
        name = "" if name_source is None else module_path(name_source)
    if module_source is None and "." in name:
        module, _, name = name.rpartition(".")
    if not (name or module):
        return None, b""
    return relation_of(IMPORT, name, encode_import(module, alias)), (alias or name).encode()


def receiver_of(before: bytes) -> str:
    """The receiver at the end of the bytes before a name.

    A dotted name, the name of a constructed type with `()`, `LITERAL`, or `?` for another
    expression; empty without a separator, as in a range of numbers.
    """
    names = before.translate(_BLANKED).rpartition(b" ")[2]
    if names[:1].isalpha() and names[-1:] == b"." and b".." not in names:
        length = len(names)
        if length == len(before) or before[-length - 1] not in SEPARATOR_ENDS:
            return names[:-1].decode()
    before = before.rpartition(SPREAD)[2].rstrip()
    if before.endswith(RANGE):
        return _start_of_range(before[: -len(RANGE)].rstrip())
    separator = next(filter(before.endswith, _SEPARATORS), b"")
    before = before[: len(before) - len(separator)]
    if not separator or (separator == b"::" and _BARE.search(before)):
        return ""  # add, ::add
    before = before.rstrip()
    if _is_literal(before):
        return LITERAL
    if before[-1:] in _CLOSING:
        opening = before.rfind(b"(")
        is_plain = before[-1:] == b")" and b")" not in before[opening:-1]
        name = before[: max(0, opening)].translate(_BLANKED).rpartition(b" ")[2]
        name = name.rpartition(b".")[2]
        is_type = name[:1].isupper() or name == b"super"
        return f"{name.decode()}()" if is_plain and is_type else EXPRESSION
    before = _ROOT.sub(b"", before).replace(_OWN_CRATE, b"crate::")
    for separator in _SEPARATORS:
        before = before.replace(separator, b".")
    names = before.translate(_BLANKED).rpartition(b" ")[2]
    return names.decode() if names[:1].isalpha() or names[:1] in (b"_", b"$") else EXPRESSION


def _start_of_range(before: bytes) -> str:
    """The receiver before `..` with a dot behind it; empty for a number, or without a start.

    `start..size()` is a range, but `cart..add()` of Dart calls a member of `cart`.
    """
    if _START.search(before):
        return f"{EXPRESSION}{chr(DOT)}"
    names = before.translate(_BLANKED).rpartition(b" ")[2]
    return f"{names.decode()}." if names[:1].isalpha() or names[:1] == b"_" else ""


def _is_literal(before: bytes) -> bool:
    """Tells whether a string or a number precedes a separator; a name of OCaml may end with `'`."""
    last = before[-1:]
    if last in (b'"', b"'"):
        return last in before[:-1]
    return last.isdigit() and bool(_NUMBER.search(before))


class Cache(dict[bytes, Value]):
    """Results of a function by source, which serve all files of a process.

    A dict with `__missing__` is faster than `lru_cache`.
    """

    def __init__(self, function: Callable[[bytes], Value]) -> None:
        self._function = function

    def __missing__(self, source: bytes) -> Value:
        if len(self) == CACHE_SIZE:
            self.clear()
        value = self[source] = self._function(source)
        return value


accesses = Cache(_access)
declared_names = Cache(_declared_name)

"""Reads the queries of a language (`*.scm`): comments, named expressions, and the category of each.

`$place = [(program) (block)]` names an expression, and `$place` stands for it in what follows.
`include "../ecmascript/nodes.scm"` stands for what another file has: its patterns and its names.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from feeder.errors import UserError, os_reason

GUIDE = "languages/README.md of feeder's repository"
"""Describes how to write a language; it is not installed."""

CORRECT_IT = f"Correct it. The format is described in {GUIDE}."

CATEGORIES = (
    "Package",
    "Namespace",
    "Type",
    "Method",
    "Call",
    "Object",
    "Member",
    "Closure",
    "Doc",
    "Section",
    "Embedded",
    "Part",
    "Relation",
)
"""Categories of queries, in the order in which the queries of a language are joined."""

_CATEGORY_OF_CAPTURE = {
    "package": "Package",
    "namespace": "Namespace",
    "type": "Type",
    "method": "Method",
    "call": "Call",
    "object": "Object",
    "holder": "Object",
    "member": "Member",
    "closure": "Closure",
    "doc": "Doc",
    "embedded": "Embedded",
    "expression": "Embedded",
    "component": "Embedded",
    "part": "Part",
    **dict.fromkeys(
        ("h1", "h2", "h3", "h4", "h5", "h6", "anchor", "codeblock", "table", "inset"), "Section"
    ),
}
"""The category of a pattern in `nodes.scm`, by the capture that says what it finds."""

_TOKEN = re.compile(
    r'(?P<blank>\s+|;[^\n]*)|(?P<text>"(?:[^"\\]|\\.)*"|\$\w+|[()\[\]]|[^\s()\[\]";$]+)|(?P<bad>.)'
)
_NAME = re.compile(r"\$\w+")
_INCLUDE = "include"
_OPENING, _CLOSING = frozenset("(["), {"(": ")", "[": "]"}
_QUANTIFIERS = frozenset("?*+")


class Token(NamedTuple):
    """A word of a query and the line it stands in; that of a name's use, if it is from a name."""

    text: str
    line: int


class Pattern(NamedTuple):
    """One pattern of a query file: `words` are its tokens with all names replaced."""

    path: Path
    category: str
    words: Sequence[Token]

    @property
    def text(self) -> str:
        """The pattern on one line, as `grammar_queries.json` has it: `(class name: (_) @name)`."""
        text, last = "", ""
        for word, _ in self.words:
            touches = not last or last in _OPENING or word in {")", "]"} or word in _QUANTIFIERS
            text += word if touches else f" {word}"
            last = word
        return text


def read_patterns(path: Path) -> list[Pattern]:
    """Reads a query file and what it includes; raises UserError with the line of what is wrong.

    All patterns of `relations.scm` have the category `Relation`.
    """
    return list(_read_file(path, {}, ()))


def _read_file(
    path: Path, names: dict[str, Sequence[Token]], including: Sequence[Path]
) -> Iterator[Pattern]:
    """Yields the patterns of a file, and adds what it names to `names`."""
    for expression in _expressions(path, list(_tokens(path))):
        first = expression[0]
        if first.text == _INCLUDE:
            included = path.parent / _included_name(path, expression)
            if included.resolve() in {file.resolve() for file in (path, *including)}:
                raise query_error(path, first.line, f"{included} includes itself")
            yield from _read_file(included, names, (path, *including))
            continue
        if len(expression) > 1 and expression[1].text == "=":
            if first.text in names:
                raise query_error(path, first.line, f"{first.text} is defined twice")
            names[first.text] = _replace_names(path, expression[2:], names)
            continue
        words = _replace_names(path, expression, names)
        category = "Relation" if path.stem == "relations" else _category(words)
        if not category:
            problem = "this pattern captures nothing of a kind such as @type or @method"
            raise query_error(path, first.line, problem)
        yield Pattern(path, category, words)


def _included_name(path: Path, expression: Sequence[Token]) -> str:
    name = _text_at(expression, 1)
    if name[:1] != '"' or len(expression) != 2:
        raise query_error(path, expression[0].line, 'a file in quotes is missing after "include"')
    return name[1:-1]


def query_error(path: Path, line: int, problem: str) -> UserError:
    """An error at a line of a language's folder."""
    return UserError(f"{path}:{line}: {problem}.", CORRECT_IT)


def _tokens(path: Path) -> Iterator[Token]:
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError) as exc:
        raise UserError(
            f"{path} cannot be read: {os_reason(exc)}.",
            CORRECT_IT,
        ) from exc
    line = 1
    for match in _TOKEN.finditer(text):
        if match["bad"]:
            raise query_error(path, line, f"{match['bad']!r} is no part of a query")
        if match["text"]:
            yield Token(match["text"], line)
        line += match[0].count("\n")


def _expressions(path: Path, tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Splits a file into patterns and definitions, each with the captures behind it."""
    start = index = 0
    while start < len(tokens):
        index = _end_of_term(path, tokens, start)
        if tokens[start].text == _INCLUDE and _text_at(tokens, index)[0] == '"':
            index += 1
        if _NAME.fullmatch(tokens[start].text) and _text_at(tokens, index) == "=":
            index = _end_of_term(path, tokens, index + 1)
        while _text_at(tokens, index)[:1] in {"@", *_QUANTIFIERS}:
            index += 1
        yield tokens[start:index]
        start = index


def _text_at(tokens: Sequence[Token], index: int) -> str:
    return tokens[index].text if index < len(tokens) else " "


def _end_of_term(path: Path, tokens: Sequence[Token], start: int) -> int:
    """The index behind one term: a bracket with what it holds, a string or a name."""
    if start >= len(tokens):
        raise query_error(path, tokens[-1].line, "an expression is missing after '='")
    opened: list[Token] = []
    for index in range(start, len(tokens)):
        token = tokens[index]
        if token.text in _OPENING:
            opened.append(token)
        elif token.text in {")", "]"} and (not opened or _CLOSING[opened.pop().text] != token.text):
            raise query_error(path, token.line, f"'{token.text}' closes nothing")
        if not opened:
            return index + 1
    raise query_error(path, opened[-1].line, f"'{opened[-1].text}' is never closed")


def _replace_names(
    path: Path, words: Sequence[Token], names: Mapping[str, Sequence[Token]]
) -> Sequence[Token]:
    replaced: list[Token] = []
    for word in words:
        if not _NAME.fullmatch(word.text):
            replaced.append(word)
        elif word.text in names:
            replaced += (Token(inner.text, word.line) for inner in names[word.text])
        else:
            raise query_error(path, word.line, f"{word.text} is not defined above")
    return replaced


def _category(words: Sequence[Token]) -> str | None:
    categories = {_CATEGORY_OF_CAPTURE.get(word.text[1:]) for word in words if word.text[0] == "@"}
    return next(filter(categories.__contains__, CATEGORIES), None)

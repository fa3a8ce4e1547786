"""Generates queries from doc comments: each function is to be found once its comment is removed."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from feeder.nodes import Node
from feeder.parse.file_parser import parse_file
from feeder.parse.grammars import Grammars, load_grammars

SEED = 20261122
A_CORPUS = 100
"""Queries per corpus."""

_DOCSTRING = re.compile(r'(?<=:)(\s*)[rRuU]?("""|\'\'\')(?P<said>.*?)\2', re.DOTALL)
# `#[` is an attribute in Rust and PHP, `#!` begins a script, `#define` is code
_ABOVE = re.compile(
    r"(?P<said>(?:\s*(?:/\*.*?\*/|\{-.*?-\}|//[^\n]*|--[^\n]*|#(?![\[!]|[a-z]+\b)[^\n]*))+)"
    r"[ \t]*\n",
    re.DOTALL,
)
_SIGNS = re.compile(
    r"^\s*(?:/\*+!?|\*+/|\*+|//+!?|#+|--+ ?\|?|\{-+ ?\|?)|(?:\*+/|-\})\s*$", re.MULTILINE
)
_MARKUP = re.compile(r"<[^<>]*>|\{@\w+ ([^}]*)\}|[`*]")
_END = re.compile(r"(?<=[\w)])[.!?](?:\s|$)|\n\s*(?:\n|[@:\\]\w|-{3}|={3})")
_JUNK = re.compile(
    r"copyright|licen[sc]e|todo|fixme|inheritdoc|eslint|deprecated|^see\b|^[@:\\]", re.IGNORECASE
)


class Documented(NamedTuple):
    """Source files without doc comments, and the queries made from these comments."""

    files: dict[str, str]
    questions: list[dict[str, Any]]


def documented(repository: Path, paths: Iterable[str], seed: int = SEED) -> Documented:
    """Removes the doc comments of a repository's functions and draws queries from them.

    Files that are not UTF-8 are left out.
    """
    grammars = load_grammars(None)
    files, questions = {}, []
    for path, text in _texts(repository, paths):
        asked = dict(_asked(grammars, path, text))
        files[path] = _without(text, asked)
        questions += [_question(path, node, said) for node, (said, _) in asked.items()]
    # a query of two functions has no single right answer
    repeated = _repeated(questions)
    alone = [one for one in questions if one["query"] not in repeated]
    drawn = random.Random(seed).sample(alone, min(A_CORPUS, len(alone)))
    return Documented(files, drawn)


def first_sentence(comment: str) -> str | None:
    """Returns the first sentence of a doc comment; None if it is too short or not prose."""
    text = _MARKUP.sub(lambda found: found[1] or "", _SIGNS.sub("", comment)).strip()
    end = _END.search(text)
    said = " ".join(text[: end.start() if end else None].split()[:60])
    words = re.findall(r"[A-Za-z]{2,}", said)
    is_prose = len(words) >= 4 and sum(map(len, words)) > 0.55 * len(said.replace(" ", ""))
    return said if is_prose and not _JUNK.search(said) else None


def parted(language: str, text: str) -> tuple[str, str] | None:
    """Splits a function into doc comment and remaining code; None without a doc comment."""
    found = _DOCSTRING.search(text) if language == "python" else _ABOVE.match(text)
    return (found["said"], text[: found.start()] + text[found.end() :]) if found else None


def _texts(repository: Path, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    for path in paths:
        file = repository / path
        if file.is_file() and not file.is_symlink():
            try:
                yield path, file.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                continue


def _asked(grammars: Grammars, path: str, text: str) -> Iterator[tuple[Node, tuple[str, str]]]:
    """Yields each function with its query and its code without the doc comment.

    Skips tests, functions in several parts, and functions whose name or text occurs twice.
    """
    nodes = parse_file(grammars, path, text.encode()).nodes
    names = Counter(node.symbol for node in nodes)
    for node in nodes:
        is_one = names[node.symbol] == 1 and text.count(node.text) == 1
        if node.symbol and node.node_type == "method" and is_one and "test" not in path.lower():
            said, code = parted(node.language, node.text) or ("", "")
            if question := first_sentence(said):
                yield node, (question, code)


def _without(text: str, asked: dict[Node, tuple[str, str]]) -> str:
    for node, (_, code) in asked.items():
        text = text.replace(node.text, code)
    return text


def _question(path: str, node: Node, said: str) -> dict[str, Any]:
    answers = [{"path": path, "symbol": node.symbol}]
    return {"query": said, "answers": answers, "group": node.language}


def _repeated(questions: Iterable[dict[str, Any]]) -> set[str]:
    counts = Counter(one["query"] for one in questions)
    return {query for query, count in counts.items() if count > 1}

"""Generates queries from doc comments: the first sentence of a comment is the query, and the
function without its comment is the answer."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from feeder.nodes import Node
from feeder.parse.file_parser import parse_file
from feeder.parse.grammar_files import load_grammars
from feeder.parse.grammars import Grammars

SEED = 20261122
MAX_QUERIES = 100
"""Queries per corpus."""

_DOCSTRING = re.compile(r'(?<=:)(\s*)[rRuU]?("""|\'\'\')(?P<comment>.*?)\2', re.DOTALL)
# `#[` is an attribute in Rust and PHP, `#!` begins a script, `#define` is code
_COMMENT_ABOVE = re.compile(
    r"(?P<comment>(?:\s*(?:/\*.*?\*/|\{-.*?-\}|//[^\n]*|--[^\n]*|#(?![\[!]|[a-z]+\b)[^\n]*))+)"
    r"[ \t]*\n",
    re.DOTALL,
)
_COMMENT_MARKERS = re.compile(
    r"^\s*(?:/\*+!?|\*+/|\*+|//+!?|#+|--+ ?\|?|\{-+ ?\|?)|(?:\*+/|-\})\s*$", re.MULTILINE
)
_MARKUP = re.compile(r"<[^<>]*>|\{@\w+ ([^}]*)\}|[`*]")
_SENTENCE_END = re.compile(r"(?<=[\w)])[.!?](?:\s|$)|\n\s*(?:\n|[@:\\]\w|-{3}|={3})")
_BOILERPLATE = re.compile(
    r"copyright|licen[sc]e|todo|fixme|inheritdoc|eslint|deprecated|^see\b|^[@:\\]", re.IGNORECASE
)


class StrippedFiles(NamedTuple):
    """Source files without doc comments, and the queries made from these comments."""

    files: dict[str, str]
    queries: list[dict[str, Any]]


def remove_doc_comments(repository: Path, paths: Iterable[str], seed: int = SEED) -> StrippedFiles:
    """Removes the doc comments of a repository's functions and draws queries from them.

    Files that are not UTF-8 are left out.
    """
    grammars = load_grammars(None)
    files, queries = {}, []
    for path, text in _texts(repository, paths):
        functions = dict(_query_functions(grammars, path, text))
        files[path] = _replace_functions(text, functions)
        queries += [_query(path, node, query) for node, (query, _) in functions.items()]
    # a query of two functions has no single right answer
    repeated = _repeated_queries(queries)
    unique = [query for query in queries if query["query"] not in repeated]
    sample = random.Random(seed).sample(unique, min(MAX_QUERIES, len(unique)))
    return StrippedFiles(files, sample)


def first_sentence(comment: str) -> str | None:
    """Returns the first sentence of a doc comment; None if it is too short or not prose."""
    text = _MARKUP.sub(lambda match: match[1] or "", _COMMENT_MARKERS.sub("", comment)).strip()
    end = _SENTENCE_END.search(text)
    sentence = " ".join(text[: end.start() if end else None].split()[:60])
    words = re.findall(r"[A-Za-z]{2,}", sentence)
    is_prose = len(words) >= 4 and sum(map(len, words)) > 0.55 * len(sentence.replace(" ", ""))
    return sentence if is_prose and not _BOILERPLATE.search(sentence) else None


def split_doc_comment(language: str, text: str) -> tuple[str, str] | None:
    """Splits a function into doc comment and remaining code; None without a doc comment."""
    match = _DOCSTRING.search(text) if language == "python" else _COMMENT_ABOVE.match(text)
    return (match["comment"], text[: match.start()] + text[match.end() :]) if match else None


def _texts(repository: Path, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    for path in paths:
        file = repository / path
        if file.is_file() and not file.is_symlink():
            try:
                yield path, file.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                continue


def _query_functions(
    grammars: Grammars, path: str, text: str
) -> Iterator[tuple[Node, tuple[str, str]]]:
    """Yields each function with its query and its code without the doc comment.

    Skips tests, functions in several parts, and functions whose name or text occurs twice.
    """
    nodes = parse_file(grammars, path, text.encode()).nodes
    names = Counter(node.symbol for node in nodes)
    for node in nodes:
        is_one = names[node.symbol] == 1 and text.count(node.text) == 1
        if node.symbol and node.node_type == "method" and is_one and "test" not in path.lower():
            comment, code = split_doc_comment(node.language, node.text) or ("", "")
            if query := first_sentence(comment):
                yield node, (query, code)


def _replace_functions(text: str, functions: dict[Node, tuple[str, str]]) -> str:
    for node, (_, code) in functions.items():
        text = text.replace(node.text, code)
    return text


def _query(path: str, node: Node, query: str) -> dict[str, Any]:
    answers = [{"path": path, "symbol": node.symbol}]
    return {"query": query, "answers": answers, "group": node.language}


def _repeated_queries(queries: Iterable[dict[str, Any]]) -> set[str]:
    counts = Counter(query["query"] for query in queries)
    return {query for query, count in counts.items() if count > 1}

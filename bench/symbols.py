"""Counts the classes and methods of real repositories that the index has under their names.

    python bench/symbols.py CLONE … [--misses 20]

The reference for Python is `ast`, for TypeScript its compiler (found by NODE_PATH), and for the
other languages regular expressions. Only the main language of each clone is counted. A declaration
outside functions counts as indexed if a node has its name and contains its line.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from feeder.nodes import Node
from feeder.parse.decoding import decode_text
from feeder.parse.file_parser import parse_file
from feeder.parse.grammar_files import load_grammars
from feeder.source import DEFAULT_SIZES

HEAD = """\
| repository | language | counted by | classes | of them in the index | methods | in the index |
|---|---|---|---|---|---|---|
"""
SCRIPT = Path(__file__).with_name("symbols_typescript.cjs")


class Declaration(NamedTuple):
    """A declaration found by a reference tool; patterns find only the last part of the name."""

    path: str
    line: int
    kind: str
    name: str


Finder = Callable[[dict[str, str]], Iterable[Declaration]]

_STRINGS_AND_COMMENTS = re.compile(
    r'"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'|/\*(?:.|\n)*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\''
)
_KEYWORD = re.compile(
    "if|for|while|switch|catch|return|new|else|do|throw|await|yield|assert|using|lock|foreach|when|"
    "super|this|case|fixed|sizeof|typeof|nameof|defined|on|is|as|in|get|set|with"
)
_C_DECLARATION = r"^(?!typedef|#|else\b|return\b)[A-Za-z_][\w \t*]*?[ \t*]"
_MODIFIER = r"(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|"
_MODIFIER += r"sealed|partial|readonly|new|extern|unsafe|default|synchronized)\s+)"
PATTERNS = {
    "kotlin": (
        r"^\s*(?:(?:\w+|@\w+(?:\([^)\n]*\))?)\s+)*?(?:class|interface|object)\s+(\w+)",
        r"^\s*(?:(?:\w+|@\w+(?:\([^)\n]*\))?)\s+)*?fun\s+(?:<[^(\n]*>\s+)?(?:[\w.<>?*, ]+\.)?"
        r"(\w+)\s*\(",
    ),
    "java": (
        rf"^\s*{_MODIFIER}*(?:class|interface|enum|record|@interface)\s+([\w$]+)",
        rf"^\s*(?!new\b){_MODIFIER}+(?:<[^(\n]*>\s+)?(?:[\w<>\[\],.?& ]+\s)?(\w+)\s*\([^;=\n]*$",
    ),
    "csharp": (
        rf"^\s*{_MODIFIER}*(?:class|interface|enum|struct|record(?:\s+struct)?)\s+(\w+)",
        rf"^\s*(?!static\s+\w+\()(?![^(\n]*\b(?:class|struct|record)\b){_MODIFIER}+"
        r"(?:[\w<>\[\],.?() ]+\s)?(\w+)\s*(?:<[^(\n]*>)?\([^;=\n]*(?:$|=>)",
    ),
    "dart": (
        r"^\s*(?:(?:abstract|base|final|sealed|interface|mixin)\s+)*(?:class|mixin|enum|extension)"
        r"(?!\s+(?:class|on)\b)\s+([\w$]+)",
        r"^(?:  )?(?! )(?:(?:static|external)\s+)*(?:[\w.]+(?:<[^(\n]*>)?\??\s+)"
        r"(?:get\s+)?(?!Function\b)([\w$]+)(?:<[^(\n]*>)?\([^;\n]*(?:\{|=>|[(,])[^;\n]*$",
    ),
    "c": (
        r"^(?:struct|union|enum)\s+(\w+)\s*\{",
        rf"{_C_DECLARATION}(\w+)\((?!\()[^;{{}}\n]*(?:\n[^;{{}}\n]*){{0,6}}\{{",
    ),
    "go": (
        r"^type\s+(\w+)\s",
        r"^func\s+(?:\([^)\n]*\)\s*)?(\w+)\s*[(\[]",
    ),
    "ruby": (r"^\s*(?:class|module)\s+(?:\w+::)*(\w+)", r"^\s*def\s+(?:self\.)?(\w+[?!=]?)"),
}


def pattern_finder(language: str) -> Finder:
    """Returns a finder that matches two patterns in code with blanked strings and comments."""
    classes, methods = (re.compile(pattern, re.MULTILINE) for pattern in PATTERNS[language])

    def find(files: dict[str, str]) -> Iterator[Declaration]:
        for path, text in files.items():
            code = text if language == "ruby" else _STRINGS_AND_COMMENTS.sub(_blank, text)
            for kind, pattern in (("class", classes), ("method", methods)):
                for match in pattern.finditer(code):
                    if not _KEYWORD.fullmatch(match[1]):
                        yield Declaration(path, _line(code, match.start(1)), kind, match[1])

    return find


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def find_with_ast(files: dict[str, str]) -> Iterator[Declaration]:
    """Yields the declarations outside functions that Python's `ast` finds."""
    for path, text in files.items():
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        yield from _declarations(path, tree, ())


def _declarations(path: str, node: ast.AST, scope: tuple[str, ...]) -> Iterator[Declaration]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            kind = "class" if isinstance(child, ast.ClassDef) else "method"
            names = (*scope, child.name)
            yield Declaration(path, child.lineno, kind, ".".join(names))
            if kind == "class":
                yield from _declarations(path, child, names)
        else:
            yield from _declarations(path, child, scope)


def find_with_compiler(files: dict[str, str]) -> Iterator[Declaration]:
    """Yields the declarations outside functions that TypeScript's compiler finds."""
    output = subprocess.run(
        ["node", str(SCRIPT)], input=json.dumps(files), capture_output=True, text=True, check=True
    )
    for path, line, kind, name in json.loads(output.stdout):
        yield Declaration(path, line, kind, name)


FINDERS: dict[str, tuple[str, Finder]] = {
    "python": ("ast", find_with_ast),
    "typescript": ("its compiler", find_with_compiler),
    **{language: ("patterns", pattern_finder(language)) for language in PATTERNS},
}


def is_indexed(declaration: Declaration, nodes: Iterable[Node]) -> bool:
    """Returns True if a node has this kind and name and contains the line.

    The node's symbol may have a prefix, such as a package.
    """
    return any(
        node.node_type == declaration.kind
        and node.start_line <= declaration.line <= node.end_line
        and f".{node.symbol}".endswith(f".{declaration.name}")
        for node in nodes
    )


def is_nested(declaration: Declaration, nodes: Iterable[Node]) -> bool:
    """Returns True if the declaration is nested in a method's node."""
    return any(
        node.node_type == "method" and node.start_line < declaration.line <= node.end_line
        for node in nodes
    )


def _innermost_node(declaration: Declaration, nodes: Iterable[Node]) -> str:
    """Describes the innermost node that contains the line, for the list of misses."""
    inner = [node for node in nodes if node.start_line <= declaration.line <= node.end_line]
    node = min(inner, key=lambda node: node.end_line - node.start_line)
    return f"{node.node_type} {node.symbol} {node.start_line}:{node.end_line}"


def files_of(clone: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the tracked files of a clone up to the program's size limit."""
    command = ["git", "-C", str(clone), "ls-tree", "-rz", "--name-only", "HEAD"]
    listing = subprocess.run(command, capture_output=True, check=True)
    for name in sorted(listing.stdout.decode().split("\0")[:-1]):
        file = clone / name
        if file.is_file() and not file.is_symlink() and file.stat().st_size <= DEFAULT_SIZES.text:
            yield name, file.read_bytes()


def rows(clone: Path, misses: int) -> Iterator[str]:
    """Yields the table row of a clone's main language; prints up to `misses` missing symbols."""
    grammars = load_grammars()
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    nodes: dict[str, list[Node]] = {}
    for path, content in files_of(clone):
        language, _ = grammars.detect_language(path, content)
        if language in FINDERS:
            parsed = parse_file(grammars, path, content)
            if not parsed.skip:
                texts[language][path] = decode_text(content).decode("utf-8", "replace")
                nodes[path] = parsed.nodes
    for language, files in sorted(texts.items(), key=lambda item: -len(item[1]))[:1]:
        tool, find = FINDERS[language]
        counts: Counter[str] = Counter()
        for declaration in find(files):
            has_node = is_indexed(declaration, nodes[declaration.path])
            if not has_node and is_nested(declaration, nodes[declaration.path]):
                continue
            counts[declaration.kind] += 1
            counts[f"{declaration.kind} there"] += has_node
            if not has_node and (misses := misses - 1) >= 0:
                print(*declaration, "in", _innermost_node(declaration, nodes[declaration.path]))
        yield _row(clone.name, language, tool, counts)


def _row(name: str, language: str, tool: str, counts: Counter[str]) -> str:
    figures = " | ".join(
        f"{counts[kind]:,} | {counts[f'{kind} there']:,}" for kind in ("class", "method")
    )
    return f"| {name.replace('+', '/')} | {language} | {tool} | {figures} |"


def main() -> None:
    """Prints the missing symbols of each repository, then the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument(
        "--misses", type=int, default=0, help="print up to N missing symbols per clone"
    )
    args = parser.parse_args()
    table = [row for clone in args.clones for row in rows(clone, args.misses)]
    sys.stdout.write(HEAD + "\n".join(table) + "\n")


if __name__ == "__main__":
    main()

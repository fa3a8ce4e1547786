"""Checks that the code uses the words of the glossary: in names, docstrings, help and messages.

`python tests/language.py [PATH…]` prints the violations in src/feeder, bench and training, by
package; with `--counts` only their number. The words are in banned_words.toml.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
WORDS_FILE = HERE / "banned_words.toml"
ROOT = HERE.parent
PROGRAM = ROOT / "src" / "feeder"
TOOLS = (ROOT / "bench", ROOT / "training")

DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|FROM|WHERE|JOIN|VALUES|WITH)\b")


class Violation(NamedTuple):
    """A word that must not be used, and the place where it is."""

    path: str
    """Below src/feeder, or below the repository for bench and training."""
    line: int
    kind: str
    """module, class, function, parameter, field, variable, docstring or text."""
    name: str
    """The name that has the word, or the name of what the docstring or the text belongs to."""
    word: str
    instead: str

    def __str__(self) -> str:
        return (
            f"{self.path}:{self.line}: {self.kind} {self.name}: {self.word!r} (use: {self.instead})"
        )


@dataclass(frozen=True)
class Words:
    """The banned words, each with what to use instead, and the exceptions."""

    name_parts: dict[str, str]
    whole_names: dict[str, str]
    prose: dict[str, str]
    openings: dict[str, str]
    allowed: list[dict[str, str]]

    @classmethod
    def read(cls) -> Words:
        """The words of banned_words.toml."""
        lists = tomllib.loads(WORDS_FILE.read_text("utf-8"))
        return cls(
            lists["names"] | lists["everywhere"],
            lists["whole_names"],
            lists["prose"] | lists["everywhere"],
            lists["openings"],
            lists.get("allowed", []),
        )

    def in_name(self, name: str) -> Iterator[tuple[str, str]]:
        """The banned words of an identifier, each with what to use instead."""
        bare = name.strip("_").lower()
        if bare in self.whole_names:
            yield bare, self.whole_names[bare]
        for part in {part.lower() for part in NAME_PARTS.findall(name)} & self.name_parts.keys():
            yield part, self.name_parts[part]

    def in_prose(self, text: str) -> Iterator[tuple[str, str]]:
        """The banned words and phrases of a docstring, a help text or a message."""
        for word in {match.lower() for match in _any_of(tuple(self.prose)).findall(text)}:
            yield word, self.prose[word]

    def in_opening(self, text: str) -> Iterator[tuple[str, str]]:
        """The opening of a docstring or a help text, if it is that of a question."""
        for opening, instead in self.openings.items():
            if re.match(rf"{opening}\b", text.lstrip("`*( ")):
                yield opening, instead

    def is_allowed(self, violation: Violation) -> bool:
        """True if the list of exceptions has it."""
        places = (violation.path, f"{violation.path}::{violation.name}")
        return any(
            entry["word"] == violation.word and entry["where"] in places for entry in self.allowed
        )


@cache
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    # not inside of paths, options and codes in backquotes such as `--asked`
    return re.compile(rf"(?<![\w`/.-])(?:{'|'.join(map(re.escape, words))})(?![\w`/]|-\w)", re.I)


class ModuleChecker(ast.NodeVisitor):
    """Collects the violations of one module."""

    def __init__(self, path: str, words: Words) -> None:
        self.path = path
        self.words = words
        self.violations: list[Violation] = []
        self._scope: list[DEFINITION] = []
        self._docstrings: set[int] = set()

    def check_module(self, tree: ast.Module) -> None:
        """Checks the module's name, docstring and contents."""
        stem = Path(self.path).stem
        self._check_name("module", stem, 1)
        self._check_docstring(tree, stem)
        if "?" in (ast.get_docstring(tree) or ""):
            self._report("docstring", stem, 1, [("?", "a statement")])
        self.generic_visit(tree)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._check_definition("class", node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check_definition("function", node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check_definition("function", node)

    def visit_arg(self, node: ast.arg) -> None:
        self._check_name("parameter", node.arg, node.lineno)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            in_function = self._scope and not isinstance(self._scope[-1], ast.ClassDef)
            kind = "variable" if in_function else "field" if self._scope else "constant"
            self._check_name(kind, node.id, node.lineno)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Store):
            self._check_name("field", node.attr, node.lineno)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._check_name("variable", node.name, node.lineno)
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        # a string on its own is a docstring: that of a field or a constant
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            if id(node.value) not in self._docstrings:
                self._check_prose("docstring", node.value.value, node.lineno)
        else:
            self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg == "help" and isinstance(node.value, ast.Constant):
            text = str(node.value.value)
            self._report("help", text[:30], node.value.lineno, self.words.in_opening(text))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and " " in node.value.strip() and not SQL.search(node.value):
            self._report("text", self._place(), node.lineno, self.words.in_prose(node.value))

    def _check_definition(self, kind: str, node: DEFINITION) -> None:
        self._check_name(kind, node.name, node.lineno)
        self._check_docstring(node, node.name)
        self._scope.append(node)
        self.generic_visit(node)
        self._scope.pop()

    def _check_docstring(self, node: DEFINITION | ast.Module, name: str) -> None:
        if text := ast.get_docstring(node):
            expression = node.body[0]
            assert isinstance(expression, ast.Expr)
            self._docstrings.add(id(expression.value))
            self._check_prose("docstring", text, expression.lineno, name)

    def _check_prose(self, kind: str, text: str, line: int, name: str = "") -> None:
        self._report(kind, name or self._place(), line, self.words.in_prose(text))
        self._report(kind, name or self._place(), line, self.words.in_opening(text))

    def _check_name(self, kind: str, name: str, line: int) -> None:
        self._report(kind, name, line, self.words.in_name(name))

    def _place(self) -> str:
        return ".".join(node.name for node in self._scope) or Path(self.path).stem

    def _report(self, kind: str, name: str, line: int, words: Iterable[tuple[str, str]]) -> None:
        for word, instead in words:
            violation = Violation(self.path, line, kind, name, word, instead)
            if not self.words.is_allowed(violation) and violation not in self.violations:
                self.violations.append(violation)


def check_file(path: Path, words: Words, root: Path = PROGRAM) -> list[Violation]:
    """The violations of one file below `root`, in the order of their lines."""
    checker = ModuleChecker(path.relative_to(root).as_posix(), words)
    checker.check_module(ast.parse(path.read_text("utf-8")))
    return sorted(checker.violations, key=lambda violation: violation.line)


def modules(paths: Iterable[Path] = (PROGRAM, *TOOLS)) -> list[Path]:
    """The Python files at or below the paths, in order."""
    trees = ([path] if path.is_file() else sorted(path.rglob("*.py")) for path in paths)
    return list(chain.from_iterable(trees))


def root_of(file: Path) -> Path:
    """The folder that the paths of a file's violations are relative to."""
    return PROGRAM if file.is_relative_to(PROGRAM) else ROOT


def check_files(files: Iterable[Path], words: Words) -> list[Violation]:
    """The violations of these files of the repository."""
    return [violation for file in files for violation in check_file(file, words, root_of(file))]


def main(arguments: list[str]) -> int:
    """Prints the violations and their number per package; 1 if there are any."""
    paths = [Path(name).resolve() for name in arguments if not name.startswith("--")]
    violations = check_files(modules(paths or (PROGRAM, *TOOLS)), Words.read())
    if "--counts" not in arguments:
        print(*violations, sep="\n")
    counts = Counter(violation.path.split("/")[0] for violation in violations)
    print(*(f"{count:5} {package}" for package, count in counts.most_common()), sep="\n")
    print(f"{len(violations):5} violations")
    return bool(violations)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

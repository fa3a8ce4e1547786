"""Tries a folder of a language on one file: its nodes, and the lines with syntax errors."""

from pathlib import Path
from typing import NamedTuple

from feeder.errors import UserError
from feeder.nodes import Node
from feeder.parse.file_parser import parse_file
from feeder.parse.grammar_files import load_grammars
from feeder.parse.hidden_text import HiddenText
from feeder.parse.languages.folders import LanguageFolder
from feeder.parse.syntax_tree import blank_hidden


class Trial(NamedTuple):
    """The lines of a file, its nodes, and the lines on which a syntax error begins."""

    language: str
    lines: list[str]
    nodes: list[Node]
    error_lines: list[int]


def try_folder(path: Path, file: Path) -> Trial:
    """Parses a file with the language that a folder describes.

    Raises UserError for a folder with an error, an example of `hidden.toml` that is wrong, and a
    file that has another language.
    """
    folder = LanguageFolder(path)
    grammars = load_grammars(path)
    check_examples(folder)
    content = file.read_bytes()
    language, kind = grammars.detect_language(file.name, content)
    if language != folder.name or kind == "text":
        actual = language if language != folder.name else "text"
        raise UserError(
            f"{file.name} is indexed as '{actual}', but the folder defines '{folder.name}'.",
            f"Pass a file of '{folder.name}', or add the extension of this one to 'extensions' in "
            f"{path / 'language.toml'}.",
        )
    parsed = parse_file(grammars, file.name, content, mask_secrets=False)
    lines = content.decode("utf-8", "replace").split("\n")
    return Trial(language, lines, parsed.nodes, [first for first, _ in parsed.unparsed])


def check_examples(folder: LanguageFolder) -> None:
    """Raises UserError for an example of `hidden.toml` that becomes another text than it says."""
    patterns = folder.hidden_patterns()
    for role, example in folder.hidden_examples():
        text = blank_hidden(example.before.encode(), HiddenText(patterns[role])).decode()
        if text != example.after:
            raise UserError(
                f"{folder.path / 'hidden.toml'}: the example {example.before!r} becomes {text!r}.",
                "Correct the pattern or the example.",
            )

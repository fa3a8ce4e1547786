"""`unchecked` in language.toml: patterns that are compiled without a search of the grammar."""

from pathlib import Path

import pytest
from tree_sitter import Node, Parser, Query

from feeder.errors import UserError
from feeder.parse.grammar_files import load_grammars
from feeder.parse.grammars import query_matches
from feeder.parse.languages.folders import LanguageFolder, find_folders
from feeder.parse.languages.query_source import Pattern, read_patterns
from feeder.parse.languages.unchecked import without_checks
from feeder.parse.query_checks import load_language
from parse.outlines import LANGUAGES_FOLDER, SAMPLE_FILES

FOLDERS = {
    folder.name: folder for folder in find_folders(LANGUAGES_FOLDER) if "unchecked" in folder.config
}
IMPOSSIBLE = "(MISSING ERROR)"


def unchecked(tmp_path: Path, source: str, *types: str) -> str:
    """The pattern of a query file with these types unchecked."""
    path = tmp_path / "nodes.scm"
    path.write_text(source)
    [pattern] = read_patterns(path)
    return _unchecked(pattern, types).text


def _unchecked(pattern: Pattern, types: tuple[str, ...]) -> Pattern:
    return pattern._replace(words=without_checks(pattern.words, types))


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("(a (b) @name) @type", f"(a [{IMPOSSIBLE} (b) @name]) @type"),
        ("(a x: (b) @name) @type", f"(a [{IMPOSSIBLE} x: (b) @name]) @type"),
        ("(a . (b) @name) @type", f"(a . [{IMPOSSIBLE} (b) @name]) @type"),
        ("(a (b) . (c) @name) @type", f"(a [{IMPOSSIBLE} ((b) . (c) @name)]) @type"),
        ("(a x: (b) y: (c) @name) @type", f"(a [{IMPOSSIBLE} ([x: (b)] y: (c) @name)]) @type"),
        (
            '(a !y (b) @name (#eq? @name "b")) @type',
            f'(a !y [{IMPOSSIBLE} (b) @name] (#eq? @name "b")) @type',
        ),
        (
            "(z (a (a (b) @name))) @type",
            f"(z (a [{IMPOSSIBLE} (a [{IMPOSSIBLE} (b) @name])])) @type",
        ),
        ("[(a (b) @name) (z (b))] @type", f"[(a [{IMPOSSIBLE} (b) @name]) (z (b))] @type"),
    ],
    ids=str,
)
def test_children_become_the_second_alternative(tmp_path: Path, source: str, text: str) -> None:
    assert unchecked(tmp_path, source, "a") == text


@pytest.mark.parametrize(
    "source",
    [
        "(a) @type",
        "(z (b) @name) @type",
        "(a (b)) @type",
        "(a [(b) @name (c)]) @type",
        "(a (b)? @name) @type",
        "(a (b) @name (c)* @body) @type",
        "(a (b (c)+) @name) @type",
        "(a (b) @name .) @type",
        '((b) @type (#eq? @type "a"))',
    ],
)
def test_pattern_that_could_match_otherwise_stays(tmp_path: Path, source: str) -> None:
    """So do those of other types."""
    assert unchecked(tmp_path, source, "a") == source


@pytest.mark.parametrize("name", FOLDERS)
def test_matches_are_the_same_in_the_same_order(name: str) -> None:
    """The query as it is written is compiled too: each of its patterns is possible."""
    folder = FOLDERS[name]
    language = load_language(name, folder.package)
    as_written, quick = (
        Query(language, "\n".join(pattern.text for pattern in patterns))
        for patterns in (
            _patterns(folder),
            [_unchecked(pattern, _types(folder)) for pattern in _patterns(folder)],
        )
    )
    files = [path for path in SAMPLE_FILES if path.parent == folder.path]
    assert files
    for path in files:
        root = Parser(language).parse(path.read_bytes()).root_node
        expected = _matches(as_written, root)
        assert expected
        assert _matches(quick, root) == expected


@pytest.mark.parametrize("name", FOLDERS)
def test_each_unchecked_type_is_that_of_a_pattern(name: str) -> None:
    folder = FOLDERS[name]
    patterns = _patterns(folder)
    without_effect = [
        type_
        for type_ in _types(folder)
        if all(_unchecked(pattern, (type_,)) == pattern for pattern in patterns)
    ]
    assert without_effect == []


def test_pattern_that_can_never_match_is_an_error_with_its_line(tmp_path: Path) -> None:
    folder = tmp_path / "lua"
    folder.mkdir()
    (folder / "language.toml").write_text('unchecked = ["function_declaration"]')
    (folder / "nodes.scm").write_text("\n(function_declaration (return_statement) @name) @method")
    with pytest.raises(UserError, match=r"lua/nodes\.scm:2: this pattern does not compile"):
        load_grammars(folder)


def _patterns(folder: LanguageFolder) -> list[Pattern]:
    return list(folder.read_queries())


def _types(folder: LanguageFolder) -> tuple[str, ...]:
    return tuple(folder.config["unchecked"])


def _matches(query: Query, root: Node) -> list[tuple[int, dict[str, list[tuple[int, int]]]]]:
    return [
        (index, {name: [node.byte_range for node in nodes] for name, nodes in captures.items()})
        for index, captures in query_matches(query, root)
    ]

"""Which language is a file in, and what may a user's own grammar file say?"""

import json
from pathlib import Path
from typing import Any

import pytest

from feeder.errors import UserError
from feeder.parse.files import parse_file
from feeder.parse.grammars import load_grammars
from parsing import grammars

LUA = {
    "code_extensions": {"lua": "lua"},
    "grammar_queries": {
        "Method": {
            "lua": [
                "(function_declaration name:"
                " (method_index_expression table: (_) @scope method: (_) @name)) @method",
                "(assignment_statement (variable_list name: (_) @name)"
                " (expression_list value: (function_definition))) @method",
            ]
        },
        "Doc": {"lua": ["(comment) @doc"]},
    },
}


def own(folder: Path, settings: object) -> Path:
    """A grammar file with some settings."""
    path = folder / "grammar.json"
    path.write_text(settings if isinstance(settings, str) else json.dumps(settings), "utf-8")
    return path


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"),
        ("a.pyi", "python"),
        ("SConstruct", "python"),
        ("a.MTS", "typescript"),
        ("a.d.ts", "typescript"),
        ("a.tsx", "tsx"),
        ("a.jsx", "javascript"),
        ("a.mjs", "javascript"),
        ("A.java", "java"),
        ("build.gradle.kts", "kotlin"),
        ("build.gradle", "groovy"),
        ("ci/Jenkinsfile", "groovy"),
        ("a.go", "go"),
        ("a.rs", "rust"),
        ("a.dart", "dart"),
    ],
)
def test_the_name_of_a_file_tells_its_language(path: str, language: str) -> None:
    assert grammars().language(path, b"") == (language, "code")


@pytest.mark.parametrize(
    ("first", "language"),
    [
        (b"#!/usr/bin/env python3\n", ("python", "code")),
        (b"#!/usr/bin/node --harmony\n", ("javascript", "code")),
        (b"#!/usr/bin/env -S deno run\n", ("typescript", "code")),
        (b"\n#!/usr/bin/env python3\n", ("text", "text")),
    ],
)
def test_a_file_without_an_ending_is_known_by_its_first_line(
    first: bytes, language: tuple[str, str]
) -> None:
    assert grammars().language("bin/tool", first) == language


def test_every_shipped_query_compiles() -> None:
    grammars().check()


def test_a_new_language_needs_only_json(tmp_path: Path) -> None:
    known = load_grammars(own(tmp_path, LUA))
    content = b"-- Adds.\nfunction Cart:add(item)\n  return item\nend\n\nM.go = function() end\n"
    found = parse_file(known, "cart.lua", content).nodes
    assert [(n.language, n.node_type, n.symbol, n.start_line, n.end_line) for n in found] == [
        ("lua", "method", "Cart.add", 1, 4),
        ("lua", "method", "M.go", 6, 6),
    ]


def test_an_own_grammar_file_is_merged_over_the_shipped_one(tmp_path: Path) -> None:
    known = load_grammars(own(tmp_path, {"code_extensions": {"py": "ruby"}}))
    assert known.language("a.py", b"") == ("ruby", "code")
    assert known.language("a.go", b"") == ("go", "code")
    assert known.digest != grammars().digest


def test_a_wrong_query_is_named_with_its_language_and_position(tmp_path: Path) -> None:
    queries = {"Method": {"go": ["(function_declaration) @method", "(nonsense) @method"]}}
    known = load_grammars(own(tmp_path, {"grammar_queries": queries}))
    with pytest.raises(UserError, match=r"Method query of 'go'.*column 1.*\(nonsense\)"):
        known.check()


def test_an_unknown_grammar_is_named(tmp_path: Path) -> None:
    queries = {"Method": {"klingon": ["(a) @method"]}}
    known = load_grammars(own(tmp_path, {"grammar_queries": queries}))
    with pytest.raises(UserError, match="'klingon'"):
        known.check()


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("{", "cannot be read"),
        ("[]", "no JSON object"),
        ({"code_extensions": []}, "no object 'code_extensions'"),
    ],
)
def test_a_grammar_file_of_another_form_is_refused(
    tmp_path: Path, settings: Any, says: str
) -> None:
    with pytest.raises(UserError, match=says):
        load_grammars(own(tmp_path, settings))


def test_a_grammar_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"absent\.json"):
        load_grammars(tmp_path / "absent.json")

"""The language of a file, and the contents of a user's grammar file."""

import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from feeder.errors import UserError
from feeder.parse.entries import Shape
from feeder.parse.file_parser import parse_file
from feeder.parse.grammar_files import load_grammars
from feeder.parse.grammar_schema import GRAMMAR_FILE_SCHEMA, MapOf, ObjectOf
from feeder.parse.grammars import query_matches
from parse.outlines import GRAMMARS

R = {
    "code_extensions": {"r": "r"},
    "grammar_queries": {
        "Method": {
            "r": [
                "(binary_operator lhs: (_ lhs: (_) @scope rhs: (_) @name)"
                " rhs: (function_definition)) @method",
                "(binary_operator lhs: (identifier) @name rhs: (function_definition)) @method",
            ]
        },
        "Doc": {"r": ["(comment) @doc"]},
    },
}


def write_grammar_file(folder: Path, settings: object) -> Path:
    """Writes a grammar file with these settings."""
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
        ("bin/a.zsh", "bash"),
        ("Makefile", "make"),
        ("makefile.inc", "make"),
        ("rules.mk", "make"),
        ("Containerfile", "dockerfile"),
        ("docker/Dockerfile.dev", "dockerfile"),
        ("api.dockerfile", "dockerfile"),
        ("main.tf", "terraform"),
        ("prod.auto.tfvars", "terraform"),
        ("image.pkr.hcl", "hcl"),
        ("a.gql", "graphql"),
        ("mix.exs", "elixir"),
    ],
)
def test_language_of_a_file_name(path: str, language: str) -> None:
    assert GRAMMARS.detect_language(path, b"") == (language, "code")


@pytest.mark.parametrize(
    ("first", "language"),
    [
        (b"#!/usr/bin/env python3\n", ("python", "code")),
        (b"#!/usr/bin/node --harmony\n", ("javascript", "code")),
        (b"#!/usr/bin/env -S deno run\n", ("typescript", "code")),
        (b"#!/bin/sh -e\n", ("bash", "code")),
        (b"#!/usr/bin/fish\n", ("text", "text")),
        (b"#!/usr/bin/env luajit\n", ("lua", "code")),
        (b"#!/usr/bin/perl -w\n", ("perl", "code")),
        (b"#!/usr/bin/env pwsh\n", ("powershell", "code")),
        (b"#!/usr/bin/env escript\n", ("erlang", "code")),
        (b"#!/usr/bin/env -S julia -t 4\n", ("julia", "code")),
        (b"\n#!/usr/bin/env python3\n", ("text", "text")),
    ],
)
def test_file_without_an_extension_is_recognized_by_its_first_line(
    first: bytes, language: tuple[str, str]
) -> None:
    assert GRAMMARS.detect_language("bin/tool", first) == language


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.m", "#import <A.h>\n", ("objc", "code")),
        ("a.m", "#include <stdio.h>\n@implementation A\n@end\n", ("objc", "code")),
        ("a.m", "function y = f(x)\n% MATLAB\nend\n", ("objc", "text")),
        ("a.mm", "@implementation A\n@end\n", ("objc", "code")),
        ("a.mm", "#import <A.h>\nvoid A::f() {}\n", ("objc", "text")),
        ("a.pl", "# comment\nuse strict;\n", ("perl", "code")),
        ("a.pl", ":- module(a, [f/1]).\nf(X) :- g(X).\n", ("perl", "text")),
        ("a.t", "use Test::More;\n", ("perl", "code")),
        ("a.t", "a template\n", ("text", "text")),
    ],
)
def test_code_is_recognized_by_its_content(path: str, text: str, language: tuple[str, str]) -> None:
    assert GRAMMARS.detect_language(path, text.encode()) == language


def test_extension_precedes_a_name_pattern() -> None:
    """`Dockerfile.*` is for Dockerfiles with any suffix, not for files about them."""
    assert GRAMMARS.detect_language("dockerfile.ts", b"") == ("typescript", "code")
    assert GRAMMARS.detect_language("Dockerfile.md", b"") == ("markdown", "document")
    assert GRAMMARS.detect_language("not.dockerfile.x", b"") == ("text", "text")


def test_every_shipped_query_compiles() -> None:
    GRAMMARS.compile_all()


def test_new_language_needs_only_json(tmp_path: Path) -> None:
    known = load_grammars(write_grammar_file(tmp_path, R))
    content = b"# Adds.\nCart$add <- function(item) {\n  item\n}\n\ngo = function() 1\n"
    found = parse_file(known, "cart.r", content).nodes
    assert [(n.language, n.node_type, n.symbol, n.start_line, n.end_line) for n in found] == [
        ("r", "method", "Cart.add", 1, 4),
        ("r", "method", "go", 6, 6),
    ]


def test_user_grammar_file_is_merged_over_the_shipped_one(tmp_path: Path) -> None:
    known = load_grammars(write_grammar_file(tmp_path, {"code_extensions": {"py": "ruby"}}))
    assert known.detect_language("a.py", b"") == ("ruby", "code")
    assert known.detect_language("a.go", b"") == ("go", "code")
    assert known.digest != GRAMMARS.digest


def test_invalid_query_is_an_error_with_language_and_position(tmp_path: Path) -> None:
    queries = {"Method": {"go": ["(function_declaration) @method", "(nonsense) @method"]}}
    known = load_grammars(write_grammar_file(tmp_path, {"grammar_queries": queries}))
    with pytest.raises(UserError, match=r"Method query of 'go'.*column 1.*\(nonsense\)"):
        known.compile_all()


QUERIES = "grammar_queries"
PATTERNS = "content_patterns"
HIDDEN = "hidden_text"
SHAPES = "document_nodes"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("{", "cannot be read"),
        pytest.param("[" * 100_000, "cannot be read", id="deep"),
        (r'{"code_extensions": {"\ud800": "go"}}', "cannot be read"),
        ("[]", "is not a JSON object"),
        ({"grammars": {}}, "grammars is an unknown key; use code_extensions, "),
        ({"code_extensions": []}, "code_extensions must be an object"),
        ({"code_extensions": {"x": 1}}, "code_extensions.x must be the name of a grammar"),
        ({"code_extensions": {"x": ["go"]}}, "code_extensions.x must be the name of a grammar"),
        ({"noncode_ts_grammar": {"x": "klingon"}}, "noncode_ts_grammar.x must be .* not 'klingon'"),
        ({"text_extensions": {"x": None}}, "text_extensions.x must be a string"),
        ({PATTERNS: {"x": {}}}, "content_patterns.x must be a list"),
        ({PATTERNS: {"x": ["go"]}}, r"content_patterns.x\[0\] must be an object"),
        ({PATTERNS: {"x": [{"pattern": "a"}]}}, r"content_patterns.x\[0\].language is missing"),
        ({PATTERNS: {"": [{"language": "go"}]}}, r"content_patterns.''\[0\].pattern is missing"),
        (
            {PATTERNS: {"x": [{"pattern": "(", "language": "go"}]}},
            r"content_patterns.x\[0\].pattern must be a regular expression \(missing \)",
        ),
        (
            {PATTERNS: {"x": [{"pattern": "a", "language": "go"}] * 2}},
            r"content_patterns.x\[1\] must differ from content_patterns.x\[0\]",
        ),
        ({"patterns": {"go": "a"}}, "patterns.go must be a list"),
        ({"patterns": {"go": ["("]}}, r"patterns.go\[0\] must be a regular expression"),
        ({HIDDEN: {"go": "a"}}, "hidden_text.go must be an object"),
        ({HIDDEN: {"go": {"noise": 1}}}, "hidden_text.go.noise must be a string"),
        ({HIDDEN: {"go": {"noise": "*"}}}, "hidden_text.go.noise must be a regular expression"),
        ({HIDDEN: {"go": {"noises": "a"}}}, "hidden_text.go.noises is an unknown key; use noise, "),
        ({HIDDEN: {"klingon": {}}}, "a key of hidden_text must be .* not 'klingon'"),
        ({SHAPES: {"ini": {"root": "ini"}}}, "document_nodes.ini.entries is missing"),
        ({SHAPES: {"json": {"names": "key"}}}, "document_nodes.json.names must be a list"),
        ({SHAPES: {"json": {"values": []}}}, "document_nodes.json.values must be an object"),
        ({SHAPES: {"json": {"dotted": 1}}}, "document_nodes.json.dotted must be true or false"),
        (
            {SHAPES: {"json": {"depth": 1}}},
            "document_nodes.json.depth is an unknown key; use root, ",
        ),
        ({QUERIES: {"Method": ["(a)"]}}, "grammar_queries.Method must be an object"),
        ({QUERIES: {"Method": {"go": "(a)"}}}, "grammar_queries.Method.go must be a list"),
        ({QUERIES: {"Method": {"go": [1]}}}, r"grammar_queries.Method.go\[0\] must be a string"),
        (
            {QUERIES: {"Method": {"klingon": []}}},
            "a key of grammar_queries.Method must be",
        ),
    ],
)
def test_grammar_file_of_another_form_is_refused(tmp_path: Path, settings: Any, says: str) -> None:
    """The error names section, key and expected value."""
    with pytest.raises(UserError, match=says):
        load_grammars(write_grammar_file(tmp_path, settings))


def test_schema_has_every_field_of_a_document_language() -> None:
    shapes = GRAMMAR_FILE_SCHEMA.fields["document_nodes"]
    assert isinstance(shapes, MapOf) and isinstance(shapes.value, ObjectOf)
    assert set(shapes.value.fields) == set(Shape._fields)


def test_shipped_grammar_file_follows_the_schema(tmp_path: Path) -> None:
    shipped = files("feeder").joinpath("grammar_queries.json").read_text("utf-8")
    assert load_grammars(write_grammar_file(tmp_path, shipped)).digest == GRAMMARS.digest


def test_unknown_capture_is_an_error(tmp_path: Path) -> None:
    """Captures that begin with _ are for the query's own use."""
    queries = {"Method": {"lua": ['((comment) @_c (#eq? @_c "--"))', "(comment) @function"]}}
    known = load_grammars(write_grammar_file(tmp_path, {QUERIES: queries}))
    with pytest.raises(UserError, match="'lua' use the unknown capture @function"):
        known.compile_all()


@pytest.mark.parametrize("ending", ["lua", ".lua", "Lua", ".LUA"])
def test_extension_may_have_a_dot_and_capitals(tmp_path: Path, ending: str) -> None:
    known = load_grammars(write_grammar_file(tmp_path, {"code_extensions": {ending: "lua"}}))
    assert known.detect_language("src/Cart.lua", b"") == ("lua", "code")


def test_missing_grammar_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"absent\.json"):
        load_grammars(tmp_path / "absent.json")


def test_unknown_group_is_an_error(tmp_path: Path) -> None:
    known = load_grammars(
        write_grammar_file(tmp_path, {"patterns": {"perl": ["(?P<function>sub)"]}})
    )
    with pytest.raises(UserError, match="'perl' use the unknown capture @function"):
        known.compile_all()


def test_patterns_add_to_queries(tmp_path: Path) -> None:
    """A declaration that both find is one node."""
    settings = {
        "code_extensions": {"pl": "perl"},
        "patterns": {
            "perl": [
                r"^(?P<method>sub (?:(?P<scope>\w+)::)?(?P<name>\w+)[^{]*(?P<body>\{)[^}]*\})",
                r"^(?P<doc>#.*)",
            ]
        },
        QUERIES: {"Type": {"perl": ["(package_statement (_) @name) @type"]}},
    }
    known = load_grammars(write_grammar_file(tmp_path, settings))
    content = b"package Shop;\n\n# Adds.\nsub Cart::add($item) {\n  $item\n}\nsub go { 1 }\n"
    found = parse_file(known, "cart.pl", content).nodes
    assert [(n.node_type, n.symbol, n.signature, n.start_line, n.end_line) for n in found] == [
        ("class", "Shop", "package Shop", 1, 1),
        ("method", "Cart.add", "sub Cart::add($item)", 3, 6),
        ("method", "go", "sub go", 7, 7),
    ]


def test_has_parent_limits_a_pattern_to_some_parents(tmp_path: Path) -> None:
    """One string is one type, or several types from the outermost in; unknown ones match none."""
    pattern = (
        "((assignment_statement (variable_list name: (identifier) @name) "
        '(expression_list value: (string))) @method (#has-parent? @method "chunk" '
        '"if_statement block" "while_statement block" "if_statement" "absent"))'
    )
    settings = {"grammar_queries": {"Method": {"lua": [pattern]}}}
    known = load_grammars(write_grammar_file(tmp_path, settings))
    content = (
        b"top = 'a'\n"
        b"if x then\n  inner = 'b'\nend\n"
        b"for i = 1, 2 do\n  other = 'c'\nend\n"
        b"if y then\n  for i = 1, 2 do\n    deep = 'd'\n  end\nend\n"
    )
    nodes = parse_file(known, "cart.lua", content).nodes
    assert [node.symbol for node in nodes if node.symbol] == ["top", "inner"]


def test_predicate_that_is_unknown_is_always_true(tmp_path: Path) -> None:
    pattern = (
        "((assignment_statement (variable_list name: (identifier) @name)) @method"
        " (#is-nice? @name))"
    )
    settings = {"grammar_queries": {"Method": {"lua": [pattern]}}}
    known = load_grammars(write_grammar_file(tmp_path, settings))
    nodes = parse_file(known, "cart.lua", b"top = 'a'\n").nodes
    assert [node.symbol for node in nodes] == ["top"]


@pytest.mark.parametrize(
    ("language", "content"),
    [
        ("c", b"int add(int);\n"),
        ("cpp", b"int add(int);\n"),
        ("ruby", b"add = lambda { |item| item }\n"),
    ],
)
def test_predicates_keep_no_syntax_tree(language: str, content: bytes) -> None:
    """Each node that a predicate had, and that is not freed, is a reference to the tree."""
    grammar = GRAMMARS.grammar(language)
    for _ in range(100):
        tree = grammar.parser.parse(content)
        before = sys.getrefcount(tree)
        assert query_matches(grammar.query, tree.root_node)
        assert sys.getrefcount(tree) == before

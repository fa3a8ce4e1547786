"""Languages as folders: what is compiled from them, and the errors of one that is wrong."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from feeder.errors import UserError
from feeder.parse.file_parser import parse_file
from feeder.parse.grammar_files import load_grammars
from feeder.parse.hidden_text import HiddenText
from feeder.parse.languages.__main__ import compiled_files
from feeder.parse.languages.folders import LanguageFolder, compile_folders, find_folders
from feeder.parse.languages.pattern_source import compact_pattern
from feeder.parse.languages.query_source import read_patterns
from feeder.parse.syntax_tree import blank_hidden

ROOT = Path(__file__).parents[2]
LANGUAGES = ROOT / "languages"
FOLDERS = {folder.name: folder for folder in find_folders(LANGUAGES)}


def write_folder(root: Path, name: str, files: dict[str, str]) -> Path:
    """Writes the folder of a language, with an empty language.toml unless there is one."""
    folder = root / name
    folder.mkdir(parents=True)
    for file, text in {"language.toml": "", **files}.items():
        (folder / file).write_text(text, "utf-8")
    return folder


def compiled(folder: Path, shipped: dict[str, Any] | None = None) -> dict[str, Any]:
    """Compiles one folder, without the sections that are empty."""
    settings = compile_folders(find_folders(folder), shipped or {})
    queries = {key: value for key, value in settings["grammar_queries"].items() if value}
    settings["grammar_queries"] = queries
    return {key: value for key, value in settings.items() if value}


@pytest.mark.parametrize("name", ["grammar_queries.json", "aliases.json"])
def test_compiled_file_equals_its_sources(name: str) -> None:
    """`make languages` writes it."""
    assert (ROOT / "src/feeder" / name).read_text("utf-8") == compiled_files(LANGUAGES)[name]


def test_every_section_comes_from_its_file(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path,
        "lua",
        {
            "language.toml": 'extensions = [".Lua"]\ntext_extensions = ["luac"]\n'
            "[[content]]\nextensions = [\"\"]\norder = 1\npattern = '\\A\\#! .* lua  # a script'\n"
            "[[content]]\nextensions = ['']\npattern = 'luajit'\n",
            "nodes.scm": "; Functions.\n(function_declaration name: (_) @name) @method\n"
            "(comment) @doc (function_definition) @closure\n",
            "relations.scm": "(function_call name: (identifier) @calls)",
            "hidden.toml": "noise.pattern = '(?&word) ;'\n[fragments.word]\npattern = 'a | b'",
            "patterns.toml": "[[patterns]]\npattern = '(?P<doc> ; )'",
        },
    )
    assert compiled(folder) == {
        "code_extensions": {"lua": "lua"},
        "text_extensions": {"luac": "lua"},
        "content_patterns": {
            "": [
                {"pattern": "luajit", "language": "lua"},
                {"pattern": r"\A#!.*lua", "language": "lua"},
            ]
        },
        "hidden_text": {"lua": {"noise": "a|b;"}},
        "patterns": {"lua": ["(?P<doc>;)"]},
        "grammar_queries": {
            "Method": {"lua": ["(function_declaration name: (_) @name) @method"]},
            "Closure": {"lua": ["(function_definition) @closure"]},
            "Doc": {"lua": ["(comment) @doc"]},
            "Relation": {"lua": ["(function_call name: (identifier) @calls)"]},
        },
    }


def test_document_has_its_own_extensions_and_structure(tmp_path: Path) -> None:
    text = 'kind = "document"\nextensions = ["x"]\n[document]\nroot = "a"\nentries = {b = "c"}\n'
    assert compiled(write_folder(tmp_path, "json", {"language.toml": text})) == {
        "noncode_ts_grammar": {"x": "json"},
        "document_nodes": {"json": {"root": "a", "entries": {"b": "c"}}},
    }


def test_named_expression_stands_for_its_text(tmp_path: Path) -> None:
    """In later names too, with captures and quantifiers behind it; not inside a string."""
    path = tmp_path / "nodes.scm"
    path.write_text(
        """
        $name = (identifier)
        $place = [
          $name        ; alone
          (a $name)
        ]
        $upper = (#match? @name "^[A-Z] $name")
        ($place* @name $upper) @type
        """
    )
    [pattern] = read_patterns(path)
    assert pattern.category == "Type"
    assert pattern.text == (
        '([(identifier) (a (identifier))]* @name (#match? @name "^[A-Z] $name")) @type'
    )


def test_included_file_stands_for_its_patterns_and_names(tmp_path: Path) -> None:
    """Names go both ways: it uses those above the `include`, and the rest of the file uses its."""
    folder = write_folder(
        tmp_path,
        "lua",
        {
            "nodes.scm": '(a) @doc\n$body = (b)\ninclude "../shared/nodes.scm"\n(d $name) @type',
            "relations.scm": 'include "../shared/relations.scm"',
        },
    )
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "nodes.scm").write_text("$name = (x) @name\n(c $name $body) @method")
    (shared / "relations.scm").write_text("(e) @calls")
    patterns = LanguageFolder(folder).read_queries()
    assert [(pattern.path.name, pattern.category, pattern.text) for pattern in patterns] == [
        ("nodes.scm", "Doc", "(a) @doc"),
        ("nodes.scm", "Method", "(c (x) @name (b)) @method"),
        ("nodes.scm", "Type", "(d (x) @name) @type"),
        ("relations.scm", "Relation", "(e) @calls"),
    ]


def test_pattern_with_one_outer_quantifier_and_several_captures_is_one(tmp_path: Path) -> None:
    path = tmp_path / "nodes.scm"
    path.write_text('(a)+ @doc @apart "b" @type\n_ @member')
    texts = [(pattern.category, pattern.text) for pattern in read_patterns(path)]
    assert texts == [("Doc", "(a)+ @doc @apart"), ("Type", '"b" @type'), ("Member", "_ @member")]


@pytest.mark.parametrize(
    ("source", "pattern"),
    [
        (r"a b\ c [ \t#] \# d # e", r"ab c[ \t#]#d"),
        ("[]a ] [^] ] [^a\\] ]", "[]a ][^] ][^a\\] ]"),
        (r"\\ # a comment", r"\\"),
        ("(?&one)* (?P<two> (?&two) )", "(?:x|y)*(?P<two>-(?:x|y))"),
    ],
)
def test_pattern_is_compacted(source: str, pattern: str) -> None:
    fragments = {"one": "(?: x | y )", "two": "- (?&one)"}
    assert compact_pattern(source, fragments) == pattern


def test_language_inherits_from_a_folder_beside_it(tmp_path: Path) -> None:
    """Its own queries come last."""
    base = {"nodes.scm": "(a) @type (b) @doc", "hidden.toml": "noise.pattern = 'x'"}
    write_folder(tmp_path, "typescript", base)
    own = {"language.toml": 'inherits = "typescript"', "nodes.scm": "(c) @type"}
    write_folder(tmp_path, "tsx", own)
    settings = compiled(tmp_path)
    assert settings["hidden_text"]["tsx"] == {"noise": "x"}
    assert settings["grammar_queries"] == {
        "Type": {"tsx": ["(a) @type", "(c) @type"], "typescript": ["(a) @type"]},
        "Doc": {"tsx": ["(b) @doc"], "typescript": ["(b) @doc"]},
    }


def test_language_inherits_traits(tmp_path: Path) -> None:
    """Its own come before them."""
    shipped = {"traits": {"typescript": {"family": "scripts", "global_scope": True}}}
    text = 'inherits = "typescript"\n[traits]\nglobal_scope = false\n'
    settings = compiled(write_folder(tmp_path, "tsx", {"language.toml": text}), shipped)
    assert settings["traits"] == {"tsx": {"family": "scripts", "global_scope": False}}


def test_language_inherits_a_shipped_one(tmp_path: Path) -> None:
    """Also the one of its own name, to which it adds."""
    shipped = {"grammar_queries": {"Doc": {"lua": ["(comment) @doc"]}}, "patterns": {"lua": ["x"]}}
    own = {"language.toml": 'inherits = "lua"', "nodes.scm": "(pragma) @doc"}
    settings = compiled(write_folder(tmp_path, "lua", own), shipped)
    assert settings["grammar_queries"] == {"Doc": {"lua": ["(comment) @doc", "(pragma) @doc"]}}
    assert settings["patterns"] == {"lua": ["x"]}


TOML = "language.toml"
METHOD = "(function_declaration name: (_) @name) @method"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({TOML: "extensions = 3"}, r"lua/language\.toml: extensions must be a list"),
        (
            {TOML: "extension = ['x']"},
            r"lua/language\.toml: extension is an unknown key; use inherits, ",
        ),
        ({TOML: "extensions = ]"}, r"lua/language\.toml cannot be read: .*line 1"),
        ({TOML: "extensions = ['x', '.X']"}, "extension 'x' already belongs to the language 'lua'"),
        ({TOML: "kind = 'text'"}, 'kind must be "code" or "document"'),
        ({TOML: "category = 'code'"}, 'category must be "docs" or "config"'),
        ({TOML: "traits.global = true"}, "traits.global is an unknown key; use family, "),
        ({TOML: "traits.imports = 'urls'"}, "traits.imports must be one of paths, modules, "),
        ({TOML: "traits.package_scope = true"}, 'package_scope must be "package" or "folder"'),
        ({TOML: "traits.visibility.member = 'open'"}, "visibility.member must be one of public, "),
        ({TOML: "traits.visibility.sections = ':'"}, 'sections must be "colon" or "line"'),
        ({TOML: "traits.visibility.public_types = '('"}, "public_types must be a regular expr"),
        ({TOML: "inherits = 'lua'"}, "there is no language 'lua' to inherit"),
        ({TOML: "inherits = 'klingon'"}, "inherits must be the name of a grammar"),
        ({"nodes.scm": f"\n{METHOD}\n(a"}, r"lua/nodes\.scm:3: '\(' is never closed"),
        ({"nodes.scm": "\n\n(a])"}, r"lua/nodes\.scm:3: '\]' closes nothing"),
        ({"nodes.scm": "(a) @type)"}, r"lua/nodes\.scm:1: '\)' closes nothing"),
        ({"nodes.scm": "(a\n$b) @type"}, r"lua/nodes\.scm:2: \$b is not defined above"),
        ({"nodes.scm": "$a = (b)\n$a = (c)"}, r"lua/nodes\.scm:2: \$a is defined twice"),
        ({"nodes.scm": "$a ="}, r"lua/nodes\.scm:1: an expression is missing after '='"),
        ({"nodes.scm": '(a "b) @type'}, r"lua/nodes\.scm:1: '\"' is no part of a query"),
        ({"nodes.scm": "(a) @name"}, r"lua/nodes\.scm:1: this pattern captures nothing of a kind"),
        ({"nodes.scm": "(a) @doc\n(a)  @doc"}, r"lua/nodes\.scm:2: this pattern occurs twice"),
        ({"nodes.scm": '\ninclude "nodes.scm"'}, r"lua/nodes\.scm:2: .*nodes\.scm includes itself"),
        ({"nodes.scm": "include\n(a) @doc"}, r"lua/nodes\.scm:1: a file in quotes is missing"),
        ({"nodes.scm": 'include "none.scm"'}, r"lua/none\.scm cannot be read: No such file"),
        (
            {"nodes.scm": '(a) @doc\ninclude "more.scm"', "more.scm": "\n(b) @name"},
            r"lua/more\.scm:2: this pattern captures nothing of a kind",
        ),
        (
            {"hidden.toml": "noise.pattern = '('"},
            r"lua/hidden\.toml: noise\.pattern is not a valid regular expression: missing \)",
        ),
        (
            {"hidden.toml": "noise.pattern = '(?&a)'"},
            r"lua/hidden\.toml: noise\.pattern is not .*: there is no fragment 'a'",
        ),
        (
            {"hidden.toml": "noise.pattern = '(?&a)'\nfragments.a.pattern = '(?&a)'"},
            "the fragment 'a' contains itself",
        ),
        (
            {"hidden.toml": "noise = {pattern = 'a', examples = ['a']}"},
            r"noise\.examples\[0\] must be two strings",
        ),
        ({"patterns.toml": ""}, r"lua/patterns\.toml: patterns is missing"),
    ],
)
def test_wrong_folder_is_an_error_with_its_file(
    tmp_path: Path, files: dict[str, str], says: str
) -> None:
    with pytest.raises(UserError, match=says):
        compiled(write_folder(tmp_path, "lua", files))


def test_two_languages_that_inherit_each_other_are_an_error(tmp_path: Path) -> None:
    write_folder(tmp_path, "lua", {TOML: 'inherits = "go"'})
    write_folder(tmp_path, "go", {TOML: 'inherits = "lua"'})
    with pytest.raises(UserError, match="inherits from itself"):
        compiled(tmp_path)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("\n(function_declaration\n  (nonsense)) @method", r":3: .*Invalid node type: nonsense"),
        ("$a = (nonsense)\n\n(function_declaration $a) @method", r":3: .* type: nonsense"),
        ("(function_declaration\n  nam: (_)) @method", r":2: .*Invalid field name: nam"),
        ("(comment) @function @doc", r":1: there is no capture @function"),
        ('((comment) @doc (#eq? @doc "a")\n(#set! a "b"))', ":1: .* #set! after a predicate"),
        ('((comment) @doc\n(#mach? @doc "a"))', r":2: there is no predicate #mach\?"),
    ],
)
def test_query_that_does_not_compile_is_an_error_with_its_line(
    tmp_path: Path, query: str, says: str
) -> None:
    folder = write_folder(tmp_path, "lua", {"nodes.scm": query})
    with pytest.raises(UserError, match=rf"lua/nodes\.scm{says}"):
        load_grammars(folder)


def test_group_of_a_pattern_that_no_capture_has_is_an_error(tmp_path: Path) -> None:
    patterns = "[[patterns]]\npattern = '(?P<method> ^ sub [ ] (?P<nam> \\w+ ) )'"
    folder = write_folder(tmp_path, "lua", {"patterns.toml": patterns})
    with pytest.raises(UserError, match=r"lua/patterns\.toml: patterns\[0\].* group 'nam'"):
        load_grammars(folder)


def test_queries_in_another_encoding_are_an_error_with_their_file(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, "lua", {})
    (folder / "nodes.scm").write_bytes("; Größe".encode("latin-1"))
    with pytest.raises(UserError, match=r"lua/nodes\.scm cannot be read: "):
        load_grammars(folder)


def test_folder_without_a_language_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a language folder"):
        load_grammars(tmp_path)


def test_folder_replaces_the_shipped_language_of_its_name(tmp_path: Path) -> None:
    """With what it does not mention, but for extensions; others stay as they are."""
    files = {TOML: 'extensions = ["py"]', "nodes.scm": METHOD}
    known = load_grammars(write_folder(tmp_path, "lua", files))
    assert known.detect_language("a.py", b"") == ("lua", "code")
    assert known.detect_language("a.lua", b"") == ("lua", "code")
    assert known.detect_language("a.go", b"") == ("go", "code")
    nodes = parse_file(known, "a.py", b"x.add = function() end\nfunction go() end\n").nodes
    assert [(node.node_type, node.symbol) for node in nodes] == [("chunk", None), ("method", "go")]


HIDING = [name for name, folder in FOLDERS.items() if folder.hidden_patterns()]


@pytest.mark.parametrize("name", HIDING)
def test_example_of_hidden_text_becomes_what_it_says(name: str) -> None:
    folder = FOLDERS[name]
    patterns = folder.hidden_patterns()
    for role, example in folder.hidden_examples():
        hidden = HiddenText(patterns[role])
        assert blank_hidden(example.before.encode(), hidden).decode() == example.after


@pytest.mark.parametrize("name", HIDING)
def test_everything_hidden_has_an_example(name: str) -> None:
    """Each group of a pattern matches in one of them; what is looked at first is none of these."""
    assert list(_groups_without_example(FOLDERS[name])) == []


def _groups_without_example(folder: LanguageFolder) -> list[tuple[str, str]]:
    missing = []
    for role, source in folder.hidden_patterns().items():
        if role == "lines":
            continue  # hides nothing: test_recovery.py has what it reads
        pattern = re.compile(source.encode(), re.MULTILINE)
        texts = [
            f"\n{text.before}".encode() for its, text in folder.hidden_examples() if its == role
        ]
        shown = {match.lastgroup for text in texts for match in pattern.finditer(text)}
        hidden = pattern.groupindex.keys() - {"indent", "opening", "plain"}
        missing += [(role, group) for group in hidden - shown]
    return missing


# `throws(CartError)`, a node that only the grammar of Swift's own package has
THROWS = "(throws_clause) @doc"


def test_language_uses_the_grammar_of_its_package(tmp_path: Path) -> None:
    files = {TOML: 'package = "tree-sitter-swift"', "nodes.scm": THROWS}
    load_grammars(write_folder(tmp_path, "swift", files)).grammar("swift")


def test_folder_without_a_package_keeps_that_of_the_shipped_language(tmp_path: Path) -> None:
    load_grammars(write_folder(tmp_path, "swift", {"nodes.scm": THROWS})).grammar("swift")


@pytest.mark.parametrize(
    ("package", "says"),
    [
        ("tree-sitter-unknown", "No module named 'tree_sitter_unknown'"),
        ("tree-sitter-language-pack", "has no grammar of 'lua'"),
        ("json", "must be the name of a package that begins with tree-sitter-"),
    ],
)
def test_package_without_the_grammar_is_an_error(tmp_path: Path, package: str, says: str) -> None:
    folder = write_folder(tmp_path, "lua", {TOML: f'package = "{package}"'})
    with pytest.raises(UserError, match=says):
        load_grammars(folder)


def test_fingerprint_has_the_version_of_each_package() -> None:
    """An index that another grammar made is read again."""
    versions = {
        match[1]
        for dependency in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
            "dependencies"
        ]
        if (match := re.fullmatch(r"tree-sitter-(?:dart|php|scala|swift)==(.+)", dependency))
    }
    assert len(versions) == 4
    assert versions < {*load_grammars().fingerprint.split(" ")}

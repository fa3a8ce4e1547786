"""TOML: tables and pairs with their key paths."""

from parse.outlines import assert_properties_hold, document_nodes, nodes, texts

LONG = (
    "Keeps the search index of a repository equal to what its HEAD says, "
    "and writes what has changed"
)

CARGO = f"""\
# The manifest.
edition = "2021"
description = "{LONG}"

[package]
name = "shop"
authors = ["Ada Lovelace <ada@example.com>", "Grace Hopper <grace@example.com>"]
license = "MIT"

[[bin]]
name = "small"

# The server,
# with its features.
[[bin]]
name = "server"
path = "src/bin/server/main.rs"
required-features = ["http", "tls", "compression", "tracing"]

[bin.metadata."x.y".'z']
summary = "{LONG}"

[profile.dev]
debug = true
"""


def test_large_tables_are_nodes() -> None:
    """Tables of an array are numbered from 0 and contain the tables after them."""
    assert document_nodes("Cargo.toml", CARGO) == [
        ("toml_table", None, 1, 24),
        ("toml_kv", "description", 3, 3),
        ("toml_table", "package", 5, 8),
        ("toml_table", "bin[1]", 13, 18),
        ("toml_table", 'bin[1].metadata."x.y".z', 20, 21),
    ]


def test_small_tables_are_part_of_the_file() -> None:
    """With all text outside of large tables and pairs."""
    assert texts("Cargo.toml", CARGO)[None] == (
        '# The manifest.\nedition = "2021"\n[[bin]]\nname = "small"\n[profile.dev]\ndebug = true'
    )


def test_large_pairs_of_a_large_table_are_nodes() -> None:
    """100 characters in a table above 1,500."""
    pairs = "".join(f'a.key{n} = "{LONG}"  # why\n' for n in range(14))
    text = f'[tool."my.tool"]\nname = "x"\n{pairs}\n[tool.small]\ntext = "{LONG}"\n'
    assert document_nodes("pyproject.toml", text) == [
        ("toml_table", 'tool."my.tool"', 1, 16),
        *(("toml_kv", f'tool."my.tool".a.key{n}', n + 3, n + 3) for n in range(14)),
        ("toml_table", "tool.small", 18, 19),
    ]


def test_multi_line_string_is_one_pair() -> None:
    """Lines in it that look like tables or comments are ignored."""
    text = f'usage = """\n[not.a.table]\n# no comment\n{LONG}\n"""\n[table]\nx = "{LONG}"\n'
    assert document_nodes("x.toml", text) == [
        ("toml_kv", "usage", 1, 5),
        ("toml_table", "table", 6, 7),
    ]


def test_invalid_toml_loses_nothing() -> None:
    for text in ("= =\n[a\nb = 1\n", "[a]\nb = \n[c]\nd = 1\n", "# only a comment\n", "[[a]\n"):
        assert_properties_hold("x.toml", text, nodes("x.toml", text))


def test_escapes_and_tables_over_several_lines_of_toml_1_1() -> None:
    """The table in braces has no node of its own: only its pairs have one."""
    text = (
        f'title = "\\e[0m{LONG}\\x41"\ncart = {{\n  items = "{LONG}",\n  size = "{LONG}",\n}}\n'
        f'[server]\nx = "{LONG}"\n'
    )
    assert document_nodes("x.toml", text)[1:] == [
        ("toml_kv", "title", 1, 1),
        ("toml_kv", "items", 3, 3),
        ("toml_kv", "size", 4, 4),
        ("toml_table", "server", 6, 7),
    ]

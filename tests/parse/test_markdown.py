"""Markdown: sections and code blocks with their heading paths."""

import pytest

from parse.outlines import document_nodes, nodes, texts

WORDS = (
    "It reads what HEAD says, compares this with what the index holds, "
    "and then writes what is changed"
)
SCRIPT = "\n".join(f"feeder process --path src/module_{number} --json" for number in range(5))

README = f"""\
---
title: Feeder
---

Found before any heading.

# Feeder

{WORDS}

## Install

{WORDS}

```sh
{SCRIPT}
```

After the script.

### From source #

{WORDS}

### From a wheel

Small.

License
-------

{WORDS}
"""


def test_sections_are_nested_like_their_headings() -> None:
    """A section is its heading and text without its larger subsections."""
    assert document_nodes("README.md", README) == [
        ("md_section", None, 1, 5),
        ("md_section", "Feeder", 7, 36),
        ("md_section", "Feeder > Install", 11, 31),
        ("md_codeblock", "Feeder > Install", 15, 21),
        ("md_section", "Feeder > Install > From source", 25, 27),
        ("md_section", "Feeder > License", 33, 36),
    ]


def test_section_contains_its_small_subsections() -> None:
    """Large subsections and code blocks are separate nodes."""
    found = [node.text for node in nodes("README.md", README)]
    assert found == [
        "---\ntitle: Feeder\n---\n\nFound before any heading.",
        f"# Feeder\n\n{WORDS}",
        f"## Install\n\n{WORDS}\nAfter the script.\n### From a wheel\n\nSmall.",
        f"```sh\n{SCRIPT}\n```",
        f"### From source #\n\n{WORDS}",
        f"License\n-------\n\n{WORDS}",
    ]


def test_text_without_headings_is_a_section_without_path() -> None:
    assert document_nodes("notes.md", "\nSome words.\n\n- a list\n") == [("md_section", None, 2, 4)]


def test_small_top_level_section_is_a_node() -> None:
    assert document_nodes("README.md", "# Shop\n\nSells things.\n") == [
        ("md_section", "Shop", 1, 3)
    ]


def test_skipped_levels_and_repeated_headings() -> None:
    """A heading belongs to the nearest earlier one of a higher level."""
    text = f"# API\n\n### get\n\n{WORDS}\n\n### get\n\n{WORDS}\n\n## put\n\n{WORDS}\n\n# End\n"
    assert document_nodes("api.md", text) == [
        ("md_section", "API", 1, 13),
        ("md_section", "API > get", 3, 5),
        ("md_section", "API > get", 7, 9),
        ("md_section", "API > put", 11, 13),
        ("md_section", "End", 15, 15),
    ]


def test_empty_heading_adds_nothing_to_the_path() -> None:
    text = f"# Shop\n\n##\n\n{WORDS}\n"
    assert document_nodes("shop.md", text) == [
        ("md_section", "Shop", 1, 5),
        ("md_section", "Shop", 3, 5),
    ]


def test_headings_in_code_lists_and_quotations_are_ignored() -> None:
    text = "# Top\n\n````\n```\n# no\n```\n````\n\n- # no\n\n  ## no\n\n> # no\n\n    # no\n"
    assert document_nodes("top.md", text) == [("md_section", "Top", 1, 15)]


def test_code_block_in_a_list_is_a_node() -> None:
    """One in a quotation is not, since its lines have quotation marks."""
    indented = "\n".join(f"   {line}" for line in SCRIPT.splitlines())
    quoted = "\n".join(f"> {line}" for line in SCRIPT.splitlines())
    text = f"# Top\n\n1. Run\n\n   ```\n{indented}\n   ```\n\n> ```\n{quoted}\n> ```\n"
    assert document_nodes("top.md", text) == [
        ("md_section", "Top", 1, 19),
        ("md_codeblock", "Top", 5, 11),
    ]


@pytest.mark.parametrize(
    ("heading", "path"),
    [
        ("# `feeder sync` ##", "`feeder sync`"),
        ("# C#", "C#"),
        ("#\tTab  and   spaces", "Tab and spaces"),
        ("# [Install](#install) and [run][1]", "Install and run"),
        ("# Feeder [![build](b.svg)](ci) ![cover](c.svg)", "Feeder"),
        ("# ![Logo](logo.svg)", "Logo"),
        ('# <a name="x"></a>Anchored { #x }', "Anchored"),
        ("# a < b > c", "a < b > c"),
        ("Two lines\nof heading\n===", "Two lines of heading"),
        ("# " + "x" * 200, "x" * 120),
    ],
)
def test_heading_path_has_plain_text(heading: str, path: str) -> None:
    """Without markup, tags, link targets and images beside text; at most 120 characters."""
    assert nodes("x.md", f"{heading}\n\ntext\n")[0].logical_path == path


def test_parts_of_a_large_section_have_one_path() -> None:
    """15 paragraphs of 97 characters and the heading fit into 1,500."""
    text = "# Long\n\n" + "\n\n".join([WORDS] * 20) + "\n"
    found = nodes("long.md", text)
    assert [(n.logical_path, n.start_line, n.end_line) for n in found] == [
        ("Long", 1, 31),
        ("Long", 33, 41),
    ]


def test_html_is_text_of_its_section() -> None:
    """An HTML heading starts no section."""
    text = "<h1>Shop</h1>\n\n<details>\n\n# Real\n\n</details>\n"
    assert texts("x.md", text) == {
        None: "<h1>Shop</h1>\n\n<details>",
        "Real": "# Real\n\n</details>",
    }

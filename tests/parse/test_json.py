"""JSON: objects, arrays and properties with their key paths."""

import json

from parse.outlines import assert_properties_hold, document_nodes, nodes, texts

LONG = (
    "A sentence of some length, as a translator would find it "
    "in the file of messages of a web shop."
)

PACKAGE = f"""\
{{
  "name": "shop",
  "scripts": {{
    "build": "tsc --project tsconfig.build.json && node scripts/copy-assets.mjs",
    "test": "vitest run --coverage"
  }},
  "files": ["dist"],
  "keywords": [
    "shop", "cart", "checkout", "payment", "invoice", "shipping", "customer", "basket", "stock"
  ],
  "description": "{LONG}",
  "license": "MIT"
}}
"""


def test_large_values_are_nodes() -> None:
    """The node type is that of the value; small ones stay in the surrounding object."""
    assert document_nodes("package.json", PACKAGE) == [
        ("json_object", None, 1, 13),
        ("json_object", "scripts", 3, 6),
        ("json_array", "keywords", 8, 10),
    ]


def test_rest_of_an_object_is_its_text() -> None:
    """A comma belongs to the entry before it."""
    found = texts("package.json", PACKAGE)
    assert found[None] == (
        '{\n  "name": "shop",\n  "files": ["dist"],\n'
        f'  "description": "{LONG}",\n  "license": "MIT"\n}}'
    )
    assert found["scripts"] == (
        '  "scripts": {\n    "build": "tsc --project tsconfig.build.json'
        ' && node scripts/copy-assets.mjs",\n    "test": "vitest run --coverage"\n  },'
    )


def test_string_of_400_characters_is_a_node() -> None:
    """With key and colon; short translations stay together."""
    text = f'{{\n"short": "{"s" * 388}",\n"large": "{"l" * 389}",\n"title": "{LONG}"\n}}\n'
    assert document_nodes("de.json", text) == [
        ("json_object", None, 1, 5),
        ("json_prop", "large", 3, 3),
    ]


def test_value_above_1500_characters_is_split() -> None:
    """Its large entries are nodes."""
    rules = {f"rule{number}": {"why": LONG, "fix": {"hint": LONG}} for number in range(8)}
    text = json.dumps({"lint": {"rules": rules}, "off": {"a": {"b": LONG}}}, indent=1)
    paths = [node.logical_path for node in nodes("lint.json", text)]
    assert paths == [None, "lint", "lint.rules", *(f"lint.rules.rule{n}" for n in range(8)), "off"]


def test_array_items_are_numbered() -> None:
    """An item of 750 characters is a node; smaller ones stay in the array but count."""
    build = {"name": "build", "steps": [LONG] * 9, "after": [LONG] * 9}
    jobs = [{"name": "small"}, build, ["deploy", *[LONG] * 8]]
    assert document_nodes("ci.json", json.dumps({"jobs": jobs}, indent=1)) == [
        ("json_object", None, 1, 43),
        ("json_array", "jobs", 2, 42),
        ("json_object", "jobs[1]", 6, 30),
        ("json_array", "jobs[1].steps", 8, 18),
        ("json_array", "jobs[1].after", 19, 29),
        ("json_array", "jobs[2]", 31, 41),
    ]


def test_ambiguous_keys_are_quoted() -> None:
    """With dots, brackets or quotes."""
    keys = ["a.b", "x[0]", 'say "hi"', "", "plain key", "@scope/name", "größe"]
    text = json.dumps({key: [LONG] for key in keys}, indent=1, ensure_ascii=False)
    assert [node.logical_path for node in nodes("keys.json", text)][1:] == [
        '"a.b"',
        '"x[0]"',
        r'"say \"hi\""',
        '""',
        "plain key",
        "@scope/name",
        "größe",
    ]


def test_top_level_arrays_and_scalars_are_nodes() -> None:
    assert document_nodes("a.json", "[1, 2]\n") == [("json_array", None, 1, 1)]
    assert document_nodes("a.json", '"only text"') == [("json_prop", None, 1, 1)]
    assert document_nodes("a.json", "\n42\n") == [("json_prop", None, 2, 2)]
    items = json.dumps([{"text": LONG * 8}, {"text": "short"}], indent=1)
    assert document_nodes("a.json", items) == [
        ("json_array", None, 1, 8),
        ("json_object", "[0]", 2, 4),
    ]


def test_comments_and_trailing_commas_lose_nothing() -> None:
    """A comment above an entry, or after it on its line, belongs to it."""
    text = f"""\
// for the editor
{{
  // where the
  /* sources are */
  "include": ["src", "tests"],

  // not this one

  // what is checked
  "rules": {{
    "strict": "{LONG}", // always
  }}, // and more
  "exclude": [],
}}
"""
    assert texts("tsconfig.json", text) == {
        None: "// for the editor\n{\n  // where the\n  /* sources are */\n"
        '  "include": ["src", "tests"],\n\n  // not this one\n  "exclude": [],\n}',
        "rules": f'  // what is checked\n  "rules": {{\n    "strict": "{LONG}", // always\n'
        "  }, // and more",
    }


def test_entries_on_one_line_are_separate_nodes() -> None:
    """As in a minified file."""
    text = json.dumps({"a": 1, "b": {"text": LONG}, "c": [LONG]}, separators=(",", ":"))
    assert document_nodes("min.json", text) == [
        ("json_object", None, 1, 1),
        ("json_object", "b", 1, 1),
        ("json_array", "c", 1, 1),
    ]
    assert texts("min.json", text)["b"] == f'"b":{{"text":"{LONG}"}},'


def test_invalid_json_loses_nothing() -> None:
    """Broken files and several values in a row are chunks and entries."""
    for text in ('{"a": {"b": 1', '{"a": 1}\n{"b": 2}\n', "{{ template }}\n", "a: yaml\n", "]"):
        found = nodes("broken.json", text)
        assert_properties_hold("broken.json", text, found)
        assert {node.node_type for node in found} <= {"chunk", "json_object", "json_prop"}


def test_json_lines_are_chunks() -> None:
    """Each line is a document, so there is no path."""
    found = nodes("events.jsonl", '{"id": 1}\n{"id": 2}\n')
    assert [(n.language, n.node_type, n.start_line, n.end_line) for n in found] == [
        ("jsonl", "chunk", 1, 2)
    ]


def test_nesting_below_level_100_stays_in_it() -> None:
    """Nothing is lost, and recursion is limited."""
    text = "".join(f'{{"k{n}": "{LONG}{LONG}", "n": ' for n in range(400)) + "1" + "}" * 400
    found = nodes("deep.json", text)
    assert_properties_hold("deep.json", text, found)
    assert max(str(node.logical_path).count(".") for node in found) < 100

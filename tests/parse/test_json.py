"""Objects, arrays and properties of JSON, under the path of their keys."""

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


def test_keys_with_enough_under_them_are_nodes() -> None:
    """The type of a key's node is that of its value; small ones stay in the object around them."""
    assert document_nodes("package.json", PACKAGE) == [
        ("json_object", None, 1, 13),
        ("json_object", "scripts", 3, 6),
        ("json_array", "keywords", 8, 10),
    ]


def test_the_rest_of_an_object_is_its_own_text() -> None:
    """A comma belongs to the entry that it ends."""
    found = texts("package.json", PACKAGE)
    assert found[None] == (
        '{\n  "name": "shop",\n  "files": ["dist"],\n'
        f'  "description": "{LONG}",\n  "license": "MIT"\n}}'
    )
    assert found["scripts"] == (
        '  "scripts": {\n    "build": "tsc --project tsconfig.build.json'
        ' && node scripts/copy-assets.mjs",\n    "test": "vitest run --coverage"\n  },'
    )


def test_a_text_is_a_node_from_400_characters() -> None:
    """Key, colon and value count; the sentences of a translation stay with each other."""
    text = f'{{\n"short": "{"s" * 388}",\n"large": "{"l" * 389}",\n"title": "{LONG}"\n}}\n'
    assert document_nodes("de.json", text) == [
        ("json_object", None, 1, 5),
        ("json_prop", "large", 3, 3),
    ]


def test_a_large_value_is_looked_into_and_a_smaller_one_stays_whole() -> None:
    """Entries above 1,500 characters give up those of their entries that are large enough."""
    rules = {f"rule{number}": {"why": LONG, "fix": {"hint": LONG}} for number in range(8)}
    text = json.dumps({"lint": {"rules": rules}, "off": {"a": {"b": LONG}}}, indent=1)
    paths = [node.logical_path for node in nodes("lint.json", text)]
    assert paths == [None, "lint", "lint.rules", *(f"lint.rules.rule{n}" for n in range(8)), "off"]


def test_items_of_an_array_are_numbered() -> None:
    """An item needs 750 characters; what is smaller stays in its array, and counts."""
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


def test_keys_that_could_pass_for_a_path_are_quoted() -> None:
    """Dots, brackets and quotes within a key leave its path unambiguous."""
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
    """A file need not hold an object."""
    assert document_nodes("a.json", "[1, 2]\n") == [("json_array", None, 1, 1)]
    assert document_nodes("a.json", '"only text"') == [("json_prop", None, 1, 1)]
    assert document_nodes("a.json", "\n42\n") == [("json_prop", None, 2, 2)]
    items = json.dumps([{"text": LONG * 8}, {"text": "short"}], indent=1)
    assert document_nodes("a.json", items) == [
        ("json_array", None, 1, 8),
        ("json_object", "[0]", 2, 4),
    ]


def test_comments_and_trailing_commas_lose_nothing() -> None:
    """A comment right above an entry, or behind it on its line, is the entry's."""
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


def test_entries_on_one_line_are_told_apart() -> None:
    """A minified file has paths too; its nodes share their line."""
    text = json.dumps({"a": 1, "b": {"text": LONG}, "c": [LONG]}, separators=(",", ":"))
    assert document_nodes("min.json", text) == [
        ("json_object", None, 1, 1),
        ("json_object", "b", 1, 1),
        ("json_array", "c", 1, 1),
    ]
    assert texts("min.json", text)["b"] == f'"b":{{"text":"{LONG}"}},'


def test_what_is_no_json_is_never_lost() -> None:
    """Broken files and several values in a row come as chunks, with what entries there are."""
    for text in ('{"a": {"b": 1', '{"a": 1}\n{"b": 2}\n', "{{ template }}\n", "a: yaml\n", "]"):
        found = nodes("broken.json", text)
        assert_properties_hold("broken.json", text, found)
        assert {node.node_type for node in found} <= {"chunk", "json_object", "json_prop"}


def test_json_lines_are_chunks() -> None:
    """Each line is a document of its own, so there is no path."""
    found = nodes("events.jsonl", '{"id": 1}\n{"id": 2}\n')
    assert [(n.language, n.node_type, n.start_line, n.end_line) for n in found] == [
        ("jsonl", "chunk", 1, 2)
    ]


def test_deep_nesting_stays_with_the_hundredth_level() -> None:
    """Whatever the depth, nothing is lost and nothing recurses without end."""
    text = "".join(f'{{"k{n}": "{LONG}{LONG}", "n": ' for n in range(400)) + "1" + "}" * 400
    found = nodes("deep.json", text)
    assert_properties_hold("deep.json", text, found)
    assert max(str(node.logical_path).count(".") for node in found) < 100

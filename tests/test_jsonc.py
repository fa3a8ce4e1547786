"""JSON with comments: parsing, and setting or removing a value without other changes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder import jsonc

DATABASE = {"binding": "CODE_DB", "database_id": "ü"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            '{"a": 1, "b": [true, null, -1.5e3], "c": {}}',
            {"a": 1, "b": [True, None, -1500], "c": {}},
        ),
        ('\ufeff// { "no" }\n{"a": "// no, /* nor */ this", }', {"a": "// no, /* nor */ this"}),
        ('{"a": /* " } */ [1, 2, /* ] */], // "b": 3\r\n}\n', {"a": [1, 2]}),
        (r'{"a\"}": "\u00fc\\", "b": "}"}', {'a"}': "ü\\", "b": "}"}),
        ('{"a": 1, "b": 2, "a": 3}', {"a": 3, "b": 2}),
    ],
)
def test_parsed_values(text: str, value: Any) -> None:
    """Comments and trailing commas are ignored; of repeated keys the last one counts."""
    assert jsonc.loads(text) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1, column 1: an object, {…}, is expected"),
        ("[]", "line 1, column 1: an object, {…}, is expected"),
        ('{"a" 1}', "line 1, column 6: a colon is expected"),
        ('{\n"a": 1\n"b": 2}', "line 3, column 1: a comma or } is expected"),
        ('{\r\n"a": [1\r\n}', "line 3, column 1: a comma or ] is expected"),
        ('{"a": 1,, }', "line 1, column 9: a name in double quotes is expected"),
        ("{a: 1}", "line 1, column 2: this is not valid JSON"),
        ("{'a': 1}", "line 1, column 2: this is not valid JSON"),
        ('{"a": }', "line 1, column 7: a value is expected, nested at most 100 levels deep"),
        ('{"a": [,]}', "line 1, column 8: a value is expected, nested at most 100 levels deep"),
        (
            '{"a": ' + "[" * 5000 + "]" * 5000 + "}",
            "line 1, column 106: a value is expected, nested at most 100 levels deep",
        ),
        ('{"a": "\\x"}', "line 1, column 7: this is not a JSON value"),
        ('{"a": NaN}', "line 1, column 7: this is not valid JSON"),
        ('{"a": 01}', "line 1, column 7: this is not valid JSON"),
        ('{"a": "b\n"}', "line 1, column 7: this is not valid JSON"),
        ('{"a": 1} /* no end', "line 1, column 10: this is not valid JSON"),
        ('\ufeff{"a" 1}', "line 1, column 6: a colon is expected"),
        ('{"a": 1}\n}', "line 2, column 1: the end of the text is expected"),
    ],
)
def test_invalid_text_is_an_error_with_its_position(text: str, why: str) -> None:
    with pytest.raises(ValueError, match="line") as refused:
        jsonc.loads(text)
    assert str(refused.value) == why


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "ai": {\n    "binding": "AI"\n  }\n}'),
        ('{"a": 1}', '{"a": 1, "ai": {"binding": "AI"}}'),
        ('{ "a": 1, }', '{ "a": 1, "ai": {"binding": "AI"}, }'),
        ('{ "a": 1 /* one */ }', '{ "a": 1, /* one */ "ai": {"binding": "AI"} }'),
        (
            '{\n\t"a": 1, // one, }\n\t// two\n}\n',
            '{\n\t"a": 1, // one, }\n\t// two\n\t"ai": {\n\t\t"binding": "AI"\n\t},\n}\n',
        ),
        (
            '{\r\n    "a": 1 // one\r\n}\r\n',
            '{\r\n    "a": 1, // one\r\n    "ai": {\r\n        "binding": "AI"\r\n    }\r\n}\r\n',
        ),
        (
            "{\n  // nothing yet\n}",
            '{\n  // nothing yet\n  "ai": {\n    "binding": "AI"\n  }\n}',
        ),
    ],
)
def test_new_member_follows_the_last_one(before: str, after: str) -> None:
    """After its comments, in the same layout."""
    assert jsonc.set_value(before, ("ai",), {"binding": "AI"}) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '{\n  "d1": []\n}',
            '{\n  "d1": [\n    {\n      "binding": "CODE_DB",\n'
            '      "database_id": "ü"\n    }\n  ]\n}',
        ),
        (
            '{\n  "d1": [{\n    "binding": "DB" // users\n  }],\n}',
            '{\n  "d1": [{\n    "binding": "DB" // users\n  }, {\n    "binding": "CODE_DB",\n'
            '    "database_id": "ü"\n  }],\n}',
        ),
        (
            '{\n  "d1": [\n    { "binding": "DB" } // users ]\n  ]\n}',
            '{\n  "d1": [\n    { "binding": "DB" }, // users ]\n    {\n'
            '      "binding": "CODE_DB",\n      "database_id": "ü"\n    }\n  ]\n}',
        ),
        (
            '{"d1": [{"binding": "DB"}]}',
            '{"d1": [{"binding": "DB"}, {"binding": "CODE_DB", "database_id": "ü"}]}',
        ),
    ],
)
def test_new_element_follows_the_last_one(before: str, after: str) -> None:
    at = len(jsonc.loads(before)["d1"])
    assert jsonc.set_value(before, ("d1", at), DATABASE) == after


def test_existing_value_is_replaced() -> None:
    """Of repeated keys the last one."""
    text = '{"x": {"id": "1"}, "x": {"id" /* his */ : "2"}, // "id": "3"\n}'
    assert jsonc.set_value(text, ("x", "id"), 'a"b') == text.replace('"2"', r'"a\"b"')


BLANKS = st.sampled_from(
    [
        "",
        " ",
        "\n",
        "\r\n\t",
        "  ",
        '// "a": {[,\n',
        '/* } " ] , */',
        "/**/",
        "\n// ü\r\n  ",
        "\ufeff",
    ]
)
NAMES = st.text(max_size=4)
FLAGS = st.booleans()
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """Generates a text of a value, with spaces, comments and trailing commas."""
    blank = draw(BLANKS)
    if isinstance(value, dict):
        names = [f"{draw(BLANKS)}{json.dumps(name)}{draw(BLANKS)}:" for name in value]
        members = [
            name + draw(written(one)) for name, one in zip(names, value.values(), strict=True)
        ]
        opening, closing = "{", "}"
    elif isinstance(value, list):
        members = [draw(written(item)) for item in value]
        opening, closing = "[", "]"
    else:
        return blank + json.dumps(value, ensure_ascii=draw(FLAGS)) + draw(BLANKS)
    has_comma = draw(FLAGS)
    last = f",{draw(BLANKS)}" if members and has_comma else ""
    inside = ",".join(members) + last if members else draw(BLANKS)
    return f"{blank}{opening}{inside}{closing}{draw(BLANKS)}"


@st.composite
def changes(draw: st.DrawFn) -> tuple[dict[str, Any], str, tuple[str | int, ...]]:
    """Generates an object, a text of it, and a path whose last key may be new."""
    value = draw(st.dictionaries(NAMES, VALUES, max_size=4))
    node: Any = value
    path: list[str | int] = []
    while True:
        keys = [*node] if isinstance(node, dict) else [*range(len(node))]
        inner = [key for key in keys if isinstance(node[key], dict | list)]
        if not inner or draw(st.booleans()):
            break
        path.append(draw(st.sampled_from(inner)))
        node = node[path[-1]]
    new: list[str | int] = [draw(NAMES)] if isinstance(node, dict) else [len(node)]
    return value, draw(written(value)), (*path, draw(st.sampled_from([*keys, *new])))


@given(changes())
def test_generated_text_is_parsed_back(change: tuple[dict[str, Any], str, Any]) -> None:
    value, text, _ = change
    assert jsonc.loads(text) == value


@given(changes(), VALUES)
def test_set_changes_only_the_value(
    change: tuple[dict[str, Any], str, tuple[str | int, ...]], new: Any
) -> None:
    """A text without the key only grows."""
    value, text, path = change
    after = jsonc.set_value(text, path, new)

    node: Any = value
    for key in path[:-1]:
        node = node[key]
    last: Any = path[-1]
    is_new = last not in node if isinstance(node, dict) else last == len(node)
    if isinstance(node, list):
        node[last : last + 1] = [new]
    else:
        node[last] = new
    assert jsonc.loads(after) == value
    if is_new:
        letters = iter(after)
        assert all(letter in letters for letter in text)


@given(changes(), VALUES)
def test_set_value_can_be_removed(
    change: tuple[dict[str, Any], str, tuple[str | int, ...]], new: Any
) -> None:
    """The rest means the same."""
    value, text, path = change
    after = jsonc.remove_value(jsonc.set_value(text, path, new), path)
    node: Any = value
    for key in path[:-1]:
        node = node[key]
    if isinstance(node, dict):
        node.pop(path[-1], None)
    else:
        node[path[-1] : path[-1] + 1] = []  # type: ignore[operator]
    assert jsonc.loads(after) == value


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{\n  "a": 1\n}\n',
        '{"a": 1}',
        '{"a": 1, }',
        '{\n\t// first\n\t"a": 1, // one\n\t/* two */\n}',
        '{\r\n    "a": [\r\n        1\r\n    ],\r\n}\r\n',
        '\ufeff{ "a": {\n} }',
    ],
)
def test_set_and_remove_restore_every_byte(text: str) -> None:
    """Comments, line ends and a trailing comma."""
    for path in (("x",), ("x", "y", "z")):
        assert jsonc.remove_value(jsonc.set_value(text, path, {"command": ["b"]}), path[:1]) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"x": 1, "b": 2}', '{"b": 2}'),
        ('{"a": 1, "x": {"y": 2}, "b": 2}', '{"a": 1, "b": 2}'),
        ('{\n  "x": 1, // ours\n  "b": 2\n}', '{\n  // ours\n  "b": 2\n}'),
        (
            '{\n  // theirs\n  "a": 1,\n  // ours\n  "x": 1\n}',
            '{\n  // theirs\n  "a": 1\n  // ours\n}',
        ),
        ('{ /* kept */ "x": 1 }', "{ /* kept */ }"),
        ('{"x": 1,}', "{}"),
    ],
)
def test_removed_value_is_removed_with_its_comma(before: str, after: str) -> None:
    """Comments stay."""
    assert jsonc.remove_value(before, ("x",)) == after


def test_removing_a_missing_value_raises_key_error() -> None:
    for path in (("x",), ("a", "x"), ("x", "a")):
        with pytest.raises(KeyError):
            jsonc.remove_value('{"a": {}}', path)

"""YAML: mappings, sequences and documents with their key paths."""

from parse.outlines import assert_properties_hold, document_nodes, nodes, texts

COMMAND = "python -m pytest tests --quiet --maxfail=1 --durations=10 --junitxml=reports/tests.xml"

WORKFLOW = f"""\
# For every push.
name: CI

on: [push, pull_request]

# One run for a branch, the
# last one.
concurrency:
  group: ${{{{ github.workflow }}}}-${{{{ github.ref }}}}-${{{{ github.event_name }}}}
  cancel-in-progress: true

env: &env
  PIP_CACHE_DIR: .cache/pip

jobs:
  # Lint comes first.
  lint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: |
          {COMMAND}
          # done
  test:
    env: *env
    runs-on: ubuntu-latest
    steps:
{"".join(f"      - run: {COMMAND} -k part{n}{chr(10)}" for n in range(12))}\
"""


def test_large_values_are_nodes() -> None:
    """A value above 1,500 characters is split; comments above a key belong to it."""
    assert document_nodes(".github/workflows/ci.yml", WORKFLOW) == [
        ("yaml_doc", None, 1, 39),
        ("yaml_mapping", "concurrency", 6, 10),
        ("yaml_mapping", "jobs", 15, 39),
        ("yaml_mapping", "jobs.lint", 16, 23),
        ("yaml_mapping", "jobs.test", 24, 39),
    ]


def test_rest_is_the_text_of_the_mapping() -> None:
    """With its small keys; a `#` in a block string is no comment."""
    found = texts("ci.yml", WORKFLOW)
    assert found[None] == (
        "# For every push.\nname: CI\n\non: [push, pull_request]\n"
        "env: &env\n  PIP_CACHE_DIR: .cache/pip"
    )
    assert found["jobs"] == "jobs:"
    assert found["jobs.lint"].startswith("  # Lint comes first.\n  lint:\n    runs-on:")
    assert found["jobs.lint"].endswith(f"          {COMMAND}\n          # done")


def test_documents_of_a_file_are_nodes() -> None:
    """Each starts at its `---` or at the comment above."""
    text = """\
kind: Service
...
# the second
---
kind: Pod
---
- a
"""
    assert document_nodes("k8s.yaml", text) == [
        ("yaml_doc", None, 1, 2),
        ("yaml_doc", None, 3, 5),
        ("yaml_doc", None, 6, 7),
    ]


def test_large_documents_are_split() -> None:
    """Above 1,500 characters their large keys are nodes.

    `data` has 18 lines of 94 or 95 characters, of which 15 fit into a part.
    """
    large = "".join(f"  key{n}: {COMMAND}\n" for n in range(18))
    text = f"---\nkind: List\n---\nkind: Map\ndata:\n{large}"
    assert [(n.node_type, n.logical_path, n.start_line) for n in nodes("k8s.yaml", text)] == [
        ("yaml_doc", None, 1),
        ("yaml_doc", None, 3),
        ("yaml_mapping", "data", 5),
        ("yaml_mapping", "data", 21),
    ]


def test_types_of_block_strings_and_flow_collections() -> None:
    """A string of 400 characters has the type of a mapping entry."""
    commands = "\n".join([f"  {COMMAND}"] * 5)
    text = f"""\
text: |
{commands}
list: [{COMMAND}, and, more]
map: {{a: {COMMAND}, b: 1}}
'a.b': >-
{commands}
short: >-
  {COMMAND}
  {COMMAND}
"""
    assert document_nodes("x.yaml", text) == [
        ("yaml_doc", None, 1, 17),
        ("yaml_mapping", "text", 1, 6),
        ("yaml_sequence", "list", 7, 7),
        ("yaml_mapping", "map", 8, 8),
        ("yaml_mapping", '"a.b"', 9, 14),
    ]
    assert texts("x.yaml", text)[None] == f"short: >-\n  {COMMAND}\n  {COMMAND}"


def test_sequence_items_are_numbered() -> None:
    """An item of 750 characters is a node with its dash; a file may be a sequence."""
    step = f"- name: long\n  run: |\n{'    ' + COMMAND + chr(10)}" + f"    {COMMAND}\n" * 9
    found = document_nodes("steps.yml", f"- name: first\n{step}- name: last\n")
    assert found == [("yaml_doc", None, 1, 14), ("yaml_mapping", "[1]", 2, 13)]


def test_comment_between_nested_keys_belongs_to_the_key_below() -> None:
    """Although the grammar may attach it to the mapping above."""
    text = f"""\
first:
  inner:
    command: {COMMAND}
    more: words
# about the second
second:
  command: {COMMAND}
  more: words
"""
    assert texts("x.yaml", text) == {
        "first": f"first:\n  inner:\n    command: {COMMAND}\n    more: words",
        "second": f"# about the second\nsecond:\n  command: {COMMAND}\n  more: words",
    }


def test_invalid_yaml_loses_nothing() -> None:
    """Templates, tabs and broken files."""
    for text in (
        "a: 1\n{{- if .x }}\nb: {{ .y }}\n{{- end }}\n",
        "a:\n\tb: 1\n",
        "a: [1, 2\nb: 3\n",
        "%YAML 1.2\n---\na: 1\n",
        "# only a comment\n",
        "? [complex, key]\n: value\n",
    ):
        assert_properties_hold("x.yaml", text, nodes("x.yaml", text))

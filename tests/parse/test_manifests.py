"""Names of modules in manifests; a manifest is untrusted input."""

import json

import pytest

from feeder.nodes import Node
from feeder.parse.manifests import MAX_NAMES, manifest_relations
from feeder.relation import decode_relations

NODE = Node("json", "document", None, None, None, 1, 1, "")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", '{"name": "a"'),
        ("package.json", "[1]"),
        ("package.json", '{"name": 3, "exports": {"./a": 4}, "imports": 5}'),
        ("package.json", json.dumps({"name": "a\0b", "main": "./x.js"})),
        ("package.json", json.dumps({"name": "n" * 5_000, "main": "./x.js"})),
        ("package.json", '{"name": "a", "exports": ' + '{"b":' * 50_000),
        ("tsconfig.json", '{"compilerOptions": {"paths": {"@a/*": [3]}}}'),
        ("tsconfig.json", '{"compilerOptions": {"baseUrl": 3}}'),
        ("tsconfig.json", '{"compilerOptions": {"paths": {"@a/*": ["b\\u0001"]}}}'),
        ("Cargo.toml", '[package]\nname = "a"\n[lib]\npath = 3\n'),
        ("Cargo.toml", "[package]\nname = 3\n"),
        ("Cargo.toml", "package = 3\n"),
    ],
)
def test_values_that_name_no_module_are_left_out(path: str, text: str) -> None:
    assert manifest_relations(path, text.encode(), NODE) == ""


def test_usable_names_beside_unusable_ones_are_kept() -> None:
    exports = {"./good": "./good.js", "./bad name": "./b.js", "./number": 3}
    text = json.dumps({"name": "a", "exports": exports})
    relations = decode_relations(manifest_relations("package.json", text.encode(), NODE))
    assert [(relation.module, relation.alias) for relation in relations] == [
        ("a/good", "./good.js"),
        ("a", "."),
    ]


def test_no_more_names_are_kept_than_allowed() -> None:
    paths = {f"@a/{number}": ["./src"] for number in range(2 * MAX_NAMES)}
    text = json.dumps({"compilerOptions": {"paths": paths}})
    encoded = manifest_relations("tsconfig.json", text.encode(), NODE)
    assert len(decode_relations(encoded)) == MAX_NAMES

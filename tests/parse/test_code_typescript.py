"""TypeScript, TSX and JavaScript: functions in constants, overloads, namespaces, objects."""

import pytest

from parse.outlines import nodes_of, only, outline, sample

CART = sample("sample.ts")
ROUTER = sample("sample.js")


def test_class_has_no_methods_and_its_signature_no_decorators() -> None:
    cart = only(CART, "Cart")
    head = "export abstract class Cart<T extends Item> extends Store implements Iterable<T>"
    assert cart.signature == head
    assert cart.text == (
        "/**\n * A cart.\n */\n@Injectable()\n"
        f"{head} {{\n"
        "  private items: T[] = [];\n"
        "  static count = 0; // of all carts\n"
        "}"
    )


def test_signature_starts_with_the_text_before_the_declaration() -> None:
    assert only(CART, "format").signature == "export const format: Format = (cents) =>"
    assert only(CART, "Cart.add").signature == "add = async (item: T) =>"
    assert only(CART, "Cart.close").signature == "abstract close(): void"
    assert only(CART, "routes").signature == "export const routes ="
    assert [node.signature for node in CART if node.symbol == "parse"] == [
        "export function parse(text: string): Item",
        "export function parse(text: string, strict: boolean): Item",
        "export function parse(text: string, strict = false): Item",
    ]


def test_rest_of_a_namespace_is_a_chunk() -> None:
    chunk = next(node for node in CART if node.start_line == 42)
    assert chunk.text == "export namespace shop {\n}"


def test_tsx_components() -> None:
    panel = sample("sample.tsx")
    assert only(panel, "Panel").signature == (
        "export const Panel = React.memo(({ title }: Props) =>"
    )


def test_jsdoc_comment_belongs_to_its_function_across_one_blank_line() -> None:
    assert only(ROUTER, "Router").text.startswith(
        "/**\n * Routes requests.\n */\n\nfunction Router"
    )


def test_members_of_an_object_above_3000_characters_are_nodes() -> None:
    members = "".join(f"  step{n}() {{\n    return {n}; // {'.' * 90}\n  }},\n" for n in range(30))
    nodes = nodes_of("steps.js", f"const steps = {{\n{members}  last: () => 1,\n}};\n")
    assert outline(nodes)[:2] == ["class steps 1:93", "method steps.step0 2:4"]
    assert only(nodes, "steps.last").text == "last: () => 1,"
    assert only(nodes, "steps").text == "const steps = {\n};"


def test_declarations_in_a_large_closure_are_nodes_without_a_prefix() -> None:
    filler = "  log('a line of forty characters, and so on');\n" * 70
    nodes = nodes_of("iife.js", f"(function () {{\n  function inner() {{}}\n{filler}}})();\n")
    assert only(nodes, "inner").start_line == 2


@pytest.mark.parametrize(
    "module",
    [
        "(function ($) {BODY})(jQuery);",
        "(() => {BODY})();",
        "(function () {BODY}());",
        "!function () {BODY}();",
        "(function () {BODY}).call(this);",
        "const cart = (function () {BODY})();",
        "var cart = function ($) {BODY}(jQuery);",
        "window.cart = (() => {BODY})();",
        "(function (root, factory) {\n  root.cart = factory();\n})(this, function () {BODY});",
        "define(['jquery'], function ($) {BODY});",
        "require(['jquery'], ($) => {BODY});",
    ],
)
@pytest.mark.parametrize("path", ["cart.js", "cart.ts", "cart.tsx"])
def test_declarations_in_the_function_around_a_module_are_nodes(module: str, path: str) -> None:
    body = "\n  function Cart() {}\n  Cart.prototype.add = function () {};\n  class Item {}\n"
    symbols = [node.symbol for node in nodes_of(path, module.replace("BODY", body) + "\n")]
    assert [symbol for symbol in symbols if symbol] == ["Cart", "Cart.add", "Item"]


def test_named_function_that_is_called_at_once_is_no_module() -> None:
    nodes = nodes_of("run.js", "(async function main() {\n  const step = () => 1;\n})();\n")
    assert outline(nodes) == ["chunk - 1:3"]


def test_declarations_in_a_small_closure_are_no_nodes() -> None:
    nodes = nodes_of("small.js", "setup(() => {\n  function inner() {}\n  inner();\n});\n")
    assert outline(nodes) == ["chunk - 1:4"]

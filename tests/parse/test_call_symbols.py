"""Calls with a string and a function, such as tests and routes, are nodes named by the string."""

import pytest

from parse.outlines import nodes_of, only, outline

CALLS = {
    "describe.ts": ("describe('a cart', () => {\n  it('adds', () => {});\n});\n", "a cart"),
    "route.js": ("app.get('/carts/:id', auth, (req, res) => {\n  a();\n});\n", "/carts/:id"),
    "panel.tsx": ("await test('opens', async function () {\n  a();\n});\n", "opens"),
    "a.test.ts": ("it(`adds\n  twice`, () => {});\n", "adds twice"),
    "cart_spec.rb": ("describe 'a cart' do\n  a\nend\n", "a cart"),
    "model_spec.rb": ("RSpec.describe Shop::Cart, type: :model do\n  a\nend\n", "Shop.Cart"),
    "rakefile": ("task :build do\n  a\nend\n", "build"),
    "app.kts": ('get("/carts") {\n  a()\n}\n', "/carts"),
    "kotest.kts": ('"adds an item" {\n  a()\n}\n', "adds an item"),
    "app.swift": ('app.get("carts") { request in\n  a()\n}\n', "carts"),
    "App.cs": ('app.MapGet("/carts", async (c) =>\n{\n  a();\n});\n', "/carts"),
    "catch.cpp": ('TEST_CASE("adds", "[cart]") {\n  a();\n}\n', "adds"),
    "jenkinsfile": ("stage('Build') {\n  sh 'make'\n}\n", "Build"),
}


@pytest.mark.parametrize("path", CALLS)
def test_call_is_a_method_named_by_its_string(path: str) -> None:
    text, symbol = CALLS[path]
    [node] = nodes_of(path, text)
    assert (node.node_type, node.symbol) == ("method", symbol)


def test_php_route_is_a_method() -> None:
    found = nodes_of("web.php", "<?php\nRoute::get('/carts', function () {\n    a();\n});\n")
    assert outline(found) == ["chunk - 1:1", "method /carts 2:4"]


def test_go_spec_is_a_method_of_its_package() -> None:
    found = nodes_of("a_test.go", 'package a\nvar _ = Describe("a cart", func() {\n\tb()\n})\n')
    assert outline(found) == ["chunk - 1:1", "method a.a cart 2:4"]


def test_scala_test_is_a_method_of_its_suite() -> None:
    text = 'class CartTest extends FunSuite {\n  test("adds") { a() }\n  "ends" in { b() }\n}\n'
    assert outline(nodes_of("CartTest.scala", text))[1:] == [
        "method CartTest.adds 2:2",
        "method CartTest.ends 3:3",
    ]


@pytest.mark.parametrize(
    ("path", "opening", "inner", "end", "symbol"),
    [
        ("a.ts", "describe('cart', () => {\n", "  it('adds', () => { a(); });\n", "});\n", "adds"),
        ("a.rb", "describe 'cart' do\n", "  it('adds') { a }\n", "end\n", "adds"),
        ("a.kts", 'describe("cart") {\n', '  it("adds") { a() }\n', "}\n", "adds"),
        (
            "a.go",
            "package p\nfunc TestCart(t *T) {\n",
            '\tt.Run("adds", func() {})\n',
            "}\n",
            "adds",
        ),
        ("a.dart", "void main() {\n", "  test('adds', () { a(); });\n", "}\n", "adds"),
        ("A.java", "class A { void f() {\n", '  get("adds", (q) -> { a(); });\n', "} }\n", "adds"),
    ],
)
def test_nested_call_is_a_node_only_in_a_large_one(
    path: str, opening: str, inner: str, end: str, symbol: str
) -> None:
    small = nodes_of(path, opening + inner + end)
    assert not any((node.symbol or "").endswith(symbol) for node in small)
    large = nodes_of(path, opening + inner * 200 + end)
    assert sum((node.symbol or "").endswith(f".{symbol}") for node in large) == 200


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("export const useCart = create(set => ({ n: 1 }));\n", "useCart"),
        ("const useCart = create()(devtools((set) => ({ n: 1 })));\n", "useCart"),
        ("export const useCart = defineStore('cart', () => {\n  a();\n});\n", "useCart"),
        ("export const load = createAsyncThunk('cart/load', async () => 1);\n", "load"),
        ("export default defineConfig(() => ({ a: 1 }));\n", "default"),
    ],
)
def test_call_assigned_to_a_name_has_that_name(text: str, symbol: str) -> None:
    [node] = nodes_of("a.ts", text)
    assert (node.node_type, node.symbol) == ("method", symbol)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", "configure('x', { a: 1 });\nsend('x', done);\nsetTimeout(() => {}, 1);\n"),
        ("a.rb", "before(:each) do\n  a\nend\nputs 'x'\n"),
        ("a.kts", 'implementation("a:b")\nrepeat(2) { a() }\n'),
        ("a.groovy", "implementation('a:b')\n"),
    ],
)
def test_other_calls_are_no_nodes(path: str, text: str) -> None:
    assert {node.node_type for node in nodes_of(path, text)} == {"chunk"}


def test_component_registered_with_functions_is_a_class() -> None:
    found = nodes_of("a.js", "Vue.component('my-cart', {\n  data() { return 1; },\n});\n")
    assert only(found, "my-cart").node_type == "class"


def test_call_with_an_empty_string_has_no_name() -> None:
    found = nodes_of("a.test.ts", "it('', () => {});\nit(\"\", () => {});\nit('adds', () => {});\n")
    assert [node.symbol for node in found if node.symbol] == ["adds"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Vagrantfile", 'Vagrant.configure("2") do |config|\n  a\nend\n'),
        ("a.test.ts", "it('1.0 → 2', () => {\n  a();\n});\n"),
        ("a.swift", 'run("2") { a in\n  b()\n}\n'),
        ("a_test.go", 'package a\nvar _ = It("2", func() {\n\tb()\n})\n'),
    ],
)
def test_string_without_letters_names_no_call(path: str, text: str) -> None:
    assert {node.node_type for node in nodes_of(path, text)} == {"chunk"}


def test_letters_of_any_script_count() -> None:
    [node] = nodes_of("a.test.ts", "it('加入购物车', () => {});\n")
    assert node.symbol == "加入购物车"


def test_names_inside_an_unnamed_call_have_no_prefix() -> None:
    text = (
        'Vagrant.configure("2") do |config|\n  config.vm.define "web" do |web|\n    a\n  end\nend\n'
    )
    assert outline(nodes_of("Vagrantfile", text)) == ["chunk - 1:5", "method web 2:4"]


def test_root_route_is_a_name() -> None:
    """It has no letter."""
    found = nodes_of("app.js", "app.get('/', (request) => {\n  answer(request);\n});\n")
    assert [(node.node_type, node.symbol) for node in found] == [("method", "/")]

"""Test files are told from their helpers, data and pages."""

from typing import NamedTuple

import pytest

from feeder.impact.runnable_tests import is_test_file


class Declared(NamedTuple):
    node_type: str
    symbol: str | None
    signature: str | None


HELPER = Declared("method", "make_cart", "def make_cart():")


@pytest.mark.parametrize(
    ("path", "node", "expected"),
    [
        ("tests/test_cart.py", HELPER, True),
        ("cart_test.go", Declared("method", "cart.BenchmarkAdd", "func BenchmarkAdd()"), True),
        ("test/config_test.exs", HELPER, True),
        ("src/utils.spec.ts", HELPER, True),
        ("tests/cli.rs", Declared("method", "adds", "fn adds()"), True),
        ("tests/common/mod.rs", Declared("method", "adds", "fn adds()"), False),
        ("tests/cart.c", Declared("method", "main", "int main(void)"), True),
        ("tests/cart.py", Declared("method", "CartTest.test_add", "def test_add(self):"), True),
        ("test/Cart.java", Declared("method", "Cart.adds", "@Test public void adds()"), True),
        ("tests/Cart.cs", Declared("method", "Cart.Adds", "[Fact] public void Adds()"), True),
        ("test/cart.rb", Declared("method", "Cart.adds", "test 'adds'"), True),
        ("tests/cart.cpp", Declared("method", "Cart.Adds", "TEST(Cart, Adds)"), True),
        ("test/cart.js", Declared("method", "adds", "it('adds', function ()"), True),
        ("test/cart.ts", Declared("method", "adds %i", "test.each([1])('adds %i', (n) =>"), True),
        ("test/test_helper.rb", HELPER, False),
        ("src/test-utils.ts", HELPER, False),
        ("tests/test_utils.py", Declared("method", "test_fold", "def test_fold():"), True),
        ("tests/conftest.py", HELPER, False),
        ("tests/conftest.py", Declared("method", "test_apps", "def test_apps(path):"), False),
        ("tests/app.py", Declared("method", "testing_app", "def testing_app():"), False),
        ("test/server.js", Declared("method", "/", "app.get('/', function (req, res)"), False),
        ("tests/cart.py", Declared("class", "TestCase", "class TestCase:"), False),
        ("tests/fixtures/test_cart.py", HELPER, False),
        ("pkg/testdata/cart_test.go", HELPER, False),
        ("src/__mocks__/cart.test.js", HELPER, False),
        ("tests/test_page.html", HELPER, False),
        ("tests/test_notes.md", HELPER, False),
        ("src/cart.py", Declared("method", "test_add", "def test_add():"), False),
        ("tests/test_data.json", Declared("json_object", None, None), False),
    ],
)
def test_what_a_runner_runs(path: str, node: Declared, expected: bool) -> None:
    assert is_test_file(path, [node]) is expected

"""PHP: namespaces of both forms, attributes, code between HTML."""

import pytest

from parse.outlines import GRAMMARS, only, sample

CART = sample("sample.php")
PAGE = sample("page.php")


def test_namespaces_with_braces_between_html() -> None:
    assert only(PAGE, "Acme.Web.hello").text.startswith("// Says hello.\n    function hello")


@pytest.mark.parametrize(
    ("symbol", "signature"),
    [
        ("Cart", "#[Entity] final class Cart extends Base implements Countable"),
        ("Cart.add", "#[Pure] public function add(Item $item): static"),
        ("Cart.empty", "abstract protected static function empty(): self"),
        ("double", "$double = fn (int $x)"),
    ],
)
def test_signatures(symbol: str, signature: str) -> None:
    assert only(CART, f"Acme.Shop.{symbol}").signature == signature


def test_enum_has_its_cases() -> None:
    assert only(CART, "Acme.Shop.Suit").text == "enum Suit: string\n{\n    case Hearts = 'H';\n}"


def test_closure_is_part_of_its_method() -> None:
    assert "$log = function () { return 1; };" in only(CART, "Acme.Shop.Cart.add").text


def test_php_include_is_recognized_by_its_content() -> None:
    assert GRAMMARS.detect_language("common.inc", b"<?php\n$a = 1;\n") == ("php", "code")

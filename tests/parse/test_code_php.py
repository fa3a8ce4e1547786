"""PHP: namespaces of both forms, attributes, code between HTML."""

import pytest

from parse.outlines import GRAMMARS, only, outline, rows, sample

CART = sample("Cart.php")
PAGE = sample("page.php")


def test_declarations() -> None:
    assert outline(CART) == rows(r"""
        chunk   -                              1:7
        class   Acme.Shop.Cart                 9:32
        method  Acme.Shop.Cart.__construct     19:21
        method  Acme.Shop.Cart.add             23:29
        method  Acme.Shop.Cart.empty           31:31
        class   Acme.Shop.Shape                34:34
        method  Acme.Shop.Shape.area           34:34
        class   Acme.Shop.Timestamps           36:39
        method  Acme.Shop.Timestamps.touch     38:38
        class   Acme.Shop.Suit                 41:45
        method  Acme.Shop.Suit.label           44:44
        chunk   -                              47:49
        method  Acme.Shop.price                48:48
        method  Acme.Shop.double               51:51
        class   Acme.Shop.class@anonymous      53:55
        method  Acme.Shop.class@anonymous.run  54:54
    """)


def test_namespaces_with_braces_between_html() -> None:
    assert outline(PAGE) == rows("""
        chunk   -               1:14
        method  Acme.Web.hello  5:8
        method  plain           13:13
    """)
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


def test_an_enum_is_indexed_with_its_cases() -> None:
    assert only(CART, "Acme.Shop.Suit").text == "enum Suit: string\n{\n    case Hearts = 'H';\n}"


def test_a_closure_is_part_of_its_method() -> None:
    assert "$log = function () { return 1; };" in only(CART, "Acme.Shop.Cart.add").text


def test_an_include_of_php_is_known_by_its_content() -> None:
    assert GRAMMARS.language("common.inc", b"<?php\n$a = 1;\n") == ("php", "code")

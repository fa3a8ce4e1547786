"""Ruby: modules, singleton classes, methods that calls define."""

import pytest

from parse.outlines import GRAMMARS, only, outline, rows, sample

CART = sample("cart.rb")


def test_declarations() -> None:
    assert outline(CART) == rows("""
        chunk   -                          1:3
        class   Acme                       5:43
        class   Acme.Shop.Cart             6:42
        class   Acme.Shop.Cart.Line        11:13
        method  Acme.Shop.Cart.Line.total  12:12
        method  Acme.Shop.Cart.empty       16:19
        method  Acme.Shop.Cart.of          22:22
        method  Acme.Shop.Cart.add         24:27
        method  Acme.Shop.Cart.[]          29:31
        method  Acme.Shop.Cart.owner=      33:35
        method  Acme.Shop.Cart.total       37:37
        method  Acme.Shop.Cart.secret?     39:41
        class   Acme.Order                 45:46
        method  helper                     48:50
        chunk   -                          52:54
    """)


def test_a_class_keeps_what_is_called_in_it() -> None:
    assert only(CART, "Acme.Shop.Cart").text == (
        "# A cart.\n  class Shop::Cart < Base\n    include Enumerable\n    attr_reader :items\n"
        "    class << self\n    end\n  end"
    )


@pytest.mark.parametrize(
    ("symbol", "signature"),
    [
        ("Cart", "class Shop::Cart < Base"),
        ("Cart.Line", "Line = Struct.new(:item, :count)"),
        ("Cart.of", "def self.of(*items)"),
        ("Cart.add", "def add(item)"),
        ("Cart.total", "define_method(:total)"),
        ("Cart.secret?", "private def secret?"),
    ],
)
def test_signatures(symbol: str, signature: str) -> None:
    assert only(CART, f"Acme.Shop.{symbol}").signature == signature


@pytest.mark.parametrize("path", ["Rakefile", "lib/Gemfile", "a.gemspec", "config.ru", "x.rake"])
def test_files_of_ruby_without_its_ending(path: str) -> None:
    assert GRAMMARS.language(path, b"") == ("ruby", "code")

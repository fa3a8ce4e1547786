"""Ruby: modules, singleton classes, and methods that calls define."""

import pytest

from parse.outlines import GRAMMARS, nodes_of, only, sample

CART = sample("sample.rb")


def test_class_contains_the_calls_in_its_body() -> None:
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
def test_ruby_files_without_the_rb_extension(path: str) -> None:
    assert GRAMMARS.detect_language(path, b"") == ("ruby", "code")


def test_heredoc_in_the_text_of_a_heredoc_hides_nothing() -> None:
    text = """
        class Mail
          def body
            wrap(<<~A, <<~B)
              hi #{name(<<~C)}
                inner
              C
              end
            A
              def fake
              end
            B
          end

          def log = "#{strip(<<~D)}"
            def fake
          D
        end
    """
    found = [(node.symbol, node.start_line, node.end_line) for node in nodes_of("mail.rb", text)]
    assert found[:2] == [("Mail", 1, 17), ("Mail.body", 2, 12)]
    assert found[2][:2] == ("Mail.log", 14)
    assert len(found) == 3

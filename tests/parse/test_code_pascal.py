"""Pascal: separate declarations and bodies, forward declarations, files of ambiguous extensions."""

from textwrap import dedent

import pytest

from feeder.parse.file_parser import parse_file
from parse.outlines import GRAMMARS, nodes_of, only, outline, rows, sample

CART = sample("sample.pas")


def test_forward_declaration_is_text_of_the_unit() -> None:
    assert CART[0].text.endswith("type\n  TCart = class;")


def test_class_has_its_fields_and_properties() -> None:
    assert only(CART, "Shop.Cart.TCart").text == (
        "// A cart.\n  TCart = class(TInterfacedObject, IShape)\n  private\n"
        "    FItems: TStringList;\n  type\n  public\n"
        "    property Items: TStringList read FItems;\n  end;"
    )


@pytest.mark.parametrize(
    ("symbol", "signature"),
    [
        ("TPrice", "TPrice = record"),
        ("IShape", "IShape = interface(IInterface)"),
        ("ECart", "ECart = class(Exception)"),
        ("TCart", "TCart = class(TInterfacedObject, IShape)"),
        ("TCartHelper", "TCartHelper = class helper for TCart"),
        ("TCartHelper.Help", "procedure Help"),
    ],
)
def test_signatures(symbol: str, signature: str) -> None:
    assert only(CART, f"Shop.Cart.{symbol}").signature == signature


def test_body_has_its_comment_and_local_procedures() -> None:
    body = next(node for node in CART if node.start_line == 64)
    assert body.signature == "procedure TCart.Add(const Item: string)"
    assert body.text.startswith("{ Keeps the order. }\nprocedure TCart.Add")
    assert "  procedure Log;\n  begin\n  end;" in body.text


def test_conditional_body_is_one_method() -> None:
    body = only(sample("generics.pas"), "Generics.TList.End")
    assert body.signature == "function TList<T>.&End: Integer"
    assert body.text.endswith("{$ELSE}\nbegin\n  Result := 2;\nend;\n{$ENDIF}")


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.inc", "procedure Foo(A: Integer);\nbegin\nend;\n", "pascal"),
        ("a.inc", "NAME = value\n", "text"),
        ("a.pp", "unit A;\ninterface\nend.\n", "pascal"),
        ("a.pp", "class apache {\n  package { 'httpd': }\n}\n", "text"),
        ("a.dpk", "package A;\nend.\n", "pascal"),
    ],
)
def test_language_of_an_include_depends_on_its_content(path: str, text: str, language: str) -> None:
    assert GRAMMARS.detect_language(path, text.encode())[0] == language


def test_include_has_its_routines_without_a_unit() -> None:
    nodes = nodes_of(
        "events.inc",
        """
        constructor TEvents.Create;
        begin
          inherited Create;
        end;
        """,
    )
    assert outline(nodes) == rows("method TEvents.Create 1:4")


def test_rarer_syntax_is_parsed() -> None:
    text = """
        unit Shop;
        interface
        type
          TDay = 1..31;
          TCart = class(TBase)
          public
            procedure Add;
          published
            property Items;
          end;

        implementation

        procedure TCart.Add;
        begin
          try
            Buy(5.0E-1, %101, Day shl 2 + Day << 1);
          except
            raise;
          end;
        end;

        end.
        """
    nodes = nodes_of("shop.pas", text)
    assert outline(nodes) == rows(
        """
        chunk  - 1:12
        class  Shop.TDay 4:4
        class  Shop.TCart 5:10
        method Shop.TCart.Add 7:7
        method Shop.TCart.Add 14:21
        chunk  - 23:23
        """
    )
    assert parse_file(GRAMMARS, "shop.pas", dedent(text).lstrip().encode()).unparsed == ()

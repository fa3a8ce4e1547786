"""Pascal: declarations and bodies apart, forward declarations, files without an own ending."""

import pytest

from parse.outlines import GRAMMARS, nodes_of, only, outline, rows, sample

CART = sample("Shop.Cart.pas")


def test_declarations_and_bodies_are_nodes_in_their_places() -> None:
    assert outline(CART) == rows("""
        chunk   -                            1:11
        class   Shop.Cart.TKind              12:12
        class   Shop.Cart.TPrice             14:18
        method  Shop.Cart.TPrice.Euros       17:17
        class   Shop.Cart.IShape             20:23
        method  Shop.Cart.IShape.Area        22:22
        class   Shop.Cart.ECart              25:25
        class   Shop.Cart.TCart              27:41
        class   Shop.Cart.TCart.TLine        32:34
        method  Shop.Cart.TCart.TLine.Clear  33:33
        method  Shop.Cart.TCart.Create       36:36
        method  Shop.Cart.TCart.Add          37:38
        method  Shop.Cart.TCart.Area         39:39
        class   Shop.Cart.TCartHelper        43:45
        method  Shop.Cart.TCartHelper.Help   44:44
        method  Shop.Cart.Global             47:47
        chunk   -                            49:52
        method  Shop.Cart.TPrice.Euros       54:57
        method  Shop.Cart.TCart.Create       59:62
        method  Shop.Cart.TCart.Add          64:75
        method  Shop.Cart.TCart.TLine.Clear  77:79
        method  Shop.Cart.Global             81:83
        chunk   -                            85:87
    """)


def test_a_forward_declaration_is_text_of_the_unit() -> None:
    assert CART[0].text.endswith("type\n  TCart = class;")


def test_a_class_is_indexed_with_its_fields_and_properties() -> None:
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


def test_a_body_has_its_comment_and_its_local_procedures() -> None:
    body = next(node for node in CART if node.start_line == 64)
    assert body.signature == "procedure TCart.Add(const Item: string)"
    assert body.text.startswith("{ Keeps the order. }\nprocedure TCart.Add")
    assert "  procedure Log;\n  begin\n  end;" in body.text


def test_type_parameters_and_escapes_are_not_part_of_a_symbol() -> None:
    assert outline(sample("generics.pas")) == rows("""
        chunk   -                        1:11
        class   Generics.TList           6:9
        method  Generics.TList.Add       7:7
        method  Generics.TList.Implicit  8:8
        method  Generics.TList.Add       13:15
        method  Generics.TList.End       17:26
        method  Generics.After           28:30
        chunk   -                        32:32
    """)


def test_a_body_in_two_versions_is_one_method() -> None:
    body = only(sample("generics.pas"), "Generics.TList.End")
    assert body.signature == "function TList<T>.&End: Integer"
    assert body.text.endswith("{$ELSE}\nbegin\n  Result := 2;\nend;\n{$ENDIF}")


def test_a_program() -> None:
    assert outline(sample("shop.dpr")) == rows("""
        chunk   -         1:13
        method  Shop.Run  6:9
    """)


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
def test_the_content_tells_what_an_include_is(path: str, text: str, language: str) -> None:
    assert GRAMMARS.language(path, text.encode())[0] == language


def test_an_include_has_its_routines_without_a_unit() -> None:
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

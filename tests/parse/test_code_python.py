"""Python: decorators, conditional definitions, nested functions, type aliases."""

from parse.outlines import nodes, nodes_of, only, outline, sample

CART = sample("sample.py")


def test_class_has_its_docstring_and_decorators_but_not_its_methods() -> None:
    assert only(CART, "Item").text == (
        "# Cents, never floats.\n"
        "@dataclass(frozen=True)\n"
        "class Item:\n"
        '    """A thing that is sold."""\n'
        "\n"
        "    name: str\n"
        "    cents: int"
    )


def test_method_starts_at_its_decorator_and_contains_nested_functions() -> None:
    text = only(CART, "Item.parse").text
    assert text.startswith("@classmethod\n    def parse(\n")
    assert "def strip(part: str)" in text
    assert text.endswith("return cls(strip(name), int(strip(cents)))")


def test_decorator_with_a_trailing_comment_belongs_to_the_declaration() -> None:
    text = """\
@override_settings(DEBUG=True)  # why
class A:
    # first
    @cache  # for all calls
    # between
    @retry(
        times=3,  # at most
        # as the service asks
        on=(OSError,),
    )  # behind
    # last
    def load(self): ...
"""
    found = nodes("a.py", text)
    assert outline(found) == ["class A 1:12", "method A.load 3:12"]
    assert found[0].text == "@override_settings(DEBUG=True)  # why\nclass A:"
    assert found[1].text.startswith("# first\n    @cache  # for all calls\n")
    assert [node.signature for node in found] == ["class A:", "def load(self):"]


def test_comment_separated_from_a_decorator_does_not_belong_to_it() -> None:
    found = nodes("a.py", "# Apart from it.\n\n@final  # right above\nclass A: ...\n")
    assert outline(found) == ["chunk - 1:1", "class A 3:4"]


def test_signature_is_one_line_without_decorators_and_comments() -> None:
    assert only(CART, "Item.parse").signature == 'def parse( cls, text: str, ) -> "Item":'
    assert only(CART, "restock").signature == "async def restock(items: list[Item]) -> None:"
    assert only(CART, "Price").signature == "type Price[T] = dict[str, T]"


def test_condition_around_a_definition_is_a_chunk() -> None:
    chunk = next(node for node in CART if node.start_line == 37)
    assert chunk.text == "try:\n    from speedups import total\nexcept ImportError:"


def test_nested_function_is_a_node_if_the_outer_one_exceeds_3000_characters() -> None:
    filler = "    log('a line of forty characters, and so on')\n" * 70
    found = nodes_of("big.py", f"def outer():\n    def inner():\n        return 1\n{filler}")
    symbols = [node.symbol for node in found]
    assert symbols.count("outer.inner") == 1
    assert only(found, "outer.inner").text == "def inner():\n        return 1"
    assert outline(found)[0] == "method outer 1:73"
    assert all("return 1" not in node.text for node in found if node.symbol == "outer")

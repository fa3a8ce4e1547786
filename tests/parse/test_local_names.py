"""Local variables hide other definitions of their name from their declaration to a scope's end."""

from typing import NamedTuple

from feeder.parse.local_names import LocalNames


class Node(NamedTuple):
    """The bytes of a capture."""

    start_byte: int
    end_byte: int

    def child_by_field_name(self, _: str, /) -> None:
        """It has none."""


def _kept(text: str, variables: list[int], scopes: list[tuple[int, int]]) -> list[int]:
    """The offsets of `x` that may mean something else; variables are offsets of `x` too."""
    names = LocalNames(text.encode())
    names.add([Node(start, start + 1) for start in variables], None)
    for scope in scopes:
        names.add_scope(Node(*scope))
    mentions = {b"x": [at for at, letter in enumerate(text) if letter == "x"]}
    names.remove_from(mentions, [b"x"], set())
    return mentions[b"x"]


def test_scope_that_begins_with_another_one_is_the_inner_one() -> None:
    """`{if x {x} x}`: the statements and the `if` begin at one offset; the last `x` is no local."""
    text = "{if x {x} x}"
    assert _kept(text, [4], [(1, 11), (1, 9)]) == [10]


def test_initial_value_means_what_is_outside() -> None:
    text = "{let x: T = 2 * x; f(x)}"
    assert _kept(text, [5], [(0, 24)]) == [16]


def test_initial_value_of_a_second_variable_means_the_first() -> None:
    text = "{let x = 1; let x = x}"
    assert _kept(text, [5, 16], [(0, 22)]) == []


def test_comparison_is_no_initial_value() -> None:
    for sign in ("==", "!=", "<=", ">="):
        text = f"{{let x {sign} x}}"
        assert _kept(text, [5], [(0, len(text))]) == []


def test_default_value_of_a_parameter_does_not_reach_the_body() -> None:
    for text in ("{f(x=1): return x}", "{f(x: T) = x + 1}", "{f(T x) => x == 1}"):
        assert _kept(text, [text.index("x")], [(0, len(text))]) == []


def test_variable_of_another_scope_hides_nothing() -> None:
    """`{x} {x = 1; x}`; outside of all scopes, a variable is one of the whole file."""
    names = LocalNames(b"{x} {x = 1; x}")
    names.add([Node(5, 6)], None)
    names.add_scope(Node(0, 3))
    names.add_scope(Node(4, 14))
    mentions = {b"x": [1, 5, 12]}
    names.remove_from(mentions, [b"x"], set())
    assert (mentions[b"x"], names.unscoped) == ([1], set())
    outside = LocalNames(b"x = 1; {x}")
    outside.add([Node(0, 1)], None)
    outside.remove_from({b"x": [0, 8]}, [b"x"], set())
    assert outside.unscoped == {b"x"}

"""Packages of Perl and functions of Erlang."""

from parse.outlines import nodes_of, outline, rows


def test_lines_of_prose_in_perl_are_no_packages() -> None:
    """A line of POD, the text after `__END__` and a broken statement are none either."""
    nodes = nodes_of(
        "Cart.pm",
        """
        package Cart v1.2.3;  # with a version
        =pod

        package has its own rate;
        package Prose;

        =cut
        sub add { 1 }
        package without a name;
        sub total { 2 }

        class Line 0.1 :isa(Item);
        method price { 3 }

        =head1 NAME

        package Other;

        =cut

        package main;
        sub run { 4 }
        __END__
        package Late;
        """,
    )
    types = [(node.symbol, node.start_line) for node in nodes if node.node_type == "class"]
    assert types == [("Cart", 1), ("Line", 12), ("main", 21)]


def test_package_of_perl_in_a_block_has_no_name_around_it() -> None:
    nodes = nodes_of(
        "a.pm",
        """
        package A;
        sub f { 1 }

        {
            package B;
            sub g { 2 }
        }

        package C::D {
            sub h { 3 }
        }
        """,
    )
    assert outline(nodes) == rows("""
        class   A       1:7
        method  A.f     2:2
        class   B       4:7
        method  B.g     6:6
        class   C.D     9:11
        method  C.D.h   10:10
    """)


def test_clauses_of_erlang_end_with_the_function() -> None:
    """`add/2`, `add/1` and `add/0` are three functions, also without a blank line between them."""
    nodes = nodes_of(
        "cart.erl",
        """
        add(A, []) -> A;
        add(A, [B | _]) ->
            A + B.
        add({A, B}) -> add(A, B);
        % one item
        add(A) -> A.
        add() -> 0.
        """,
    )
    assert outline(nodes) == rows("""
        method  add  1:3
        method  add  4:6
        method  add  7:7
    """)

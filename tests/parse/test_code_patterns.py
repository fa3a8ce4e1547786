"""Languages with declarations found by patterns instead of a grammar."""

import pytest

from parse.outlines import nodes_of, only, outline, rows, sample


@pytest.mark.parametrize(
    ("name", "symbol", "signature"),
    [
        ("sample.sql", "shop.items", "CREATE TABLE shop.items"),
        ("sample.sql", "items_name", "CREATE UNIQUE INDEX items_name ON shop.items"),
        (
            "sample.sql",
            "shop.total",
            "CREATE OR REPLACE FUNCTION shop.total(cart INTEGER) RETURNS INTEGER",
        ),
        ("sample.sql", "shop.cheap", 'create view "shop"."cheap"'),
        ("sample.sql", "items_log", "CREATE TRIGGER items_log AFTER INSERT ON items"),
        ("sample.sql", "dbo.Restock", "CREATE PROCEDURE [dbo].[Restock] @item INT"),
        ("Dockerfile", "shop", "FROM --platform=$BUILDPLATFORM golang:1.24 as shop"),
        ("Makefile", "$(BIN)/shop", "$(BIN)/shop: $(SOURCES) | $(BIN)"),
        ("tests.bats", "a cart's total", '@test "a cart\'s total"'),
        ("sample.sh", "cart.add", "cart::add()"),
        ("sample.tf", "aws_instance.web", 'resource "aws_instance" "web"'),
        ("sample.proto", "acme.shop.v1.Shop.Add", "rpc Add(Cart.Line) returns (Cart)"),
        ("sample.graphql", "Query.cart", "cart(owner: ID!): Cart"),
        ("sample.graphql", "Node", "interface Node"),
        ("sample.ex", "Acme.Shop.Cart.price", "defp price({item, count})"),
        ("sample.ex", "Enumerable.Acme.Shop.Cart", "defimpl Enumerable, for: Acme.Shop.Cart"),
        ("sample.lua", "Cart.add", "function Cart:add(item)"),
        ("sample.zig", "Cart.add", "pub fn add(self: *Self, line: Line) !void"),
        ("sample.hs", "Acme.Shop.Cart.add", "add :: a -> Cart a -> Cart a"),
        ("sample.hs", "Acme.Shop.Cart.Priced.Cart", "instance Priced (Cart a)"),
        ("sample.hs", "Acme.Shop.Cart.limit", "limit"),
    ],
)
def test_signatures(name: str, symbol: str, signature: str) -> None:
    assert only(sample(name), symbol).signature == signature


def test_adjacent_clauses_of_one_name_are_one_node() -> None:
    found = nodes_of(
        "Size.hs",
        """
        size :: Int -> Int
        size 0 = 1
        -- of all others
        size n = n

        size' :: Int -> Int
        size' n = n

        size' 9 = 8
        """,
    )
    assert outline(found) == rows("""
        method  size   1:4
        method  size'  6:7
        method  size'  9:9
    """)


def test_recipe_contains_its_conditionals_but_not_later_ones() -> None:
    found = nodes_of(
        "Makefile",
        """
        ifdef CI
        all:
        \techo \\
        one: two

        # why
        ifdef DEBUG
        \techo three
        endif
        \techo four
        endif
        include/config.h: x
        all: CFLAGS = -O2
        a:b
        """,
    )
    assert outline(found) == rows("""
        chunk   -                 1:13
        method  all               2:10
        method  include/config.h  12:12
        method  a                 14:14
    """)


def test_sql_server_routine_ends_with_its_batch() -> None:
    found = nodes_of(
        "restock.sql",
        """
        ALTER PROCEDURE dbo.Restock @item INT = 1
        AS
          CREATE TABLE #found (id INT);
          SELECT 1;
        GO
        CREATE PROC Last @a NVARCHAR(9) = N'x' AS
        SELECT @a;
        SELECT 2;
        """,
    )
    assert outline(found) == rows("""
        method  dbo.Restock  1:4
        chunk   -            5:5
        method  Last         6:8
    """)


def test_schema_of_a_postgresql_extension_is_a_schema() -> None:
    found = nodes_of(
        "create_parent.sql",
        """
        CREATE FUNCTION @extschema@.create_parent(p_table text) RETURNS boolean
            LANGUAGE plpgsql AS $$
        BEGIN
            RETURN @extschema@.is_parent(p_table);
        END
        $$;
        CREATE OR REPLACE PROCEDURE "@extschema@".undo(p_table text)
        LANGUAGE sql AS $$ SELECT 1; $$;
        CREATE TABLE IF NOT EXISTS @extschema@.config (name text);
        CREATE TYPE "@extschema@"."state" AS ENUM ('on');
        CREATE VIEW @extschema:shop@.lines AS SELECT 1;
        """,
    )
    assert outline(found) == rows("""
        method  extschema.create_parent  1:6
        method  extschema.undo           7:8
        class   extschema.config         9:9
        class   extschema.state          10:10
        class   extschema:shop.lines     11:11
    """)
    assert only(found, "extschema.undo").signature == (
        'CREATE OR REPLACE PROCEDURE "@extschema@".undo(p_table text) LANGUAGE sql'
    )


def test_unterminated_sql_statement_ends_before_the_next_one() -> None:
    found = nodes_of("two.sql", "CREATE TABLE a (id INT)\nCREATE TABLE b (id INT)\n")
    assert outline(found) == ["class a 1:1", "class b 2:2"]


def test_mysql_routine_ends_at_its_delimiter() -> None:
    found = nodes_of(
        "film.sql",
        """
        DELIMITER ;;
        CREATE TRIGGER upd_film AFTER UPDATE ON film FOR EACH ROW BEGIN
            IF old.title != new.title THEN
              UPDATE film_text SET title = new.title;
            END IF;
          END;;
        CREATE TRIGGER del_film AFTER DELETE ON film FOR EACH ROW BEGIN
            DELETE FROM film_text WHERE film_id = old.film_id;
          END;;
        DELIMITER ;
        """,
    )
    assert outline(found) == rows("""
        chunk   -         1:10
        method  upd_film  2:6
        method  del_film  7:9
    """)


def test_zsh_functions_are_found_where_the_bash_grammar_fails() -> None:
    found = nodes_of(
        "widgets.zsh",
        """
        # Turns it on or off.
        toggle() {
          if (( ${+_DISABLED} )); then enable; else disable; fi
          local -i pending=$((PENDING + $#KEYS_QUEUED_COUNT))
          for action in $ACTIONS[(I)${~pattern}]; { run "$action" }
        }

        function modify {
          () { local a=${(qq)1} } $1
          BUFFER=${(M)${(z)BUFFER}:#${~a}}
        }
        """,
    )
    assert [row for row in outline(found) if row.startswith("method")] == rows("""
        method  toggle  1:6
        method  modify  8:11
    """)

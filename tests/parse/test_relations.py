"""Relations: what a node calls, inherits, uses and imports, by name, with lines from its first."""

import time
from textwrap import dedent

import pytest

from parse.outlines import nodes, nodes_of

Expected = dict[str | None, set[str]]

RELATIONS: dict[str, tuple[str, Expected]] = {
    "shop.py": (
        '''
        from .stock import Stock as Shelf, count
        import acme.mail
        @register
        class Cart(Base, acme.mail.Sender):
            store = Shelf()
            def add(self, item: Item, to=count) -> Line:
                """Calls add(item) in words only."""
                self.store.put(item)  # put(nothing)
                return Line(item, count)
        ''',
        {
            None: {"Stock@.stock=Shelf:0", "count@.stock:0", "@acme.mail:1"},
            "Cart": {"Base^:1", "Sender^acme.mail:1", "store=Shelf:2", "Shelf(:2"},
            "Cart.add": {
                *("item%Item:0", "Item~:0", "Line>:0", "Line~:0", "count.:0,3"),
                *("put(self.store:2", "Line(:3"),
            },
        },
    ),
    "shop.ts": (
        """
        import Shelf, { Stock as S } from './stock';
        import * as mail from 'acme/mail';
        export class Cart extends Base<Item> implements Sender {
          private store: Store = new Store();
          add(item: Item): Line { this.store.put(item); return mail.line(S); }
        }
        """,
        {
            None: {"default@./stock=Shelf:0", "Stock@./stock=S:0", "@acme/mail=mail:1"},
            "Cart": {
                *("export#:0", "Base^:0", "Item~:0", "Sender+:0", "store=Store:1"),
                *("Store~:1", "Store(:1"),
            },
            "Cart.add": {
                *("item%Item:0", "Item~:0", "Line>:0", "Line~:0", "store.this:0"),
                *("put(this.store:0", "line(mail:0", "S.:0"),
            },
        },
    ),
    "Cart.java": (
        """
        package shop;
        import acme.Store;
        public class Cart extends Base implements Sender {
            private Store store = new Store();
            public Line add(Item item) { store.put(item); return new Line(Store.MAX); }
        }
        """,
        {
            "shop.Cart": {
                *("public#:0", "Base^:0", "Sender+:0", "store=Store:1", "Store~:1", "Store(:1"),
            },
            "shop.Cart.add": {
                *("public#:0", "item%Item:0", "Item~:0", "Line>:0", "Line~:0", "put(store:0"),
                *("Line(:0", "MAX.Store:0"),
            },
        },
    ),
    "Cart.kt": (
        """
        package shop
        import acme.Store as Shelf
        class Cart(private val store: Shelf) : Base(), Sender {
            private fun add(item: Item): Line { store?.put(item); return Line(item) }
        }
        """,
        {
            None: {"Store@acme=Shelf:1"},
            "shop.Cart": {"private#:0", "store%Shelf:0", "Shelf~:0", "Base^:0", "Sender+:0"},
            "shop.Cart.add": {
                *("private#:0", "item%Item:0", "Item~:0", "Line>:0", "Line~:0", "put(store:0"),
                "Line(:0",
            },
        },
    ),
    "cart.go": (
        """
        package shop

        import m "acme/mail"

        type Cart struct {
        ____Base
        ____store *Store
        }

        func (c *Cart) Add(item Item) Line {
        ____c.store.Put(item)
        ____return m.NewLine(item)
        }
        """,
        {
            None: {"@acme/mail=m:2"},
            "shop.Cart": {"Base^:1", "store=Store:2", "Store~:2"},
            "shop.Cart.Add": {
                *("c=Cart:0", "Cart~:0", "item%Item:0", "Item~:0", "Line>:0", "Line~:0"),
                *("store.c:1", "Put(c.store:1", "NewLine(m:2"),
            },
        },
    ),
}


@pytest.mark.parametrize("path", RELATIONS)
def test_relations_of_nodes(path: str) -> None:
    """Those that the text has, worked out by hand; none from comments and strings."""
    text, expected = RELATIONS[path]
    found = nodes_of(path, text.replace("____", "\t"))
    for symbol, relations in expected.items():
        [node] = [node for node in found if node.symbol == symbol]
        assert relations - set(node.relations.split()) == set(), (symbol, node.relations)
    everything = " ".join(node.relations for node in found)
    assert "nothing" not in everything
    assert " add(" not in everything


def test_local_names_are_no_relations() -> None:
    text = "def f(items):\n    total = len(items)\n    return print(total)\n"
    [node] = nodes("a.py", text)
    assert node.relations == " len(:1 print(:2"


def test_relations_belong_to_the_part_of_a_long_node_that_has_them() -> None:
    body = "".join(f"    call_{number}(value)\n" for number in range(400))
    parts = nodes("a.py", f"def f(value):\n{body}")
    assert len(parts) > 1
    for part in parts:
        for relation in part.relations.split():
            name, _, line = relation.partition("(:")
            lines = part.text.split("\n")
            assert name in lines[int(line)], relation


def test_hostile_files_cost_only_themselves() -> None:
    """A function of 100,000 calls, names of 100 kB, receivers of any length."""
    calls = "def f():\n" + "    g()\n" * 100_000
    chain = "x = a" + ".b()" * 20_000 + "\n"
    name = "n" * 100_000
    long_name = f"import {name}\n{name}()\n{name}.call(1)\nclass A({name}): pass\n"
    for text in (calls, chain, long_name):
        started = time.process_time()
        found = nodes("a.py", text)
        assert time.process_time() - started < 20
        assert sum(len(node.relations) for node in found) < 2 * len(text)
        assert max((len(word) for node in found for word in node.relations.split()), default=0) < (
            200_000
        )
    assert name not in " ".join(node.relations for node in nodes("a.py", long_name))


def test_notebook_lines_are_those_of_the_file() -> None:
    cell = '{"cell_type": "code", "metadata": {}, "outputs": [], "source": [\n"a = 1\\n",\n'
    text = dedent(
        '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [\n'
        + cell
        + '\n"load(a)"]}]}'
    )
    [node] = [node for node in nodes("a.ipynb", text) if node.relations]
    [relation] = node.relations.split()
    name, _, line = relation.partition("(:")
    assert name == "load"
    assert "load(a)" in text.split("\n")[node.start_line + int(line) - 1]

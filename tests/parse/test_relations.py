"""Relations: what a node calls, inherits, uses and imports, by name, with lines from its first."""

import re
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
          is(kind: mail.Kind, like: typeof S) {}
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
            "Cart.is": {"kind%Kind:0", "like%:0", "mail~:0", "Kind~mail:0", "S.:0"},
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
            "shop.Cart": {"public#:0", "store%Shelf:0", "Shelf~:0", "Base^:0", "Sender+:0"},
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
    "cart.rs": (
        """
        use crate::stock::{Store as Shelf, count};
        use crate::{mail::{self, Post}, rows::Row as Line};
        pub struct Cart { store: Shelf }
        impl Sender for Cart {
            pub fn add(&mut self, item: &Item) -> Line {
                self.store.put(item);
                let line: Row = mail::line(count);
                log!("nothing {}", show(item));
                Line { item }
            }
        }
        pub trait Shape: Base + fmt::Debug {}
        """,
        {
            None: {
                *("Store@crate.stock=Shelf:0", "count@crate.stock:0"),
                *("mail@:1", "Post@mail:1", "Row@rows=Line:1"),
            },
            "Cart.add": {
                *(
                    "pub#:0",
                    "item%Item:0",
                    "Item~:0",
                    "Line>:0",
                    "store.self:1",
                    "put(self.store:1",
                ),
                *("line=Row:2", "Row~:2", "line(mail:2", "count.:2", "log(:3", "show(:3"),
                "Line(:4",
            },
            "Shape": {"pub#:0", "Base^:0", "Debug^fmt:0"},
        },
    ),
    "cart.c": (
        """
        #include "stock.h"
        struct cart *add(struct cart *cart, const item_t *item) {
            store_put(cart->store, item, MAX_ITEMS);
            line_t *line = make_line(item);
            return cart;
        }
        struct hooks all = { .close = close_cart };
        """,
        {
            None: {"@stock.h:0", "close_cart.:6", "hooks~:6"},
            "add": {
                *("cart%cart:0", "item%item_t:0", "item_t~:0", "store_put(:1", "store.cart:1"),
                *("MAX_ITEMS.:1", "line=line_t:2", "line_t~:2", "make_line(:2"),
            },
        },
    ),
    "cart.cpp": (
        """
        #include <acme/stock.hpp>
        using acme::Store;
        class Cart : public Base, private acme::Sender<int> {
            Store store_;
            std::vector<Line> lines_;
        };
        Line Cart::put(const Item& item, acme::Kind kind) {
            this->store_.put(item);
            acme::mail::line(kind);
            return make<Widget>(new Shelf(item));
        }
        """,
        {
            None: {"@acme/stock.hpp:0", "Store@acme:1"},
            "Cart": {
                *("Base^:0", "Sender^acme:0", "Store~:1", "store_=Store:1", "Line~:2"),
                "lines_=vector:2",
            },
            "Cart.put": {
                *("Line>:0", "Line~:0", "item%Item:0", "Item~:0", "kind%Kind:0", "Kind~acme:0"),
                *("store_.this:1", "put(this.store_:1", "line(acme.mail:2", "make(:3", "Widget~:3"),
                "Shelf(:3",
            },
        },
    ),
    "Cart.cs": (
        """
        using Acme.Stock;
        using Shelf = Acme.Store;
        namespace Shop;
        [Entity]
        public class Cart<T> : Base, ISender<Item> where T : Thing {
            private readonly Store store = new Store();
            public Line Add(Item item, Acme.Kind? kind) {
                this.store?.Put(item);
                var made = new Builder(item);
                return Acme.Mail.Line(typeof(Widget), Make<Gadget>(made));
            }
        }
        """,
        {
            None: {"*@Acme.Stock:0", "Store@Acme=Shelf:1"},
            "Shop.Cart": {
                *("Entity~:0", "public#:1", "Base^:1", "ISender+:1", "Item~:1", "Thing~:1"),
                *("Store~:2", "store=Store:2", "Store(:2"),
            },
            "Shop.Cart.Add": {
                *("public#:0", "Line>:0", "Line~:0", "item%Item:0", "Item~:0", "kind%Kind:0"),
                *("Kind~Acme:0", "Put(this.store:1", "made=Builder:2", "Builder(:2"),
                *("Line(Acme.Mail:3", "Widget~:3", "Make(:3", "Gadget~:3"),
            },
        },
    ),
    "cart.rb": (
        """
        require "acme/stock"
        class Cart < Base
          include Sender
          def add(item)
            @store = Store.new
            check item
            self.total
            Acme::Mail.line(MAX)
            clear
          end
          alias put add
          alias_method :full?, :busy?
          alias_method "insert", "add"
          alias_method :ready, :ready?
          alias save save!
        end
        """,
        {
            None: {"!@acme/stock:0"},
            "Cart": {
                "Base^:0",
                "Sender+:1",
                "add.=put:9",
                "busy?.=full?:10",
                "ready?.=ready:12",
                "save!.=save:13",
            },
            "Cart.add": {
                *("store=Store:1", "Store.:1", "new(Store:1", "check(:2", "total(self:3"),
                *("Mail.Acme:4", "line(Acme.Mail:4", "MAX.:4", "clear(:5"),
            },
        },
    ),
    "Cart.php": (
        """
        <?php
        namespace Shop;
        use Acme\\Store as Shelf;
        use Acme\\{Item, Line};
        class Cart extends Base implements Sender {
            use Loggable;
            private Shelf $store;
            public function add(Item $item, ?Kind $kind): Line {
                $this->store->put($item);
                parent::reset($item);
                $made = new Builder(check($item));
                return Line::MAX;
            }
        }
        """,
        {
            None: {"Store@Acme=Shelf:2", "Item@Acme:3", "Line@Acme:3"},
            "Shop.Cart": {
                *("Base^:0", "Sender+:0", "Loggable+:1", "Shelf~:2", "store=Shelf:2"),
            },
            "Shop.Cart.add": {
                *("public#:0", "item%Item:0", "Item~:0", "kind%Kind:0", "Kind~:0", "Line>:0"),
                *("store.$this:1", "put($this.store:1", "reset(parent:2", "made=Builder:3"),
                *("Builder(:3", "check(:3", "MAX.Line:4"),
            },
        },
    ),
    "Cart.swift": (
        """
        import Stock
        public class Cart: Base, Sender {
            private let store: Store = Store()
            public func add(_ item: Item, to count: Kind?) -> Line {
                self.store.put(item)
                let made = Builder(item)
                return Acme.Mail.line(Line.max, item as? Gadget)
            }
        }
        """,
        {
            None: {"@Stock:0"},
            "Cart": {
                *("public#:0", "Base^:0", "Sender^:0", "store=Store:1", "Store~:1", "Store(:1"),
            },
            "Cart.add": {
                *("public#:0", "item%Item:0", "Item~:0", "count%Kind:0", "Kind~:0", "Line>:0"),
                *("Line~:0", "store.self:1", "put(self.store:1", "made=Builder:2", "Builder(:2"),
                *("Mail.Acme:3", "line(Acme.Mail:3", "max.Line:3", "Gadget~:3"),
            },
        },
    ),
    "Cart.scala": (
        """
        package shop
        import acme.stock.{Store => Shelf, Item}
        import acme.mail._
        import acme.Line
        class Cart(store: Shelf) extends Base(1) with Sender[Item] {
          private def add(item: Item): Line = {
            this.store.put(item)
            val made = new Builder(item)
            item render made
            Mail.line[Row](item)
          }
        }
        """,
        {
            None: {"Store@acme.stock=Shelf:1", "Item@acme.stock:1", "*@acme.mail:2", "Line@acme:3"},
            "shop.Cart": {"store=Shelf:0", "Shelf~:0", "Base^:0", "Sender^:0", "Item~:0"},
            "shop.Cart.add": {
                *("private#:0", "item%Item:0", "Item~:0", "Line>:0", "Line~:0", "store.this:1"),
                *("put(this.store:1", "made=Builder:2", "Builder(:2", "render(:3", "line(Mail:4"),
                "Row~:4",
            },
        },
    ),
    "Cart.groovy": (
        """
        package shop
        import acme.Store
        class Cart extends Base implements Sender {
            private Store store = new Store()
            Line add(Item item) {
                this.store.put(item)
                check item
                return Mail.line(item)
            }
        }
        """,
        {
            None: {"Store@acme:1"},
            "shop.Cart": {"Base^:0", "Sender+:0", "store=Store:1", "Store~:1", "Store(:1"},
            "shop.Cart.add": {
                *("Line~:0", "Item~:0", "put(this.store:1", "check(:2", "Mail~:3", "line(Mail:3"),
            },
        },
    ),
    "cart.dart": (
        """
        import 'package:acme/stock.dart' as stock;
        import 'mail.dart' show Mail;
        class Cart extends Base with Mixin implements Sender {
          final Store store = Store();
          Line add(Item item, {Kind? kind}) {
            this.store.put(item);
            final made = Builder(item);
            made..go()..stop();
            return stock.line(item as Gadget);
          }
        }
        """,
        {
            None: {"@package:acme/stock.dart=stock:0", "Mail@mail.dart:1"},
            "Cart": {
                *("Base^:0", "Mixin+:0", "Sender+:0", "Store~:1", "store=Store:1", "Store(:1"),
            },
            "Cart.add": {
                *("Line>:0", "Line~:0", "item%Item:0", "Item~:0", "kind%Kind:0", "Kind~:0"),
                *("store.this:1", "put(this.store:1", "made=Builder:2", "Builder(:2"),
                *("line(stock:4", "Gadget~:4"),
            },
        },
    ),
    "Shop.pas": (
        """
        unit Shop;
        interface
        uses Acme.Stock, Mail;
        type
          TCart = class(TBase, ISender)
            FStore: TStore;
            FLines: TList<TRow>;
          end;
        implementation
        function TCart.Add(const AItem: TItem): TLine;
        begin
          Self.FStore.Put(AItem);
          Result := TLine.Create(AItem as TGadget);
          Check(AItem);
          Reset;
        end;
        end.
        """,
        {
            None: {"@Acme.Stock:2", "@Mail:2"},
            "Shop.TCart": {
                *("TBase^:0", "ISender^:0", "FStore=TStore:1", "TStore~:1", "FLines=TList:2"),
                *("TList~:2", "TRow~:2"),
            },
            "Shop.TCart.Add": {
                *("AItem%TItem:0", "TItem~:0", "TLine>:0", "TLine~:0", "FStore.Self:2"),
                *("Put(Self.FStore:2", "Create(TLine:3", "TGadget~:3", "Check(:4", "Reset(:5"),
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


VISIBILITIES: dict[str, tuple[str, dict[str, str]]] = {
    "cart.py": (
        """
        class Cart:
            def add(self): pass
            def _check(self): pass
            def __len__(self): pass
        def _fill(): pass
        """,
        {
            "Cart": "public",
            "Cart.add": "public",
            "Cart._check": "private",
            "Cart.__len__": "public",
            "_fill": "private",
        },
    ),
    "cart.go": (
        """
        package shop

        type Cart struct{}

        func (c *Cart) Add() {}

        func (c *Cart) check() {}
        """,
        {"shop.Cart": "public", "shop.Cart.Add": "public", "shop.Cart.check": "private"},
    ),
    "cart.ts": (
        """
        export class Cart {
          add() {}
          private check() {}
          #weigh() {}
        }
        export function fill() {}
        function local() {}
        """,
        {
            "Cart": "export public",
            "Cart.add": "public",
            "Cart.check": "private",
            "Cart.#weigh": "private",
            "fill": "export public",
            "local": "",
        },
    ),
    "cart.rs": (
        """
        pub struct Cart { store: u8 }
        impl Cart {
            pub fn add(&self) {}
            fn check(&self) {}
        }
        """,
        {"Cart.add": "pub public", "Cart.check": ""},
    ),
    "Cart.java": (
        """
        class Cart {
            public void add() {}
            void check() {}
        }
        interface Shelf {
            void put();
        }
        """,
        {"Cart": "", "Cart.add": "public", "Cart.check": "", "Shelf.put": "public"},
    ),
    "Cart.kt": (
        """
        class Cart(private val store: Shelf) {
            fun add() {}
            internal fun check() {}
        }
        """,
        {"Cart": "public", "Cart.add": "public", "Cart.check": "internal"},
    ),
    "Cart.cs": (
        """
        class Cart {
            public void Add() {}
            void Check() {}
        }
        interface IShelf {
            void Put();
        }
        """,
        {"Cart": "internal", "Cart.Add": "public", "Cart.Check": "private", "IShelf.Put": "public"},
    ),
    "Cart.php": (
        """
        <?php
        class Cart {
            function add() {}
            protected function check() {}
        }
        """,
        {"Cart": "public", "Cart.add": "public", "Cart.check": "protected"},
    ),
    "Cart.swift": (
        """
        open class Cart {
            func add() {}
            fileprivate func check() {}
        }
        """,
        {"Cart": "open public", "Cart.add": "internal", "Cart.check": "fileprivate private"},
    ),
    "Cart.scala": (
        """
        class Cart {
          def add(): Unit = {}
          private def check(): Unit = {}
        }
        """,
        {"Cart": "public", "Cart.add": "public", "Cart.check": "private"},
    ),
    "Cart.groovy": (
        """
        class Cart {
            void add() {
            }
        }
        """,
        {"Cart": "public", "Cart.add": "public"},
    ),
    "cart.dart": (
        """
        class Cart {
          void add() {}
          void _check() {}
        }
        """,
        {"Cart": "public", "Cart.add": "public", "Cart._check": "private"},
    ),
    "cart.rb": (
        """
        class Cart
          def add
          end

          private

          def check
          end
        end

        class Shelf
          def put
          end
        end
        """,
        {"Cart": "public", "Cart.add": "public", "Cart.check": "private", "Shelf.put": "public"},
    ),
    "cart.c": (
        """
        int add(int item) { return item; }
        static int check(int item) { return item; }
        """,
        {"add": "public", "check": "private"},
    ),
    "cart.cpp": (
        """
        class Cart {
            int check() { return 1; }
        public:
            int add() { return 1; }
        protected:
            int weigh() { return 1; }
        };
        struct Shelf {
            int put() { return 1; }
        };
        int Cart::count() { return 1; }
        """,
        {
            "Cart": "public",
            "Cart.check": "private",
            "Cart.add": "public",
            "Cart.weigh": "protected",
            "Shelf.put": "public",
            "Cart.count": "",
        },
    ),
}


@pytest.mark.parametrize("path", VISIBILITIES)
def test_visibility_by_modifier_section_or_convention(path: str) -> None:
    """What a language leaves open, such as a Java package's own classes, has none."""
    text, expected = VISIBILITIES[path]
    visibilities = {
        node.symbol: " ".join(
            one.partition("#:")[0] for one in node.relations.split() if "#:" in one
        )
        for node in nodes_of(path, text)
        if node.symbol in expected
    }
    assert visibilities == expected


def test_declaration_of_a_member_is_no_relation() -> None:
    """Also if another type has a property of that name with code."""
    text = "protocol Doc {\n  var page: [Node] { get }\n}\nstruct Leaf { var page: Int { 3 } }\n"
    [node, *_] = nodes("a.swift", text)
    assert node.relations == " Node~:1 internal#:0"
    assert [(member.name, member.line) for member in node.members] == [("page", 2)]


def test_local_names_are_no_relations() -> None:
    text = "def f(items):\n    total = len(items)\n    return print(total)\n"
    [node] = nodes("a.py", text)
    assert node.relations == " len(:1 print(:2 public#:0"


@pytest.mark.parametrize(
    "use",
    [
        "def f(add)\n  [add]\nend",
        "def f(add = 1)\n  [add]\nend",
        "def f(add:)\n  [add]\nend",
        "def f(*add)\n  [add]\nend",
        "def self.f(&add)\n  [add]\nend",
        "def f\n  add = 1\n  [add]\nend",
        "def f\n  add, b = 1, 2\n  list { [add] }\nend",
        "def f\n  list { |add| [add] }\nend",
        "def f\n  list do |add|\n    [add]\n  end\nend",
        "def f\n  ->(add) { [add] }\nend",
        "def f(add)\n  add\nend",
    ],
)
def test_local_variable_of_ruby_is_no_relation(use: str) -> None:
    *_, node = nodes("a.rb", f"def add\nend\n\n{use}\n")
    assert " add" not in node.relations


@pytest.mark.parametrize(
    "use",
    [
        "def f\n  [add]\n  add = 1\nend",
        "def f\n  list { |add| 1 }\n  [add]\nend",
        "def f\n  list { add = 1 }\n  list { [1, add] }\nend",
        "def g(add)\nend\n\ndef f\n  [add]\nend",
    ],
)
def test_name_outside_of_the_scope_of_a_local_variable_of_ruby_is_a_mention(use: str) -> None:
    *_, node = nodes("a.rb", f"def add\nend\n\n{use}\n")
    assert " add.:" in node.relations


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.swift", "func add(a: Int) {}\nfunc f(b: Int) { call(1, add: b, other: add) }"),
        ("a.kt", "fun add(a: Int) {}\nfun f(b: Int) { call(1, add = b, other = add) }"),
        ("a.cs", "class A { void add() {}\nvoid f(int b) { call(1, add: b, other: add); } }"),
        ("a.groovy", "class A { int add() { 1 }\nvoid f(int b) { call(1, add: b, other: add) } }"),
        ("a.dart", "void add() {}\nvoid f(int b) { call(1, add: b, other: add); }"),
        ("a.scala", "object A { def add = 1\ndef f(b: Int) = { call(1, add = b, other = add) } }"),
        ("a.php", "<?php\nfunction add() {}\nfunction f($b) { call(1, add: $b, other: add); }"),
    ],
)
def test_label_of_an_argument_is_no_mention(path: str, text: str) -> None:
    [mention] = [
        line
        for node in nodes(path, text)
        for line in re.findall(r" add\.:([\d,]+)", node.relations)
    ]
    assert mention == "0"


def test_members_of_super_and_accessors_of_properties() -> None:
    text = "class A extends B {\n  void f() {\n    super.f();\n    super.size;\n  }\n}\n"
    assert nodes("a.dart", text)[1].relations == " f(super:1 size.super:2 public#:0"
    text = (
        "unit U;\ninterface\ntype\n  PCart = ^TCart;\n  TCart = class\n"
        "    property Total: Integer read GetTotal write SetTotal;\n  end;\nimplementation\nend.\n"
    )
    relations = "".join(node.relations for node in nodes("u.pas", text))
    assert all(part in relations for part in (" TCart~:", " GetTotal.:", " SetTotal.:"))


def test_default_import_belongs_to_the_part_with_its_line() -> None:
    """The word `default` is in another part of the file's own text."""
    body = "".join(f"  cart({n})\n" for n in range(40))
    text = f"import cart from './cart'\n\nfunction fill() {{\n{body}}}\n\nexport default fill\n"
    first, _, last = nodes("a.ts", text)
    assert (first.relations, last.relations) == (
        " default@./cart=cart:0",
        " fill.:0 fill;default:0",
    )


@pytest.mark.parametrize(
    ("function", "relation"),
    [
        ("def f(add): return [add]", ""),
        ("def f(add=1): return [add]", ""),
        ("def f(add: int): return [add]", ""),
        ("def f(add: int = 1): return [add]", ""),
        ("def f(*add): return [add]", ""),
        ("def f(**add: int): return [add]", ""),
        ("def f(): return lambda add: [add]", ""),
        ("def f(add=add): return [add]", "add.:0"),
        ("def f(): return [add], (lambda add: [add])", "add.:0"),
    ],
)
def test_parameter_of_python_is_no_mention(function: str, relation: str) -> None:
    *_, node = nodes("a.py", f"def add(): pass\n\n\n{function}\n")
    assert re.findall(r"add\.\S+", node.relations) == relation.split()


def test_relations_belong_to_the_part_of_a_long_node_that_has_them() -> None:
    body = "".join(f"    call_{number}(value)\n" for number in range(400))
    parts = nodes("a.py", f"def f(value):\n{body}")
    assert len(parts) > 1
    for part in parts:
        for relation in part.relations.replace(" public#:0", "").split():
            name, _, line = relation.partition("(:")
            lines = part.text.split("\n")
            assert name in lines[int(line)], relation


def test_relations_belong_to_the_part_of_a_long_class_that_has_them() -> None:
    """The first part has the lines of the whole class, and the same calls as the others."""
    calls = [f'    register("a label with some words", {number})\n' for number in range(400)]
    method = "    def f(self):\n        pass\n"
    text = "".join(["class Form(Base):\n", *calls[:200], method, *calls[200:]])
    parts = [node for node in nodes("a.py", text) if node.node_type == "class"]
    assert len(parts) > 1
    lines = text.split("\n")
    for part in parts:
        for relation in part.relations.split():
            for line in relation.rpartition(":")[2].split(","):
                assert lines[part.start_line - 1 + int(line)] in part.text


def test_an_access_at_the_end_of_a_file_has_its_whole_name() -> None:
    assert nodes("a.py", "import os\nos.name")[0].relations == " @os:0 name.os:1"


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
    [line] = re.findall(r"load\(:(\d+)", node.relations)
    assert "load(a)" in text.split("\n")[node.start_line + int(line) - 1]


def test_function_in_a_variable_keeps_its_mentions() -> None:
    """`ping` is a node's function, `size` a local variable."""
    body = "\tping := func() {}\n\tsize := 3\n\tuse(ping)\n\tuse(size)\n"
    text = f"package a\n\nfunc Test() {{\n{body}}}\n"
    [relations] = [node.relations for node in nodes("a.go", text) if node.symbol == "a.Test"]
    assert " ping.:3" in relations
    assert " size." not in relations

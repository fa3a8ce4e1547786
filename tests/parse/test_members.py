"""Members: enum members, fields and constants inside a node, with their lines."""

from textwrap import dedent

import pytest

from feeder.parse.worker_pool import WorkerPool
from parse.outlines import nodes, nodes_of, only

MEMBERS = {
    "Shop.kt": (
        """
        const val LIMIT = 1
        class Cart(val owner: String, size: Int) {
            var count = 0
            val full: Boolean
                get() = count > 1
            fun f() { val inner = 2 }
        }
        enum class Color { RED,
            GREEN }
        """,
        {None: "LIMIT:1", "Cart": "owner:2 count:3", "Color": "RED:8 GREEN:9"},
    ),
    "Shop.java": (
        """
        enum Color {
            RED, GREEN(1);
            static final int MAX = 9;
            void f() { int inner; }
        }
        record Price(int cents) {}
        interface Limits { int LOW = 1; }
        """,
        {"Color": "RED:2 GREEN:2 MAX:3", "Price": "cents:6", "Limits": "LOW:7"},
    ),
    "globals.c": (
        """
        cart_t first, second;
        static cart_t *last;
        int totals[3], grid[2][3];
        extern const char *const names[];
        int (*hook)(int);
        #ifdef SMALL
        int size = 1;
        #else
        int limit;
        #endif
        int run(void)
        {
        #ifdef SMALL
            int inner;
        #endif
            return 0;
        }
        """,
        {None: "first:1 second:1 last:2 totals:3 grid:3 names:4 size:7 limit:9"},
    ),
    "globals.cc": (
        """
        extern "C" int from_c;
        namespace shop {
        Cart* cart_;
        namespace { bool ready; }
        int size() { int inner; return inner; }
        }
        """,
        {None: "from_c:1 cart_:3 ready:4"},
    ),
    "shop.dart": (
        """
        const limit = 1;
        enum Color { red,
          green(2); }
        class Cart {
          final int size;
          static const max = 1, min = 2;

          void f() { final inner = 1; }
        }
        """,
        {None: "limit:1", "Color": "red:2 green:3", "Cart": "size:5 max:6 min:6"},
    ),
    "shop.ts": (
        """
        export const LIMIT = 1, LOW = 2;
        enum Color { Red,
          Green = 2 }
        interface Item { name: string; add(): void }
        class Cart {
          private count = 1;

          f() { const inner = 1; }
        }
        type Price = { cents: number };
        """,
        {
            None: "LIMIT:1 LOW:1",
            "Color": "Red:2 Green:3",
            "Item": "name:4",
            "Cart": "count:6",
            "Price": "cents:10",
        },
    ),
    "shop.js": (
        "const LIMIT = 1;\nclass Cart {\n  count = 1;\n}\n",
        {None: "LIMIT:1", "Cart": "count:3"},
    ),
    "actions.ts": (
        """
        export const actions = {
          createComment: async ({ request }) => { const inner = { no() {} }; },
          *login() {},
          async logout() {},
          'x-shop': function () {},
          'a text': () => 1,
          [computed]() {},
          items: function* () {},
          limit: 3, shared, nested: { deep() {} },
        } satisfies Actions;
        Page({ load() {} });
        """,
        {None: "load:11", "actions": "createComment:2 login:3 logout:4 x-shop:5 items:8 deep:9"},
    ),
    "List.vue": (
        """
        <script>
        export default {
          filters: {
            statusFilter(status) { return status; },
          },
          directives: { focus: (el) => el.focus() },
          data() { return { inner: () => 1 }; },
        };
        </script>
        """,
        {"List.filters": "statusFilter:4", "List.directives": "focus:6"},
    ),
    "Cart.svelte": (
        "<script>\n  const store = {\n    add() {},\n  };\n</script>\n",
        {"store": "add:3"},
    ),
    "shop.py": (
        """
        LIMIT: int = 1
        class Cart:
            owner: str
            SIZE = 2
            def f(self):
                inner = 1
        """,
        {None: "LIMIT:1", "Cart": "owner:3 SIZE:4"},
    ),
    "shop.pas": (
        """
        unit shop;
        interface
        const Limit = 1;
        type
          TColor = (Red,
            Green);
          TSize = record x, y: Integer; end;
        implementation
        end.
        """,
        {None: "Limit:3", "shop.TColor": "Red:5 Green:6", "shop.TSize": "x:7 y:7"},
    ),
    "shop.go": (
        """
        package shop
        const Limit = 1
        var (
            low, high = 1, 2
        )
        type Cart struct {
            size, count int
        }
        func f() { const inner = 1 }
        """,
        {None: "Limit:2 low:4 high:4", "shop.Cart": "size:7 count:7"},
    ),
    "shop.rs": (
        """
        const LIMIT: i32 = 1;
        struct Cart { pub size: i32 }
        enum Color { Red, Rgb { red: u8 } }
        fn f() { const INNER: i32 = 1; }
        """,
        {None: "LIMIT:1", "Cart": "size:2", "Color": "Red:3 Rgb:3 red:3"},
    ),
    "shop.c": (
        """
        #define LIMIT 3
        static const char *names[] = { "a" };
        typedef struct _cart { int size, *items; void (*done)(int); } cart;
        enum color { RED, GREEN = 1 };
        int f(void) { int inner = 1; return inner; }
        """,
        {
            None: "LIMIT:1 names:2",
            "cart": "_cart:3 size:3 items:3 done:3",
            "color": "RED:4 GREEN:4",
        },
    ),
    "shop.cpp": (
        "namespace shop {\nconstexpr int limit = 1;\nstruct Cart { int size_; void f(); };\n}\n",
        {None: "limit:2", "shop.Cart": "size_:3"},
    ),
    "Shop.cs": (
        """
        class Cart {
            public int Size { get; set; }
            int low, high;
            public event Action Done;

            public int Twice => 2 * Size;
        }
        record Price(int Cents);
        enum Color { Red, Green = 2 }
        """,
        {"Cart": "Size:2 low:3 high:3 Done:4", "Price": "Cents:8", "Color": "Red:9 Green:9"},
    ),
    "shop.rb": (
        "LIMIT = 1\nclass Cart\n  attr_reader :size\n  MAX = 2\nend\nPoint = Struct.new(:x)\n",
        {None: "LIMIT:1", "Cart": "size:3 MAX:4", "Point": "x:6"},
    ),
    "post.rb": (
        """
        class Post < Record
          belongs_to :author, class_name: "User"
          has_many :comments, dependent: :destroy
          scope :recent, -> { order(:created) }
          delegate :name, :email, to: :author
          alias_method :body, :text
          alias size length
          class_attribute :settings, default: {}
          config.scope :not_a_member
        end
        """,
        {
            "Post": "author:2 comments:3 recent:4 name:5 email:5 body:6 size:7 settings:8",
        },
    ),
    "shop.php": (
        """
        <?php
        const LIMIT = 1;
        class Cart { const MAX = 1; public int $size = 1; }
        enum Color: string { case Red = 'r'; case Green; }
        """,
        {None: "LIMIT:2", "Cart": "MAX:3 size:3", "Color": "Red:4 Green:4"},
    ),
    "shop.swift": (
        """
        let limit = 1
        struct Cart {
            let size: Int

            var twice: Int { 2 * size }
        }
        enum Color { case red, green }
        """,
        {None: "limit:1", "Cart": "size:3", "Color": "red:7 green:7"},
    ),
    "shop.groovy": (
        """
        class Cart extends Base {
            static final int MAX = 3
            @Lazy private List<Item> items = []
            int width, height
            int[] sizes = other
            def label = { int inner = 1 }
            static { int first = 1 }
            void add(Item item) { String name = "a" }
            class Line { String text }
        }
        enum Color { RED(1), GREEN(2) }
        """,
        {
            "Cart": "MAX:2 items:3 width:4 height:4 sizes:5 label:6",
            "Cart.Line": "text:9",
            "Color": "RED:11 GREEN:11",
        },
    ),
    "shop.scala": (
        """
        case class Price(cents: Int) {
          val Max = 1
          def f = { val inner = 1 }
        }
        enum Color { case Red, Green }
        """,
        {"Price": "cents:1 Max:2", "Color": "Red:5 Green:5"},
    ),
}


@pytest.mark.parametrize("path", MEMBERS)
def test_members_have_their_lines(path: str) -> None:
    text, expected = MEMBERS[path]
    found = nodes_of(path, text)
    assert {
        node.symbol: " ".join(f"{member.name}:{member.line}" for member in node.members)
        for node in found
        if node.members
    } == expected


def test_each_part_of_a_large_enum_has_its_members() -> None:
    names = [f"NAME_{n:03}" for n in range(400)]
    lines = "".join(f"    {name},\n" for name in names)
    found = nodes("E.java", f"enum E {{\n{lines}    LAST;\n\n    void f() {{}}\n}}\n")
    pieces = [node for node in found if node.node_type == "class"]
    assert len(pieces) > 1
    members = [member for node in pieces for member in node.members]
    assert [(member.name, member.line) for member in members] == [
        *((name, n) for n, name in enumerate(names, 2)),
        ("LAST", 402),
    ]
    assert all(f"{member.name}" in node.text for node in pieces for member in node.members)


def test_string_key_is_no_member() -> None:
    text = dedent("""\
        interface Headers { 'a text': string; 'x-shop': string }
    """)
    assert [member.name for member in only(nodes("a.ts", text), "Headers").members] == ["x-shop"]


def test_function_of_a_large_object_is_a_node_not_a_member() -> None:
    steps = "".join(f"  step{n}() {{\n    return {n}; // {'.' * 90}\n  }},\n" for n in range(30))
    found = nodes("steps.js", f"const steps = {{\n{steps}}};\n")
    assert only(found, "steps.step7").node_type == "method"
    assert not any(node.members for node in found)


def test_many_members_take_linear_time() -> None:
    """On one line, whose 270 parts could each have all 60,000 members."""
    names = [f"NAME{n}" for n in range(60_000)]
    content = f"enum E {{{','.join(names)}}}".encode()
    with WorkerPool(count=1) as workers:
        [parsed] = workers.parse([("e.rs", content)])
    assert parsed.reason is None
    members = [member.name for node in parsed.nodes for member in node.members]
    assert members == names

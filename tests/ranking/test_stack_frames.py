"""Functions named in a pasted stack trace are parsed and ranked first."""

from pathlib import Path

import pytest

from feeder.query.query_text import QueryText
from feeder.query.request_filters import Pagination
from feeder.ranking.retrieval import Frame, parse_frames
from feeder.source.git_trees import Commit
from feeder.store.scope import Scope
from index_helpers import REPO, open_database, run_sync, search_scope
from source.repos import Repo

GO = """\
panic: assignment to entry in nil map

goroutine 35 [running]:
net/http.(*conn).serve.func1()
\t/usr/local/go/src/net/http/server.go:1898 +0xbe
example.com/shop/v2.(*Cart).add(0x0, {0xc0000b4051, 0x6})
\t/home/dev/shop/cart.go:8 +0x1c
main.main()
\t/home/dev/shop/main.go:4 +0x1f
exit status 2
"""
PYTHON = """\
Traceback (most recent call last):
  File "/srv/main.py", line 3, in <module>
    run()
  File "/srv/shop/cart.py", line 12, in total
    return self.rate()
  File "/srv/shop/tax.py", line 4, in rate
    return 1 / 0
ZeroDivisionError: division by zero
"""
JAVA = """\
java.lang.IllegalStateException: closed
\tat app//shop.cart.Cart.add(Cart.java:12)
\tat shop.Main.main(Main.kt:4)
"""
JAVASCRIPT = """\
TypeError: x is undefined
    at Cart.add (/srv/shop/cart.js:12:5)
    at async run (file:///srv/shop/main.mjs:3:1)
    at Object.<anonymous> (/srv/shop/index.js:1:1)
"""
CSHARP = """\
System.Exception: closed
   at Shop.Cart.Add(String name) in C:\\shop\\Cart.cs:line 12
"""
RUST = """\
thread 'main' panicked at src/cart.rs:3:5:
   4: shop::cart::add
             at ./src/cart.rs:12:5
"""
RUBY = """\
cart.rb:12:in 'Cart#add': closed (IOError)
\tfrom main.rb:3:in `block in run'
"""
DEBUGGER = """\
#0  shop::add (n=1) at src/cart.cpp:12
#1  0x00004005 in main () at main.c:4
"""


@pytest.mark.parametrize(
    ("trace", "found"),
    [
        (GO, [("conn.serve", "server.go"), ("Cart.add", "cart.go"), ("main.main", "main.go")]),
        (PYTHON, [("rate", "tax.py"), ("total", "cart.py")]),
        (JAVA, [("Cart.add", "Cart.java"), ("Main.main", "Main.kt")]),
        (JAVASCRIPT, [("Cart.add", "cart.js"), ("run", "main.mjs")]),
        (CSHARP, [("Cart.Add", "Cart.cs")]),
        (RUST, [("cart.add", "cart.rs")]),
        (RUBY, [("Cart.add", "cart.rb"), ("run", "main.rb")]),
        (DEBUGGER, [("shop.add", "cart.cpp"), ("main", "main.c")]),
        ("how is a cart emptied\nin cart.go:12", []),
        ("at Cart.add(Cart.java:12)", []),
    ],
)
def test_stack_frames_are_parsed_with_their_files(trace: str, found: list[tuple[str, str]]) -> None:
    """The innermost frame first, for each language's format. A one-line query has no frames."""
    assert parse_frames(QueryText(trace)) == [Frame(*answer) for answer in found]


CART = """\
package shop

type Cart struct{ items map[string]int }

type List struct{}

func (c *Cart) add(name string) {
\tc.items[name]++
}

func (l *List) add(name string) {}
"""


def test_functions_in_a_trace_rank_first(tmp_path: Path) -> None:
    """Matched by the frame's class and file, before equal names and words."""
    repo = Repo(tmp_path)
    repo.commit(
        {
            "cart.go": CART,
            "main.go": "package main\n\nfunc main() {\n\tshop.New().add()\n}\n",
            "other/map.go": "package other\n\nfunc add() {\n\t// panic: nil map, goroutine\n}\n",
            "notes.go": "package shop\n\n// panic: assignment to entry in nil map, goroutine\n",
        }
    )
    database = open_database()
    run_sync(Commit(repo.path), database)

    found = search_scope(database, [], GO, Scope.of_repo(REPO), Pagination(2)).results

    assert [(result.hit.path, result.hit.symbol) for result in found] == [
        ("cart.go", "shop.Cart.add"),
        ("main.go", "main.main"),
    ]
    database.close()

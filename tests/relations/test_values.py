"""Functions as values, fields and constants have their sites in each language.

A line that ends in `§` must be listed as resolved, one that ends in `§?` must be listed, and no
other line may be listed. The marks are removed before the files are written.
"""

import re

import pytest

from command_runner import RunFeeder
from source.repos import Repo

MARK = re.compile(r" *§(\??)$")

CASES: dict[str, tuple[str, dict[str, str]]] = {
    "c": (
        "sort.c#by_size",
        {
            "sort.h": "int by_size(const void *a, const void *b);\n",
            "sort.c": '#include "sort.h"\nint by_size(const void *a, const void *b) { return 0; }',
            "main.c": """#include "sort.h"
static int (*orders[])(const void *, const void *) = { by_size, 0 }; §
struct ops { int (*cmp)(const void *, const void *); };
static struct ops one = { .cmp = by_size }; §
int pick(int (*by_size)(void)) { return by_size != 0; }
void run(struct ops *o, int n) {
    o->cmp = by_size; §
    o->cmp = n ? by_size : 0; §
    sort_all(o, &by_size); §
    { int by_size = 3; n += by_size; }
    if (by_size == o->cmp) return; §
}
""",
        },
    ),
    "cpp": (
        "cart.h#Cart.total_",
        {
            "cart.h": """class Cart {
 public:
  int size() const { return total_; } §
  void add(int n);
 private:
  int total_ = 0;
};
""",
            "cart.cc": """#include "cart.h"
void Cart::add(int n) {
  total_ += n; §
  log(total_); §
  for (int i = 0; i < total_; i++) {} §
  this->total_ = n; §
}
void other(int total_) { log(total_); }
""",
        },
    ),
    "java": (
        "Cart.java#Cart.total",
        {
            "Cart.java": """package shop;
class Cart {
  private int total = 0;
  private int twice = total * 2; §
  int size() { return total; } §
  void set(int total) { this.total = total; } §
  void grow() {
    total++; §
    total += 2; §
    log(total); §
    int total = 3;
    log(total);
  }
  Runnable later() { return () -> log(total); } §
  int each(java.util.List<Integer> all) { all.forEach(total -> log(total)); return 0; }
}
""",
        },
    ),
    "kotlin": (
        "Tap.kt#refresh",
        {
            "Tap.kt": "package tap\nfun refresh() {}\n",
            "Use.kt": """package tap
val all = listOf(::refresh) §
class Button(val run: () -> Unit = ::refresh) §
fun go() { Button(run = ::refresh); go { refresh() } } §
fun none(refresh: Int) = show(refresh)
""",
        },
    ),
    "kotlin field": (
        "Cart.kt#Cart.limit",
        {
            "Cart.kt": """package shop
class Cart(val limit: Int) {
    val half = limit / 2 §
    fun left(n: Int) = limit - n §
    fun say() = "at most $limit" §
    fun both() { limit.let { show(it) } } §
    fun other(limit: Int) = show(limit)
    fun local() { val limit = 3; show(limit) }
}
""",
        },
    ),
    "swift": (
        "Tap.swift#refresh",
        {
            "Tap.swift": "func refresh() {}\n",
            "Use.swift": """let first = refresh §
button.onTap(perform: refresh) §
let all = [refresh] §
func none(refresh: Int) -> Int { return refresh }
func local() { let refresh = 3; show(refresh) }
""",
        },
    ),
    "dart": (
        "tap.dart#openCart",
        {
            "tap.dart": "void openCart() {}\n",
            "use.dart": """import 'tap.dart';
final first = openCart; §
build() => Button(onPressed: openCart); §
final all = {'cart': openCart, 'list': [openCart]}; §
void none(int openCart) { show(openCart); }
void pick(bool yes) { run(yes ? openCart : null); } §
""",
        },
    ),
    "scala": (
        "Tap.scala#Tap.handle",
        {
            "Tap.scala": "package tap\nobject Tap { def handle(n: Int): Int = n }\n",
            "Use.scala": """package tap
import tap.Tap.handle §
object Use {
  val all = List(1).map(handle) §
  val later = Tap.handle _ §
  def none(handle: Int) = show(handle)
}
""",
        },
    ),
    "go": (
        "root.go#serveRoot",
        {
            "root.go": "package web\n\nfunc serveRoot(n int) {}\n",
            "mux.go": """package web

var routes = map[string]func(int){"/": serveRoot} §

func mount(m mux) {
	m.handle("/", serveRoot) §
	next := serveRoot §
	next(1)
	if true {
		serveRoot := 3
		show(serveRoot)
	}
	m.done = serveRoot §
	show(options{serveRoot: 1}, []options{{serveRoot: 2}})
}

func none(serveRoot int) { show(serveRoot) }
""",
        },
    ),
    "csharp": (
        "Cart.cs#Cart._total",
        {
            "Cart.cs": """namespace Shop;
class Cart {
    private int _total = 0;
    int Size => _total; §
    void Add(int n) {
        _total += n; §
        Log(_total); §
        Run(() => _total++); §
    }
    void None(int _total) { Log(_total); }
}
""",
        },
    ),
    "groovy": (
        "Tap.groovy#tap.Tap",
        {
            "Tap.groovy": "package tap\nclass Tap { def run() { 1 } }\n",
            "Use.groovy": """package use
import tap.*
class Big extends Tap { §
  def all = [Tap] §
  def none(int n) { new Tap() } §
}
""",
        },
    ),
    "java static import": (
        "Limits.java#shop.Limits.MOST",
        {
            "Limits.java": "package shop;\nclass Limits { static final int MOST = 3; }\n",
            "Use.java": """package use;
import static shop.Limits.MOST; §
class Use {
  int most = MOST; §
  int twice() { return MOST * 2; } §
  int other(int MOST) { return MOST; }
}
""",
        },
    ),
    "kotlin constant of a file": (
        "Limits.kt#MOST",
        {
            "Limits.kt": "package shop\nconst val MOST = 3\nclass Cart\n",
            "Use.kt": "package shop\nval twice = MOST * 2 §\nfun most() = MOST §\n",
            "Other.kt": "package other\nfun most() = MOST\n",
        },
    ),
    "pascal": (
        "Sorts.pas#ByAge",
        {
            "Sorts.pas": """unit Sorts;
interface
function ByAge(A, B: Integer): Integer;
implementation
function ByAge(A, B: Integer): Integer;
begin
  Result := A - B;
end;
end.
""",
            "Main.pas": """program Main;
uses Sorts;
procedure Run;
begin
  Sort(List, ByAge); §
  OnCompare := @ByAge; §
end;
procedure None(ByAge: Integer);
begin
  Show(ByAge);
end;
begin
end.
""",
        },
    ),
    "php": (
        "limits.php#MAX_ITEMS",
        {
            "limits.php": "<?php\nconst MAX_ITEMS = 3;\n",
            "cart.php": """<?php
function fits($n, $most = MAX_ITEMS) { §
    if ($n > MAX_ITEMS) { return false; } §
    return $n ? MAX_ITEMS : 0; §
}
""",
        },
    ),
    "python": (
        "tools.py#clean",
        {
            "tools.py": "def clean(text):\n    return text\n",
            "use.py": """from tools import *
from app import run
first = clean §
run(map(clean, [])) §
table = {"a": clean} §
""",
            "local.py": "from tools import *\nclean = 3\nprint([clean])\n",
        },
    ),
    "python constant of a file": (
        "limits.py#MOST",
        {
            "limits.py": """MOST = 3
TWICE = MOST * 2 §
class Cart:
    most = MOST §
    def fits(self, n=MOST): §
        self.most = MOST §
        return n < MOST §
def other(MOST):
    return MOST
def local():
    MOST = 4
    return [MOST]
def after():
    return [lambda MOST: MOST, MOST] §
""",
            "use.py": "from limits import MOST as most §\nprint(most) §\n",
        },
    ),
    "typescript constant of a file": (
        "limits.ts#MOST",
        {
            "limits.ts": """export const MOST = 3;
export const twice = MOST * 2; §
export class Cart {
  constructor(private n: number) { this.n = MOST; } §
  fits(most = MOST) { return most < MOST; } §
  other(MOST: number) { return [MOST]; }
}
export function local() {
  if (twice) { const MOST = 4; return [MOST]; }
  return [MOST]; §
}
const pick = [1].map((MOST) => [MOST]);
const all = [1].map((n) => n + MOST); §
""",
            "use.ts": "import { MOST as most } from './limits'; §\nconsole.log(most); §\n",
        },
    ),
    "javascript constant of a file": (
        "limits.js#MOST",
        {
            "limits.js": """const MOST = 3;
function fits(n) { return n < MOST; } §
function other(MOST) { return [MOST]; }
try { fits(MOST); } catch (MOST) { fits(MOST); } §
for (const MOST of [1]) fits(MOST);
module.exports = { MOST }; §
""",
        },
    ),
    "rust constant of a file": (
        "src/lib.rs#MOST",
        {
            "Cargo.toml": '[package]\nname = "shop"\n',
            "src/lib.rs": """const MOST: usize = 3;
static TWICE: usize = MOST * 2; §
struct Cart { most: usize }
impl Cart {
    fn set(&mut self) { self.most = MOST; } §
    fn new() -> Cart { Cart { most: MOST } } §
    fn pick(&self, n: u8) -> usize { match n { 0 => MOST, _ => 1 } } §
}
""",
        },
    ),
    "ruby symbol": (
        "a.rb#Item.polish",
        {
            "a.rb": """class Item
  before_save :polish §
  def polish; end
  def again
    send(:polish) §
    retry_with(&method(:polish)) §
  end
end
""",
            "b.rb": """def all(items)
  items.map(&:polish) §?
  {polish: 1}
end
""",
        },
    ),
    "kotlin companion": (
        "Shop.kt#a.Shop.Companion.open",
        {
            "Shop.kt": """package a
class Shop {
    companion object { fun open(name: String): Shop = Shop() }
    fun again() { val made = open("again") } §
}
fun start() = Shop.open("start") §
class Door { fun open(name: String) = 3 }
fun knock(door: Door) = door.open("knock")
""",
        },
    ),
    "kotlin bound reference": (
        "Screen.kt#a.Screen.save",
        {
            "Screen.kt": """package a
class Screen {
    fun save() {}
    val first = Button(::save) §
    val second = Button(this::save) §
}
""",
        },
    ),
    "c++ namespaces": (
        "mill.h#fluid.detail.grind",
        {
            "mill.h": """namespace fluid { namespace detail {
int grind(int x);
} }
""",
            "main.cc": """#include "mill.h"
namespace fd = fluid::detail;
using namespace fluid;
int run(Mill& mill) {
  return fd::grind(1) §
    + detail::grind(2) §
    + fluid::detail::grind(3) §
    + mill.grind(4);
}
""",
        },
    ),
    "rust module inside of a file": (
        "src/wheel.rs#turn",
        {
            "Cargo.toml": '[package]\nname = "acme"\n',
            "src/lib.rs": """pub mod wheel;
pub mod prelude { pub use crate::wheel::*; }
""",
            "src/wheel.rs": """pub fn turn() {}
struct Wheel { turn: u8 }
impl Wheel { fn look(&self) -> u8 { self.turn } }
""",
            "src/main.rs": "use acme::prelude::*;\nfn main() { turn(); } §\n",
        },
    ),
    "members of libraries in python": (
        "a.py#Store.exists",
        {
            "a.py": """import os
from pathlib import Path
class Store:
    def exists(self): return True
def run(path: Path, store: Store):
    os.exists()
    Path("x").exists()
    path.exists()
    "text".exists()
    store.exists() §
""",
        },
    ),
    "members of libraries in typescript": (
        "a.ts#Store.readFile",
        {
            "a.ts": """import * as fs from "node:fs";
class Store { readFile() {} }
fs.readFile("x");
`text`.length;
"text".readFile();
new Store().readFile(); §
""",
        },
    ),
    "members of libraries in go": (
        "a.go#Store.HasPrefix",
        {
            "a.go": """package a
import "strings"
type Store struct{}
func (s Store) HasPrefix(p string) bool { return true }
func run(s Store) bool {
	return strings.HasPrefix("a", "b") ||
		s.HasPrefix("c") §
}
""",
        },
    ),
    "members of libraries in rust": (
        "src/lib.rs#Store.from_bytes",
        {
            "Cargo.toml": '[package]\nname = "shop"\n',
            "src/lib.rs": """pub struct Store;
impl Store { pub fn from_bytes(n: u8) -> Store { Store } }
fn run() {
    std::path::PathBuf::from_bytes(1);
    Store::from_bytes(2); §
}
""",
        },
    ),
    "extension of c#": (
        "a.cs#Ext.Shout",
        {
            "a.cs": """namespace N;
public static class Ext { public static string Shout(this string s) => s; }
class User {
  string Run(string name) {
    "a".Shout(); §?
    return name.Shout(); §?
  }
}
""",
        },
    ),
    "rust": (
        "src/tools.rs#clean",
        {
            "Cargo.toml": '[package]\nname = "shop"\n',
            "src/lib.rs": "mod tools;\nmod user;\n",
            "src/tools.rs": "pub fn clean(n: u32) -> u32 { n }\n",
            "src/user.rs": """use crate::tools::*;
fn all(v: Vec<u32>) -> Vec<u32> {
    v.into_iter().map(clean).collect() §
}
""",
        },
    ),
}


def marked(files: dict[str, str]) -> tuple[dict[str, str], set[str], set[str]]:
    """The files without marks, the places that must be resolved, and those that must be listed."""
    plain: dict[str, str] = {}
    resolved: set[str] = set()
    listed: set[str] = set()
    for path, text in files.items():
        lines = text.split("\n")
        for number, line in enumerate(lines, 1):
            if mark := MARK.search(line):
                (listed if mark[1] else resolved).add(f"{path}:{number}")
        plain[path] = "\n".join(MARK.sub("", line) for line in lines)
    return plain, resolved, listed


@pytest.mark.parametrize("name", CASES)
def test_sites_of_values_and_fields(feeder: RunFeeder, repo: Repo, name: str) -> None:
    target, files = CASES[name]
    plain, resolved, listed = marked(files)
    repo.commit(dict(plain))
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    answer = feeder(repo, "references", target, "--json").json
    found = {
        f"{reference['path']}:{reference['line']}": reference["resolved"]
        for reference in answer["references"]
    }
    assert found.keys() == resolved | listed
    assert {place for place, is_resolved in found.items() if is_resolved} >= resolved

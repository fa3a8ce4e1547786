"""Small repositories whose files import a definition by other names or through other files.

A line that refers to a definition ends in `@` and its key; `queries` has the definition of each
key. `files_of` returns the files without these marks, `marked_lines` the lines of each key.
"""

import re
from collections import defaultdict
from typing import NamedTuple

_MARK = re.compile(r" +@(\w+)$", re.MULTILINE)


class Case(NamedTuple):
    """A repository, and the definition of each key."""

    queries: dict[str, str]
    files: dict[str, str]


def files_of(case: Case) -> dict[str, str | bytes]:
    """The files without marks."""
    return {path: _without_marks(text) for path, text in case.files.items()}


def marked_lines(case: Case) -> dict[str, set[tuple[str, int]]]:
    """The path and number of each line that refers to the definition of a key."""
    lines: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
    for path, text in case.files.items():
        for number, line in enumerate(text.split("\n"), 1):
            while mark := _MARK.search(line):
                lines[mark[1]].add((path, number))
                line = line[: mark.start()]  # noqa: PLW2901  # without its last mark
    return lines


def _without_marks(text: str) -> str:
    while _MARK.search(text):
        text = _MARK.sub("", text)
    return text


CASES = {
    "tsconfig": Case(
        {"g": "src/lib/auth.ts#grant"},
        {
            "tsconfig.json": (
                "{\n  // aliases\n"
                '  "compilerOptions": {\n    "baseUrl": "./src",\n'
                '    "paths": { "@lib/*": ["lib/*"], "~/*": ["./*"] },\n  },\n}\n'
            ),
            "src/lib/auth.ts": "export function grant() { return null; }\n",
            "src/lib/index.ts": "export { grant } from './auth';  @g\n",
            "src/other/auth.ts": "export function grant() { return 1; }\n",
            "src/app/a.ts": (
                "import { grant } from '@lib/auth';  @g\nexport const a = () => grant();  @g\n"
            ),
            "src/app/b.ts": (
                "import { grant } from '~/lib';  @g\nexport const b = () => grant();  @g\n"
            ),
            "src/app/c.ts": (
                "import { grant } from 'lib/auth';  @g\nexport const c = () => grant();  @g\n"
            ),
            "src/app/d.ts": (
                "import { grant } from '../other/auth';\nexport const d = () => grant();\n"
            ),
        },
    ),
    "commonjs": Case(
        {
            "s": "lib/animal.js#Animal.speak",
            "m": "lib/animal.js#Animal.make",
            "f": "lib/animal.js#feed",
        },
        {
            "lib/animal.js": (
                "class Animal {\n"
                "  speak() { return 1; }\n"
                "  static make() { return new Animal(); }\n"
                "}\n"
                "function feed(a) { return a; }\n"
                "module.exports = { Animal, feed, nourish: feed };  @f\n"
            ),
            "lib/dog.js": (
                "const { Animal, feed: give } = require('./animal');  @f\n"
                "class Dog extends Animal {\n"
                "  speak() { return super.speak(); }  @s\n"
                "  static make() { const f = () => super.make(); return f(); }  @m\n"
                "  eat() { return give(this); }  @f\n"
                "}\n"
                "module.exports = Dog;\n"
            ),
            "main.js": (
                "const lib = require('./lib/animal');\n"
                "const Dog = require('./lib/dog');\n"
                "lib.feed(new Dog());  @f\n"
                "lib.nourish(1);  @f\n"
                "new lib.Animal().speak();  @s\n"
                "lib.Animal.make();  @m\n"
            ),
        },
    ),
    "pub_use": Case(
        {
            "r": "src/lib.rs#Target.reset",
            "h": "src/lib.rs#helper",
            "b": "src/state.rs#Bucket",
            "f": "src/read.rs#Bucket.fetch",
        },
        {
            "Cargo.toml": '[package]\nname = "k"\n',
            "src/lib.rs": (
                "pub mod state;\n"
                "pub mod read;\n"
                "pub use state::Bucket as Pail;  @b\n"
                "pub fn helper() -> u32 { 1 }\n"
                "pub struct Target { pub n: i32 }\n"
                "impl Target {\n"
                "    pub fn reset(&mut self) { self.n = -1; }\n"
                "    fn helper(&self) -> u32 { 2 }\n"
                "    pub fn calc(&self) -> u32 { helper() }  @h\n"
                "}\n"
                "pub struct Decoy { pub n: i32 }\n"
                "impl Decoy {\n"
                "    pub fn reset(&mut self) { self.n = 0; }\n"
                "}\n"
                "impl Target {\n"
                "    pub fn run(&mut self) { self.reset(); }  @r\n"
                "    pub fn make() -> Self { Self { n: 1 } }\n"
                "}\n"
            ),
            "src/state.rs": "pub struct Bucket<T> { pub value: T }\n",
            "src/read.rs": (
                "use crate::state::Bucket;  @b\n"
                "impl<T> Bucket<T> {  @b\n"
                "    pub fn fetch(&self) {}\n"
                "}\n"
                "impl<U> Bucket<U> {  @b\n"
                "    pub fn run(&self) { self.fetch(); }  @f\n"
                "}\n"
            ),
            "src/main.rs": (
                "use k::{Pail, helper as aid, Target};  @b @h\n"
                "fn main() {\n"
                "    let p: Pail<i32> = Pail { value: 1 };  @b\n"
                "    aid();  @h\n"
                "    k::helper();  @h\n"
                "    let mut t = Target::make();\n"
                "    t.reset();  @r\n"
                "}\n"
            ),
        },
    ),
    "defaults": Case(
        {
            "c": "card.tsx#ProfileCard",
            "e": "cls.ts#Engine",
            "s": "cls.ts#Engine.start",
            "t": "sep.ts#stir",
        },
        {
            "card.tsx": "export default function ProfileCard() { return null; }\n",
            "cls.ts": "export default class Engine { start() {} }\n",
            "sep.ts": "function stir() { return 1; }\nexport default stir;  @t\n",
            "same.tsx": (
                "import ProfileCard from './card';  @c\nexport const a = ProfileCard();  @c\n"
            ),
            "again.ts": "export { default as Board } from './card';  @c\n",
            "far.tsx": "import { Board as Plank } from './again';  @c\nPlank();  @c\n",
            "other.tsx": (
                "import Card from './card';  @c\n"
                "import Motor from './cls';  @e\n"
                "import mix from './sep';  @t\n"
                "import { default as Kard } from './card';  @c\n"
                "export const a = Card();  @c\n"
                "export const j = <Card />;  @c\n"
                "const m = new Motor();  @e\n"
                "m.start();  @s\n"
                "mix();  @t\n"
                "Kard();  @c\n"
            ),
            "none.ts": (
                "import Card from 'cards';\nimport { Board } from './boards';\nCard();\nBoard();\n"
            ),
        },
    ),
    "dart_prefix": Case(
        {"t": "lib/tool.dart#total", "d": "lib/tool.dart#Dog"},
        {
            "pubspec.yaml": "name: tool\n",
            "lib/tool.dart": (
                "int total(int x) => x;\nclass Dog { Dog(); Dog.named(int n); void walk() {} }\n"
            ),
            "bin/main.dart": (
                "import 'package:tool/tool.dart' as tl;\n"
                "import '../lib/tool.dart' as rel;\n"
                "void main() {\n"
                "  tl.total(1);  @t\n"
                "  rel.total(2);  @t\n"
                "  var d = tl.Dog();  @d\n"
                "  final tl.Dog e = tl.Dog.named(2);  @d\n"
                "}\n"
            ),
        },
    ),
    "star_chain": Case(
        {"r": "pkg/impl.py#rinse", "t": "pkg/impl.py#Tub"},
        {
            "tsconfig.json": '{"compilerOptions": {"baseUrl": "./web"}}\n',
            "pkg/__init__.py": "from .mid import *\nfrom .impl import Tub as Basin  @t\n",
            "pkg/mid.py": "from .impl import *\n",
            "pkg/impl.py": "def rinse(x): return x\nclass Tub: pass\n",
            "u1.py": "from pkg import rinse  @r\nrinse(1)  @r\n",
            "u2.py": "from pkg.mid import rinse  @r\nrinse(1)  @r\n",
            "u3.py": "from pkg.mid import rinse as wash  @r\nwash(1)  @r\n",
            "u4.py": "from pkg.mid import *\nrinse(1)  @r\n",
            "u5.py": "from pkg import Basin  @t\nBasin()  @t\n",
            "u6.py": (
                "import pkg.mid as pm\n"
                "pm.rinse(1)  @r\n"
                "try:\n    from pkg.impl import rinse  @r\n"
                "except ImportError:\n    rinse = None\n"
                "if rinse: rinse(2)  @r\n"
            ),
            "u7.py": "from soap import rinse\nrinse(1)\n",
        },
    ),
    "star_alone": Case(
        {"r": "hub/impl.py#scrub"},
        {
            "hub/__init__.py": "from .mid import *\n",
            "hub/mid.py": "from .impl import *\n",
            "hub/impl.py": "def scrub(x): return x\n",
            "u1.py": "import hub\nhub.scrub(1)  @r\n",
            "u2.py": "from hub import *\nscrub(1)  @r\n",
        },
    ),
    "three_files": Case(
        {"a": "base.ts#build"},
        {
            "base.ts": "export function build() {}\n",
            "one.ts": "export { build as make } from './base';  @a\n",
            "two.ts": "import { make as form } from './one';  @a\nexport { form as shape };  @a\n",
            "three.ts": "export * from './two';\n",
            "four.ts": "import * as all from './three';\nall.shape();  @a\nall.make();\n",
            "five.ts": "import { shape } from './three';  @a\nshape();  @a\n",
            "six.ts": "import { make } from './two';\nmake();\n",
        },
    ),
    "workspace": Case(
        {
            "m": "packages/formatting/src/index.ts#showMoney",
            "d": "packages/formatting/src/dates.ts#showDate",
        },
        {
            "packages/formatting/package.json": (
                '{"name": "@acme/fmt",'
                ' "exports": {".": "./src/index.ts", "./dates": "./src/dates.ts"}}\n'
            ),
            "packages/formatting/src/index.ts": (
                'export function showMoney(n: number) { return n; }\nexport * from "./dates";\n'
            ),
            "packages/formatting/src/dates.ts": (
                "export function showDate(n: number) { return n; }\n"
            ),
            "packages/web/p.ts": (
                "import { showMoney, showDate } from '@acme/fmt';  @m @d\n"
                "import { showDate as sd } from '@acme/fmt/dates';  @d\n"
                "showMoney(1); showDate(2);  @m @d\n"
                "sd(3);  @d\n"
            ),
            "packages/web/q.ts": "import { showMoney } from 'left-pad';\nshowMoney(1);\n",
        },
    ),
    "dart_package": Case(
        {"t": "lib/kit.dart#total", "i": "lib/src/inner.dart#inner"},
        {
            "pubspec.yaml": "name: kit\n",
            "lib/kit.dart": "int total(int x) => x;\n",
            "lib/src/inner.dart": "int inner(int x) => x;\n",
            "bin/a.dart": "import 'package:kit/kit.dart' as k;\nfinal a = k.total(1);  @t\n",
            "bin/b.dart": "import 'package:kit/kit.dart';\nfinal a = total(1);  @t\n",
            "bin/c.dart": "import 'package:kit/src/inner.dart' as i;\nfinal a = i.inner(1);  @i\n",
            "lib/d.dart": "import 'kit.dart' as k;\nfinal a = k.total(1);  @t\n",
        },
    ),
    "crates": Case(
        {"m": "core-lib/src/lib.rs#melt", "p": "core-lib/src/fmt.rs#pad_left"},
        {
            "Cargo.toml": '[workspace]\nmembers = ["core-lib", "cli"]\n',
            "core-lib/Cargo.toml": '[package]\nname = "core-lib"\n',
            "core-lib/src/lib.rs": "pub mod fmt;\npub fn melt(x: u32) -> u32 { x }\n",
            "core-lib/src/fmt.rs": ("pub fn pad_left(x: u32) -> u32 { crate::melt(x) }  @m\n"),
            "core-lib/tests/it.rs": (
                "use core_lib::melt;  @m\n"
                "use core_lib::fmt::pad_left;  @p\n"
                "#[test]\nfn t() { melt(1); pad_left(2); }  @m @p\n"
            ),
            "cli/Cargo.toml": '[package]\nname = "cli"\n',
            "cli/src/main.rs": (
                "use core_lib::melt as soften;  @m\n"
                "fn main() {\n"
                "    soften(1);  @m\n"
                "    core_lib::melt(2);  @m\n"
                "    core_lib::fmt::pad_left(3);  @p\n"
                "}\n"
            ),
        },
    ),
    "module_exports": Case(
        {"m": "mk.js#makeApp", "k": "K.js#Kiln", "f": "K.js#Kiln.fire", "s": "n.js#spark"},
        {
            "mk.js": "function makeApp() {}\nmodule.exports = makeApp;  @m\n",
            "K.js": "class Kiln { fire() {} }\nmodule.exports = Kiln;  @k\n",
            "n.js": "exports.spark = function spark() {};\nexports.glow = () => 1;\n",
            "u.js": (
                "const app = require('./mk');\n"
                "const Oven = require('./K');\n"
                "const n = require('./n');\n"
                "const { spark: sp, glow } = require('./n');  @s\n"
                "app();  @m\n"
                "const k = new Oven();  @k\n"
                "k.fire();  @f\n"
                "n.spark();  @s\n"
                "sp();  @s\n"
                "n.glow(); glow();\n"
                "require('./mk')();  @m\n"
            ),
        },
    ),
    "files beside each other": Case(
        {
            "t": "web/store.ts#Store",
            "j": "web/store.js#Store",
            "u": "web/store.ts#Store.put",
            "k": "web/store.js#Store.put",
            "o": "web/old.js#legacy",
            "d": "web/pure.js#pure",
        },
        {
            "web/store.ts": "export class Store {\n  put() { return 1; }\n}\n",
            "web/store.js": "export class Store {\n  put() { return 2; }\n}\n",
            "web/old.js": "export function legacy() { return 1; }\n",
            "web/pure.js": "export function pure() { return 1; }\n",
            "web/pure.d.ts": "export declare function pure(): number;\n",
            "web/index.ts": "export { Store } from './store.js';  @t\n",
            "web/index.js": "export { Store } from './store.js';  @j\n",
            "web/a.ts": (
                "import { Store } from './store.js';  @t\n"
                "import { legacy } from './old.js';  @o\n"
                "import { pure } from './pure.js';  @d\n"
                "const store = new Store();  @t\n"
                "store.put();  @u\n"
            ),
            "web/b.ts": "import { Store } from './store';  @t\n",
            "web/c.js": (
                "import { Store } from './store.js';  @j\n"
                "const store = new Store();  @j\n"
                "store.put();  @k\n"
            ),
            "web/d.ts": "import { Store } from './index.js';  @t\nnew Store();  @t\n",
            "web/e.js": "import { Store } from './index.js';  @j\nnew Store();  @j\n",
            "web/f.ts": ("import * as all from './store.js';\nconst one = new all.Store();  @t\n"),
        },
    ),
}

"""References and implementations between the packages of one repository."""

from typing import Any

import pytest

from cli.synced_files import environment, shop
from command_runner import RunFeeder
from source.repos import Repo

__all__ = ["environment", "shop"]

FILES: dict[str, str | bytes] = {
    "crates/mail/src/lib.rs": "mod sink;\npub use crate::sink::Sink;\n",
    "crates/mail/src/sink.rs": (
        "pub trait Sink {\n    fn put(&mut self);\n}\n\n"
        "pub mod sinks {\n"
        "    use super::Sink;\n\n"
        "    pub struct Nothing;\n\n"
        "    impl Sink for Nothing {\n        fn put(&mut self) {}\n    }\n"
        "}\n"
    ),
    "crates/mail/src/log.rs": (
        "use crate::{\n    sink::Sink,\n};\n\n"
        "struct Log;\n\n"
        "impl Sink for Log {\n    fn put(&mut self) {}\n}\n"
    ),
    "crates/shop/src/cart.rs": (
        "use {\n    std::io,\n    post_mail::{Sink, other},\n};\n\n"
        "struct Cart;\n\n"
        "impl<'a, W: io::Write> Sink for Cart<'a, W> {\n    fn put(&mut self) {}\n}\n"
    ),
    "crates/shop/src/stranger.rs": (
        "use futures::sink::Flow;\nuse std::mail::Sink;\n\n"
        "struct Stranger;\n\n"
        "impl Sink for Stranger {\n    fn put(&mut self) {}\n}\n"
    ),
    "crates/tool/main.rs": "mod flags;\n\nfn start() {\n    crate::flags::parse_flags();\n}\n",
    "crates/tool/flags.rs": "pub fn parse_flags() {}\n",
    "packages/server/src/router.ts": "export class ShopRouter {}\n",
    "packages/client/src/link.ts": (
        "import { ShopRouter } from '@acme/server';\n\n"
        "export function link() {\n  return new ShopRouter();\n}\n"
    ),
    "store/store.go": (
        "package store\n\n"
        "type Reader interface {\n"
        "\tRead(keys, other []string, next func(a int) error) (*Row, error)\n}\n\n"
        "type Store interface {\n\tReader\n\tPut(ctx Context, rows ...*Row) error\n}\n\n"
        "type Row struct{}\n"
    ),
    "disk/disk.go": (
        "package disk\n\n"
        "type Disk struct{}\n\n"
        "func (d *Disk) Read(names []string, more []string, f func(int) error) "
        "(*store.Row, error) {\n"
        "\treturn nil, nil\n}\n"
    ),
    "disk/write.go": (
        "package disk\n\n"
        "func (Disk) Put(c store.Context, rows ...*store.Row) error {\n\treturn nil\n}\n"
    ),
    "disk/other.go": (
        "package disk\n\n"
        "type Tape struct{}\n\n"
        "func (t *Tape) Put(ctx store.Context, row *store.Row) error {\n\treturn nil\n}\n"
    ),
    "Cart.java": (
        "class Basket {\n  Basket(int size) {\n  }\n\n"
        "  static Basket make() {\n    return new Basket(1);\n  }\n}\n"
    ),
    "kt/text/Ext.kt": (
        "package acme.text\n\n"
        "fun String.trimmedWords(): List<String> = split(' ')\n\n"
        "fun Post.Builder.signed(name: String) = apply { add(name.trimmedWords()) }\n"
    ),
    "kt/post/Post.kt": (
        "package acme.post\n\n"
        "import acme.text.signed\nimport acme.text.trimmedWords as words\n\n"
        "class Post {\n"
        "  class Builder\n\n"
        "  fun send(text: String) = Builder().signed(text.words().first())\n"
        "}\n"
    ),
    "kt/other/Other.kt": ("package acme.other\n\nfun other(letter: Letter) = letter.signed(1)\n"),
    "README.md": "# Basket\n\nWhat it is.\n",
}


def implementations(feeder: RunFeeder, repo: Repo, target: str) -> dict[str, bool]:
    answer: dict[str, Any] = feeder(repo, "implementations", target, "--json").json
    return {
        implementation["symbol"]: implementation["resolved"]
        for implementation in answer["implementations"]
    }


def test_trait_is_implemented_in_all_crates(feeder: RunFeeder, shop: Repo) -> None:
    """A crate has a longer name than its folder, and `super` of a module within a file is the file;
    a module of the standard library is none of the repository.
    """
    found = implementations(feeder, shop, "Sink")
    assert found == {"sinks.Nothing": True, "Log": True, "Cart": True}


def test_crate_without_a_src_folder(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "references", "parse_flags", "--json").json
    sites = [
        (reference["path"], reference["line"], reference["resolved"])
        for reference in answer["references"]
    ]
    assert sites == [("crates/tool/main.rs", 4, True)]


def test_package_of_an_npm_scope_is_a_folder(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "references", "ShopRouter", "--json").json
    sites = {
        (reference["path"], reference["line"], reference["resolved"])
        for reference in answer["references"]
    }
    assert sites == {
        ("packages/client/src/link.ts", 1, True),
        ("packages/client/src/link.ts", 4, True),
    }


@pytest.mark.parametrize(
    ("name", "sites"),
    [
        ("trimmedWords", {("kt/text/Ext.kt", 5), ("kt/post/Post.kt", 4), ("kt/post/Post.kt", 9)}),
        ("signed", {("kt/post/Post.kt", 3), ("kt/post/Post.kt", 9)}),
    ],
)
def test_extension_of_kotlin_is_imported_like_a_function(
    feeder: RunFeeder, shop: Repo, name: str, sites: set[tuple[str, int]]
) -> None:
    answer = feeder(shop, "references", name, "--json").json
    assert {(reference["path"], reference["line"]) for reference in answer["references"]} == sites
    assert answer["resolved"] == answer["total"] == len(sites)


def test_types_implement_an_interface_of_go_by_their_methods(feeder: RunFeeder, shop: Repo) -> None:
    """Also those of an embedded interface; with other types of parameters a method is another."""
    assert implementations(feeder, shop, "store.Store") == {"disk.Disk": True}
    assert implementations(feeder, shop, "store.Store.Put") == {"disk.Disk.Put": True}


def test_class_is_meant_and_not_its_constructor_or_a_heading(feeder: RunFeeder, shop: Repo) -> None:
    answer = feeder(shop, "references", "Basket", "--json").json
    assert answer["target"]["path"] == "Cart.java"
    assert {reference["line"] for reference in answer["references"]} >= {6}
    assert feeder(shop, "show", "Basket").code == 0


@pytest.mark.parametrize("name", ["store.Reader", "Reader"])
def test_interface_that_another_one_embeds(feeder: RunFeeder, shop: Repo, name: str) -> None:
    found = implementations(feeder, shop, name)
    assert found == {"store.Store": True, "disk.Disk": True}

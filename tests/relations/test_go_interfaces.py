"""Interfaces of Go in `feeder references` and `implementations`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.synced_files import environment, shop
from command_runner import RunFeeder
from feeder.config import Settings
from feeder.relations.go_interfaces import GoTypes, Implements, TypePlace
from feeder.search.open_index import open_index
from feeder.store import Access, Row, Statement
from relations.test_references import sites
from source.repos import Repo

__all__ = ["environment", "shop"]

INTERFACES: dict[str, str | bytes] = {
    "go.mod": "module acme.com/shop\n",
    "box/box.go": (
        "package box\n\n"
        "type Namer interface {\n\tName() string\n}\n\n"
        "type Box interface {\n\tNamer\n\tFill(count int, label string) error\n}\n\n"
        "type Vault interface {\n\tBox\n\tlock()\n}\n\n"
        "type Shelf struct {\n\tBox Box\n\tfirst Box\n}\n"
    ),
    "box/crate.go": (
        "package box\n\n"
        "type base struct{}\n\n"
        'func (b *base) Name() string { return "" }\n\n'
        "type Crate struct {\n\t*base\n}\n\n"
        "func (c *Crate) Fill(n int, of string) error { return nil }\n\n"
        "func (c *Crate) lock() {}\n"
    ),
    "box/jar.go": (
        "package box\n\n"
        "type Jar struct {\n\tbase\n}\n\n"
        "func (Jar) Fill(count int) error { return nil }\n\n"
        "type Tin struct {\n\tbase\n\tfmt.Stringer\n}\n\n"
        "func (t Tin) Fill(count, label Number) error { return nil }\n\n"
        "type Bag struct {\n\tsync.Mutex\n}\n\n"
        "func (b Bag) Fill(count int, label string) error { return nil }\n\n"
        "type lid struct {\n\tCrate\n}\n\n"
        "type tape struct{}\n\n"
        "func (t tape) Fill(count int, label string) error { return nil }\n\n"
        "type Wrap struct {\n\tbase\n\t*tape\n}\n"
    ),
    "main/main.go": (
        "package main\n\n"
        'import (\n\t"acme.com/shop/box"\n\tother "acme.com/other"\n)\n\n'
        "func fill(one box.Box, two *box.Crate, three box.Jar, five box.Tin,\n"
        "\tfour other.Box) {\n"
        '\tone.Fill(1, "a")\n'
        '\ttwo.Fill(1, "a")\n'
        "\tthree.Fill(1)\n"
        '\tfour.Fill(1, "a")\n'
        "\tfive.Fill(1, 2)\n"
        "}\n\n"
        "func shelve(shelf *box.Shelf, vault box.Vault) {\n"
        '\tshelf.first.Fill(1, "a")\n'
        '\tvault.Fill(1, "a")\n'
        "}\n\n"
        "func both(one box.Box, two other.Box) {\n"
        '\tone.Fill(1, "a")\n'
        "}\n"
    ),
}
FILES = INTERFACES

KINDS: dict[str, str | bytes] = {
    "kinds/kinds.go": (
        "package kinds\n\n"
        "type Keeper interface {\n\tKeep(key string) error\n}\n\n"
        "type Hook func(value interface{}) error\n\n"
        "func (h Hook) Keep(key string) error { return nil }\n\n"
        "type Fields map[string]interface{}\n\n"
        "func (f Fields) Keep(key string) error { return nil }\n\n"
        "type List []interface{}\n\n"
        "func (l List) Keep(key string) error { return nil }\n\n"
        "type Set[T interface{ ~int }] struct{}\n\n"
        "func (s Set[T]) Keep(key string) error { return nil }\n\n"
        "type Source[T any] interface {\n\tKeep(key string) error\n\tNext() T\n}\n\n"
        "type Stream struct{}\n\n"
        "func (s Stream) Keep(key string) error { return nil }\n\n"
        "func (s Stream) Next() int { return 1 }\n\n"
        "type Checker interface {\n\tCheck(t *testing.T)\n}\n\n"
        "type Suite struct{}\n\n"
        "func (s Suite) Check(t *testing.T) {}\n\n"
        "type Amount struct{}\n\n"
        "func (a Amount) Check(count int) {}\n\n"
        "type Message Amount\n\n"
        "func (m Message) Check(count *testing.T) {}\n\n"
        "type Copy Suite\n\n"
        "type Same = Suite\n\n"
        "type Namer interface {\n\tName() string\n\tCheck(t *testing.T)\n}\n\n"
        'func (m Message) Name() string { return "" }\n'
    ),
}


def implementations(feeder: RunFeeder, repo: Repo, target: str) -> dict[str, bool]:
    answer: dict[str, Any] = feeder(repo, "implementations", target, "--json").json
    return {
        implementation["symbol"]: implementation["resolved"]
        for implementation in answer["implementations"]
    }


def test_types_with_promoted_methods_implement_an_interface(feeder: RunFeeder, shop: Repo) -> None:
    """Jar's method has one parameter fewer. Tin's parameters are as many, but have other types. Bag
    embeds a type of another module, which has no `Name` as far as the index says.
    """
    found = implementations(feeder, shop, "box.Box")
    assert found == {
        "box.Vault": True,
        "box.Crate": True,
        "box.lid": True,
        "box.Wrap": True,
        "box.Tin": False,
    }
    assert implementations(feeder, shop, "box.Vault") == {"box.Crate": True, "box.lid": True}
    assert implementations(feeder, shop, "box.Box.Fill") == {
        "box.Crate.Fill": True,
        "box.Tin.Fill": False,
    }


def test_types_that_contain_an_interface_are_none(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit(KINDS)
    assert feeder(repo, "sync", "-q").code == 0
    types = ("Hook", "Fields", "List", "Set", "Stream")
    found = implementations(feeder, repo, "kinds.Keeper")
    assert found == {f"kinds.{name}": True for name in types}
    assert implementations(feeder, repo, "kinds.Source") == {"kinds.Stream": True}


def test_a_type_of_one_letter_of_another_package_is_no_type_parameter(
    feeder: RunFeeder, repo: Repo
) -> None:
    repo.commit(KINDS)
    assert feeder(repo, "sync", "-q").code == 0
    found = implementations(feeder, repo, "kinds.Checker")
    assert found == {"kinds.Suite": True, "kinds.Amount": False, "kinds.Message": True}


def test_a_type_that_another_one_defines_has_its_own_methods(feeder: RunFeeder, repo: Repo) -> None:
    """Message has those that it declares, and Copy none: those of Suite are not its own."""
    repo.commit(KINDS)
    assert feeder(repo, "sync", "-q").code == 0
    assert implementations(feeder, repo, "kinds.Namer") == {"kinds.Message": True}
    assert "kinds.Copy" not in implementations(feeder, repo, "kinds.Checker")


@pytest.mark.parametrize(("types", "is_cut"), [(43, False), (44, True)])
def test_types_with_too_many_methods_are_a_lower_bound(
    feeder: RunFeeder, repo: Repo, types: int, is_cut: bool
) -> None:
    """2,000 nodes of types and methods are read at once; each type here is 46 of them."""
    methods = "".join(f"func (t T{{0}}) M{at}() {{{{}}}}\n\n" for at in range(45))
    declared = "".join(f"type T{{0}} struct{{{{}}}}\n\n{methods}".format(at) for at in range(types))
    keeper = "type Keeper interface {\n\tM0()\n}\n\n"
    repo.commit({"many/many.go": f"package many\n\n{keeper}{declared}"})
    assert feeder(repo, "sync", "-q").code == 0
    answer = feeder(repo, "implementations", "many.Keeper", "--json").json
    assert answer["at_least"] is is_cut
    assert len(answer["implementations"]) == (0 if is_cut else types)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("box.Box.Fill", {10: 1, 11: 1, 12: None, 13: None, 14: 0, 18: 1, 19: 1, 23: 0}),
        ("box.Crate.Fill", {10: 1, 11: 1, 12: None, 13: 0, 14: None, 18: 1, 19: 0, 23: 0}),
        ("box.Jar.Fill", {10: None, 11: None, 12: 1, 13: 0, 14: None, 18: 0, 19: 0, 23: 0}),
        ("box.Bag.Fill", {10: 0, 11: None, 12: None, 13: 0, 14: None, 18: 0, 19: 0, 23: 0}),
    ],
)
def test_calls_on_an_interface(
    feeder: RunFeeder, shop: Repo, target: str, expected: Mapping[int, int | None]
) -> None:
    """1 is a resolved reference, 0 one by name only, None none.

    `other.Box` on line 13 is a type of another module, line 18 calls a method of a field, line 19
    one of an interface that embeds Box; the line above 23 has the name Box with two packages.
    """
    answer = feeder(shop, "references", target, "--kind", "call", "--json").json
    found = {line: resolved for (_, line, _), resolved in sites(answer).items()}
    assert {line: found.get(line) for line in expected} == expected


def test_methods_that_implement_an_interface_override_its_own(
    feeder: RunFeeder, shop: Repo
) -> None:
    answer = feeder(shop, "references", "box.Box.Fill", "--kind", "override", "--json").json
    assert sites(answer) == {
        ("box/crate.go", 11, "override"): True,
        ("box/jar.go", 14, "override"): False,
    }


class CountedDatabase:
    """A database that counts the statements it runs."""

    def __init__(self, database: Any) -> None:
        self._database = database
        self.place: str = database.place
        self.access: Access = database.access
        self.count = 0

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        self.count += len(statements)
        rows: list[list[Row]] = self._database.run(statements)
        return rows

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        self._database.script(sql, statements)

    def close(self) -> None:
        self._database.close()


def _diamonds(levels: int) -> str:
    """Interfaces that embed two, which both embed the next one; the last embeds the first."""
    declared = "".join(
        f"type I{at} interface {{\n\tL{at}\n\tR{at}\n}}\n\n"
        f"type L{at} interface {{\n\tI{at + 1}\n}}\n\n"
        f"type R{at} interface {{\n\tI{at + 1}\n}}\n\n"
        for at in range(levels)
    )
    return f"package deep\n\n{declared}type I{levels} interface {{\n\tI0\n\tRun(n int)\n}}\n\n"


@pytest.mark.parametrize(("levels", "resolved"), [(9, True), (40, False)])
def test_diamonds_and_cycles_are_followed_once(
    feeder: RunFeeder, repo: Repo, levels: int, resolved: bool
) -> None:
    """More than 20 levels of embedded types are not followed, so that methods may be missing."""
    tool = "type Tool struct{}\n\nfunc (t *Tool) Run(count int) {}\n\n"
    call = "func call(tool *Tool, last I0) {\n\ttool.Run(1)\n\tlast.Run(2)\n}\n"
    repo.commit({"deep/deep.go": f"{_diamonds(levels)}{tool}{call}"})
    assert feeder(repo, "sync", "-q").code == 0
    line = len(_diamonds(levels).split("\n")) + 5
    answer = feeder(repo, "references", "deep.Tool.Run", "--kind", "call", "--json").json
    assert sites(answer)["deep/deep.go", line, "call"] is True
    answer = feeder(repo, "references", f"deep.I{levels}.Run", "--kind", "call", "--json").json
    assert sites(answer)["deep/deep.go", line, "call"] is resolved
    assert implementations(feeder, repo, f"deep.I{levels}").get("deep.Tool") is resolved
    settings = Settings(Path(repo.path), store="local", quiet=True, query_log=False)
    with open_index(settings) as index:
        database = CountedDatabase(index.corpus.database)
        types = GoTypes(database, index.corpus.repo)
        types.load(["deep.I0", "deep.Tool"])
        assert database.count <= 21
        place, last = TypePlace("deep", "deep.Tool"), TypePlace("deep", "deep.I0")
        assert types.implements(place, last) is (Implements.YES if resolved else Implements.UNKNOWN)

"""The codec of the column `relations`: what is encoded is decoded, and found in SQL."""

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder import relation as codec
from feeder.relation import (
    BINDING,
    CALL,
    IMPLEMENTS,
    IMPORT,
    INHERITS,
    MENTION,
    PARAMETER,
    RETURNS,
    USE,
    VISIBILITY,
    Relation,
)

ALL_KINDS = CALL + INHERITS + IMPLEMENTS + USE + MENTION + IMPORT + BINDING + PARAMETER
ALL_KINDS += RETURNS + VISIBILITY

names = st.text(st.sampled_from("ab_$é3"), min_size=1, max_size=4)
qualifiers = st.text(st.sampled_from("ab.@/()=:~#é-"), max_size=6)
sites = st.lists(
    st.tuples(names, st.sampled_from(ALL_KINDS), qualifiers, st.integers(5, 40)), max_size=8
)


def _stored(relations: list[tuple[str, str, str, int]]) -> str:
    encoded = [codec.encode_relation(*relation[:3]) for relation in relations]
    return codec.encode_relations(encoded, [relation[3] for relation in relations], 5)


def _sites(relations: list[Relation]) -> list[tuple[str, str, str, int]]:
    return [
        (relation.name, relation.kind, relation.qualifier, line)
        for relation in relations
        for line in relation.line_numbers(5)
    ]


def test_the_form_that_existing_indexes_have() -> None:
    stored = _stored([("add", CALL, "cart", 5), ("Cart", USE, "", 6), ("add", CALL, "cart", 9)])
    assert stored == " add(cart:0,4 Cart~:1"
    assert _stored([("Cart", IMPORT, codec.encode_import("acme.shop", "Basket"), 6)]) == (
        " Cart@acme.shop=Basket:1"
    )


@given(sites)
def test_each_site_is_decoded_as_it_was_encoded(relations: list[tuple[str, str, str, int]]) -> None:
    stored = _stored(relations)
    assert sorted(_sites(codec.decode_relations(stored))) == sorted(relations)
    for kind in ALL_KINDS:
        of_kind = [relation for relation in relations if relation[1] == kind]
        assert sorted(_sites(codec.decode_relations(stored, kind))) == sorted(of_kind)
        assert codec.has_kind(stored, kind) or not of_kind
    for name, kind, qualifier, _ in relations:
        named = [relation for relation in relations if relation[0] == name]
        assert sorted(_sites(codec.decode_named(stored, name))) == sorted(named)
        own = [entry for entry in named if entry[1] == kind]
        assert set(own) <= set(_sites(codec.decode_declared(stored, name, kind)))
        assert codec.has_named(stored, name, kind)
        assert codec.has_qualified(stored, kind, qualifier)


@given(sites, names)
def test_sql_finds_the_names_and_types_that_the_codec_has(
    relations: list[tuple[str, str, str, int]], name: str
) -> None:
    stored = _stored(relations)
    select = (
        f"SELECT {codec.sql_has_named('?1', '?2', INHERITS + IMPORT)}, ?1 GLOB ?3,"
        f" {codec.sql_has_receiver_or_type('?1', '?2')}"
    )
    params = stored, name, codec.named_glob(name)
    [(has_named, has_any, has_type)] = apsw.Connection(":memory:").execute(select, params)
    own = {kind for other, kind, _, _ in relations if other == name}
    assert bool(has_named) is codec.has_named(stored, name, INHERITS + IMPORT)
    assert has_any or not own
    types = [
        relation
        for relation in relations
        if relation[1] in {BINDING, PARAMETER} and relation[2] == name
    ]
    assert has_type or not types


@pytest.mark.parametrize(
    ("stored", "module", "alias"),
    [
        (" Cart@acme.shop=Basket:1", "acme.shop", "Basket"),
        (" Cart@acme.shop:1 Cart@b=C:2", "acme.shop", ""),
        (" x(y:1 Cart@package:shop/cart.dart=c:3", "package:shop/cart.dart", "c"),
    ],
)
def test_the_module_and_alias_of_an_import(stored: str, module: str, alias: str) -> None:
    [first, *_] = [
        decode_relation
        for decode_relation in codec.decode_relations(stored, IMPORT)
        if decode_relation.name == "Cart"
    ]
    assert (first.module, first.alias) == (module, alias)
    if ":" in module:
        return  # SQL reads it up to the first colon; no alias of such a module is followed there
    qualifier = codec.sql_imported_qualifier("?1", "?2")
    select = f"SELECT {qualifier}, {codec.sql_has_alias(qualifier)}, {codec.sql_alias(qualifier)}"
    [row] = apsw.Connection(":memory:").execute(select, (stored, "Cart"))
    assert row[0] == codec.encode_import(module, alias)
    assert bool(row[1]) is bool(alias)
    assert not alias or row[2] == alias


def test_the_macro_of_a_receiver() -> None:
    assert codec.macro_of(codec.expanded_in("RETURN_IF")) == "RETURN_IF"
    assert codec.macro_of("cart") == codec.macro_of("") == ""


def test_imports_that_bind_a_name() -> None:
    stored = " Cart@shop:1 Cart@old=Basket:2 MyCart@shop:3 @shop.Cart:4 Cart(x:5"
    assert [
        decode_binding_import.qualifier
        for decode_binding_import in codec.decode_binding_imports(stored, "Cart")
    ] == [
        "shop",
        "old=Basket",
    ]
    assert [
        decode_binding_import.module
        for decode_binding_import in codec.decode_binding_imports(stored, "Basket")
    ] == ["old"]
    assert [
        decode_binding_import.module
        for decode_binding_import in codec.decode_binding_imports(stored, "shop.Cart")
    ] == ["shop.Cart"]

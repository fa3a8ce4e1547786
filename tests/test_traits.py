"""The traits of languages: what code asks in place of a language's name."""

import json
from pathlib import Path

import pytest

from feeder.parse.grammars import Grammars
from feeder.traits import Traits, traits

ROOT = Path(__file__).parents[1]


def test_language_has_the_traits_of_its_folder() -> None:
    assert traits("go").package_scope == "folder"
    assert traits("php").base_receiver == "parent"
    assert traits("java").family == traits("scala").family == "jvm"


def test_language_inherits_traits() -> None:
    """`tsx` is described by `inherits = "typescript"`, and `svelte` by that of `vue`."""
    assert traits("tsx") == traits("typescript")
    assert traits("svelte").family == traits("vue").family == "scripts"


@pytest.mark.parametrize("language", ["klingon", "", None])
def test_unknown_language_has_no_trait_but_names_without_imports(language: str | None) -> None:
    """Its relations come from a user's grammar file, which does not say how imports are written."""
    assert traits(language) == Traits(global_scope=True)


@pytest.mark.parametrize(
    ("language", "has_relations"),
    [("rust", True), ("svelte", True), ("lua", False), ("markdown", False), ("klingon", False)],
)
def test_language_with_queries_for_relations_has_them(language: str, has_relations: bool) -> None:
    """A component has those of the script in it."""
    assert traits(language).has_relations is has_relations


def test_traits_are_no_part_of_the_fingerprint() -> None:
    """It is that of an index made before there were traits."""
    settings = json.loads((ROOT / "src/feeder/grammar_queries.json").read_text("utf-8"))
    with_others = settings | {"traits": {"lua": {"global_scope": True}}}
    before = {key: value for key, value in settings.items() if key != "traits"}
    digests = {Grammars(variant).digest for variant in (settings, with_others, before)}
    assert len(digests) == 1

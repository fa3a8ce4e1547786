"""Names and queries with composed letters (NFC) and decomposed ones (NFD) find each other."""

from typing import Literal
from unicodedata import normalize

import pytest

from command_runner import RunFeeder
from source.repos import Repo

Form = Literal["NFC", "NFD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD")


@pytest.fixture
def shop(repo: Repo, feeder: RunFeeder) -> Repo:
    """A file of each form; the words in them are composed, as editors write them."""
    text = normalize("NFC", "def {}():\n    return 'größe'\n")
    for form, name in zip(FORMS, ("läden", "räume"), strict=True):
        repo.commit({normalize(form, f"über/{name}.py"): text.format(normalize("NFC", name))})
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    return repo


@pytest.mark.parametrize("typed", FORMS)
@pytest.mark.parametrize("name", ["läden", "räume"])
def test_file_is_found_by_both_forms(feeder: RunFeeder, shop: Repo, typed: Form, name: str) -> None:
    path = normalize(typed, f"über/{name}.py")
    for arguments in (["outline", path], ["show", path], ["grep", "return", path]):
        answer = feeder(shop, *arguments)
        assert (answer.code, "Did you mean" in answer.err) == (0, False)
    found = feeder(shop, "search", "--json", f"path:{path}").json["hits"]
    assert {normalize("NFC", hit["path"]) for hit in found} == {normalize("NFC", path)}


@pytest.mark.parametrize("typed", FORMS)
def test_word_is_found_by_both_forms(feeder: RunFeeder, shop: Repo, typed: Form) -> None:
    for query in ("läden", '"größe"', "symbol:räume"):
        found = feeder(shop, "search", normalize(typed, query))
        assert "return" in found.out, query

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


@pytest.fixture
def code(repo: Repo, feeder: RunFeeder) -> Repo:
    """A decomposed name, which another file and a document write composed or decomposed."""
    name, other = normalize("NFD", "größe"), normalize("NFC", "größe")
    repo.commit(
        {
            "a.py": f"def {name}(x):\n    return x\n\n\ndef use():\n    return {name}(1)\n",
            "b.py": f"from a import {other}\n\n\ndef call():\n    return {other}(2)\n",
            "c.md": f"# Text\n\nDie {name} ist hier.\n",
        }
    )
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    return repo


@pytest.mark.parametrize("typed", FORMS)
def test_name_in_code_is_found_by_both_forms(feeder: RunFeeder, code: Repo, typed: Form) -> None:
    name = normalize(typed, "größe")
    lines = feeder(code, "grep", name, "--json").json["matches"]
    assert [(line["path"], line["line"]) for line in lines] == [
        ("a.py", 1),
        ("a.py", 6),
        ("b.py", 1),
        ("b.py", 5),
        ("c.md", 3),
    ]
    [definition] = feeder(code, "definition", name, "--json").json["definitions"]
    assert (definition["path"], definition["start_line"]) == ("a.py", 1)
    assert feeder(code, "show", name).out.startswith("a.py:1-2 ")
    sites = feeder(code, "references", name, "--json").json["references"]
    assert {(site["path"], site["line"]) for site in sites} == {
        ("a.py", 6),
        ("b.py", 1),
        ("b.py", 5),
    }
    for query, path in {
        f"symbol:{name}": "a.py",
        f'"{name} ist"': "c.md",
        f"/{name} ist/": "c.md",
    }.items():
        hits = feeder(code, "search", query, "--json").json["hits"]
        assert [hit["path"] for hit in hits] == [path], query

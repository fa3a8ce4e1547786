"""Outlines of one file that are longer than an answer: no constants and fields, then pages."""

import re
from pathlib import Path

import pytest

from mcp_server.conftest import index
from mcp_server.test_tools import Ask, call_tools_in, result_text
from source.repos import Repo

FIELDS = "".join(f"    FIELD_WITH_A_LONG_NAME_{at} = {at}\n" for at in range(500))
METHODS = "".join(
    f"    def method_with_a_long_name_{at}(self):\n        return {at}\n\n" for at in range(600)
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = Repo(tmp_path_factory.mktemp("outlines") / "repo")
    few = "".join(f"    def method_{at}(self):\n        return {at}\n\n" for at in range(60))
    repo.commit(
        {
            "fields.py": f"class Fields:\n{FIELDS}\n    def read(self):\n        return 1\n",
            "methods.py": f"class Methods:\n{METHODS}\n\ndef last():\n    return 1\n",
            "few.py": f"class Few:\n{few}",
        }
    )
    index(repo)
    return repo.path


@pytest.fixture(scope="module")
def ask(place: Path) -> Ask:
    return call_tools_in(place)


def test_constants_and_fields_are_left_out_first(ask: Ask) -> None:
    text = result_text(ask("outline", path="fields.py"))
    assert text.startswith("fields.py\n 1-504 class Fields\n  503-504 method read\n\n")
    assert "Shortened: no constants and fields." in text


def test_pages_have_every_method_below_its_class(ask: Ask) -> None:
    """A page in a class begins with the file and the class."""
    names: list[str] = []
    offset, pages = 0, 0
    while True:
        text = result_text(ask("outline", path="methods.py", offset=offset))
        assert len(text) < 8_200
        assert text.startswith("methods.py\n 1-1800 class Methods\n  ")
        names += re.findall(r"method (\w+)$", text, re.MULTILINE)
        pages += 1
        following = re.search(r"next: offset=(\d+)", text)
        if following is None:
            break
        offset = int(following[1])
    assert names == [*(f"method_with_a_long_name_{at}" for at in range(600)), "last"]
    assert pages > 1
    assert "constants" not in text
    beyond = result_text(ask("outline", path="methods.py", offset=5_000))
    assert beyond.startswith("602 symbols and sections in 1 file\nOffset 5000 is past the end (")


def test_sixty_symbols_are_listed_one_a_line(ask: Ask) -> None:
    text = result_text(ask("outline", path="few.py"))
    assert len(re.findall(r"^  \d+-\d+ method method_\d+$", text, re.MULTILINE)) == 60

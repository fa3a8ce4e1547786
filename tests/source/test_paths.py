"""How names are written as text."""

import json
import os
import sqlite3
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from feeder.source import git, paths
from source.repos import need_place

ANY_NAME = st.binary(min_size=1, max_size=20).filter(lambda name: b"\0" not in name)


@given(ANY_NAME)
@example(rb"\x5c")
@example(b"\\\xb5")
@example(rb"\xb5")
def test_every_name_comes_back(name: bytes) -> None:
    """Escaping is reversible, so no two names collide."""
    assert paths.unescape_path(paths.escape_name(name)) == name


@given(ANY_NAME)
def test_every_path_can_be_stored(name: bytes) -> None:
    """A path is text that SQLite and JSON take and return unchanged."""
    path = paths.escape_name(name)
    assert sqlite3.connect(":memory:").execute("SELECT ?", (path,)).fetchone() == (path,)
    assert json.loads(json.dumps(path)) == path


@given(st.text(min_size=1).filter(lambda text: "\\" not in text))
def test_a_utf8_name_is_kept_as_it_is(name: str) -> None:
    """UTF-8 without backslashes, line ends included, is its own path: ids depend on it."""
    assert paths.escape_name(name.encode()) == name


@pytest.mark.parametrize(
    ("name", "path"),
    [
        (b"caf\xe9.md", r"caf\xe9.md"),
        ("größe.md".encode(), "größe.md"),
        (rb"a\b", r"a\x5cb"),
        (rb"a\xe9", r"a\x5cxe9"),
        (b'a\nb\t"c"', 'a\nb\t"c"'),
        (b"\xed\xa0\x80", r"\xed\xa0\x80"),
    ],
)
def test_how_a_name_is_written(name: bytes, path: str) -> None:
    r"""Bytes that are not UTF-8 become `\xNN`, a backslash becomes `\x5c`."""
    assert paths.escape_name(name) == path


def test_a_name_decoded_by_python_is_understood() -> None:
    """`os.fsdecode` leaves lone surrogates for bytes that are not UTF-8; they mean these bytes."""
    assert paths.unescape_path(os.fsdecode(b"caf\xe9.md")) == b"caf\xe9.md"


def test_a_path_leads_to_its_file(tmp_path: Path) -> None:
    """The place of a path is the file of that name, whatever its bytes."""
    need_place(tmp_path / os.fsdecode(b"caf\xe9\\.md")).write_text("here")
    assert paths.path_in(tmp_path, r"caf\xe9\x5c.md").read_text() == "here"


@pytest.mark.parametrize(
    ("url", "slug"),
    [
        ("https://github.com/acme/shop.git", "acme/shop"),
        ("https://github.com/acme/shop", "acme/shop"),
        ("https://github.com/acme/shop/", "acme/shop"),
        ("https://user:s3cret@github.com/acme/shop.git", "acme/shop"),
        ("https://x-access-token:ghs_1@github.com:443/acme/shop", "acme/shop"),
        ("https://example.org/acme/shop.git?token=s3cret#s3cret", "acme/shop"),
        ("ssh://git@github.com/acme/shop.git", "acme/shop"),
        ("ssh://git@[::1]:2222/acme/shop.git", "acme/shop"),
        ("git://example.org/acme/shop.git", "acme/shop"),
        ("git@github.com:acme/shop.git", "acme/shop"),
        ("github.com:acme/shop", "acme/shop"),
        ("git@example.org:/acme/shop.git", "acme/shop"),
        ("git@[::1]:acme/shop.git", "acme/shop"),
        ("https://gitlab.example.org/group/team/shop.git", "group/team/shop"),
        ("https://github.com/acme/shop.github.io", "acme/shop.github.io"),
        ("file:///srv/git/acme/shop.git", None),
        ("/srv/git/acme/shop.git", None),
        ("../shop.git", None),
        ("./odd:name", None),
        ("C:/git/shop.git", None),
        ("https://[broken/acme/shop", None),
        ("", None),
    ],
)
def test_owner_and_name_from_a_remote(url: str, slug: str | None) -> None:
    """Every form of a remote's URL gives owner and name, and never its credentials."""
    assert git.slug_from_url(url) == slug

"""File names as text."""

import json
import os
import sqlite3
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from feeder.source import paths
from feeder.source.remote_urls import slug_from_url, web_address
from source.repos import need_place

ANY_NAME = st.binary(min_size=1, max_size=20).filter(lambda name: b"\0" not in name)


@given(ANY_NAME)
@example(rb"\x5c")
@example(b"\\\xb5")
@example(rb"\xb5")
def test_escaping_is_reversible(name: bytes) -> None:
    """No two names collide."""
    assert paths.unescape_path(paths.escape_name(name)) == name


@given(ANY_NAME)
def test_every_path_can_be_stored(name: bytes) -> None:
    """SQLite and JSON return it unchanged."""
    path = paths.escape_name(name)
    assert sqlite3.connect(":memory:").execute("SELECT ?", (path,)).fetchone() == (path,)
    assert json.loads(json.dumps(path)) == path


@given(st.text(min_size=1).filter(lambda text: "\\" not in text))
def test_utf8_name_is_unchanged(name: str) -> None:
    """Without backslashes, also with line ends: ids depend on it."""
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
def test_escaped_names(name: bytes, path: str) -> None:
    r"""Bytes that are not UTF-8 become `\xNN`, a backslash becomes `\x5c`."""
    assert paths.escape_name(name) == path


def test_name_decoded_by_python_is_accepted() -> None:
    """`os.fsdecode` makes lone surrogates of bytes that are not UTF-8."""
    assert paths.unescape_path(os.fsdecode(b"caf\xe9.md")) == b"caf\xe9.md"


def test_path_is_converted_back_to_the_file_name(tmp_path: Path) -> None:
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
    """For every form of URL, without credentials."""
    assert slug_from_url(url) == slug


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://ada:secret@github.com/acme/shop.git", "https://github.com/acme/shop/blob/c1"),
        ("git@gitlab.com:acme/team/shop.git", "https://gitlab.com/acme/team/shop/-/blob/c1"),
        ("ssh://git@gitlab.acme.test/shop", "https://gitlab.acme.test/shop/-/blob/c1"),
        ("https://notgitlab.test/acme/shop", None),
        ("https://git.acme.test/acme/shop", None),
        ("/srv/git/acme/shop.git", None),
    ],
)
def test_web_address_of_a_commit(url: str, address: str | None) -> None:
    """At hosts whose addresses are known; never with credentials."""
    assert web_address(url, "c1") == address

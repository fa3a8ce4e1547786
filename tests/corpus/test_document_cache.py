"""Extracted document text is cached on disk for later processes."""

import os
import zlib
from pathlib import Path

import pytest

from feeder.corpus import file_contents
from parse.documents import docx, p
from required_extras import require_extras

MANUAL = docx(p("The clock ticks."))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder, empty in memory."""
    require_extras("documents")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    file_contents._text_by_key.clear()
    return tmp_path / "feeder" / file_contents.CACHE_FOLDER


def test_cache_is_readable_only_by_its_owner(folder: Path) -> None:
    assert file_contents.document_text("a.docx", MANUAL) == "The clock ticks.\n"
    [file] = folder.iterdir()
    assert zlib.decompress(file.read_bytes()[32:]) == b"The clock ticks.\n"
    assert folder.stat().st_mode & 0o077 == file.stat().st_mode & 0o077 == 0


def test_later_process_reads_from_the_cache(folder: Path) -> None:
    file_contents.document_text("a.docx", MANUAL)
    [file] = folder.iterdir()
    file_contents.cache_text(file.name, "kept")
    file_contents._text_by_key.clear()
    assert file_contents.document_text("a.docx", MANUAL) == "kept"


OTHER = docx(p("The bell rings."))


@pytest.mark.parametrize("damage", ["garbage", "empty", "cut", "no digest", "other document"])
def test_damaged_cache_entry_is_extracted_again(folder: Path, damage: str) -> None:
    """And replaced, also where it would decompress to the text of another document."""
    file_contents.document_text("a.docx", MANUAL)
    [file] = folder.iterdir()
    sound = file.read_bytes()
    file_contents.document_text("b.docx", OTHER)
    [other] = set(folder.iterdir()) - {file}
    file.write_bytes(
        {
            "garbage": b"damaged" * 20,
            "empty": b"",
            "cut": sound[:-5],
            "no digest": zlib.compress(b"The bell rings.\n"),
            "other document": other.read_bytes(),
        }[damage]
    )
    file_contents._text_by_key.clear()
    assert file_contents.document_text("a.docx", MANUAL) == "The clock ticks.\n"
    assert file_contents.read_cached_text(file.name) == "The clock ticks.\n"


def test_failed_extraction_is_not_cached(folder: Path) -> None:
    assert file_contents.document_text("a.docx", b"no archive") is None
    assert not folder.exists()


def test_least_recently_used_entries_are_evicted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = os.urandom(500).hex()
    for n in range(4):
        file_contents.cache_text(str(n), some)
        os.utime(folder / str(n), (n, n))
    file_contents.read_cached_text("0")
    monkeypatch.setattr(file_contents, "MAX_CACHE_BYTES", 4 * (folder / "0").stat().st_size)
    file_contents.cache_text("4", some)
    assert {file.name for file in folder.iterdir()} == {"0", "3", "4"}

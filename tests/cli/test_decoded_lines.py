"""Lines are matched as a reader sees them: decoded, without byte order mark and line ends."""

import json
from pathlib import Path

import pytest

from command_runner import RunFeeder
from feeder.corpus.decoded_files import find_decoded_files
from feeder.corpus.file_contents import Revision
from feeder.source.grep import PatternOptions
from source.repos import Repo

CHINESE = "// 今天天气很好。我们去公园散步。\n// 数据库连接失败。请检查网络设置。\n"
JAPANESE = "// これは日本語の文章です。\n// データベースの接続に失敗しました。\n"
FILES: dict[str, str | bytes] = {
    "plain.c": "int plain(void) {\n  return 1;\n}\n\nint last;\n",
    "utf8.c": "// Größe nach café\nint utf8;\n",
    "crlf.c": b"using crlf;\r\nint f(void) {\r\n  return 2;\r\n}\r\n\r\nint last;\r\n",
    "mark.c": b"\xef\xbb\xbfusing mark;\nint m;\n",
    "latin.c": "// Größe nach dem café\nint latin;\n// naïve Übung für später\n".encode("latin-1"),
    "gbk.c": CHINESE.encode("gbk") + b"int gbk;\n",
    "sjis.c": JAPANESE.encode("cp932") + b"int sjis;\n",
    "utf16.c": "using utf16;\r\nint größe;\r\n".encode("utf-16"),
    "mac.txt": b"first line;\rsecond line;\rthird line\r",
    "feed.txt": "one;\n\x0ctwo;\u2028three;\nlone\rreturn;\n",
    "logo.dat": b"\0using;\n\xff;\n",
    "Cargo.lock": b"using a lock;\r\n",
}


@pytest.fixture
def environment() -> dict[str, str]:
    return {"FEEDER_VECTORS": "no"}


@pytest.fixture
def texts(feeder: RunFeeder, repo: Repo) -> Repo:
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    return repo


PATTERNS = [
    (
        ";$",
        {
            *("plain.c:2", "plain.c:5", "utf8.c:2", "crlf.c:1", "crlf.c:3", "crlf.c:6"),
            *("mark.c:1", "mark.c:2", "latin.c:2", "gbk.c:3", "sjis.c:3", "utf16.c:1"),
            *("utf16.c:2", "mac.txt:1", "mac.txt:2", "feed.txt:1", "feed.txt:2", "feed.txt:3"),
        },
    ),
    ("^}$", {"plain.c:3", "crlf.c:4"}),
    ("^$", {"plain.c:4", "crlf.c:5"}),
    ("^using", {"crlf.c:1", "mark.c:1", "utf16.c:1"}),
    ("caf.$", {"utf8.c:1", "latin.c:1"}),
    ("Größe na", {"utf8.c:1", "latin.c:1"}),
    ("请检查.络", {"gbk.c:2"}),
    ("接続に", {"sjis.c:2"}),
    ("^second", {"mac.txt:2"}),
    ("line", {"mac.txt:1", "mac.txt:2", "mac.txt:3"}),
    ("two;.three;$", {"feed.txt:2"}),
    ("^return|^three|^two", set()),
    ("lone.return", {"feed.txt:3"}),
    (r"\xef\xbb\xbf|\r$", set()),
]


@pytest.mark.parametrize(("pattern", "found"), PATTERNS, ids=[one for one, _ in PATTERNS])
def test_lines_are_matched_as_a_reader_sees_them(
    feeder: RunFeeder, texts: Repo, pattern: str, found: set[str]
) -> None:
    """In grep, in its counts, and in --every."""
    answer = feeder(texts, "grep", "--json", "--", pattern).json
    assert {f"{match['path']}:{match['line']}" for match in answer["matches"]} == found
    assert (answer["total"], answer["at_least"]) == (len(found), False)
    counts = feeder(texts, "grep", "--json", "--count", "--", pattern).json["files"]
    assert sum(count["matches"] for count in counts) == len(found)
    query = "/" + pattern + "/ case:yes"
    every = feeder(texts, "search", "--every", query, "--json").json
    assert {f"{match['path']}:{match['line']}" for match in every["matches"]} == found


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("caf.$", "latin.c"),
        ("请检查.络", "gbk.c"),
        ("^using utf16;$", "utf16.c"),
        ("^third", "mac.txt"),
        ("^using mark", "mark.c"),
        ("^using crlf;$", "crlf.c"),
    ],
)
def test_pattern_of_a_query_finds_such_files(
    feeder: RunFeeder, texts: Repo, pattern: str, path: str
) -> None:
    answer = feeder(texts, "search", f"/{pattern}/ path:{path}", "--json").json
    assert [hit["path"] for hit in answer["hits"]] == [path]


def test_text_and_column_are_those_of_the_decoded_line(feeder: RunFeeder, texts: Repo) -> None:
    """The column counts bytes of UTF-8; ü has two."""
    [match] = feeder(texts, "grep", "sp.ter$", "--json").json["matches"]
    assert (match["path"], match["text"]) == ("latin.c", "// naïve Übung für später")
    assert match["column"] == 1 + len("// naïve Übung für ".encode())
    [match] = feeder(texts, "grep", "^third", "--json").json["matches"]
    assert (match["line"], match["column"], match["text"]) == (3, 1, "third line")


def test_skipped_files_are_counted_so_too(feeder: RunFeeder, texts: Repo) -> None:
    answer = feeder(texts, "grep", "lock;$", "--json").json
    assert answer["kept_out"] == [{"path": "Cargo.lock", "reason": "a lock file", "matches": 1}]


def test_list_follows_the_commits(feeder: RunFeeder, texts: Repo) -> None:
    """A file that is edited, added or removed; the rest is not read again."""
    texts.commit(
        {
            "crlf.c": "using crlf;\nint last;\n",
            "plain.c": b"int plain;\r\n",
            "latin.c": None,
            "new.c": b"\xef\xbb\xbfusing new;\r\n",
        }
    )
    assert feeder(texts, "sync", "-q").code == 0
    answer = feeder(texts, "grep", "^using.*;$", "--json").json
    paths = {match["path"] for match in answer["matches"]}
    assert paths == {"crlf.c", "mark.c", "utf16.c", "new.c"}
    answer = feeder(texts, "grep", "plain;$", "--json").json
    assert [match["path"] for match in answer["matches"]] == ["plain.c"]
    assert feeder(texts, "grep", "caf.$", "--json").json["total"] == 1


@pytest.mark.parametrize("damage", [b"", b"no zlib", json.dumps({"revision": 1}).encode()])
def test_damaged_list_is_made_again(repo: Repo, damage: bytes) -> None:
    revision = Revision(repo.path, repo.commit(FILES))
    first = find_decoded_files(revision, 60)
    from feeder.corpus.file_contents import _cache_folder

    folder = _cache_folder()
    assert folder
    for file in folder.iterdir():
        file.write_bytes(damage)
    assert find_decoded_files(revision, 60) == first
    assert set(first.encodings) == {
        *("crlf.c", "mark.c", "latin.c", "gbk.c", "sjis.c", "utf16.c", "mac.txt", "feed.txt"),
        "Cargo.lock",
    }


def test_plain_text_needs_no_decoding_in_crlf(repo: Repo) -> None:
    files = find_decoded_files(Revision(repo.path, repo.commit(FILES)), 60)
    assert "crlf.c" not in files.to_search("int last", PatternOptions())
    assert "crlf.c" not in files.to_search("f(void)", PatternOptions(fixed_strings=True))
    assert "crlf.c" in files.to_search("last;$", PatternOptions())
    assert "latin.c" in files.to_search("int last", PatternOptions())


def test_files_without_git_are_decoded_too(feeder: RunFeeder, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("crlf.c", "latin.c", "mark.c"):
        content = FILES[name]
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert feeder(folder, "process", "--path", ".", "-q").code == 0
    answer = feeder(folder, "grep", "^using.*;$|caf.$", "--json").json
    assert {match["path"] for match in answer["matches"]} == {"crlf.c", "latin.c", "mark.c"}

"""The JSON API: as docs/reference/http-api.md describes it, and nothing that is not public."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from feeder.cli.main import cli
from feeder.config import Settings
from feeder.mcp.service import IndexService
from feeder.store.query_log_file import QueryLog
from feeder.web.api import GET_ENDPOINTS
from mcp_server.conftest import index
from source.repos import Repo
from web.http_client import Web, web

PAGE = (Path(__file__).parents[2] / "docs/reference/http-api.md").read_text("utf-8")
EXAMPLES = re.findall(r"^    GET (\S+)\n\n```json\n(.*?)^```", PAGE, re.M | re.S)
ANY = "…"
PATHS = ["docs/guide.md", "src/cart.py", "src/money.py", "tests/test_money.py"]
# made up; in the form of GitHub's tokens
SECRET = "ghp_" + "Zk3q9XbT7LmN2vR8wYc4JdF6hAsP1eQuG0oV"  # pragma: allowlist secret


def open_service(folder: Path) -> IndexService:
    return IndexService(Settings(directory=folder, vectors=False))


@pytest.fixture(scope="module")
def asked(shop: Path) -> Iterator[Web]:
    desk = open_service(shop)
    with web(desk) as one:
        yield one
    desk.close()


@pytest.fixture
def other(repo: Repo) -> Iterator[tuple[Repo, Web]]:
    """A repository whose files a test writes, and its server."""
    repo.commit({"a.py": f'token = "{SECRET}"\n\n\ndef shown():\n    return token\n'})
    repo.commit({"page.html": "<h1><script>alert(1)</script></h1>\n"})
    index(repo)
    desk = open_service(repo.path)
    with web(desk) as one:
        yield repo, one
    desk.close()


def matches_example(said: Any, example: Any) -> bool:
    """True if a response has the form of an example on the page."""
    if example == ANY:
        return True
    if isinstance(example, dict) and isinstance(said, dict):
        names = example.keys() - {ANY}
        is_whole = ANY in example or names == said.keys()
        return is_whole and all(n in said and matches_example(said[n], example[n]) for n in names)
    if isinstance(example, list) and isinstance(said, list):
        return len(said) == len(example) and all(map(matches_example, said, example))
    return bool(said == example)


@pytest.mark.parametrize(("address", "example"), EXAMPLES, ids=[one for one, _ in EXAMPLES])
def test_responses_match_the_reference_page(asked: Web, address: str, example: str) -> None:
    response = asked.client.get(address)
    assert matches_example(response.json(), json.loads(example)), response.text
    assert ("error" in response.json()) == (response.status_code >= 400)


def test_reference_page_has_an_example_of_each_endpoint() -> None:
    """Each endpoint with JSON, and three errors."""
    names = [address.removeprefix("/api/").partition("?")[0] for address, _ in EXAMPLES]
    assert set(names) == {*GET_ENDPOINTS, "document", "progress", "proof"}
    errors = [example for _, example in EXAMPLES if "error" in json.loads(example)]
    assert len(errors) == 3


def test_filters_and_pagination(asked: Web) -> None:
    """A filter may be repeated; a page continues the previous one."""
    both = asked.client.get("/api/search?q=exchange&path=src&path=tests&limit=50").json()
    one = asked.client.get("/api/search?q=exchange&path=tests&limit=50").json()
    assert {hit["path"] for hit in one["hits"]} == {"tests/test_money.py"}
    assert {hit["path"] for hit in both["hits"]} == {"src/money.py", "tests/test_money.py"}
    rest = asked.client.get("/api/search?q=exchange&path=src&path=tests&offset=1").json()
    assert rest["hits"] == both["hits"][1:]
    assert rest["total"] == both["total"]


def test_hits_have_only_fields_with_a_value_and_what_is_requested(asked: Web) -> None:
    """`text=0` leaves out the whole text, `explain=1` adds the parts of the score."""
    plain, short, explained, similar = (
        asked.client.get(f"/api/{address}").json()["hits"]
        for address in (
            *(f"search?q=exchange{more}" for more in ("", "&text=0", "&explain=1")),
            "similar?target=src/money.py:4",
        )
    )
    assert len(plain) == len(short) == len(explained) > 0
    for hit, without_text, with_parts in zip(plain, short, explained, strict=True):
        assert hit.keys() - without_text.keys() <= {"text", "before", "after"}
        assert with_parts.keys() - hit.keys() == {"parts"}
        assert sum(with_parts["parts"].values()) == pytest.approx(hit["score"], abs=1e-5)
    for hit in (*plain, *short, *similar):
        assert None not in (*hit.values(), *hit["window"].values())
    error = asked.client.get("/api/search?q=exchange&explain=yes").json()["error"]
    assert error == "`explain` must be 1 or 0."


@pytest.mark.parametrize(
    ("address", "status", "expected"),
    [
        ("search", 400, "`q` is missing"),
        ("search?q=", 400, "`q` is missing"),
        ("search?q=a&q=b", 400, "`q` is missing, empty or repeated"),
        ("search?q=x&limit=0", 400, "`limit` must be a number from 1 to 100"),
        ("search?q=x&limit=-1", 400, "`limit` must be a number"),
        ("search?q=x&limit=9999999999999", 400, "`limit` must be a number"),
        ("search?q=x&limit=²", 400, "`limit` must be a number"),
        ("search?q=x&offset=10001", 400, "`offset` must be a number"),
        ("search?q=x&tests=maybe", 400, "`tests` must be"),
        ("search?q=x&language=klingon", 400, "no language 'klingon'"),
        ("similar?target=nothing_is_called_so", 404, "nothing_is_called_so"),
        ("node?id=zz", 400, "`id` must be 8 to 40 hex digits"),
        ("node?id=00000000", 404, "00000000"),
        ("file?path=src", 404, "src is not a file"),
        ("file?path=../shop/src/money.py", 404, "is outside the repository"),
        ("file?path=/etc/passwd", 404, "is outside the repository"),
        ("file?path=a%00b", 404, "The index has no"),
        ("outline?path=nowhere", 404, "The index has no"),
        ("map?all=1", 400, "no parameter `all`"),
        ("nothing", 404, "Not Found"),
    ],
)
def test_errors_name_the_remedy(asked: Web, address: str, status: int, expected: str) -> None:
    answer = asked.client.get(f"/api/{address}")
    more = {"unknown", "nearest"} if "language=" in address else set()
    assert (answer.status_code, answer.json().keys()) == (status, {"error", "remedy"} | more)
    assert expected in answer.json()["error"]
    assert answer.json()["remedy"]


@pytest.mark.parametrize(
    ("address", "error", "remedy"),
    [
        (
            "map?path=a.%20b",
            "a. b is not a folder of the index.",
            "Use a path from the root.",
        ),
        (
            "outline?path=a.%20b",
            "The index has no file or folder 'a. b'.",
            "List its contents: feeder outline .",
        ),
        (
            "relations?place=a.%20b",
            "The index has no file, symbol or id 'a. b'.",
            "List its contents: feeder outline .",
        ),
    ],
)
def test_full_stop_in_a_text_of_the_user_does_not_cut_the_error(
    asked: Web, address: str, error: str, remedy: str
) -> None:
    answer = asked.client.get(f"/api/{address}")
    assert answer.json() == {"error": error, "remedy": remedy}


def test_server_runs_without_an_index(repo: Repo) -> None:
    """It may be created later."""
    desk = open_service(repo.path)
    with web(desk) as one:
        answer = one.client.get("/api/status")
        assert (answer.status_code, answer.json().keys()) == (503, {"error", "remedy"})
        repo.commit({"a.py": "def a(): pass\n"})
        index(repo)
        assert one.client.get("/api/status").status_code == 200
    desk.close()


def test_unchanged_response_is_304(other: tuple[Repo, Web]) -> None:
    """Until a file changes the result."""
    repo, one = other
    first = one.client.get("/api/file?path=a.py")
    same = one.client.get("/api/file?path=a.py", headers={"if-none-match": first.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")
    assert same.headers["cache-control"] == "private, no-cache"
    repo.write({"a.py": "def other():\n    return 1\n"})
    now = one.client.get("/api/file?path=a.py", headers={"if-none-match": first.headers["etag"]})
    assert now.status_code == 200
    assert now.headers["etag"] != first.headers["etag"]


def test_secrets_are_masked_in_every_response(other: tuple[Repo, Web]) -> None:
    """A line keeps its length, and lines without a secret are unchanged."""
    _, one = other
    for address in ("search?q=token", "file?path=a.py", "search?q=shown", "outline?path=a.py"):
        text = one.client.get(f"/api/{address}").text
        assert SECRET not in text
    [first, *_] = one.client.get("/api/file?path=a.py").json()["lines"]
    assert first == f'token = "{"x" * len(SECRET)}"'
    hits = one.client.get("/api/search?q=token&limit=50").json()["hits"]
    assert any(first in hit["text"].split("\n") for hit in hits)
    assert any(first in hit["window"]["lines"] for hit in hits)


def test_only_indexed_files_are_read(other: tuple[Repo, Web]) -> None:
    """A skipped file is only on the map, with its reason."""
    repo, one = other
    repo.commit({".env": "A=1\n"})
    repo.commit({"logo.bin": b"\0\1"})
    index(repo)
    files = {file["path"]: file for file in one.client.get("/api/map").json()["files"]}
    assert files[".env"]["state"] == "skipped"
    assert files[".env"]["reason"]
    for path in (".env", "logo.bin", ".git/config", ".feeder/index.db"):
        assert one.client.get("/api/file", params={"path": path}).status_code == 404


def logged_queries(repo: Repo, number: int) -> list[str]:
    """Waits for this many logged queries and returns them; responses do not wait for the log."""
    log = QueryLog(repo.path / ".feeder/queries.db")
    until_s = time.monotonic() + 60
    while len(log.queries()) < number and time.monotonic() < until_s:
        time.sleep(0.05)
    return [query.text for query in log.queries()]


def test_queries_are_logged_like_those_of_the_command(other: tuple[Repo, Web]) -> None:
    """Not while typing, not for later pages, and not for cached responses."""
    repo, one = other
    for more in ("&meaning=no", "&log=no", "&offset=10"):
        assert one.client.get(f"/api/search?q=typing{more}").status_code == 200
    first = one.client.get("/api/search?q=shown&language=python")
    known = {"if-none-match": first.headers["etag"]}
    assert one.client.get("/api/search?q=shown&language=python", headers=known).status_code == 304
    assert logged_queries(repo, 1) == ["shown"]
    one.client.get("/api/search?q=other+words")
    assert logged_queries(repo, 2) == ["shown", "other words"]


def test_queries_are_not_logged_if_disabled(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n"})
    index(repo)
    desk = IndexService(Settings(directory=repo.path, vectors=False, query_log=False))
    with web(desk) as one:
        assert one.client.get("/api/search?q=a").status_code == 200
    desk.close()
    assert not (repo.path / ".feeder/queries.db").exists()


def test_last_change_of_files(other: tuple[Repo, Web]) -> None:
    """From the commit of the index; an edited file has the time of its last commit."""
    repo, one = other
    repo.commit({"later.py": "a = 1\n"})
    index(repo)
    repo.write({"later.py": "a = 2\n"})
    said = one.client.get("/api/history").json()
    at_s = int(repo.git("log", "-1", "--format=%ct"))
    assert (said["changed"]["later.py"], said["since"]) == (at_s, None)
    assert one.client.get("/api/map").json()["history"] is True


def test_folder_outside_git_has_no_history(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    words = ["process", "-C", str(tmp_path), "--path", ".", "--no-vectors", "--jobs", "1", "-q"]
    cli.main(words, standalone_mode=False)
    desk = open_service(tmp_path)
    with web(desk) as one:
        assert one.client.get("/api/map").json()["history"] is False
        response = one.client.get("/api/history")
        assert response.status_code == 404
        assert "history of the files is not available" in response.json()["error"]
    desk.close()


def test_each_example_query_has_hits(asked: Web) -> None:
    """They are made from a declaration of the index."""
    examples = asked.client.get("/api/status").json()["examples"]
    kinds = [example["kind"] for example in examples]
    assert kinds == ["words", "phrase", "filters", "symbol", "pattern"]
    for example in examples:
        answer = asked.client.get("/api/search", params={"q": example["query"]}).json()
        assert answer["total"] > 0, example
        assert not answer["notes"], example


def test_example_queries_are_for_a_name_that_much_code_has(repo: Repo) -> None:
    """Of names of two words; one that no other code has comes first in the index."""
    used = "def charge_customer(card, amount):\n    pass\n"
    users = "".join(f"def pay{at}():\n    charge_customer(1, {at})\n" for at in range(5))
    repo.commit({"a/first.py": "def never_used():\n    pass\n", "b/pay.py": used + users})
    index(repo)
    desk = open_service(repo.path)
    with web(desk) as one:
        examples = one.client.get("/api/status").json()["examples"]
    desk.close()
    assert [example["query"] for example in examples[:2]] == [
        "charge customer",
        '"def charge_customer"',
    ]


def test_folder_lists_what_is_directly_in_it(asked: Web) -> None:
    """The root without a path; not what is below, and not a file or a part of a name."""
    root = asked.client.get("/api/files").json()
    assert (root["folders"], root["files"]) == (["docs", "src", "tests"], [])
    for path in ("sr", "src/cart.py", "nowhere"):
        assert asked.client.get("/api/files", params={"path": path}).status_code == 404


def test_last_change_of_one_file(asked: Web) -> None:
    """Equal to that in the history of all, with its commit and author."""
    every = asked.client.get("/api/history").json()["changed"]
    one = asked.client.get("/api/history?path=src/cart.py").json()
    assert one["changed"] == {"src/cart.py": every["src/cart.py"]}
    assert re.fullmatch("[0-9a-f]{40}", one["commit"])
    assert one["author"]
    assert asked.client.get("/api/history?path=src/none.py").status_code == 404


def test_pages_of_files_follow_each_other(asked: Web) -> None:
    """The map has all files without `limit`; a folder that does not exist is an error."""
    for address in ("map?path=.", "outline?path=."):
        whole = asked.client.get(f"/api/{address}").json()
        assert [file["path"] for file in whole["files"]] == PATHS
        assert whole["next"] is None
        first = asked.client.get(f"/api/{address}&limit=3").json()
        assert (first["files"], first["next"]) == (whole["files"][:3], PATHS[2])
        last = asked.client.get(f"/api/{address}&limit=3&after={first['next']}").json()
        assert (last["files"], last["next"]) == (whole["files"][3:], None)
        assert asked.client.get(f"/api/{address}&after=zzz").json()["files"] == []
    inside = asked.client.get("/api/map?path=/src/").json()["files"]
    assert [file["path"] for file in inside] == ["src/cart.py", "src/money.py"]
    answer = asked.client.get("/api/map?path=sr")
    assert answer.status_code == 404
    assert answer.json()["error"] == "sr is not a folder of the index."


@pytest.mark.parametrize("path", ["", "?path=", "?path=/", "?path=."])
def test_root_of_an_empty_index_is_a_folder(repo: Repo, path: str) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "nothing")
    index(repo)
    service = open_service(repo.path)
    with web(service) as one:
        assert one.client.get(f"/api/map{path}").json()["files"] == []
        assert one.client.get(f"/api/files{path.replace('.', '/')}").json()["folders"] == []
    service.close()


def test_map_counts_references_on_request(asked: Web) -> None:
    """Other files that name what a file declares."""
    plain = asked.client.get("/api/map").json()["files"]
    assert all("referring" not in file for file in plain)
    files = asked.client.get("/api/map?references=yes").json()["files"]
    counts = {file["path"]: file["referring"] for file in files}
    assert counts["src/money.py"] >= 1
    assert counts["tests/test_money.py"] == 0


def test_responses_are_never_html(other: tuple[Repo, Web]) -> None:
    _, one = other
    response = one.client.get("/api/search?q=<script>alert")
    assert response.headers["content-type"] == "application/json"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "<script>alert(1)</script>" in response.json()["hits"][0]["text"]


def test_token_is_exchanged_for_a_session_key(asked: Web) -> None:
    """Without a cookie, which servers on other ports of this machine would get."""
    with httpx.Client(base_url=asked.base, trust_env=False, timeout=60) as browser:
        assert browser.get("/api/status").status_code == 401
        assert browser.post("/api/session").status_code == 401
        bearer = {"authorization": f"Bearer {asked.address.token}"}
        made = browser.post("/api/session", headers=bearer)
        assert (made.status_code, made.headers["cache-control"]) == (200, "no-store")
        assert "set-cookie" not in made.headers
        assert asked.address.token not in made.text
        assert browser.get("/api/status").status_code == 401
        own = {"authorization": f"Bearer {made.json()['key']}"}
        assert browser.get("/api/status", headers=own).status_code == 200
        foreign = {**own, "origin": "http://localhost:3000"}
        assert browser.get("/api/status", headers=foreign).status_code == 403


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_get_requests_change_nothing(asked: Web, method: str) -> None:
    assert asked.client.request(method, "/api/search?q=x").status_code == 405

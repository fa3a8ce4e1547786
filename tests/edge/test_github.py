"""The Worker reads lines from GitHub if the database has no stored source."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from standin import StandIn

from edge.github import GitHub, running_github
from edge.indexed_worker import REPO, IndexedWorker, program
from source.repos import Repo

SECRET = "a-token-of-github"
MANY = 9
FILES: dict[str, str | bytes] = {
    **{
        f"lib/part {at}.py": f"def turn_{at}(wheel):\n    return wheel + {at}\n"
        for at in range(MANY)
    },
    "big.py": "def grow():\n    pass\n",
    "ends.py": "\ufeffdef ends():\r\n    return 1\r\n",
    ".env": "PASSWORD=kept-out-of-it\n",
}


@pytest.fixture(scope="module")
def github(tmp_path_factory: pytest.TempPathFactory) -> GitHub:
    repo = Repo(tmp_path_factory.mktemp("github") / "shop")
    repo.commit(FILES)
    return GitHub(repo, REPO)


@pytest.fixture(scope="module")
def whole(account: StandIn, script: Path, github: GitHub) -> Iterator[tuple[IndexedWorker, str]]:
    """An indexed Worker without stored source, and the address of GitHub."""
    with running_github(github) as web:
        one = IndexedWorker(account, github.repo, "static", script)
        one.feed()
        yield one, web
        one.close()


@pytest.fixture
def fed(whole: tuple[IndexedWorker, str], github: GitHub) -> Iterator[IndexedWorker]:
    """The Worker in a new isolate with an empty cache."""
    one, web = whole
    one.deploy(web=web, GITHUB=REPO)
    yield one
    github.asked, github.told, github.token = [], {}, None


def test_lines_are_those_of_the_commit(fed: IndexedWorker, github: GitHub) -> None:
    """As the program shows them, with any line ends."""
    desk = fed.desk()
    for name in ("turn_3", "ends"):
        [ours], [theirs] = (
            [hit for hit in found["hits"] if hit.get("symbol") == name]
            for found in (fed.query_worker("search", q=name), program(desk, "search", q=name))
        )
        assert (ours["text"], ours["window"]) == (theirs["text"], theirs["window"])
        assert ours["text_of"] == github.repo.git("rev-parse", "HEAD")
    desk.close()
    assert {(one.host, one.token) for one in github.asked} == {("raw.githubusercontent.com", None)}


def test_private_repository_is_read_with_the_token(
    whole: tuple[IndexedWorker, str], github: GitHub
) -> None:
    fed, web = whole
    fed.deploy(web=web, GITHUB=REPO, GITHUB_TOKEN=SECRET)
    github.token, github.asked = f"Bearer {SECRET}", []
    found = fed.query_worker("file", path="lib/part 2.py")
    assert found["lines"] == ["def turn_2(wheel):", "    return wheel + 2", ""]
    [asked] = github.asked
    assert asked.host == "api.github.com" and asked.path == "lib/part 2.py"
    github.asked, github.token = [], None


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(404, b"404: Not Found", id="no such"),
        pytest.param(403, b"rate limit exceeded", id="rate limit"),
        pytest.param(429, b"Too Many Requests", id="too many"),
        pytest.param(500, b"", id="broken"),
        pytest.param(200, b"# x\n" * 260_000, id="too large"),
        pytest.param(200, b"def grow():\0\n", id="no text"),
        pytest.param(200, b"version https://git-lfs.github.com/spec/v1\n", id="elsewhere"),
    ],
)
def test_hits_without_lines_have_their_place(
    fed: IndexedWorker, github: GitHub, status: int, body: bytes
) -> None:
    github.told["big.py"] = (status, body)
    hits = fed.query_worker("search", q="grow")["hits"]
    [hit] = [hit for hit in hits if hit.get("symbol") == "grow"]
    assert not {"text", "window"} & hit.keys()
    assert (hit["path"], hit["start_line"], hit["signature"]) == ("big.py", 1, "def grow():")
    assert "big.py" in [file.path for file in github.asked]


def test_file_is_fetched_once(fed: IndexedWorker, github: GitHub) -> None:
    """A commit's file never changes."""
    first = fed.query_worker("file", path="ends.py")
    assert fed.query_worker("file", path="ends.py") == first
    assert [file.path for file in github.asked] == ["ends.py"]


@pytest.mark.parametrize("path", [".env", "nowhere.py", "../../../user", "lib/part 1.py?ref=main"])
def test_only_indexed_files_are_fetched(fed: IndexedWorker, github: GitHub, path: str) -> None:
    """The token could read more of the repository."""
    assert fed.query_worker("file", path=path)["error"]
    assert fed.query_worker("similar", target=path)["error"]
    assert github.asked == []


def test_answer_takes_at_most_six_requests(fed: IndexedWorker, github: GitHub) -> None:
    """Other files have only their place; the next answer has their lines."""
    fed.query_worker("status")
    shown = []
    for _ in range(3):
        found = fed.query_worker("search", q="turn wheel path:lib")
        assert sum(fed.request_counts.values()) <= 6
        shown.append(sum("text" in hit for hit in found["hits"]))
    assert 0 < shown[0] < shown[1] <= shown[2] == MANY
    assert len(github.asked) == MANY


def test_refusals_of_github_are_not_cached(fed: IndexedWorker, github: GitHub) -> None:
    """Else a token that was missing for a moment, or expired, would hide a file for a year."""
    fed.query_worker("file", path="ends.py")
    ttls = {
        status: ttl
        for statuses, ttl in github.cache_ttls.items()
        for first, last in [map(int, statuses.split("-"))]
        for status in range(first, last + 1)
    }
    assert ttls[200] == 365 * 24 * 3600
    assert all(ttls[status] < 0 for status in (301, 401, 403, 404, 429, 500, 503))

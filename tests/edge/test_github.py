"""The Worker shows lines that GitHub has at the commit, where the database keeps none."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from standin import StandIn

from edge.github import GitHub, serving
from edge.indexed_worker import REPO, Fed, program
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
def whole(account: StandIn, script: Path, github: GitHub) -> Iterator[tuple[Fed, str]]:
    """Fed without texts, and where GitHub is."""
    with serving(github) as web:
        one = Fed(account, github.repo, "static", script)
        one.feed()
        yield one, web
        one.close()


@pytest.fixture
def fed(whole: tuple[Fed, str], github: GitHub) -> Iterator[Fed]:
    """The Worker in a new isolate, which keeps no file yet."""
    one, web = whole
    one.deploy(web=web, GITHUB=REPO)
    yield one
    github.asked, github.told, github.token = [], {}, None


def test_lines_are_the_commits(fed: Fed, github: GitHub) -> None:
    """As the program shows them, whatever ends a line."""
    desk = fed.desk()
    for name in ("turn_3", "ends"):
        [ours], [theirs] = (
            [hit for hit in found["hits"] if hit["symbol"] == name]
            for found in (fed.at_edge("search", q=name), program(desk, "search", q=name))
        )
        assert (ours["text"], ours["window"]) == (theirs["text"], theirs["window"])
        assert ours["text_of"] == github.repo.git("rev-parse", "HEAD")
    desk.close()
    assert {(one.host, one.token) for one in github.asked} == {("raw.githubusercontent.com", None)}


def test_a_private_repository_is_read_with_the_token(
    whole: tuple[Fed, str], github: GitHub
) -> None:
    fed, web = whole
    fed.deploy(web=web, GITHUB=REPO, GITHUB_TOKEN=SECRET)
    github.token, github.asked = f"Bearer {SECRET}", []
    found = fed.at_edge("file", path="lib/part 2.py")
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
def test_places_are_answered_where_it_has_no_lines(
    fed: Fed, github: GitHub, status: int, body: bytes
) -> None:
    github.told["big.py"] = (status, body)
    [hit] = [one for one in fed.at_edge("search", q="grow")["hits"] if one["symbol"] == "grow"]
    assert (hit["text"], hit["window"]) == (None, None)
    assert (hit["path"], hit["start_line"], hit["signature"]) == ("big.py", 1, "def grow():")
    assert "big.py" in [one.path for one in github.asked]


def test_a_file_is_asked_for_once(fed: Fed, github: GitHub) -> None:
    """A commit's file is the same for ever."""
    first = fed.at_edge("file", path="ends.py")
    assert fed.at_edge("file", path="ends.py") == first
    assert [one.path for one in github.asked] == ["ends.py"]


@pytest.mark.parametrize("path", [".env", "nowhere.py", "../../../user", "lib/part 1.py?ref=main"])
def test_only_files_of_the_index_are_asked_for(fed: Fed, github: GitHub, path: str) -> None:
    """A token reads more of a repository than the index has."""
    assert fed.at_edge("file", path=path)["error"]
    assert fed.at_edge("similar", target=path)["error"]
    assert github.asked == []


def test_an_answer_takes_six_requests(fed: Fed, github: GitHub) -> None:
    """Of the files that does not leave room for, places are shown; the next answer has them."""
    fed.at_edge("status")
    shown = []
    for _ in range(3):
        found = fed.at_edge("search", q="turn wheel path:lib")
        assert sum(fed.took.values()) <= 6
        shown.append(sum(hit["text"] is not None for hit in found["hits"]))
    assert 0 < shown[0] < shown[1] <= shown[2] == MANY
    assert len(github.asked) == MANY

"""An index is published in a release on GitHub and pulled from there."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from command_runner import RunFeeder
from feeder.errors import FeederError, ServiceError, UserError
from feeder.retry import Clock
from feeder.share import publish as publishing
from feeder.share.github_api import upload_address
from feeder.share.github_release import GitHubRelease
from feeder.share.manifest import LATEST, Listing, decode
from feeder.share.places import open_source, open_target
from feeder.share.stores import Pace
from index_helpers import CART, GUIDE
from share.github_server import (
    READER,
    REPOSITORY,
    WRITER,
    GitHubServer,
    Reply,
    Request,
    github_server,
    refusal,
)
from share.memory_store import Killed, publish_head, pull_to
from share.test_publishers import commit_at
from source.repos import Repo

PLACE = f"github:{REPOSITORY}"
FILES = {"src/cart.py": CART, "docs/guide.md": GUIDE}
PACK = f"p-{'0' * 64}"
HOUR_S = 3600.0


@pytest.fixture
def environment() -> Mapping[str, str]:
    return {"FEEDER_MODEL": "static"}


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHubServer]:
    """A server that the program takes for GitHub; there is no token."""
    monkeypatch.delenv("GH_TOKEN", raising=False)
    with github_server() as server:
        monkeypatch.setenv("GITHUB_API_URL", server.api)
        yield server


@pytest.fixture
def writer(github: GitHubServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHubRelease]:
    """The store with a token that may publish."""
    monkeypatch.setenv("GITHUB_TOKEN", WRITER)
    with closing(GitHubRelease(PLACE, Pace(None), is_written=True)) as store:
        yield store


def reader() -> GitHubRelease:
    return GitHubRelease(PLACE, Pace(None), is_written=False)


def commits(server: GitHubServer) -> list[str]:
    """The published commits that a reader finds."""
    number = max(int(name[7:-5]) for name in listings(server))
    data = server.files()[f"latest-{number}.json"].data
    return [entry.commit for entry in decode(data, Listing).entries]


def listings(server: GitHubServer) -> set[str]:
    return {
        name
        for name, file in server.files().items()
        if name.startswith("latest-") and file.state == "uploaded"
    }


@pytest.mark.slow
def test_index_is_published_with_a_token_and_pulled_without(
    github: GitHubServer,
    repo: Repo,
    feeder: RunFeeder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repo.commit({**FILES, "pyproject.toml": f'[tool.feeder]\nindex = "{PLACE}"\n'})
    monkeypatch.setenv("FEEDER_PULL", "off")
    feeder(repo, "sync")
    monkeypatch.delenv("FEEDER_PULL")
    with monkeypatch.context() as patch:
        patch.setenv("GITHUB_TOKEN", WRITER)
        first = feeder(repo, "publish", PLACE)
        assert first.code == 0
        repo.commit({"src/tax.py": "def vat():\n    return 19\n"})
        feeder(repo, "sync")
        second = feeder(repo, "publish", PLACE)
    assert github.prereleases == {"feeder-index"}
    assert commits(github) == [repo.git("rev-parse", "HEAD"), repo.git("rev-parse", "HEAD~1")]
    cloned = repo.clone(tmp_path / "clone")
    cloned.commit({"src/new.py": "def newest():\n    return 1\n"})
    answer = feeder(cloned, "sync")
    assert "1 file differs from HEAD." in answer.err
    assert answer.out.startswith("Files: 1 processed, 0 deleted, 4 unchanged")
    assert feeder(cloned, "validate").code == 0
    assert set(github.storage_tokens) == {None}
    assert WRITER not in first.out + first.err + second.out + second.err


@pytest.mark.parametrize("asks_to_sign_in", [False, True])
def test_files_of_a_private_repository_are_read_with_the_token(
    github: GitHubServer, monkeypatch: pytest.MonkeyPatch, asks_to_sign_in: bool
) -> None:
    """Which the storage does not get."""
    github.is_private, github.asks_to_sign_in = True, asks_to_sign_in
    github.add("latest-1.json", b"{}")
    github.add(PACK, b"pack")
    with pytest.raises(UserError, match=r"was not found.*A private repository needs GITHUB_TOKEN"):
        reader().read(LATEST, 100)
    monkeypatch.setenv("GITHUB_TOKEN", READER)
    store = reader()
    found = [store.read(name, 100) for name in (LATEST, PACK)]
    assert [answer.data for answer in found if answer] == [b"{}", b"pack"]
    assert github.storage_tokens == [None, None]
    public = [request for request in github.requests if request.token is None]
    assert len([request for request in public if "download" in request.path]) == 1


def test_files_of_a_public_repository_are_read_without_the_token(
    github: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such downloads do not count for the API's rate limit."""
    github.add("latest-1.json", b"{}")
    monkeypatch.setenv("GITHUB_TOKEN", READER)
    assert reader().read(LATEST, 100)
    tokens = {request.token for request in github.requests if "download" in request.path}
    assert tokens == {None}
    assert not [request for request in github.requests if "/releases/assets/" in request.path]


@pytest.mark.usefixtures("retries_without_delay")
@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (refusal(401, "Bad credentials"), r"refused the token \(HTTP 401: Bad credentials\)"),
        (
            refusal(403, "Resource not accessible by integration"),
            r"not accessible by integration.*needs the permission contents: write",
        ),
        (refusal(404, "Not Found"), "was not found.*Check the name, and that the token may read"),
        (Reply(301, b"", (("Location", "/elsewhere"),)), "has moved.*Use its new name"),
        (refusal(422, "Validation Failed", "invalid"), "HTTP 422: Validation Failed, invalid"),
        (Reply(201, b"no json"), "cannot be read.*Check GITHUB_API_URL"),
    ],
)
def test_refused_upload_names_the_remedy(
    github: GitHubServer, writer: GitHubRelease, reply: Reply, reason: str
) -> None:
    github.add("latest-1.json", b"{}")
    assert writer.read(LATEST, 100)
    github.replies = [reply]
    with pytest.raises(FeederError, match=reason):
        writer.write(PACK, b"pack")
    assert not github.replies


def test_token_that_is_unknown_or_may_only_read_publishes_nothing(
    github: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for token, reason in (("ghs_other", "HTTP 401"), (READER, "contents: write")):
        monkeypatch.setenv("GH_TOKEN", token)
        with pytest.raises(UserError, match=reason):
            reader().write(PACK, b"pack")
    assert not github.releases


@pytest.mark.usefixtures("github")
def test_publishing_needs_a_token() -> None:
    with pytest.raises(UserError, match=r"needs a token\. Set GITHUB_TOKEN"):
        open_target(PLACE, Path())


@pytest.mark.usefixtures("github")
def test_repository_without_a_release_has_nothing_published() -> None:
    assert reader().read(LATEST, 100) is None
    with pytest.raises(UserError, match="github:acme/other was not found"):
        open_source("github:acme/other", Path()).read(LATEST, 100)


def rate_limit(after_s: float) -> Reply:
    headers = (
        ("X-RateLimit-Remaining", "0"),
        ("X-RateLimit-Reset", str(int(time.time() + after_s))),
    )
    return Reply(403, {"message": "API rate limit exceeded"}, headers)


def test_request_waits_for_the_rate_limit_and_for_a_failing_server(
    github: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(Clock, "wait", lambda _, __, seconds: waited.append(seconds))
    github.add("latest-1.json", b"{}")
    github.replies = [
        rate_limit(60),
        Reply(403, {"message": "secondary rate limit"}, (("Retry-After", "7"),)),
        Reply(502),
    ]
    assert reader().read(LATEST, 100)
    assert 50 < waited[0] <= 60
    assert waited[1] == 7
    assert len(waited) == 3


@pytest.mark.slow
def test_index_is_made_here_if_the_rate_limit_is_used_up(
    github: GitHubServer, repo: Repo, feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first command in a clone does not wait, however soon the limit ends."""
    waited: list[float] = []
    monkeypatch.setattr(Clock, "wait", lambda _, __, seconds: waited.append(seconds))
    repo.commit({**FILES, ".feeder.toml": f'index = "{PLACE}"\n'})
    github.replies = [rate_limit(2)]
    answer = feeder(repo, "sync")
    assert waited == []
    assert f"{PLACE} cannot be used. GitHub's rate limit is used up (HTTP 403)." in answer.err
    assert "Set GITHUB_TOKEN, which has a higher limit." in answer.err
    assert answer.out.startswith("Files: 3 processed")
    github.replies = [rate_limit(1000)]
    with pytest.raises(ServiceError, match=r"used up \(HTTP 403\) until \d\d:\d\d UTC"):
        reader().read(LATEST, 100)


def test_listing_that_another_publisher_has_replaced_is_not_replaced(
    github: GitHubServer, writer: GitHubRelease
) -> None:
    assert writer.replace(LATEST, b"1", None)
    assert not writer.replace(LATEST, b"2", None)
    found = writer.read(LATEST, 100)
    assert found
    assert found.data == b"1"
    assert writer.replace(LATEST, b"2", found.version)
    assert not writer.replace(LATEST, b"3", found.version)
    writer.write(PACK, b"abc")
    github.add("notes.txt", b"of somebody else")
    assert writer.names().keys() == {PACK}
    with pytest.raises(ServiceError, match="larger than allowed"):
        writer.read(PACK, 2)
    writer.delete([PACK, "p-2"])
    assert writer.names() == {}


def test_earlier_listings_are_deleted_after_an_hour(
    github: GitHubServer, writer: GitHubRelease
) -> None:
    """Their numbers stay taken until no publish can have read the one before."""
    version = None
    for number in range(1, 4):
        assert writer.replace(LATEST, b"%d" % number, version)
        version = f"latest-{number}.json"
    assert listings(github) == {"latest-1.json", "latest-2.json", "latest-3.json"}
    github.pass_time(HOUR_S + 1)
    found = writer.read(LATEST, 100)
    assert found
    assert writer.replace(LATEST, b"4", found.version)
    assert listings(github) == {"latest-4.json"}
    latest = reader().read(LATEST, 100)
    assert latest
    assert latest.data == b"4"


def test_listing_that_is_deleted_before_it_is_read_is_looked_up_again(
    github: GitHubServer,
) -> None:
    github.add("latest-9.json", b"old")

    def replace_listing(request: Request) -> None:
        if request.path.endswith("/latest-9.json") and "latest-9.json" in github.files():
            del github.files()["latest-9.json"]
            github.add("latest-10.json", b"new")

    github.before = replace_listing
    found = reader().read(LATEST, 100)
    assert found
    assert found.data == b"new"


@pytest.mark.usefixtures("github")
def test_no_listing_is_lost_when_four_publishers_write_at_once(writer: GitHubRelease) -> None:
    """Each adds a letter to the listing that it has read, until it has added ten."""

    def publish_ten(letter: bytes) -> None:
        with closing(reader()) as store:
            added = 0
            while added < 10:
                found = store.read(LATEST, 100)
                data = found.data if found else b""
                added += store.replace(LATEST, data + letter, found and found.version)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(publish_ten, [b"a", b"b", b"c", b"d"]))
    found = writer.read(LATEST, 100)
    assert found
    assert Counter(found.data) == Counter(b"abcd" * 10)


@pytest.mark.usefixtures("retries_without_delay")
def test_upload_that_another_publisher_has_not_finished_is_left_at_first(
    github: GitHubServer, writer: GitHubRelease
) -> None:
    github.add("latest-1.json", b"{}")
    github.add(PACK, state="starter")
    assert writer.read(PACK, 100) is None
    assert PACK not in writer.names()
    with pytest.raises(ServiceError, match=r"Another publish .* has not finished"):
        writer.write(PACK, b"pack")
    github.pass_time(121)
    writer.write(PACK, b"pack")
    assert github.files()[PACK].data == b"pack"


@pytest.mark.usefixtures("retries_without_delay")
@pytest.mark.parametrize("moment", ["before", "within", "after"])
@pytest.mark.parametrize("name", [PACK, LATEST])
def test_upload_whose_connection_ends_is_repeated(
    github: GitHubServer,
    writer: GitHubRelease,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
    name: str,
) -> None:
    github.add("latest-1.json", b"{}")
    assert writer.read(LATEST, 100)
    github.count_from_now(1, moment)
    monkeypatch.setattr(Clock, "wait", lambda *_: github.count_from_now(None))
    if name == LATEST:
        assert writer.replace(LATEST, b"data", "latest-1.json")
    else:
        writer.write(name, b"data")
    found = reader().read(name, 100)
    assert found
    assert found.data == b"data"


def test_files_beyond_the_first_page_are_found(github: GitHubServer, writer: GitHubRelease) -> None:
    for number in range(1, 251):
        github.add(f"latest-{number}.json", b"%d" % number)
    found = reader().read(LATEST, 100)
    assert found
    assert found.data == b"250"
    for number in range(750):
        github.add(f"p-{number:064}")
    assert writer.names().keys() == {f"p-{number:064}" for number in range(750)}
    with pytest.raises(UserError, match=r"1,000 files.*smaller --keep"):
        writer.write(f"p-{'f' * 64}", b"one more")


@pytest.mark.parametrize("is_newer", [True, False])
def test_both_of_two_publishers_are_listed_the_newer_commit_first(
    github: GitHubServer,
    writer: GitHubRelease,
    repo: Repo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_newer: bool,
) -> None:
    repo.commit(FILES)
    old = commit_at(repo, monkeypatch, 4_000_000_000, "old")
    new = commit_at(repo, monkeypatch, 4_000_000_100, "new")
    own, other = (new, old) if is_newer else (old, new)

    def publish_other(request: Request) -> None:
        if request.query.get("name") == ["latest-1.json"]:
            github.before = None
            repo.git("checkout", "-q", other)
            publish_head(repo, tmp_path / "other.db", reader())

    repo.git("checkout", "-q", own)
    github.before = publish_other
    publish_head(repo, tmp_path / "own.db", writer)
    assert commits(github) == [new, old]
    for commit in (old, new):
        repo.git("checkout", "-q", commit)
        assert pull_to(tmp_path / "pulled", repo, reader()).commit == commit


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["before", "within", "after"])
def test_publish_that_is_killed_leaves_the_old_state_or_the_new_one(
    github: GitHubServer,
    writer: GitHubRelease,
    repo: Repo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
) -> None:
    """At any request: before it arrives, while it is received, or before its response."""
    monkeypatch.setattr(publishing, "GRACE_S", -1.0)  # unused files go at once
    first = repo.commit(FILES)
    publish_head(repo, tmp_path / "index.db", writer, keep=1)
    github.pass_time(2 * HOUR_S)
    start = dict(github.files())
    second = repo.commit({"src/tax.py": "def vat():\n    return 19\n"})

    def end(*_: object) -> None:
        raise Killed

    states = set()
    for dies_at in range(1, 40):
        github.files().clear()
        github.files().update(start)
        github.count_from_now(dies_at, moment)
        with monkeypatch.context() as patch, closing(reader()) as store:
            patch.setattr(Clock, "wait", end)
            try:
                publish_head(repo, tmp_path / "index.db", store, keep=1)
                is_done = True
            except Killed:
                is_done = False
        github.count_from_now(None)
        found = pull_to(tmp_path / "pulled", repo, reader()).commit
        assert [found] == commits(github)
        states.add(found)
        github.pass_time(2 * HOUR_S)
        publish_head(repo, tmp_path / "index.db", reader(), keep=1)
        assert pull_to(tmp_path / "pulled", repo, reader()).commit == second
        if is_done:
            break
    assert is_done
    assert states == {first, second}


@pytest.mark.parametrize(
    ("api", "uploads"),
    [
        ("https://api.github.com", "https://uploads.github.com"),
        ("https://api.acme.ghe.com", "https://uploads.acme.ghe.com"),
        ("https://github.example.org/api/v3", "https://github.example.org/api/uploads"),
    ],
)
def test_address_for_uploads_belongs_to_the_api(api: str, uploads: str) -> None:
    assert upload_address(api) == uploads


@pytest.mark.parametrize(
    "place",
    [
        "github:acme",
        "github:acme/shop/x",
        "github:acme/..",
        "github:acme/shop@../x",
        "github:acme/shop@",
        "github:a b/shop",
        "github:acme/shop?x=1",
    ],
)
def test_place_that_names_no_repository_is_refused(place: str) -> None:
    with pytest.raises(UserError, match="names no repository on GitHub"):
        open_source(place, Path())


def test_token_goes_to_no_address_that_is_not_encrypted(
    github: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", "http://api.example.org")
    with pytest.raises(UserError, match=r"http://api\.example\.org is not encrypted"):
        open_source(PLACE, Path())
    monkeypatch.setenv("GITHUB_API_URL", github.api)
    github.add("latest-1.json", b"{}")
    github.storage = "http://storage.example.org"
    with pytest.raises(UserError, match="not encrypted") as failed:
        reader().read(LATEST, 100)
    assert "signature" not in str(failed.value)


def test_token_that_is_no_header_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GH_TOKEN", "secret token")
    with pytest.raises(UserError, match="contains spaces") as failed:
        open_source(PLACE, Path())
    assert "secret token" not in str(failed.value)

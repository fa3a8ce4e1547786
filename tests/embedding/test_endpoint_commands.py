"""A model behind an address in the commands: failing runs, completing runs and searches."""

from pathlib import Path
from typing import Any

import pytest

from command_runner import RunFeeder, command_runner
from embedding.endpoint_server import (
    Server,
    respond_as_bge_m3,
    respond_with,
    respond_with_vectors,
    running_server,
)
from feeder.store import Row, Statement
from feeder.store.sqlite import SQLite
from source.repos import Repo

pytestmark = pytest.mark.slow

KEY = "Xk29-qLmR47_vTzE81wPbN36sHcYdU05jGaF"
FILES, TEXTS = 50, 150
BUSY = respond_with(500, {"error": {"message": "out of memory"}}, Retry_After="0")


@pytest.fixture
def feeder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> RunFeeder:
    """Runs the program in a folder, with a home and a key of its own."""
    monkeypatch.setenv("FEEDER_JOBS", "1")
    monkeypatch.setenv("FEEDER_API_KEY", KEY)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return command_runner(monkeypatch, capfd)


@pytest.fixture
def repo_of_50_files(repo: Repo) -> Repo:
    """Fifty files with three functions each."""
    repo.commit(
        {
            f"p{number:02}.py": "\n\n".join(
                f"def {name}{number}(value):\n    return value + {number}\n" for name in "abc"
            )
            for number in range(FILES)
        }
    )
    return repo


@pytest.fixture
def configured_server(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The server, configured by the environment."""
    monkeypatch.setenv("FEEDER_MODEL", f"{server.url}#some-model")
    return server


def search_hits(repo: Repo, sql: str) -> list[Row]:
    """What the index answers."""
    database = SQLite(repo.path / ".feeder/index.db")
    [rows] = database.run([Statement(sql)])
    database.close()
    return rows


def pending(repo: Repo) -> int:
    [[count]] = search_hits(repo, "SELECT count(*) FROM files WHERE state = 'pending'")
    assert isinstance(count, int)
    return count


def test_next_run_completes_a_run_stopped_by_an_error_response(
    feeder: RunFeeder, repo_of_50_files: Repo, configured_server: Server
) -> None:
    """Four requests of 32 texts are stored, all words are indexed, and nothing is half-written."""
    configured_server.answers = [respond_with_vectors()] * 5  # the first asks for the dimensions
    configured_server.always = BUSY
    refused = feeder(repo_of_50_files, "sync", "--json")
    assert refused.code == 1
    assert refused.err.splitlines()[-1] == (
        f"feeder: some-model@{configured_server.place}: out of memory (HTTP 500). Run again later."
    )
    assert search_hits(repo_of_50_files, "SELECT count(*) FROM docs") == [(TEXTS,)]
    assert pending(repo_of_50_files) == FILES
    assert feeder(repo_of_50_files, "search", "a7").out.startswith("p07.py:1")

    configured_server.always = respond_with_vectors()
    finished = feeder(repo_of_50_files, "sync", "--json")
    assert (finished.code, pending(repo_of_50_files)) == (0, 0)
    assert (finished.json["texts_cached"], finished.json["texts_embedded"]) == (128, 22)
    assert feeder(repo_of_50_files, "validate").code == 0
    assert search_hits(repo_of_50_files, "SELECT count(*) FROM vectors") == [(TEXTS,)]


def test_index_and_cache_have_the_model_name_and_no_secret(
    feeder: RunFeeder, repo_of_50_files: Repo, server: Server, tmp_path: Path
) -> None:
    """Neither key nor password is in the index, the cache or the output."""
    address = f"http://me:{KEY[::-1]}@{server.place}/v1?code={KEY[::2]}#some-model"
    answer = feeder(repo_of_50_files, "sync", "--model", address)
    assert answer.code == 0
    assert search_hits(
        repo_of_50_files, "SELECT key, value FROM meta WHERE key IN ('model', 'dimensions')"
    ) == [
        ("dimensions", "64"),
        ("model", f"some-model@{server.place}"),
    ]
    folders = (repo_of_50_files.path / ".feeder", tmp_path / "home/feeder")
    stored = b"".join(file.read_bytes() for folder in folders for file in folder.glob("*.db*"))
    for secret in (KEY, KEY[::-1], KEY[::2]):
        assert secret not in answer.out + answer.err
        assert secret.encode() not in stored


def test_up_to_date_index_takes_no_request(
    feeder: RunFeeder, repo_of_50_files: Repo, configured_server: Server
) -> None:
    """The dimensions are in the index; validate, stats and a run with a change use them."""
    assert feeder(repo_of_50_files, "sync").code == 0
    configured_server.log.clear()
    assert feeder(repo_of_50_files, "sync").code == 0
    assert feeder(repo_of_50_files, "validate").code == 0
    assert feeder(repo_of_50_files, "stats").code == 0
    assert configured_server.log == []
    repo_of_50_files.commit({"p00.py": "def other():\n    pass\n"})
    assert feeder(repo_of_50_files, "sync").code == 0
    assert [len(one.texts) for one in configured_server.log] == [1]


def test_search_by_vectors_takes_one_request(
    feeder: RunFeeder, repo_of_50_files: Repo, configured_server: Server
) -> None:
    """For the query."""
    feeder(repo_of_50_files, "sync")
    configured_server.log.clear()
    found = feeder(repo_of_50_files, "search", "return value", "--json")
    assert found.code == 0
    assert [one.texts for one in configured_server.log] == [["return value"]]
    assert all(hit["vector_rank"] for hit in found.json["hits"])


@pytest.mark.parametrize("quiet", [(), ("-q",)])
def test_words_are_searched_while_the_server_is_down(
    feeder: RunFeeder,
    repo_of_50_files: Repo,
    monkeypatch: pytest.MonkeyPatch,
    quiet: tuple[str, ...],
) -> None:
    """One warning is on stderr, also with --quiet; the exit code is that of a success."""
    with running_server() as server:
        monkeypatch.setenv("FEEDER_MODEL", f"{server.url}#some-model")
        assert feeder(repo_of_50_files, "sync").code == 0
    found = feeder(repo_of_50_files, "search", "a7", "--json", *quiet)
    assert found.code == 0
    assert found.json["hits"][0]["symbol"] == "a7"
    assert {hit["vector_rank"] for hit in found.json["hits"]} == {None}
    [sentence] = [line for line in found.err.splitlines() if "by words only" in line]
    assert sentence.startswith(f"Searched by words only: {server.place} cannot be reached (")
    assert sentence.endswith("Check the network, DNS and --model.")


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (BUSY, 1, "out of memory (HTTP 500). Run again later."),
        (respond_with(401, ""), 2, "no reason given (HTTP 401). Set FEEDER_API_KEY to a key that "),
        (respond_with(200, {"data": []}), 1, "did not return 1 vectors of one length for 1 texts"),
    ],
)
def test_words_are_indexed_if_the_dimensions_are_unknown(
    feeder: RunFeeder,
    repo_of_50_files: Repo,
    configured_server: Server,
    error: Any,
    code: int,
    sentence: str,
) -> None:
    """The run ends with the error; the next one makes all vectors, whatever their length."""
    configured_server.always = error
    refused = feeder(repo_of_50_files, "sync")
    assert (refused.code, sentence in refused.err) == (code, True)
    assert search_hits(repo_of_50_files, "SELECT count(*) FROM docs") == [(TEXTS,)]
    assert feeder(repo_of_50_files, "search", "a7").out.startswith("p07.py:1")
    said = feeder(repo_of_50_files, "sync").out
    assert "nothing to do" not in said
    assert "the model's vectors could not be made" in said

    configured_server.always = respond_with_vectors()
    assert feeder(repo_of_50_files, "sync").code == 0
    assert search_hits(repo_of_50_files, "SELECT count(*) FROM vectors") == [(TEXTS,)]
    assert feeder(repo_of_50_files, "validate").code == 0


def test_words_are_indexed_if_the_key_is_refused(
    feeder: RunFeeder, repo_of_50_files: Repo, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dimensions are known, so the first text gets the error."""
    monkeypatch.setenv("FEEDER_MODEL", f"{server.url}#bge-m3")
    server.always = respond_with(401, {"error": "wrong key"})
    assert feeder(repo_of_50_files, "sync").code == 2
    assert (pending(repo_of_50_files), len(feeder(repo_of_50_files, "search", "a7").out)) != (0, 0)
    server.always = respond_as_bge_m3
    assert feeder(repo_of_50_files, "sync").code == 0
    assert pending(repo_of_50_files) == 0


def test_model_with_other_dimensions_is_refused(
    feeder: RunFeeder, repo_of_50_files: Repo, configured_server: Server
) -> None:
    """Following the remedy makes the index again."""
    feeder(repo_of_50_files, "sync")
    repo_of_50_files.commit({"p00.py": "def other():\n    pass\n"})
    configured_server.always = respond_with_vectors(dimensions=32)
    changed = feeder(repo_of_50_files, "sync")
    assert changed.code == 2
    assert "returned vectors of 32 dimensions instead of 64. Set --dimensions 32" in changed.err
    assert feeder(repo_of_50_files, "sync", "--dimensions", "32").code == 0
    assert search_hits(repo_of_50_files, "SELECT DISTINCT length(code) FROM vectors") == [(32,)]
    assert feeder(repo_of_50_files, "validate", "--dimensions", "32").code == 0


def test_requests_to_the_model_are_limited(
    feeder: RunFeeder, repo_of_50_files: Repo, configured_server: Server
) -> None:
    """Three per run, until the index is complete; the local store needs none."""
    codes: list[int] = []
    while not codes or codes[-1] == 75:
        before = len(configured_server.log)
        codes.append(feeder(repo_of_50_files, "sync", "--max-requests", "3").code)
        assert len(configured_server.log) - before <= 3
        assert len(codes) < 9
    assert codes == [75, 0]
    assert feeder(repo_of_50_files, "validate").code == 0


def test_dry_run_reports_requests(
    feeder: RunFeeder, repo_of_50_files: Repo, configured_server: Server
) -> None:
    """150 texts, 32 per request; one request finds the dimensions. A run counts all of its
    requests.
    """
    planned = feeder(repo_of_50_files, "sync", "--dry-run", "--json").json
    assert (planned["texts_embedded"], planned["requests"]) == (TEXTS, {"model": 5})
    assert len(configured_server.log) == 1
    made = feeder(repo_of_50_files, "sync")
    assert "Requests: 6 to the model.\nModel: about 1,057 tokens." in made.out

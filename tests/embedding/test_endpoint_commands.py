"""A model at an address as a user meets it: runs that are refused, runs that finish, searches."""

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
def parts(repo: Repo) -> Repo:
    """Fifty files of three functions."""
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
def named(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The server, as the environment names it."""
    monkeypatch.setenv("FEEDER_MODEL", f"{server.url}#some-model")
    return server


def request(repo: Repo, sql: str) -> list[Row]:
    """What the index answers."""
    database = SQLite(repo.path / ".feeder/index.db")
    [rows] = database.run([Statement(sql)])
    database.close()
    return rows


def pending(repo: Repo) -> int:
    [[count]] = request(repo, "SELECT count(*) FROM files WHERE state = 'pending'")
    assert isinstance(count, int)
    return count


def test_a_run_that_is_refused_in_the_middle_is_finished_by_the_next(
    feeder: RunFeeder, parts: Repo, named: Server
) -> None:
    """Four requests of 32 texts are kept, all words are there, and nothing is half-written."""
    named.answers = [respond_with_vectors()] * 5  # the first asks for the dimensions
    named.always = BUSY
    refused = feeder(parts, "sync", "--json")
    assert refused.code == 1
    assert refused.err.splitlines()[-1] == (
        f"feeder: some-model@{named.place}: out of memory (HTTP 500). Run again later."
    )
    assert request(parts, "SELECT count(*) FROM docs") == [(TEXTS,)]
    assert pending(parts) == FILES
    assert feeder(parts, "search", "a7").out.startswith("p07.py:1")

    named.always = respond_with_vectors()
    finished = feeder(parts, "sync", "--json")
    assert (finished.code, pending(parts)) == (0, 0)
    assert (finished.json["texts_cached"], finished.json["texts_embedded"]) == (128, 22)
    assert feeder(parts, "validate").code == 0
    assert request(parts, "SELECT count(*) FROM vectors") == [(TEXTS,)]


def test_what_is_kept_has_the_name_and_no_secret(
    feeder: RunFeeder, parts: Repo, server: Server, tmp_path: Path
) -> None:
    """Neither key nor password is in the index, in the cache, or in what is said."""
    address = f"http://me:{KEY[::-1]}@{server.place}/v1?code={KEY[::2]}#some-model"
    answer = feeder(parts, "sync", "--model", address)
    assert answer.code == 0
    assert request(parts, "SELECT key, value FROM meta WHERE key IN ('model', 'dimensions')") == [
        ("dimensions", "64"),
        ("model", f"some-model@{server.place}"),
    ]
    folders = (parts.path / ".feeder", tmp_path / "home/feeder")
    kept = b"".join(file.read_bytes() for folder in folders for file in folder.glob("*.db*"))
    for secret in (KEY, KEY[::-1], KEY[::2]):
        assert secret not in answer.out + answer.err
        assert secret.encode() not in kept


def test_an_index_that_is_up_to_date_costs_no_request(
    feeder: RunFeeder, parts: Repo, named: Server
) -> None:
    """Its own note tells the dimensions; so do validate, stats and a run of a change."""
    assert feeder(parts, "sync").code == 0
    named.log.clear()
    assert feeder(parts, "sync").code == 0
    assert feeder(parts, "validate").code == 0
    assert feeder(parts, "stats").code == 0
    assert named.log == []
    parts.commit({"p00.py": "def other():\n    pass\n"})
    assert feeder(parts, "sync").code == 0
    assert [len(one.texts) for one in named.log] == [1]


def test_a_search_goes_by_meaning_with_one_request(
    feeder: RunFeeder, parts: Repo, named: Server
) -> None:
    """The question is asked for, and nothing else."""
    feeder(parts, "sync")
    named.log.clear()
    found = feeder(parts, "search", "return value", "--json")
    assert found.code == 0
    assert [one.texts for one in named.log] == [["return value"]]
    assert all(hit["vector_rank"] for hit in found.json["hits"])


@pytest.mark.parametrize("quiet", [(), ("-q",)])
def test_words_answer_while_the_server_is_down(
    feeder: RunFeeder, parts: Repo, monkeypatch: pytest.MonkeyPatch, quiet: tuple[str, ...]
) -> None:
    """One sentence on stderr, for those who want no talk too; the command has done its work."""
    with running_server() as server:
        monkeypatch.setenv("FEEDER_MODEL", f"{server.url}#some-model")
        assert feeder(parts, "sync").code == 0
    found = feeder(parts, "search", "a7", "--json", *quiet)
    assert found.code == 0
    assert found.json["hits"][0]["symbol"] == "a7"
    assert {hit["vector_rank"] for hit in found.json["hits"]} == {None}
    [sentence] = [line for line in found.err.splitlines() if "by words only" in line]
    assert sentence.startswith(f"Searched by words only: {server.place} cannot be reached (")
    assert sentence.endswith("Check the network, DNS and --model.")


@pytest.mark.parametrize(
    ("refusal", "code", "sentence"),
    [
        (BUSY, 1, "out of memory (HTTP 500). Run again later."),
        (respond_with(401, ""), 2, "no reason given (HTTP 401). Set FEEDER_API_KEY to a key that "),
        (respond_with(200, {"data": []}), 1, "did not return 1 vectors of one length for 1 texts"),
    ],
)
def test_words_go_on_when_not_even_the_dimensions_are_to_be_had(
    feeder: RunFeeder, parts: Repo, named: Server, refusal: Any, code: int, sentence: str
) -> None:
    """The run ends as refused; the next one makes all vectors, whatever it was."""
    named.always = refusal
    refused = feeder(parts, "sync")
    assert (refused.code, sentence in refused.err) == (code, True)
    assert request(parts, "SELECT count(*) FROM docs") == [(TEXTS,)]
    assert feeder(parts, "search", "a7").out.startswith("p07.py:1")

    named.always = respond_with_vectors()
    assert feeder(parts, "sync").code == 0
    assert request(parts, "SELECT count(*) FROM vectors") == [(TEXTS,)]
    assert feeder(parts, "validate").code == 0


def test_words_go_on_when_the_key_is_refused(
    feeder: RunFeeder, parts: Repo, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the table knows the dimensions, the first text is refused."""
    monkeypatch.setenv("FEEDER_MODEL", f"{server.url}#bge-m3")
    server.always = respond_with(401, {"error": "wrong key"})
    assert feeder(parts, "sync").code == 2
    assert (pending(parts), len(feeder(parts, "search", "a7").out)) != (0, 0)
    server.always = respond_as_bge_m3
    assert feeder(parts, "sync").code == 0
    assert pending(parts) == 0


def test_a_model_that_has_changed_is_refused_and_made_anew(
    feeder: RunFeeder, parts: Repo, named: Server
) -> None:
    """Two lengths do not mix; what the sentence says makes the index anew."""
    feeder(parts, "sync")
    parts.commit({"p00.py": "def other():\n    pass\n"})
    named.always = respond_with_vectors(dimensions=32)
    changed = feeder(parts, "sync")
    assert changed.code == 2
    assert "returned vectors of 32 dimensions; expected 64. Set --dimensions 32" in changed.err
    assert feeder(parts, "sync", "--dimensions", "32").code == 0
    assert request(parts, "SELECT DISTINCT length(code) FROM vectors") == [(32,)]
    assert feeder(parts, "validate", "--dimensions", "32").code == 0


def test_requests_are_limited(feeder: RunFeeder, parts: Repo, named: Server) -> None:
    """Three a run, and the run that comes to the end ends well; this machine's store costs none."""
    codes: list[int] = []
    while not codes or codes[-1] == 75:
        before = len(named.log)
        codes.append(feeder(parts, "sync", "--max-requests", "3").code)
        assert len(named.log) - before <= 3
        assert len(codes) < 9
    assert codes == [75, 0]
    assert feeder(parts, "validate").code == 0


def test_a_dry_run_says_what_it_would_take(feeder: RunFeeder, parts: Repo, named: Server) -> None:
    """150 texts, 32 a request; one request tells the dimensions. A run counts all it took."""
    planned = feeder(parts, "sync", "--dry-run", "--json").json
    assert (planned["texts_embedded"], planned["requests"]) == (TEXTS, {"model": 5})
    assert len(named.log) == 1
    made = feeder(parts, "sync")
    assert "Requests: 6 to the model.\nModel: about 1,057 tokens." in made.out

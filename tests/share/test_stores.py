"""An index is published to S3, and pulled over HTTP; a source that fails costs little."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from command_runner import RunFeeder
from feeder.errors import ServiceError, UserError
from feeder.share.places import open_source, open_target
from feeder.share.stores import Pace
from index_helpers import CART, GUIDE
from source.repos import Repo

FILES = {"src/cart.py": CART, "docs/guide.md": GUIDE}


@pytest.fixture
def environment() -> Mapping[str, str]:
    return {"FEEDER_MODEL": "static"}


@pytest.fixture
def origin(repo: Repo, feeder: RunFeeder) -> Repo:
    """A repository with an index."""
    repo.commit(FILES)
    assert feeder(repo, "sync").code == 0
    return repo


@contextmanager
def served(handler: Callable[..., BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a server on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """A bucket of an S3 server on this machine, which refuses writes to changed objects."""
    moto = pytest.importorskip("moto.server")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ALLOW_HTTP", "true")
        patch.setenv("AWS_ACCESS_KEY_ID", "id")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_REGION", "us-east-1")
        httpx.put(f"http://{host}:{port}/indexes", timeout=60).raise_for_status()
        yield "s3://indexes"
    server.stop()


@pytest.mark.slow
@pytest.mark.needs("share")
def test_index_is_published_to_s3_and_pulled_from_there(
    feeder: RunFeeder, origin: Repo, bucket: str, tmp_path: Path
) -> None:
    place = f"{bucket}/shop"
    assert feeder(origin, "publish", place).code == 0
    origin.commit({"src/tax.py": "def vat():\n    return 19\n"})
    feeder(origin, "sync")
    assert feeder(origin, "publish", place).code == 0
    cloned = origin.clone(tmp_path / "clone")
    cloned.commit({".feeder.toml": f'index = "{place}"\n'})
    answer = feeder(cloned, "sync")
    assert "1 file differs from HEAD." in answer.err
    assert "src/tax.py:1-2" in feeder(cloned, "search", "vat").out
    assert feeder(cloned, "validate").code == 0


@pytest.mark.needs("share")
def test_object_that_another_publisher_has_changed_is_not_replaced(bucket: str) -> None:
    store = open_target(f"{bucket}/race", Path())
    assert store.read("latest.json", 100) is None
    assert store.replace("latest.json", b"1", None)
    assert not store.replace("latest.json", b"2", None)
    found = store.read("latest.json", 100)
    assert found
    assert store.replace("latest.json", b"2", found.version)
    assert not store.replace("latest.json", b"3", found.version)
    store.write("p-1", b"abc")
    assert store.names().keys() == {"latest.json", "p-1"}
    with pytest.raises(ServiceError, match="larger than allowed"):
        store.read("p-1", 2)
    store.delete(["p-1", "p-2"])
    assert store.names().keys() == {"latest.json"}


@pytest.mark.needs("share")
def test_missing_bucket_is_named(bucket: str) -> None:
    store = open_target("s3://elsewhere/x", Path())
    with pytest.raises(UserError, match="s3://elsewhere/x does not exist"):
        store.write("p-1", b"")


@pytest.mark.slow
def test_index_is_pulled_over_http(feeder: RunFeeder, origin: Repo, tmp_path: Path) -> None:
    store = tmp_path / "store"
    feeder(origin, "publish", store)
    cloned = origin.clone(tmp_path / "clone")
    with served(partial(QuietHandler, directory=store)) as address:
        answer = feeder(cloned, "pull", address)
    assert "0 files differ from HEAD." in answer.err
    assert feeder(cloned, "validate").code == 0


class TricklingHandler(QuietHandler):
    """Sends a byte at a time, for ever."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(b" ")
                threading.Event().wait(0.02)
        except OSError:
            return


class FailingHandler(QuietHandler):
    def do_GET(self) -> None:
        self.send_error(500)


class EndlessHandler(QuietHandler):
    """Sends more than any file may have."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(bytes(1 << 20))
        except OSError:
            return


@pytest.mark.slow
@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        (TricklingHandler, "too slow"),
        (FailingHandler, "HTTP 500"),
        (EndlessHandler, "larger than allowed"),
    ],
)
def test_index_is_made_here_if_the_source_fails(
    feeder: RunFeeder,
    origin: Repo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    handler: type[QuietHandler],
    reason: str,
) -> None:
    cloned = origin.clone(tmp_path / "clone")
    with served(handler) as address:
        monkeypatch.setenv("FEEDER_PULL", address)
        answer = feeder(cloned, "sync")
    assert answer.code == 0
    assert f"The index at {address} cannot be used. " in answer.err
    assert reason in answer.err
    assert answer.out.startswith("Files: 2 processed")


def test_source_that_does_not_answer_ends_at_the_limit() -> None:
    with served(QuietHandler) as address:  # its port is closed afterwards
        pass
    source = open_source(address, Path(), limit_s=0.2)
    with pytest.raises(ServiceError, match="cannot be reached"):
        source.read("latest.json", 100)


def test_fast_download_may_take_longer_than_the_limit() -> None:
    pace = Pace(limit_s=1e-9)
    pace.add(10**12)
    with pytest.raises(ServiceError, match="too slow"):
        Pace(limit_s=1e-9).add(0)


class RedirectingHandler(QuietHandler):
    """Redirects to an address that is not encrypted."""

    def do_GET(self) -> None:
        self.send_response(302)
        self.send_header("Location", "http://192.0.2.1/latest.json")
        self.end_headers()


def test_redirect_to_an_unencrypted_address_is_refused() -> None:
    with (
        served(RedirectingHandler) as address,
        closing(open_source(address, Path())) as source,
        pytest.raises(UserError, match=r"http://192.0.2.1/latest.json is not encrypted"),
    ):
        source.read("latest.json", 100)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes in folders")
def test_pipe_in_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "latest.json").symlink_to("pipe")
    assert open_source(str(tmp_path), Path()).read("latest.json", 100) is None


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("http://example.org/x", "is not encrypted"),
        ("http://user:secret@example.org/x", "http://example.org/x is not encrypted"),
        ("ftp://example.org/x", "is not a place that feeder can use"),
    ],
)
def test_other_places_are_refused(place: str, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        open_source(place, Path())


@pytest.mark.parametrize("place", ["no-scheme://x", "S3://bucket/x", "git+ssh://host/x", "ftp:x"])
def test_unknown_address_creates_no_folder(tmp_path: Path, place: str) -> None:
    for open_place in (open_source, open_target):
        with pytest.raises(UserError, match="is not a place that feeder can use"):
            open_place(place, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_folder_may_have_a_colon_in_its_name(tmp_path: Path) -> None:
    open_target("my-index:v2", tmp_path).write("latest.json", b"{}")
    assert (tmp_path / "my-index:v2/latest.json").exists()


def test_address_is_not_published_to() -> None:
    with pytest.raises(UserError, match="is read-only"):
        open_target("https://example.org/x", Path())

"""What the Worker answers around its answers: errors, what is kept, how long it took, the page."""

import httpx
import pytest

from edge.test_access import SEARCH, refused
from feeder.web.page_files import SECURITY_HEADERS
from web.http_client import JSON, request


def test_each_answer_keeps_a_browser_safe(known: httpx.Client, stranger: httpx.Client) -> None:
    for response in (known.get(SEARCH), stranger.get(SEARCH), known.get("/nothing")):
        own = {"cache-control": response.headers["cache-control"]}
        assert SECURITY_HEADERS | own == {name: response.headers[name] for name in SECURITY_HEADERS}
    assert known.get(SEARCH).headers["cache-control"] == "private, no-cache"
    assert stranger.get(SEARCH).headers["cache-control"] == "no-store"


def test_an_answer_says_how_long_it_waited(known: httpx.Client) -> None:
    timing = known.get(SEARCH).headers["server-timing"]
    assert [part.partition(";dur=")[0] for part in timing.split(", ")] == ["d1", "total"]


def test_what_is_the_same_is_not_sent_again(known: httpx.Client) -> None:
    """Also where something between has made the tag a weak one."""
    first = known.get(SEARCH)
    tag = first.headers["etag"]
    for said in (tag, f'"x", W/{tag}', "*"):
        again = known.get(SEARCH, headers={"if-none-match": said})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
    assert known.get(f"{SEARCH}s", headers={"if-none-match": tag}).status_code == 200


def test_what_there_is_not_is_said(known: httpx.Client) -> None:
    assert refused(known.get("/api/nothing"), 404)["remedy"].startswith("Use POST /mcp")
    assert refused(known.get("/api/constructor"), 404)
    assert "feeder validate" in refused(known.get("/api/proof"), 404)["remedy"]
    facts = refused(known.get("/api/search?q=x&limt=1"), 400)
    assert facts["error"] == "/api/search has no parameter `limt`."
    assert facts["remedy"].startswith("Did you mean `limit`? It has category, language, limit, ")
    assert "no parameter `lines`" in refused(known.get("/api/search?q=x&lines=9"), 400)["error"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/api/search", "GET"),
        ("GET", "/api/session", "POST"),
        ("GET", "/mcp", "POST"),
        ("DELETE", "/mcp", "POST"),
        ("PUT", "/mcp", "POST"),
    ],
)
def test_another_method_is_refused(
    known: httpx.Client, method: str, path: str, allowed: str
) -> None:
    response = known.request(method, path)
    refused(response, 405)
    assert response.headers["allow"] == allowed


def test_a_service_that_says_no_and_a_fault(known: httpx.Client) -> None:
    """A fault costs one answer."""
    facts = refused(known.get("/api/search?q=overloaded"), 503)
    assert facts == {"error": "D1 is overloaded.", "remedy": "Try again soon."}
    facts = refused(known.get("/api/search?q=broken"), 500)
    assert facts == {"error": "TypeError: a fault", "remedy": "Please report it."}
    call = request("tools/call", name="search", arguments={"query": "overloaded"})
    told = known.post("/mcp", json=call, headers=JSON).json()["result"]
    assert told["isError"]
    assert told["content"][0]["text"] == "D1 is overloaded. Try again soon."
    call = request("tools/call", name="search", arguments={"query": "broken"})
    error = known.post("/mcp", json=call, headers=JSON).json()["error"]
    assert error == {"code": -32603, "message": "Internal error: TypeError: a fault"}


def test_a_question_that_is_too_long_is_cut_or_refused(known: httpx.Client) -> None:
    """Of a megabyte nothing is read; of less the first 10,000 characters, which is said."""
    refused(known.get("/api/search", params={"q": "x" * 20_000}), 414)
    facts = known.get("/api/search", params={"q": "x" * 12_000}).json()
    cut = "Of the query the first 10,000 characters were read."
    assert facts["notes"] == ["search: 10000 characters", cut]

    def sent(size: int) -> httpx.Response:
        call = request("tools/call", name="search", arguments={"query": "x" * size})
        return known.post("/mcp", json=call, headers=JSON)

    text = sent(900_000).json()["result"]["content"][0]["text"]
    assert f"search: 10000 characters {cut}" in text
    assert refused(sent(1024 * 1024), 413)["error"] == "A message has at most 1,048,576 bytes."


def test_a_body_that_does_not_say_its_length_is_counted(known: httpx.Client) -> None:
    parts = (b" " * 65_536 for _ in range(17))
    response = known.post("/mcp", content=parts, headers=JSON)
    assert refused(response, 413)


def test_the_page_is_for_everybody(stranger: httpx.Client) -> None:
    """It holds nothing of the index; the headers that keep a browser safe are on it, too."""
    page = stranger.get("/")
    assert page.status_code == 200
    assert '<script type="module" src="app.js"></script>' in page.text
    assert "The page needs JavaScript." in page.text
    for path in ("/", "/app.js", "/page.css", "/colours/languages/py.js", "/icon.svg"):
        response = stranger.get(path)
        assert response.status_code == 200, path
        for name in ("content-security-policy", "x-content-type-options"):
            assert response.headers[name] == SECURITY_HEADERS[name]
        assert response.headers["referrer-policy"] == "same-origin"
    refused(stranger.get("/worker.js"), 401)
    refused(stranger.get("/README.md"), 401)

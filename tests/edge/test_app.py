"""The Worker's HTTP responses: headers, errors, caching, timing and the page."""

import httpx
import pytest
from worker_cost.isolate import Cost, service_calls
from worker_cost.measure import QueryCosts
from worker_cost.report import report, report_by_kind

from edge.test_access import SEARCH, refused
from feeder.web.page_files import SECURITY_HEADERS
from web.http_client import JSON, request


def test_security_headers_are_in_every_response(
    authorized_client: httpx.Client, anonymous_client: httpx.Client
) -> None:
    for response in (
        authorized_client.get(SEARCH),
        anonymous_client.get(SEARCH),
        authorized_client.get("/nothing"),
    ):
        own = {"cache-control": response.headers["cache-control"]}
        assert SECURITY_HEADERS | own == {name: response.headers[name] for name in SECURITY_HEADERS}
    assert authorized_client.get(SEARCH).headers["cache-control"] == "private, no-cache"
    assert anonymous_client.get(SEARCH).headers["cache-control"] == "no-store"


def test_server_timing_is_in_every_response(authorized_client: httpx.Client) -> None:
    timing = authorized_client.get(SEARCH).headers["server-timing"]
    assert [part.partition(";dur=")[0] for part in timing.split(", ")] == ["d1", "total"]


def test_benchmark_counts_the_calls_in_server_timing(authorized_client: httpx.Client) -> None:
    """`python -m bench worker` reads them from the header; the stand-in makes one call to D1."""
    timing = authorized_client.get(SEARCH).headers["server-timing"]
    assert service_calls(timing) == {"d1": (1, 0)}
    several = 'd1;dur=7;desc="2 calls, 34 rows read", ai;dur=3.5;desc="1 call", total;dur=11'
    assert service_calls(several) == {"d1": (2, 34), "ai": (1, 0)}


def test_benchmark_prices_each_kind_of_request() -> None:
    """1,000 requests: 2,000,000 rows, 1,000 requests, 10,000 ms of CPU, 256,000 dimensions."""
    cost = Cost(10.0, d1_requests=2, subrequests=3, rows=2_000, d1_ms=5.0)
    costs = QueryCosts(
        9_698, "words and static", [cost], [cost], [cost], [1.0], 1.0, [cost], {"name": [cost]}
    )
    assert report_by_kind([costs]).splitlines()[-1] == (
        "| 9,698, words and static | name | 2,000 (max. 2,000) | 5, p95 5 ms | 10.0 ms | 2,500"
        " | 0.0051 |"
    )


def test_benchmark_reports_an_isolates_first_and_later_queries() -> None:
    """The later ones follow four times as many; rows and requests are those of the first ones."""
    first, later = (
        Cost(cpu_ms, d1_requests=2, subrequests=3, rows=2_000, d1_ms=5.0) for cpu_ms in (10.0, 4.0)
    )
    costs = QueryCosts(
        9_698, "words alone", [first] * 5, [later] * 5, [first], [1.0], 1.0, [later], {}
    )
    head, _, row, *_ = report([costs]).splitlines()
    assert head.startswith("| nodes | CPU, first of an isolate | CPU, first 5 | CPU, 5 after 20 |")
    assert row.startswith(
        "| 9,698, words alone | 10.0 ms | 10.0, p95 10.0 ms | 4.0, p95 4.0 ms | 2 | 3 | 2,000"
    )


def test_unchanged_response_is_304(authorized_client: httpx.Client) -> None:
    """Also if a proxy made the ETag a weak one."""
    first = authorized_client.get(SEARCH)
    tag = first.headers["etag"]
    for said in (tag, f'"x", W/{tag}', "*"):
        again = authorized_client.get(SEARCH, headers={"if-none-match": said})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
    assert authorized_client.get(f"{SEARCH}s", headers={"if-none-match": tag}).status_code == 200


def test_unknown_address_is_not_found(authorized_client: httpx.Client) -> None:
    assert refused(authorized_client.get("/api/nothing"), 404)["remedy"].startswith("Use POST /mcp")
    assert refused(authorized_client.get("/api/constructor"), 404)
    assert "feeder validate" in refused(authorized_client.get("/api/proof"), 404)["remedy"]
    facts = refused(authorized_client.get("/api/search?q=x&limt=1"), 400)
    assert facts["error"] == "/api/search has no parameter `limt`."
    assert facts["remedy"].startswith("Did you mean `limit`? It has category, explain, ")
    assert (
        "no parameter `lines`"
        in refused(authorized_client.get("/api/search?q=x&lines=9"), 400)["error"]
    )


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
def test_other_method_is_refused(
    authorized_client: httpx.Client, method: str, path: str, allowed: str
) -> None:
    response = authorized_client.request(method, path)
    refused(response, 405)
    assert response.headers["allow"] == allowed


def test_service_errors_and_exceptions(authorized_client: httpx.Client) -> None:
    """They affect one response."""
    facts = refused(authorized_client.get("/api/search?q=overloaded"), 503)
    assert facts == {"error": "D1 is overloaded.", "remedy": "Try again soon."}
    facts = refused(authorized_client.get("/api/search?q=broken"), 500)
    assert facts == {"error": "TypeError: a fault", "remedy": "Please report it."}
    call = request("tools/call", name="search", arguments={"query": "overloaded"})
    told = authorized_client.post("/mcp", json=call, headers=JSON).json()["result"]
    assert told["isError"]
    assert told["content"][0]["text"] == "D1 is overloaded. Try again soon."
    call = request("tools/call", name="search", arguments={"query": "broken"})
    error = authorized_client.post("/mcp", json=call, headers=JSON).json()["error"]
    assert error == {"code": -32603, "message": "Internal error: TypeError: a fault"}


def test_too_long_query_is_cut_or_refused(authorized_client: httpx.Client) -> None:
    """A body of a megabyte is not read; otherwise the first 10,000 characters are, with a note."""
    refused(authorized_client.get("/api/search", params={"q": "x" * 20_000}), 414)
    facts = authorized_client.get("/api/search", params={"q": "x" * 12_000}).json()
    cut = "Only the first 10,000 characters of the query were read."
    assert facts["notes"] == ["search: 10000 characters", cut]

    def sent(size: int) -> httpx.Response:
        call = request("tools/call", name="search", arguments={"query": "x" * size})
        return authorized_client.post("/mcp", json=call, headers=JSON)

    text = sent(900_000).json()["result"]["content"][0]["text"]
    assert f"search: 10000 characters {cut}" in text
    assert refused(sent(1024 * 1024), 413)["error"] == "A message may have at most 1,048,576 bytes."


def test_chunked_body_is_limited(authorized_client: httpx.Client) -> None:
    parts = (b" " * 65_536 for _ in range(17))
    response = authorized_client.post("/mcp", content=parts, headers=JSON)
    assert refused(response, 413)


def test_page_is_public(anonymous_client: httpx.Client) -> None:
    """It contains nothing of the index and has the security headers."""
    page = anonymous_client.get("/")
    assert page.status_code == 200
    assert '<script type="module" src="app.js"></script>' in page.text
    assert "The page needs JavaScript." in page.text
    for path in ("/", "/app.js", "/page.css", "/colours/languages.js", "/icon.svg"):
        response = anonymous_client.get(path)
        assert response.status_code == 200, path
        for name in ("content-security-policy", "x-content-type-options"):
            assert response.headers[name] == SECURITY_HEADERS[name]
        assert response.headers["referrer-policy"] == "same-origin"
    refused(anonymous_client.get("/worker.js"), 401)
    refused(anonymous_client.get("/README.md"), 401)

"""The page of the sign-in in a real browser, with its cookies and its security policy."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route

from edge.github_login import CLIENT_ID, CLIENT_SECRET, github_login
from edge.oauth_client import OAuthClient, query_of
from edge.workerd import running
from web.browser_client import SLOWEST_MS, accessibility_violations, chromium

USERS = {
    "OAUTH_GITHUB_ID": CLIENT_ID,
    "OAUTH_GITHUB_SECRET": CLIENT_SECRET,
    "OAUTH_USERS": "octocat",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.mark.parametrize("is_allowed", [True, False])
def test_a_person_signs_in(browser: Browser, folder: Path, standin: Path, is_allowed: bool) -> None:
    """The form leads to GitHub and back to the client; nothing is refused by the policy."""
    with (
        github_login() as (github, at),
        running(folder=folder, script=standin, vars=USERS, github=at) as origin,
    ):
        github.callback = f"{origin}/oauth/callback"
        client = OAuthClient(origin)
        client.register(client_name="Claude <b>")
        said: list[str] = []

        def answer_github(route: Route) -> None:
            location = github.authorize(query_of(route.request.url)) or ""
            # Playwright passes on no request after a redirect of its own
            refresh = f'<meta http-equiv="refresh" content="0; url={escape(location)}">'
            route.fulfill(status=200, content_type="text/html", body=refresh)

        some = browser.new_context()
        page = some.new_page()
        page.set_default_timeout(SLOWEST_MS)
        page.on("console", lambda line: said.append(line.text))
        page.route("https://github.com/**", answer_github)
        page.goto(client.authorize_url())
        page.get_by_role("heading", name="Let Claude <b> search this code?").wait_for()
        assert page.evaluate("getComputedStyle(document.body).maxWidth") == "576px"
        assert accessibility_violations(page) == []
        name = "Sign in with GitHub" if is_allowed else "Cancel"
        with page.expect_request("https://claude.ai/**") as arrived:
            page.get_by_role("button", name=name).click()
        query = query_of(arrived.value.url)
        some.close()
        assert [line for line in said if "Failed to load resource" not in line] == []
        assert query["state"] == client.state
        if is_allowed:
            assert client.exchange(query["code"]).status_code == 200
        else:
            assert query["error"] == "access_denied"

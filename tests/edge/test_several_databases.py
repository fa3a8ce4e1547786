"""A Worker over several databases: the answers of one index with all of them, rights, failures."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect
from standin import StandIn

from edge.indexed_worker import Facts, counts_from_header
from edge.test_browser import open_page
from edge.worker_build import built
from edge.workerd import TOKEN, running
from feeder.cli.main import cli
from parse.outlines import shop_files
from required_extras import require_extras
from source.repos import Repo
from web.browser_client import chromium

REPOS = ("acme/documents", "acme/scripts", "acme/systems")
"""Three databases; `all` below is one database with the same three repositories."""


def _groups() -> dict[str, dict[str, bytes]]:
    """The samples of many languages, in three repositories of different sizes."""
    groups: dict[str, dict[str, bytes]] = {repo: {} for repo in REPOS}
    for place, (name, content) in enumerate(sorted(shop_files().items())):
        if name[0] in "bdfhjlnprtvx":
            continue
        documents = {".md", ".json", ".yaml", ".toml", ".xml", ".html"}
        at = 0 if Path(name).suffix in documents else 1 if 2 * place % 5 else 2
        groups[REPOS[at]][f"src/{name}"] = content
    return groups


class Fleet:
    """Repositories in databases of their own, and all of them in one."""

    def __init__(self, standin: StandIn, folder: Path, script: Path) -> None:
        self.standin, self._script = standin, script
        self._deployed: Mapping[str, Any] = {}
        self.clones = {}
        for repo, files in _groups().items():
            clone = self.clones[repo] = Repo(folder / repo)
            clone.commit({**files})
            self.feed(clone, repo, f"{repo.partition('/')[2]}", "several_code")
        for repo, clone in self.clones.items():
            (clone.path / "wrangler.toml").unlink()
            self.feed(clone, repo, "all", "all_code")
        self.client = httpx.Client(trust_env=False, timeout=60)

    def feed(self, clone: Repo, repo: str, database: str, index: str) -> None:
        """Makes an index of a clone in a database and a Vectorize index."""
        require_extras("cloudflare")
        place = ["-C", str(clone.path), "--repo", repo, "-q", "--model", "static"]
        cli.main(
            ["init", *place, "--database-name", database, "--index-name", index],
            standalone_mode=False,
        )
        cli.main(["sync", *place, "--store", "cloudflare", "--texts"], standalone_mode=False)

    def database(self, name: str) -> str:
        address = f"{self.standin.base_url}/accounts/{self.standin.account_id}/d1/database"
        found = httpx.get(
            address,
            headers={"Authorization": f"Bearer {self.standin.token}"},
            params={"name": name},
            trust_env=False,
            timeout=60,
        ).json()["result"]
        return str(next(answer["uuid"] for answer in found if answer["name"] == name))

    def deploy(self, **changed: Any) -> None:
        """Deploys the Worker over the three databases."""
        names = {"CODE_DB": "documents", "CODE_DB_2": "scripts", "CODE_DB_3": "systems"}
        databases = {binding: self.database(name) for binding, name in names.items()}
        order = {
            "databases": databases,
            "index": "several_code",
            "PUBLIC": "true",
            "REPOSITORIES": dict(zip(REPOS, names, strict=True)),
        }
        self._deploy(order | changed)

    def deploy_one(self) -> None:
        """Deploys the Worker over the one database."""
        self._deploy(
            {
                "database": self.database("all"),
                "index": "all_code",
                "PUBLIC": "true",
                "REPOSITORIES": dict.fromkeys(REPOS, "CODE_DB"),
            }
        )

    def _deploy(self, order: Mapping[str, Any]) -> None:
        """Starts workerd again, unless it runs this Worker; that takes a second of a core."""
        if order != self._deployed:
            self.url = self.standin.deploy(self._script, **order)
            self._deployed = order

    def search(self, query: str, token: str = "", **said: str) -> Facts:
        """Returns the answer to a search."""
        return self.get("search", token, q=query, **said)

    def get(self, name: str, token: str = "", **said: str) -> Facts:
        """Returns the answer of an endpoint."""
        facts: Facts = json.loads(self.text(name, token, **said))
        return facts

    def text(self, name: str, token: str = "", **said: str) -> str:
        """Returns the answer of an endpoint as it was sent."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self.last = self.client.get(f"{self.url}/api/{name}", params=said, headers=headers)
        return self.last.text

    def call_tool(self, name: str, **arguments: Any) -> str:
        """Returns the text of an MCP tool's answer."""
        call = {"method": "tools/call", "params": {"name": name, "arguments": arguments}}
        self.last = response = self.client.post(
            f"{self.url}/mcp",
            json={"jsonrpc": "2.0", "id": 1, **call},
            headers={
                "accept": "application/json, text/event-stream",
                "mcp-protocol-version": "2025-06-18",
            },
        )
        return str(response.json()["result"]["content"][0]["text"])

    def made(self, name: str) -> str:
        """Creates an empty database and returns its id."""
        response = httpx.post(
            f"{self.standin.base_url}/accounts/{self.standin.account_id}/d1/database",
            headers={"Authorization": f"Bearer {self.standin.token}"},
            json={"name": name},
            trust_env=False,
            timeout=60,
        )
        return str(response.json()["result"]["uuid"])


@pytest.fixture(scope="module")
def fleet(
    account: StandIn, script: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Fleet]:
    one = Fleet(account, tmp_path_factory.mktemp("fleet"), script)
    yield one
    one.client.close()


QUERIES = (
    "cart total price",
    "Cart.add",
    "where is the server port configured",
    "parse a file and return its lines",
    "add item to cart tests:no",
    "name -server",
    "lang:python total",
    "install from source",
    "totl pricee",
    '"return total"',
    "add item cart total price path:*.py",
)


@pytest.mark.parametrize("meaning", ["no", "yes"])
def test_several_databases_answer_as_one_with_all_of_them(fleet: Fleet, meaning: str) -> None:
    fleet.deploy_one()
    expected = [fleet.search(query, meaning=meaning) for query in QUERIES]
    fleet.deploy()
    for query, one in zip(QUERIES, expected, strict=True):
        assert one["total"] > 0, query
        several = fleet.search(query, meaning=meaning)
        assert _ranking(several) == _ranking(one), query
        assert several["total"] == one["total"], query
        assert several["notes"] == one["notes"], query


def test_many_words_with_a_glob_are_searched_once_in_each_database(fleet: Fleet) -> None:
    """From five words on, two statements divide the work in a single database."""
    fleet.deploy()
    words = ["return", "name", "total", "price", "item"]
    rows = []
    for query in (words, words[:4], words[4:]):
        fleet.search(f"{' '.join(query)} path:*.*", meaning="no")
        timing = fleet.last.headers["server-timing"]
        rows.append(int(re.findall(r"(\d+) rows read", timing)[0]))
    together, most, last = rows
    assert together <= most + last


def _ranking(facts: Facts) -> list[tuple[str, str, Any]]:
    return [
        (hit["repo"], f"{hit['path']}:{hit['start_line']}", pytest.approx(hit["score"], abs=2e-5))
        for hit in facts["hits"]
    ]


def queries_of_last(fleet: Fleet) -> int:
    """The queries to D1 that the last answer needed."""
    return int(re.findall(r'queries;desc="(\d+) of', fleet.last.headers["server-timing"])[0])


@pytest.mark.parametrize(
    "query", ["price", "pryce", "price lang:python tests:no", "a cart\n`Price`"]
)
def test_a_search_stays_below_the_free_plans_queries(fleet: Fleet, query: str) -> None:
    """Six databases may be searched at once: each has at most seven of the 50 queries."""
    assert "error" not in fleet.search(query)
    assert queries_of_last(fleet) <= 3 * 7


def test_fewer_queries_leave_fewer_databases(fleet: Fleet) -> None:
    """With 20 queries two databases are searched, and the answer says how to reach the other."""
    fleet.deploy(D1_QUERIES="20")
    answer = fleet.search("price")
    fleet.deploy()
    [note] = [note for note in answer["notes"] if "databases" in note]
    assert note.startswith("Only the likeliest of 3 databases were searched: ")
    assert note.endswith("Name another one with repo:NAME.")
    assert len(answer["index"]["repos"]) == 2


def test_a_named_repository_is_asked_alone(fleet: Fleet) -> None:
    fleet.deploy()
    fleet.search("cart repo:scripts")
    facts = fleet.search("cart repo:scripts")
    assert {hit["repo"] for hit in facts["hits"]} == {"acme/scripts"}
    assert counts_from_header(fleet.last)["d1"] <= 3


PATHS = ("src", "elsewhere")
ALL_TOKEN, SCRIPTS_TOKEN = "a-token-for-everything", "a-token-for-scripts"


@pytest.fixture
def restricted(fleet: Fleet) -> Fleet:
    """The Worker with a token for everything and one for a repository."""
    fleet.deploy(
        PUBLIC="",
        FEEDER_TOKEN=ALL_TOKEN,
        FEEDER_TOKEN_SCRIPTS=SCRIPTS_TOKEN,
        RIGHTS=json.dumps({"FEEDER_TOKEN_SCRIPTS": ["acme/scripts"]}),
    )
    return fleet


def test_a_token_sees_its_repositories_only(restricted: Fleet) -> None:
    everything = restricted.search("cart", ALL_TOKEN, limit="50")
    assert {hit["repo"] for hit in everything["hits"]} > {"acme/scripts"}
    assert "rows read" in restricted.last.headers["server-timing"]
    own = restricted.search("cart", SCRIPTS_TOKEN)
    assert "rows read" not in restricted.last.headers["server-timing"]
    assert {hit["repo"] for hit in own["hits"]} == {"acme/scripts"}
    named = restricted.search("cart repo:acme/systems", SCRIPTS_TOKEN)
    unknown = restricted.search("cart repo:acme/nothing", SCRIPTS_TOKEN)
    assert named["error"].replace("acme/systems", "") == unknown["error"].replace(
        "acme/nothing", ""
    )
    assert "systems" not in named["remedy"] and "documents" not in named["remedy"]
    secret = everything["hits"][0]["id"]
    assert restricted.get("node", ALL_TOKEN, id=secret)["hits"][0]["id"] == secret
    for repo in ("acme/systems", "acme/documents"):
        assert repo not in restricted.text("status", SCRIPTS_TOKEN)
        refused = restricted.get("map", SCRIPTS_TOKEN, repo=repo)
        assert refused["error"] == f"The index has no repository '{repo}'."
        assert "documents" not in refused["remedy"] and "systems" not in refused["remedy"]
    assert restricted.text("search", "another-token-altogether", q="cart").startswith('{"error"')


def test_a_token_without_a_repository_is_told_its_name(fleet: Fleet) -> None:
    fleet.deploy(PUBLIC="", FEEDER_TOKEN_SCRIPTS=SCRIPTS_TOKEN, RIGHTS={"FEEDER_TOKEN_SCRIPTS": []})
    facts = fleet.search("cart", SCRIPTS_TOKEN)
    assert fleet.last.status_code == 403
    assert facts["error"] == "RIGHTS gives no repository of this Worker to FEEDER_TOKEN_SCRIPTS."
    assert "in RIGHTS, in [vars] of wrangler's configuration" in facts["remedy"]


def test_missing_words_of_a_shared_database_are_not_named(fleet: Fleet) -> None:
    """To a client with some of its repositories: it would learn the words of the others."""
    fleet.deploy(
        databases={"CODE_DB": fleet.database("all")},
        index="all_code",
        PUBLIC="",
        FEEDER_TOKEN=ALL_TOKEN,
        FEEDER_TOKEN_SCRIPTS=SCRIPTS_TOKEN,
        RIGHTS={"FEEDER_TOKEN_SCRIPTS": ["acme/scripts"]},
        REPOSITORIES=dict.fromkeys(REPOS, "CODE_DB"),
    )
    query = "cart qqzxqqzx repo:scripts"
    assert any("qqzxqqzx" in note for note in fleet.search(query, ALL_TOKEN)["notes"])
    own = fleet.search(query, SCRIPTS_TOKEN)
    assert own["hits"] and not any("qqzxqqzx" in note for note in own["notes"])


def test_a_target_names_its_repository(fleet: Fleet) -> None:
    """Before a colon, by the parameter or by a node's id; else the request is refused."""
    fleet.deploy(GITHUB="acme/elsewhere")
    hit = next(hit for hit in fleet.search("cart")["hits"] if "symbol" in hit)
    place = f"{hit['path']}:{hit['start_line']}-{hit['end_line']}"
    answers = [
        fleet.get("similar", target=f"{hit['repo']}:{place}"),
        fleet.get("similar", target=place, repo=hit["repo"]),
        fleet.get("similar", target=hit["id"]),
    ]
    assert answers[0]["index"]["repo"] == hit["repo"]
    assert answers[0] == answers[1] == answers[2]
    own = [fleet.get("similar", target=f"{hit['repo']}:{place}", path=path) for path in PATHS]
    alone = [fleet.get("similar", target=place, repo=hit["repo"], path=path) for path in PATHS]
    assert own == alone
    assert own[0]["hits"], own
    assert "elsewhere" in own[1]["error"], own
    assert fleet.get("status", repo=hit["repo"])["places"]["web"] is None
    assert "There are 3 repositories" in fleet.get("similar", target=place)["error"]
    assert "There are 3 repositories" in fleet.call_tool("read", target=place)
    assert fleet.get("outline", path=f"{hit['repo']}:{hit['path']}")["files"]
    assert fleet.get("file", path=hit["path"], repo=hit["repo"])["lines"]
    assert "There are 3 repositories" in fleet.get("map")["error"]


def test_ids_of_a_call_are_looked_up_together(fleet: Fleet) -> None:
    """With one request to each database, however many ids there are."""
    fleet.deploy()
    hits = fleet.search("cart", limit="20")["hits"]
    fleet.call_tool("read", target=[hits[0]["id"]])  # the metadata is kept
    read = fleet.call_tool("read", target=[hit["id"] for hit in hits[:8]])
    assert all(f"{hit['path']}:{hit['start_line']}" in read for hit in hits[:8])
    repos = {hit["repo"] for hit in hits[:8]}
    assert counts_from_header(fleet.last)["d1"] <= len(REPOS) + 4 * len(repos)


def test_many_ids_of_a_shared_database_are_looked_up(fleet: Fleet) -> None:
    """80 repositories and ids are more pairs than a batch has statements."""
    others = {f"acme/other{at}": "CODE_DB" for at in range(80)}
    fleet.deploy_one()
    hits = fleet.search("cart", limit="20")["hits"]
    fleet.deploy(
        databases={"CODE_DB": fleet.database("all")},
        REPOSITORIES=dict.fromkeys(REPOS, "CODE_DB") | others,
    )
    read = fleet.call_tool("read", target=[hit["id"] for hit in hits[:8]])
    assert all(f"{hit['path']}:{hit['start_line']}" in read for hit in hits[:8])


def test_ids_are_looked_up_though_a_database_fails(fleet: Fleet) -> None:
    fleet.deploy()
    hit = fleet.search("install repo:acme/documents")["hits"][0]
    databases = {"CODE_DB": fleet.database("documents"), "CODE_DB_2": fleet.made("without")}
    names = {"acme/documents": "CODE_DB", "acme/scripts": "CODE_DB_2"}
    fleet.deploy(databases=databases, REPOSITORIES=names)
    assert fleet.get("node", id=hit["id"])["hits"][0]["id"] == hit["id"]
    assert f"{hit['path']}:{hit['start_line']}" in fleet.call_tool("read", target=hit["id"])


def test_of_too_many_databases_a_target_with_its_repository_is_read(fleet: Fleet) -> None:
    """An id is not looked up in more than 30 databases; the other targets are read."""
    fleet.deploy()
    hit = fleet.search("install repo:acme/documents")["hits"][0]
    place = f"acme/documents:{hit['path']}:{hit['start_line']}"
    empty = fleet.made("crowded")
    bindings = {f"acme/other{at}": f"CODE_DB_{at}" for at in range(2, 33)}
    databases = dict.fromkeys(bindings.values(), empty)
    fleet.deploy(
        databases={"CODE_DB": fleet.database("documents")} | databases,
        REPOSITORIES={"acme/documents": "CODE_DB"} | bindings,
    )
    read = fleet.call_tool("read", target=[place, hit["id"]])
    assert f"{hit['path']}:{hit['start_line']}" in read
    assert "looked up in 30 databases at most" in read


def test_a_repository_alone_is_its_root(fleet: Fleet) -> None:
    """And no target."""
    fleet.deploy()
    whole = fleet.get("outline", path="acme/scripts:")
    assert whole["files"] and whole == fleet.get("outline", path=".", repo="acme/scripts")
    assert fleet.get("similar", target="acme/scripts:")["error"].startswith("`target` is missing")


def test_status_is_that_of_the_last_run(fleet: Fleet) -> None:
    """Also where the isolate has kept the metadata of an earlier one."""
    fleet.deploy()
    clone = fleet.clones["acme/scripts"]
    before = fleet.get("status")
    clone.commit({"src/added.py": "def added():\n    return 1\n"})
    fleet.feed(clone, "acme/scripts", "scripts", "several_code")
    after = fleet.get("status")
    assert sum(after["holds"]["files"].values()) > sum(before["holds"]["files"].values())
    clone.commit({"src/added.py": None})
    fleet.feed(clone, "acme/scripts", "scripts", "several_code")


def test_tools_name_the_repository_of_each_hit(fleet: Fleet) -> None:
    """As a target that `read` takes."""
    fleet.deploy()
    text = fleet.call_tool("search", query="cart total", detail="locations", limit=40)
    places = [line.split(" ")[0] for line in text.splitlines() if ":src/" in line]
    assert len({place.partition(":")[0] for place in places}) > 1
    read = fleet.call_tool("read", target=places)
    assert all(place in read for place in places)
    outline = fleet.call_tool("outline", path=places[0].rpartition(":")[0])
    assert f"Paths are of {places[0].partition(':')[0]}" in outline


def test_status_counts_all_repositories(fleet: Fleet) -> None:
    fleet.deploy()
    status = fleet.get("status")
    assert [repository["repo"] for repository in status["repositories"]] == list(REPOS)
    alone = [fleet.get("status", repo=repo)["holds"]["node_types"] for repo in REPOS]
    for name, count in status["holds"]["node_types"].items():
        assert count == sum(one.get(name, 0) for one in alone)


def test_a_database_that_fails_is_named(fleet: Fleet) -> None:
    """The others answer; if none does, so does the request."""
    names = {"CODE_DB": "documents", "CODE_DB_2": "empty"}
    databases = {"CODE_DB": fleet.database("documents"), "CODE_DB_2": fleet.made("empty")}
    fleet.deploy(databases=databases, REPOSITORIES=dict(zip(REPOS, names, strict=False)))
    facts = fleet.search("install")
    assert {hit["repo"] for hit in facts["hits"]} == {REPOS[0]}
    [note] = [note for note in facts["notes"] if "did not answer" in note]
    assert note.startswith(f"{REPOS[1]} did not answer: The database has no index")
    assert "error" in fleet.search(f"install repo:{REPOS[1]}")


TOPICS = ("invoice", "telescope", "bakery", "orchestra", "glacier")


@pytest.fixture(scope="module")
def crowd(fleet: Fleet, tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """Five more databases: more than a query may ask."""
    for topic in TOPICS:
        name = topic.capitalize()
        clone = Repo(tmp_path_factory.mktemp("crowd") / topic)
        text = f"class {name}Printer:\n    def print_{topic}(self, {topic}):\n"
        text += f"        return f'the {topic} of today: {{{topic}}}'\n"
        clone.commit({f"{topic}.py": text})
        fleet.feed(clone, f"acme/{topic}", topic, "several_code")
    return fleet


@pytest.mark.parametrize("meaning", ["yes", "no"])
def test_of_many_databases_the_likeliest_are_asked(crowd: Fleet, meaning: str) -> None:
    """By their vectors, by the words that they have, and for a name by its words."""
    bindings = {topic: f"CODE_DB_{at}" for at, topic in enumerate(TOPICS, 4)}
    names = {"documents": "CODE_DB", "scripts": "CODE_DB_2", "systems": "CODE_DB_3", **bindings}
    crowd.deploy(
        databases={binding: crowd.database(name) for name, binding in names.items()},
        REPOSITORIES={f"acme/{name}": binding for name, binding in names.items()},
    )
    for topic in TOPICS:
        for query in (f"print the {topic} of today", f"{topic.capitalize()}Printer"):
            facts = crowd.search(query, meaning=meaning)
            assert facts["hits"][0]["repo"] == f"acme/{topic}", query
            [note] = [note for note in facts["notes"] if "of 8 databases were searched" in note]
            assert f"acme/{topic}" in note
            asked = note.partition(": ")[2].partition(". Name")[0].split(", ")
            assert len(asked) <= 6
            assert counts_from_header(crowd.last)["d1"] <= 8 + 4 * len(asked)


def test_page_shows_map_and_relations_of_each_repository(
    fleet: Fleet, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Its links have the repository before the path; the map is chosen by repository."""
    fleet.deploy()
    proxy = built(tmp_path_factory.mktemp("proxy") / "worker.js", "--entry", "proxy", "--out")
    hits = fleet.search("cart", limit="50")["hits"]
    places = [f"{hit['repo']}:{hit['path']}:{hit['start_line']}" for hit in hits if "symbol" in hit]
    program = {"address": fleet.url, "token": "unused"}
    settings = {"vars": {"FEEDER_TOKEN": TOKEN, "REPOSITORIES": "{}"}, "program": program}
    with (
        running(folder=folder, script=proxy, **settings) as address,
        chromium() as browser,
        open_page(browser, f"{address}/?view=map#token={TOKEN}") as page,
    ):
        page.get_by_role("link", name="acme/scripts").click()
        expect(page.locator("caption")).to_have_text("Contents of the repository")
        page.goto(f"{address}/?view=map&below=acme/scripts:src")
        expect(page.locator("#where")).to_contain_text("scripts:src")
        search_here = page.get_by_role("link", name="Search here")
        expect(search_here).to_have_attribute("href", "?q=repo%3Aacme%2Fscripts+&path=%2Fsrc")
        page.goto(f"{address}/?view=map&below=acme&repo=acme/scripts")
        expect(page.locator("#where")).to_contain_text("acme")
        expect(search_here).to_have_count(0)
        page.goto(f"{address}/?view=map&below=acme/scripts:src")
        page.locator(".listed tbody a").first.click()
        expect(page.locator("#path")).to_contain_text("acme/scripts:src/")
        page.locator("#path").get_by_role("link", name="scripts:src").click()
        expect(page.locator("#where")).to_contain_text("all files / acme / scripts:src")
        place = next(place for place in places if fleet.get("relations", place=place)["references"])
        path, _, line = place.rpartition(":")
        page.goto(f"{address}/?file={path}&relations={place}#L{line}")
        panel = page.locator(".relations")
        expect(panel).to_contain_text("References")
        panel.locator("li a").first.click()
        expect(page.locator("#path")).to_contain_text(path.partition(":")[0] + ":src/")

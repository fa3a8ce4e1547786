"""Results on real code have few more tokens than the code itself, by a real tokenizer."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import dedent

import httpx
import pytest
import rich

from feeder.mcp.tool_schemas import INSTRUCTIONS, TOOL_DEFINITIONS
from mcp_server.conftest import index
from mcp_server.test_tools import Ask, call_tools_in, result_text
from parse.outlines import shop_files
from source.repos import Repo

pytestmark = pytest.mark.slow

LIBRARIES = [Path(str(library.__file__)).parent for library in (httpx, rich)]
COUNT = Path(__file__).parent / "official_clients/tokens.mjs"
QUERIES = [
    "which proxy is used for a request",
    "how is a redirect followed",
    "where are headers encoded",
    "how is the width of a table's columns chosen",
    "progress bar speed",
    "wrap text to the width of the console",
]
HEADING = re.compile(
    r"^(?P<path>\S+):\d+-\d+ method \S+ \[(?P<first>\d+)-(?P<last>\d+)\]", re.MULTILINE
)


def token_count(texts: Sequence[str]) -> list[int]:
    """Counts tokens by o200k_base, which OpenAI's models use."""
    done = subprocess.run(
        ["node", COUNT], input=json.dumps(texts), capture_output=True, check=True, text=True
    )
    return [int(count) for count in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two third-party libraries and a file of each language."""
    repo = Repo(tmp_path_factory.mktemp("tokens") / "repo")
    for library in LIBRARIES:
        shutil.copytree(library, repo.path / library.name)
    repo.commit({f"samples/{name}": content for name, content in shop_files().items()})
    index(repo)
    return repo.path


@pytest.fixture(scope="module")
def ask(place: Path) -> Ask:
    return call_tools_in(place)


def code_of_hits(place: Path, text: str) -> Iterator[str]:
    """Returns the lines shown of each hit, read from its file."""
    for found in HEADING.finditer(text):
        lines = (place / found["path"]).read_text("utf-8").split("\n")
        yield dedent("\n".join(lines[int(found["first"]) - 1 : int(found["last"])]))


def test_result_has_few_more_tokens_than_its_code(place: Path, ask: Ask) -> None:
    """At most 1.12 times as many, for ten whole methods per query with the lines around them."""
    asked = {"path": ["httpx", "rich"], "type": "method", "detail": "full", "budget": 15_000}
    answers = [result_text(ask("search", query=query, limit=10, **asked)) for query in QUERIES]
    alone = ["\n".join(code_of_hits(place, answer)) for answer in answers]
    assert all(len(HEADING.findall(answer)) == 10 for answer in answers)
    assert not any("Shortened" in answer for answer in answers)
    assert sum(token_count(answers)) <= 1.12 * sum(token_count(alone))


def test_byte_budget_is_at_least_the_token_budget(ask: Ask) -> None:
    """In any language, 3.2 bytes are one token or less."""
    answers = [
        result_text(ask("search", query=f"lang:{language} cart", budget=1_000, limit=20))
        for language in ("python", "kotlin", "go", "rust", "ruby", "php", "csharp", "sql", "yaml")
    ]
    assert max(token_count(answers)) <= 1_000


def test_tools_and_instructions_have_at_most_1500_tokens() -> None:
    """The names, descriptions and schemas as JSON without blanks: what a model is shown."""
    shown = [
        {name: tool[name] for name in ("name", "description", "inputSchema")}
        for tool in TOOL_DEFINITIONS
    ]
    counts = token_count([json.dumps(shown, separators=(",", ":")), INSTRUCTIONS])
    assert sum(counts) <= 1_500

"""Searches for Chinese, Japanese and Korean text, whose words have no spaces between them."""

import pytest

from feeder.config import Settings
from feeder.query.completions import complete
from feeder.query.line_query import parse_line_query
from feeder.search.open_index import open_index
from index_helpers import REPO
from search.run_query import find, index_files
from source.repos import Repo

FILES = {
    "evolution.md": "# 进化\n\n物竞天择。适者生存法则说明了进化的方向。\n",
    "approval.md": "# 流程\n\n待审批流程由经理处理。使用Vue组件显示。\n",
    "idioms.md": "# 成語\n\n今日は成語を学びます。データベースに保存する。\n",
    "korean.md": "# 안내\n\n사용자를 관리하는 방법 🚀\n",
    "服务.py": "class 用户服务:\n    def 读取用户(self):\n        return 1\n\n\ndef 单位(): ...\n",
    "other.md": "# Cart\n\nVueRouter and nothing else; 生 存 apart.\n",
}


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    index_files(repo, FILES)
    return repo


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ('"适者生存"', {"evolution.md"}),
        ('"者生"', {"evolution.md"}),
        ('"生存"', {"evolution.md"}),
        ('"生 存"', {"other.md"}),
        ('"存"', {"evolution.md", "idioms.md", "other.md"}),
        ('"今日は成語"', {"idioms.md"}),
        ('"用Vue组"', {"approval.md"}),
        ('"天择。适者"', {"evolution.md"}),
        ('"用户服务"', {"服务.py"}),
        ('"사용자"', {"korean.md"}),
        ('"🚀"', {"korean.md"}),
        ('"法则方向"', set()),
        ("审批*", {"approval.md"}),
        ("审*", {"approval.md"}),
        ("生存", {"evolution.md"}),
        ("单", {"服务.py"}),
        ("ベース", {"idioms.md"}),
        ("사용자", {"korean.md"}),
        ("Vue", {"approval.md", "other.md"}),
        ("Vue case:yes", {"approval.md"}),
        ("生存 case:yes", {"evolution.md"}),
        ("path:服务.py 用户", {"服务.py"}),
        ("symbol:用户服务", {"服务.py"}),
        ("symbol:用户*", {"服务.py"}),
        ("进化 -适者", set()),
        ("流程 -适者", {"approval.md"}),
        ("/者生存.则/", {"evolution.md"}),
    ],
)
def test_text_is_found_within_a_longer_run(indexed: Repo, query: str, paths: set[str]) -> None:
    assert {hit.result.hit.path for hit in find(indexed, query).hits} == paths


@pytest.mark.parametrize(
    ("typed", "texts"),
    [("用户", ["用户服务"]), ("symbol:读", ["symbol:用户服务.读取用户"]), ("服务", ["服务.py"])],
)
def test_short_names_are_completed(indexed: Repo, typed: str, texts: list[str]) -> None:
    settings = Settings(indexed.path, repo=REPO, store="local", quiet=True, vectors=False)
    with open_index(settings) as index:
        assert [completion.text for completion in complete(index.corpus, typed)] == texts


@pytest.mark.parametrize(
    ("query", "pattern", "whole_words"),
    [
        ("生存", "生存", False),
        ("审批*", "审批", False),
        ("cart*", r"(?<!\w)cart", False),
        ("Vue组件", r"(?<!\w)Vue组件", False),
        ("cart", "cart", True),
    ],
)
def test_every_line_has_the_text_within_a_run(query: str, pattern: str, whole_words: bool) -> None:
    found = parse_line_query(query)
    assert (found.pattern, found.options.whole_words) == (pattern, whole_words)

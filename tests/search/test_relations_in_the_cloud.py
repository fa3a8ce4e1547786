"""Commands that read much of an index refuse one that is not on this machine."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from feeder.errors import UserError
from feeder.search.index_status import Corpus
from feeder.search.overview import build_overview
from feeder.search.references import require_local
from feeder.store import Database, Row, Statement


class CountedDatabase(Database):
    """A database elsewhere, which must not be read."""

    place = "D1 shop"

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        raise AssertionError(statements)

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        raise AssertionError(sql)

    def close(self) -> None:
        """Has nothing to close."""


def test_index_in_the_cloud_is_refused_before_it_is_read(tmp_path: Path) -> None:
    corpus = Corpus(CountedDatabase(), tmp_path, "shop", {})
    with pytest.raises(UserError, match=r"feeder sync --store local, then feeder overview"):
        require_local(corpus, "overview")
    with pytest.raises(UserError, match=r"^overview reads too much"):
        build_overview(corpus, ".")

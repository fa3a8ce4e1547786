"""Defines the measured indexes: public repositories at pinned commits."""

import shutil
from pathlib import Path
from typing import NamedTuple

from answers.corpora import Snapshot, check_out
from speed.repository import make

SCRAPY = Snapshot("scrapy", "scrapy/scrapy", "11079cb1c85b9e75a39a7269943c69d1a975d485")
EFCORE = Snapshot("efcore", "dotnet/efcore", "ecd0ba4c23377e479ce94c74119c499f1339351c")
SYMFONY = Snapshot("symfony", "symfony/symfony", "5feb7493c372384d78b4931bb76f73c83f49f50e")
ORM = Snapshot("orm", "doctrine/orm", "44fa8bbde87238ad9b574e87325c7ff89c75837e")


class Corpus(NamedTuple):
    """A repository made of snapshots, each in its own folder."""

    name: str
    parts: tuple[Snapshot, ...]

    def create(self, mirror: Path, work: Path) -> Path:
        """Returns the repository; creates it if needed. Raises Absent."""
        root = work / self.name
        if not root.exists():
            unfinished = work / f"{self.name}.unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            for part in self.parts:
                checkout = check_out(part, mirror, work / "parts" / part.name)
                ignored = shutil.ignore_patterns(".git", "wrangler.toml")
                shutil.copytree(checkout, unfinished / part.name, symlinks=True, ignore=ignored)
            make(unfinished)
            unfinished.rename(root)
        return root


CORPORA = (
    Corpus("small", (SCRAPY,)),
    Corpus("large", (EFCORE,)),
    Corpus("largest", (EFCORE, SYMFONY, ORM, SCRAPY)),
)
"""Corpora of about 10,000, 120,000 and 175,000 nodes."""

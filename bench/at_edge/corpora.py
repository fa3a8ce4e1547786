"""Which indexes are asked? Public repositories of pinned commits, alone and side by side."""

import shutil
from pathlib import Path
from typing import NamedTuple

from answers.corpora import Snapshot, checked_out
from speed.repository import make

SCRAPY = Snapshot("scrapy", "scrapy/scrapy", "11079cb1c85b9e75a39a7269943c69d1a975d485")
EFCORE = Snapshot("efcore", "dotnet/efcore", "ecd0ba4c23377e479ce94c74119c499f1339351c")


class Corpus(NamedTuple):
    """A repository made of snapshots, each in a folder of its own."""

    name: str
    parts: tuple[Snapshot, ...]

    def made(self, mirror: Path, work: Path) -> Path:
        """Its repository, made where it is not there yet; raises Absent."""
        place = work / self.name
        if not place.exists():
            unfinished = work / f"{self.name}.unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            for part in self.parts:
                found = checked_out(part, mirror, work / "parts" / part.name)
                kept_out = shutil.ignore_patterns(".git", "wrangler.toml")
                shutil.copytree(found, unfinished / part.name, symlinks=True, ignore=kept_out)
            make(unfinished)
            unfinished.rename(place)
        return place


CORPORA = (
    Corpus("small", (SCRAPY,)),
    Corpus("large", (EFCORE,)),
)
"""Of some 10,000 nodes and 100,000."""

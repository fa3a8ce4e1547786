"""An index of more nodes than most have, with vectors of no meaning, and what is asked of it."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
from copies import copies, files_of, repository

from feeder.embedding import Vector
from feeder.store import NodeVector
from feeder.store.sqlite import SQLite
from feeder.store.sqlite_vectors import SQLiteVectors
from speed.feeding import arguments
from speed.program import Program

COPIES = 3
"""Of the corpus' Python files, which have some 40,000 nodes."""
SEED, WORDS, BATCH = 7, 6, 2000
"""A question has at most so many words of a docstring."""
_DOC = re.compile(r'"""([A-Z][^"\n]{20,})')
_NAMES = "SELECT DISTINCT symbol FROM docs WHERE symbol IS NOT NULL ORDER BY symbol"
_NODES = "SELECT id, text_sha FROM docs ORDER BY seq"


def fed(
    program: Program, corpus: Path, folder: Path, model: str = "words", times: float = COPIES
) -> Path:
    """The index of a corpus that is there several times, each time in other words, or in part.

    It lies beside the repository, which is called as it is without its ending.
    """
    places = sources(corpus)
    files = islice(copies(corpus, places), max(1, int(times * len(places))))
    database = folder / f"{times} x {model}.db"
    program.timed(*arguments(repository(database.with_suffix(""), files), database, model))
    return database


def sources(corpus: Path) -> list[Path]:
    """Its Python files."""
    return [place for place in files_of(corpus) if place.suffix == ".py"]


def fill(database: SQLite, dimensions: int) -> SQLiteVectors:
    """A vector for each node: always the same ones, of length 1, in directions of chance.

    They take as long to compare as real ones, which a model would need an hour for.
    """
    vectors = SQLiteVectors(database)
    some = np.random.default_rng(SEED)
    nodes = list(database.connection.execute(_NODES))
    for first in range(0, len(nodes), BATCH):
        part = nodes[first : first + BATCH]
        vectors.upsert([NodeVector(id_, sha, _unit(some, dimensions), {}) for id_, sha in part])
    return vectors


def _unit(some: np.random.Generator, dimensions: int) -> Vector:
    values = some.standard_normal(dimensions, dtype=np.float32)
    vector: Vector = values / np.linalg.norm(values)
    return vector


def questions(database: SQLite, places: Sequence[Path], count: int) -> Iterator[str]:
    """In turn a name of the index and the beginning of a docstring; always the same ones."""
    some = Random(SEED)
    symbols = [str(symbol) for [symbol] in database.connection.execute(_NAMES)]
    docs = [doc for place in places for doc in _DOC.findall(place.read_text("utf-8", "replace"))]
    for _ in range(count):
        yield ".".join(some.choice(symbols).split(".")[-some.randint(1, 2) :])
        yield " ".join(some.choice(docs).split()[:WORDS])

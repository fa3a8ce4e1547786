"""Builds large indexes with random vectors, and generates queries for them."""

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
from speed.first_sync import arguments
from speed.program import Program

COPIES = 3
"""Copies of the corpus' Python files, which have about 40,000 nodes."""
SEED, WORDS, BATCH = 7, 6, 2000
"""WORDS is the maximum words of a docstring in a query."""
_DOC = re.compile(r'"""([A-Z][^"\n]{20,})')
_NAMES = "SELECT DISTINCT symbol FROM docs WHERE symbol IS NOT NULL ORDER BY symbol"
_NODES = "SELECT id, text_sha FROM docs ORDER BY seq"


def build(
    program: Program, corpus: Path, folder: Path, model: str = "words", times: float = COPIES
) -> Path:
    """Indexes `times` copies of a corpus, each with other words, and returns the index file.

    The repository is beside the file, under the same name without its extension.
    """
    corpus_files = sources(corpus)
    files = islice(copies(corpus, corpus_files), max(1, int(times * len(corpus_files))))
    database = folder / f"{times} x {model}.db"
    program.timed(*arguments(repository(database.with_suffix(""), files), database, model))
    return database


def sources(corpus: Path) -> list[Path]:
    """Lists the Python files of a corpus."""
    return [file for file in files_of(corpus) if file.suffix == ".py"]


def write_random_vectors(database: SQLite, dimensions: int) -> SQLiteVectors:
    """Writes a random unit vector for each node, with a fixed seed.

    They take as long to compare as real ones, which a model would compute in an hour.
    """
    vectors = SQLiteVectors(database)
    draw = np.random.default_rng(SEED)
    nodes = list(database.connection.execute(_NODES))
    for first in range(0, len(nodes), BATCH):
        part = nodes[first : first + BATCH]
        vectors.upsert([NodeVector(id_, sha, _unit(draw, dimensions), {}) for id_, sha in part])
    return vectors


def _unit(draw: np.random.Generator, dimensions: int) -> Vector:
    values = draw.standard_normal(dimensions, dtype=np.float32)
    vector: Vector = values / np.linalg.norm(values)
    return vector


def generate_queries(database: SQLite, files: Sequence[Path], count: int) -> Iterator[str]:
    """Yields names of the index and beginnings of docstrings in turn, with a fixed seed."""
    draw = Random(SEED)
    symbols = [str(symbol) for [symbol] in database.connection.execute(_NAMES)]
    docs = [doc for file in files for doc in _DOC.findall(file.read_text("utf-8", "replace"))]
    for _ in range(count):
        yield ".".join(draw.choice(symbols).split(".")[-draw.randint(1, 2) :])
        yield " ".join(draw.choice(docs).split()[:WORDS])

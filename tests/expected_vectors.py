"""Expected vectors of an index, computed from files and descriptions with numpy alone."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from feeder.nodes import embedding_input, node_ids
from feeder.source import Tree
from feeder.store.sqlite import SQLite
from hash_embedder import HashedEmbedder, HashedStaticEmbedder
from index_helpers import REPO, InProcessParser, query_rows

DESCRIPTION_WEIGHT = 0.5
_DESCRIPTIONS = (
    "SELECT d.id, e.line FROM docs d JOIN descriptions e ON e.sha = d.describes WHERE e.line <> ''"
)
_STATIC_VECTORS = (
    "SELECT d.id, hex(m.code) FROM docs d JOIN meanings m USING (seq) WHERE d.repo = ?"
)
_MODEL_VECTORS = "SELECT v.id, hex(v.code) FROM vectors v JOIN docs d USING (id) WHERE d.repo = ?"
_PENDING_IDS = (
    """SELECT d.id FROM docs d JOIN files f USING (repo, path) WHERE f.state = 'pending'"""
)


def blend(text: Any, description: Any) -> Any:
    """Returns the direction of a text's vector and half of its description's."""
    both = text + DESCRIPTION_WEIGHT * description
    return both / np.linalg.norm(both)


def embedding_inputs(tree: Tree, repo: str = REPO) -> dict[str, str]:
    """Returns the embedding input of each node of the tree, by id."""
    entries = [entry for entry in tree.entries() if not entry.skip]
    inputs: dict[str, str] = {}
    contents = ((entry.path, content) for entry, content in tree.read(entries))
    for parsed in InProcessParser().parse(contents):
        ids = node_ids(repo, parsed.path, parsed.nodes)
        bodies = (embedding_input(parsed.path, node) for node in parsed.nodes)
        inputs.update(zip(ids, bodies, strict=True))
    return inputs


def descriptions_by_id(database: SQLite) -> dict[str, str]:
    """Returns the description of each node that has one, by id."""
    return dict(query_rows(database, _DESCRIPTIONS))


def _expected_vectors(
    tree: Tree, database: SQLite, embedder: HashedEmbedder, repo: str
) -> dict[str, Any]:
    descriptions = descriptions_by_id(database)
    vectors = {}
    for id_, body in embedding_inputs(tree, repo).items():
        [text] = embedder.embed([body])
        vectors[id_] = text
        if id_ in descriptions:
            vectors[id_] = blend(text, embedder.embed([descriptions[id_]])[0])
    return vectors


def _wrong_ids(due: dict[str, Any], held: Sequence[tuple[str, str]], head: int) -> list[str]:
    """Returns the ids whose stored vector is missing, superfluous or points elsewhere."""
    there = {id_: np.frombuffer(bytes.fromhex(code)[head:], np.int8) for id_, code in held}
    wrong = set(due) ^ set(there)
    for id_ in set(due) & set(there):
        code = there[id_].astype(np.float64)
        # two roundings to 1/127 of the largest number
        if due[id_] @ code / np.linalg.norm(code) < 0.999:
            wrong.add(id_)
    return sorted(wrong)


def wrong_static_vectors(tree: Tree, database: SQLite, repo: str = REPO) -> list[str]:
    """Returns ids of nodes whose static vector is not that of their text and description."""
    due = _expected_vectors(tree, database, HashedEmbedder(HashedStaticEmbedder().dimensions), repo)
    return _wrong_ids(due, query_rows(database, _STATIC_VECTORS, repo), 4)


def wrong_model_vectors(tree: Tree, database: SQLite, repo: str = REPO) -> list[str]:
    """Returns ids of nodes whose model vector is wrong; pending files are left out."""
    due = _expected_vectors(tree, database, HashedEmbedder(), repo)
    waiting = set(query_rows(database, _PENDING_IDS))
    due = {id_: vector for id_, vector in due.items() if id_ not in waiting}
    there = query_rows(database, "SELECT 1 FROM sqlite_schema WHERE name = 'vectors'")
    held = query_rows(database, _MODEL_VECTORS, repo) if there else []
    held = [row for row in held if row[0] not in waiting]
    return _wrong_ids(due, held, 0)

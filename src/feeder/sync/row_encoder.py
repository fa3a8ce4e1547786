"""Encodes nodes as rows of the index in the processes that parse files."""

from typing import NamedTuple

from feeder.descriptions.prompt import subject_hashes
from feeder.parse import ParsedFile
from feeder.store.rows import NodeRows, encode_nodes


class RowEncoder(NamedTuple):
    """A `NodeEncoder` for one repository; `describes` adds the description keys."""

    repo: str
    describes: bool

    def __call__(self, file: ParsedFile) -> NodeRows:
        keys = subject_hashes(file.nodes) if self.describes else ()
        return encode_nodes(self.repo, file.path, file.nodes, keys)

"""Encodes nodes as rows of the index in the processes that parse files."""

from collections.abc import Sequence
from typing import NamedTuple

from feeder.parse import ParsedFile
from feeder.store.rows import NodeRows, encode_nodes


class RowEncoder(NamedTuple):
    """A `NodeEncoder` for one repository; `describes` adds the description keys."""

    repo: str
    describes: bool

    @property
    def result_type(self) -> type[NodeRows]:
        """The type of what it returns."""
        return NodeRows

    def __call__(self, file: ParsedFile) -> NodeRows:
        keys = self._description_keys(file)
        return encode_nodes(self.repo, file.path, file.nodes, keys, file.line_runs)

    def _description_keys(self, file: ParsedFile) -> Sequence[str]:
        if not self.describes:
            return ()
        # imported here: few indexes have descriptions, and each parser would load their code
        from feeder.descriptions.prompt import subject_hashes

        return subject_hashes(file.nodes)

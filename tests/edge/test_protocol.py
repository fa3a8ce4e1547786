"""The Worker responds to each protocol message like the program, by the same transcripts."""

import json
from pathlib import Path

import pytest

from edge.worker_process import Worker
from mcp_server.test_protocol import TRANSCRIPTS


@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: file.stem)
def test_responses_equal_the_transcript(worker: Worker, file: Path) -> None:
    first, *lines = map(json.loads, file.read_text("utf-8").splitlines())
    came = [{key: said[key] for key in ("line", "in") if key in said} for said in lines]
    answers = worker.call("transcript", first["server"], came)
    for number, (answer, said) in enumerate(zip(answers, lines, strict=True), start=2):
        assert answer == said["out"], f"line {number}"

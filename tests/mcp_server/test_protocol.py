"""The core of the protocol answers as the specification's two eras say, by example."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from feeder.mcp import ProgressCallback, ToolResult
from feeder.mcp.protocol import (
    McpServer,
    MessageHandler,
    ProtocolError,
    error_response,
    parse_message,
)

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.jsonl"))


class Canned:
    """The tools that a transcript's first line has, with their answers; null breaks."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.definitions: Sequence[Mapping[str, Any]] = facts["tools"]
        self._answers = facts["answers"]

    def call(self, name: str, arguments: Mapping[str, Any], tell: ProgressCallback) -> ToolResult:
        answer = self._answers[name]
        if answer is None:
            raise LookupError("broken")
        return ToolResult(answer["text"], answer["isError"])


@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: file.stem)
def test_each_message_is_answered_as_the_transcript_says(file: Path) -> None:
    """The first line is the server; each other has what comes in, and what goes out."""
    lines = file.read_text("utf-8").splitlines()
    facts = json.loads(lines[0])["server"]
    about = (facts["name"], facts["version"], facts["instructions"])
    conversation = MessageHandler(McpServer(*about, Canned(facts)))
    for number, line in enumerate(lines[1:], start=2):
        response = json.loads(line)
        try:
            message = parse_message(response["line"]) if "line" in response else response["in"]
            answer = conversation.handle(message)
        except ProtocolError as refused:
            answer = error_response(refused)
        assert json.loads(json.dumps(answer)) == response["out"], f"line {number}"


@pytest.mark.parametrize(
    "line",
    [b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', b"[" * 100_000, b"1" * 5_000, b"\xef\xbb\xbf{}"],
    ids=["not UTF-8", "deep", "a large number", "a mark"],
)
def test_what_cannot_be_read_is_no_message(line: bytes) -> None:
    """-32700, as for what is no JSON; nothing else is raised."""
    with pytest.raises(ProtocolError) as refused:
        parse_message(line)
    assert refused.value.payload == {"code": -32700, "message": "Parse error"}

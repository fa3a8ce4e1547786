"""The protocol core responds as the specification of both eras requires, by transcripts."""

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


class CannedTools:
    """The tools of a transcript's first line, with their results; null raises an error."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.definitions: Sequence[Mapping[str, Any]] = facts["tools"]
        self._answers = facts["answers"]

    def call(self, name: str, arguments: Mapping[str, Any], tell: ProgressCallback) -> ToolResult:
        answer = self._answers[name]
        if answer is None:
            raise LookupError("broken")
        return ToolResult(answer["text"], answer["isError"])


@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: file.stem)
def test_responses_equal_the_transcript(file: Path) -> None:
    """The first line describes the server; the others have a message and its response."""
    lines = file.read_text("utf-8").splitlines()
    facts = json.loads(lines[0])["server"]
    about = (facts["name"], facts["version"], facts["instructions"])
    conversation = MessageHandler(McpServer(*about, CannedTools(facts)))
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
def test_unreadable_message_is_a_parse_error(line: bytes) -> None:
    """-32700, as for invalid JSON; no other exception."""
    with pytest.raises(ProtocolError) as refused:
        parse_message(line)
    assert refused.value.payload == {"code": -32700, "message": "Parse error"}

"""The properties that hold for every parsed file, whatever its contents."""

from feeder.nodes import Node
from feeder.parse import ParsedFile
from feeder.parse.decoding import NotTextError, decode_text, truncate_base64
from feeder.parse.secrets import mask_text
from feeder.parse.worker_messages import Limits
from parse.notebook_cells import read_line, sources
from parse.outlines import assert_properties_hold

START_S = 1.0
"""What a new worker takes to start, on a busy machine, after a file has ended the last one."""


def max_seconds(limits: Limits) -> float:
    """The maximum time for a file, in seconds: grammar, worker restart, then plain text."""
    return limits.timeout_s + START_S + limits.plain_text_timeout_s


def violated_property(parsed: ParsedFile, content: bytes) -> str | None:
    """Returns the violated property of a parsed file, or None."""
    try:
        text = _text(parsed.path, decode_text(content))
    except NotTextError as exc:
        is_left_out = parsed == ParsedFile(parsed.path, [], skip=str(exc))
        return None if is_left_out else f"is no text ({exc}), but was not left out"
    if parsed.skip or "failed" in (parsed.reason or ""):
        return parsed.skip or parsed.reason
    try:
        assert_properties_hold(parsed.path, text, parsed.nodes)
        is_notebook = sources(parsed.path, text) is not None
        _check_lines(list(map(read_line if is_notebook else str, text.split("\n"))), parsed.nodes)
    except AssertionError as exc:
        return str(exc)
    return None


def _text(path: str, text: bytes) -> str:
    """Returns the masked text that a file's nodes may contain."""
    stored = truncate_base64(text) if path.endswith(".ipynb") else text
    return mask_text(path, stored).content.decode("utf-8", "replace")


def _check_lines(lines: list[str], found: list[Node]) -> None:
    """Checks that each line of a node's text is within the node's line range, in order."""
    for node in found:
        at = node.start_line - 1
        for part in node.text.split("\n"):
            while at < node.end_line and part not in lines[at]:
                at += 1
            assert at < node.end_line, f"{part!r:.80} is not on {node.start_line}:{node.end_line}"

"""Which lines of files does nobody get to see? Their secrets are masked, as in the index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from feeder.parse.secrets import mask_text
from feeder.search.file_contents import current_files, indexed_text


def mask_hits(hits: Iterable[dict[str, Any]], base: Path) -> list[dict[str, Any]]:
    """Hits as JSON with each line as it may be shown; a line keeps its length."""
    some = list(hits)
    now = current_files(base, {hit["path"] for hit in some})
    shown = {path: _line_masks(path, file.content) for path, file in now.items()}
    return [_mask_hit(hit, shown[hit["path"]]) for hit in some]


def masked_lines(
    path: str, content: bytes | None, *, mask_secrets: bool = True
) -> list[str] | None:
    """The lines of a file as they may be shown; None for what is no text."""
    text = None if content is None else indexed_text(path, content)
    if text is not None and mask_secrets:
        text = mask_text(path, text.encode()).content.decode()
    shown = None if text is None else text.split("\n")
    return shown[:-1] if shown and len(shown) > 1 and not shown[-1] else shown


def _line_masks(path: str, content: bytes | None) -> Mapping[str, str]:
    """The lines that have a secret, as they are and as they may be shown."""
    lines, shown = (
        masked_lines(path, content, mask_secrets=masks) or () for masks in (False, True)
    )
    pairs = zip(lines, shown, strict=True)
    return {line: masked for line, masked in pairs if line != masked}


def _mask_hit(hit: dict[str, Any], line_masks: Mapping[str, str]) -> dict[str, Any]:
    window = hit["window"]
    if not line_masks or not window:
        return hit
    head = window["head"]
    text = "\n".join(_mask_lines(hit["text"].split("\n"), line_masks))
    seen = {**window, "lines": _mask_lines(window["lines"], line_masks)}
    seen["head"] = head and {**head, "lines": _mask_lines(head["lines"], line_masks)}
    return {**hit, "text": text, "window": seen}


def _mask_lines(lines: Iterable[str], line_masks: Mapping[str, str]) -> list[str]:
    return [line_masks.get(line, line) for line in lines]

"""Masks secrets in hits, as they are masked in the index."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from feeder.corpus.file_contents import current_files, masked_lines

MAX_CACHED_FILES = 2_000
"""Files whose secrets are cached, as the queries of one word have many files in common."""

_masks_cache: dict[tuple[str, bytes | None], Mapping[str, str]] = {}


def mask_hits(hits: Iterable[dict[str, Any]], base: Path) -> list[dict[str, Any]]:
    """Hits as JSON with secrets masked; each line keeps its length."""
    hits = list(hits)
    files = current_files(base, {hit["path"] for hit in hits})
    masks = {path: _line_masks(path, file.content) for path, file in files.items()}
    return [_mask_hit(hit, masks[hit["path"]]) for hit in hits]


def _line_masks(path: str, content: bytes | None) -> Mapping[str, str]:
    """Masked lines by the lines with a secret, from a cache of the files that hits had lately."""
    key = path, content and hashlib.sha256(content).digest()
    masks = _masks_cache.get(key)
    if masks is None:
        if len(_masks_cache) >= MAX_CACHED_FILES:
            _masks_cache.clear()
        masks = _masks_cache[key] = _find_line_masks(path, content)
    return masks


def _find_line_masks(path: str, content: bytes | None) -> Mapping[str, str]:
    lines, masked = (masked_lines(path, content, mask_secrets=mask) or () for mask in (False, True))
    pairs = zip(lines, masked, strict=True)
    return {line: masked_line for line, masked_line in pairs if line != masked_line}


def _mask_hit(hit: dict[str, Any], line_masks: Mapping[str, str]) -> dict[str, Any]:
    snippet = hit["window"]
    if not line_masks or not snippet:
        return hit
    head = snippet["head"]
    text = "\n".join(_mask_lines(hit["text"].split("\n"), line_masks))
    masked = {**snippet, "lines": _mask_lines(snippet["lines"], line_masks)}
    masked["head"] = head and {**head, "lines": _mask_lines(head["lines"], line_masks)}
    around = {
        name: hit[name] and _mask_lines(hit[name], line_masks) for name in ("before", "after")
    }
    return {**hit, **around, "text": text, "window": masked}


def _mask_lines(lines: Iterable[str], line_masks: Mapping[str, str]) -> list[str]:
    return [line_masks.get(line, line) for line in lines]

"""Records what the installation wrote into each file, so that uninstalling restores the file
byte for byte.

Without a receipt, the entry is found in the text itself.
"""

import json
import os
import sys
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from feeder.errors import UserError
from feeder.mcp.clients import text_files
from feeder.mcp.clients.client_paths import home_folder

_RECEIPTS_FILE = "feeder/installed.json"
_OWN_FOLDERS_KEY = ""
"""The key, in the file of receipts, of the folders that were created for that file."""


class Receipt(NamedTuple):
    """A change of a file: `new` replaced `old`, which is None if there was no file."""

    old: str | None
    new: str
    folders: tuple[str, ...] = ()
    """Folders that were created for the file."""

    def applies_to(self, text: str) -> bool:
        """True if the new text is still there, unchanged and only once."""
        return text == self.new if self.old is None else text.count(self.new) == 1

    def undo(self, text: str) -> str | None:
        """The text before the change, None for no file; only if the receipt applies to it."""
        return None if self.old is None else text.replace(self.new, self.old)


def make_receipt(before: str | None, after: str) -> Receipt:
    """The receipt of a change, with the part of the text that differs."""
    if before is None:
        return Receipt(None, after)
    head = _common_prefix_length(before, after)
    old, new = before[head:], after[head:]
    tail = _common_prefix_length(old[::-1], new[::-1])
    return Receipt(old[: len(old) - tail], new[: len(new) - tail])


def _common_prefix_length(first: str, second: str) -> int:
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


class Receipts:
    """The receipts of this user, in one JSON file, by the path of the changed file."""

    def __init__(self) -> None:
        self._file = _receipts_path()
        self._by_path = _load(self._file)

    def get(self, file: Path) -> Receipt | None:
        """The receipt of a file; None if there is none."""
        entry = self._by_path.get(os.path.realpath(file))
        return _parse_receipt(entry) if entry else None

    def save(self, changed: Mapping[Path, Receipt | None]) -> None:
        """Saves receipts; None removes one. The JSON file is deleted with the last one."""
        created = [str(folder) for folder in text_files.missing_folders(self._file)]
        own_folders = self._by_path.setdefault(_OWN_FOLDERS_KEY, {"folders": created})["folders"]
        for file, receipt in changed.items():
            self._by_path.pop(os.path.realpath(file), None)
            if receipt:
                self._by_path[os.path.realpath(file)] = receipt._asdict()
        if self._by_path.keys() - {_OWN_FOLDERS_KEY}:
            text_files.write(self._file, json.dumps(self._by_path, ensure_ascii=False, indent=1))
        else:
            text_files.delete(self._file)
            text_files.remove_empty_folders(map(Path, own_folders))


def _receipts_path() -> Path:
    state_home = Path(os.environ.get("XDG_STATE_HOME", ""))
    if state_home.is_absolute():  # the XDG specification says to ignore a relative path
        return state_home / _RECEIPTS_FILE
    states = "Library/Application Support" if sys.platform == "darwin" else ".local/state"
    return home_folder() / states / _RECEIPTS_FILE


def _load(file: Path) -> dict[str, Any]:
    """The stored receipts, each in its valid shape; raises UserError for another file."""
    try:
        by_path = dict(json.loads(text_files.read(file) or "{}"))
        _parse_receipt({"old": None, "new": "", **by_path.get(_OWN_FOLDERS_KEY, {"folders": []})})
        for path in by_path.keys() - {_OWN_FOLDERS_KEY}:
            _parse_receipt(by_path[path])
    except (ValueError, KeyError, TypeError) as exc:
        raise UserError(f"{file} is not a list of receipts ({exc}).", "Delete it.") from exc
    return by_path


def _parse_receipt(entry: dict[str, Any]) -> Receipt:
    """Raises KeyError, TypeError or ValueError for another shape."""
    receipt = Receipt(entry["old"], entry["new"], tuple(entry["folders"]))
    texts = ("" if receipt.old is None else receipt.old, receipt.new, *receipt.folders)
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a receipt is texts")
    return receipt

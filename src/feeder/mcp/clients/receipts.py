"""Records what the installation wrote into each file, so that uninstalling restores the file
byte for byte.

Without a receipt, the entry is found in the text itself.
"""

import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from feeder.errors import UserError
from feeder.mcp.clients import text_files
from feeder.mcp.clients.known_clients import home_folder
from feeder.text import common_prefix_length

_RECEIPTS_FILE = "feeder/installed.json"
_OWN_KEY = ""
"""The key, in the file of receipts, of the receipt of that file itself."""


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


def make_receipt(before: str | None, after: str, folders: Iterable[str]) -> Receipt:
    """The receipt of a change, with the part of the text that differs."""
    if before is None:
        return Receipt(None, after, tuple(folders))
    head = common_prefix_length(before, after)
    old, new = before[head:], after[head:]
    tail = common_prefix_length(old[::-1], new[::-1])
    return Receipt(old[: len(old) - tail], new[: len(new) - tail], tuple(folders))


class Receipts:
    """The receipts of this user, in one JSON file, by the path of the changed file."""

    def __init__(self) -> None:
        self._file = _receipts_path()
        self._by_path = _load(self._file)

    def get(self, file: Path) -> Receipt | None:
        """The receipt of a file; None if there is none."""
        return self._by_path.get(os.path.realpath(file))

    def save(self, changed: Mapping[Path, Receipt | None]) -> None:
        """Saves receipts; None removes one. The JSON file is deleted with the last one."""
        created = make_receipt(None, "", text_files.missing_folders(self._file))
        own = self._by_path.setdefault(_OWN_KEY, created)
        for file, receipt in changed.items():
            self._by_path.pop(os.path.realpath(file), None)
            if receipt:
                self._by_path[os.path.realpath(file)] = receipt
        if self._by_path.keys() - {_OWN_KEY}:
            facts = {path: receipt._asdict() for path, receipt in self._by_path.items()}
            text_files.write(self._file, json.dumps(facts, ensure_ascii=False, indent=1))
        else:
            text_files.delete(self._file)
            text_files.remove_empty_folders(own.folders)


def _receipts_path() -> Path:
    state_home = Path(os.environ.get("XDG_STATE_HOME", ""))
    if state_home.is_absolute():  # the XDG specification says to ignore a relative path
        return state_home / _RECEIPTS_FILE
    states = "Library/Application Support" if sys.platform == "darwin" else ".local/state"
    return home_folder() / states / _RECEIPTS_FILE


def _load(file: Path) -> dict[str, Receipt]:
    """The stored receipts; raises UserError for another file."""
    try:
        entries = dict(json.loads(text_files.read(file) or "{}")).items()
        return {path: _parse(path, entry) for path, entry in entries}
    except (ValueError, KeyError, TypeError) as exc:
        raise UserError(f"{file} is not a list of receipts ({exc}).", "Delete it.") from exc


def _parse(path: str, entry: dict[str, Any]) -> Receipt:
    """Raises KeyError, TypeError or ValueError for another shape."""
    if path == _OWN_KEY:
        entry = {"old": None, "new": "", **entry}  # an earlier version wrote only the folders
    receipt = Receipt(entry["old"], entry["new"], tuple(entry["folders"]))
    texts = (receipt.new, *receipt.folders)
    if not isinstance(receipt.old, str | None) or not all(isinstance(text, str) for text in texts):
        raise ValueError("a receipt is texts")
    return receipt

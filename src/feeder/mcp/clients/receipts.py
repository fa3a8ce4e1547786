"""Records what the installation wrote into each file, so that uninstalling restores the file
byte for byte. Without a receipt, the entry is found in the text itself.
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
"""Under which the file says which folders were made for itself."""


class Receipt(NamedTuple):
    """That in a file `new` stands for `old`, which is None where there was no file."""

    old: str | None
    new: str
    folders: tuple[str, ...] = ()
    """That were made for the file."""

    def applies_to(self, text: str) -> bool:
        """Whether what was put in is still there as it was, and once."""
        return text == self.new if self.old is None else text.count(self.new) == 1

    def undo(self, text: str) -> str | None:
        """The text as it would be without us, None for no file; for a text that `fits`."""
        return None if self.old is None else text.replace(self.new, self.old)


def make_receipt(before: str | None, after: str) -> Receipt:
    """For a change: the stretch of the text in which it differs."""
    if before is None:
        return Receipt(None, after)
    head = _common_prefix_length(before, after)
    old, new = before[head:], after[head:]
    tail = _common_prefix_length(old[::-1], new[::-1])
    old, new = old[: len(old) - tail], new[: len(new) - tail]
    return Receipt(old, new)


def _common_prefix_length(one: str, other: str) -> int:
    """With how many characters in common they begin."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


class Receipts:
    """Those of this user, in one file, by the path of what was changed."""

    def __init__(self) -> None:
        self._file = _receipts_path()
        self._by_path = _load(self._file)

    def get(self, file: Path) -> Receipt | None:
        """The one for a file, None where there is none."""
        known = self._by_path.get(os.path.realpath(file))
        return Receipt(known["old"], known["new"], tuple(known["folders"])) if known else None

    def save(self, changed: Mapping[Path, Receipt | None]) -> None:
        """Notes them, None for one that is used up; with the last one the file goes."""
        _ = self._by_path.setdefault(
            _OWN_FOLDERS_KEY, {"folders": _as_strings(text_files.missing_folders(self._file))}
        )
        for file, one in changed.items():
            self._by_path.pop(os.path.realpath(file), None)
            if one:
                self._by_path[os.path.realpath(file)] = one._asdict()
        if self._by_path.keys() - {_OWN_FOLDERS_KEY}:
            text_files.write(self._file, json.dumps(self._by_path, ensure_ascii=False, indent=1))
        else:
            text_files.delete(self._file)
            text_files.remove_empty_folders(map(Path, self._by_path[_OWN_FOLDERS_KEY]["folders"]))


def _as_strings(folders: list[Path]) -> list[str]:
    return [str(folder) for folder in folders]


def _receipts_path() -> Path:
    named = Path(os.environ.get("XDG_STATE_HOME", ""))
    if named.is_absolute():  # else it is to be ignored, says the XDG specification
        return named / _RECEIPTS_FILE
    states = "Library/Application Support" if sys.platform == "darwin" else ".local/state"
    return home_folder() / states / _RECEIPTS_FILE


def _load(file: Path) -> dict[str, Any]:
    try:
        known = json.loads(text_files.read(file) or "{}")
        for said in known.values():
            _ = said["folders"]
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        raise UserError(f"{file} is no list of receipts ({exc}). Delete it.") from exc
    return dict(known)

"""Workflow commands of GitHub Actions: annotations, groups, masks, outputs and summary.

Does nothing outside of GitHub Actions.
"""

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Literal, Self, TextIO
from unicodedata import category

Level = Literal["error", "warning", "notice"]

MAX_ANNOTATIONS = 9
"""Of each level in a run: GitHub shows ten of a step, and the tenth tells of the others."""
MAX_SUMMARY_BYTES = 1_000_000
"""Of a step. Above 1 MiB none of it is shown, and the runner's masks may make it longer."""
TRUNCATION_NOTICE = b"\n\n**The summary is cut here: it may not be longer.**\n"

_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# what .NET overlooks between two characters when it compares strings is not printable ASCII
_LINE_COMMAND = re.compile(r"((?:^|[\r\n])[^!-~\r\n]*):(?=[^!-~\r\n]*:)")
_LEGACY_COMMAND = re.compile(r"#(?=[^!-~\r\n]*#[^!-~\r\n]*\[)")


class Job:
    """The job that a run is a step of; where there is none, every method is silent.

    Commands go to `stream`, so that stdout stays a machine's: the runner reads both. A file of the
    runner's that is not there is not written; one that cannot be written gives a warning, never an
    error: what the run itself has come to counts more.
    """

    def __init__(self, environ: Mapping[str, str], stream: TextIO) -> None:
        self._is_actions = environ.get("GITHUB_ACTIONS") == "true"
        self._environ = environ
        self._stream = stream
        self._stop_token = ""
        self._annotations: list[str] = []
        self._count: Counter[Level] = Counter()

    @classmethod
    def from_environ(
        cls, environ: Mapping[str, str] = os.environ, stream: TextIO | None = None
    ) -> Self:
        """The job around this process; its stderr is the stream unless told."""
        return cls(environ, stream or sys.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        """Says how many annotations there were that have not been printed."""
        for level, number in self._count.items():
            if (more := number - MAX_ANNOTATIONS) > 0:
                self._write_lines(
                    _command(level, f"{more:,} more {level}{'s' if more > 1 else ''}")
                )

    @property
    def is_active(self) -> bool:
        """Whether this is GitHub Actions."""
        return self._is_actions

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Folds what is printed meanwhile, and keeps the runner from obeying any of it.

        That holds for the stream. The runner reads stdout on its own time, maybe after the end of
        the group: what goes there must be `inert`. A group within a group is none.
        """
        if not self._is_actions or self._stop_token:
            yield
            return
        self._stop_token = os.urandom(16).hex()
        self._write_lines(
            _command("group", escape_invisible(title)), _command("stop-commands", self._stop_token)
        )
        try:
            yield
        finally:
            with suppress(OSError):
                sys.stdout.flush()
            # the empty line ends one that has no end yet
            self._write_lines("", _command(self._stop_token), _command("endgroup"))
            self._stop_token = ""
            self._flush_annotations()

    def neutralize_commands(self, text: str) -> str:
        r"""Text in which the runner finds no command; its `\u` escapes leave JSON what it is."""
        if not self._is_actions:
            return text
        return _LEGACY_COMMAND.sub(r"\\u0023", _LINE_COMMAND.sub(r"\1\\u003a", text))

    def annotate(
        self,
        level: Level,
        message: str,
        file: str | os.PathLike[str] | None = None,
        line: int | None = None,
    ) -> None:
        """Puts a message on the run's page, and beside the line of a file of the workspace.

        While a group is open it waits for the group's end. After nine of a level they are counted.
        """
        self._count[level] += self._is_actions
        if not self._is_actions or self._count[level] > MAX_ANNOTATIONS:
            return
        place = self._workspace_path(file) if file else ""
        if file and not place:
            message = f"{os.fspath(file)}: {message}"
        facts = {"file": escape_invisible(place), "line": str(line or "")} if place else {}
        self._annotations.append(_command(level, escape_invisible(message), facts))
        self._flush_annotations()

    def mask(self, secret: str) -> None:
        """Has the runner print `***` for each line of a secret, from now on; for derived ones only.

        An open group is suspended for it.
        """
        masks = [_command("add-mask", line) for line in re.split(r"[\r\n]", secret) if line.strip()]
        if not self._is_actions or not masks:
            return
        if self._stop_token:
            masks = [
                "",
                _command(self._stop_token),
                *masks,
                _command("stop-commands", self._stop_token),
            ]
        self._write_lines(*masks)

    def output(self, name: str, value: str | int) -> None:
        """Sets an output of the step; the value may be any text."""
        end = f"end-{os.urandom(16).hex()}"
        if file := self._path_from("GITHUB_OUTPUT"):
            with self._warn_on_error(f"The output {name}"), file.open("ab") as stream:
                stream.write(_encode(f"{name}<<{end}\n{value}\n{end}\n"))

    def add_summary(self, markdown: str) -> None:
        """Adds to the step's summary as many whole lines as fit, and says so where that is not all.

        What a cut leaves open, such as a fence, stays so.
        """
        if file := self._path_from("GITHUB_STEP_SUMMARY"):
            with self._warn_on_error("The job summary"), file.open("ab") as stream:
                stream.write(_truncate(_encode(f"{markdown}\n"), MAX_SUMMARY_BYTES - stream.tell()))

    def write_json(self, name: str, facts: Any) -> Path | None:
        """The path of a new JSON file with the facts, which lasts as long as the job."""
        if folder := self._path_from("RUNNER_TEMP"):
            with self._warn_on_error(f"The {name}"):
                return _write_new_file(folder, f"feeder-{name}", json.dumps(facts, indent=2))
        return None

    def _path_from(self, variable: str) -> Path | None:
        value = self._environ.get(variable)
        return Path(value) if value and self._is_actions else None

    @contextmanager
    def _warn_on_error(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            self.annotate("warning", f"{what} cannot be written: {exc}")

    def _workspace_path(self, file: str | os.PathLike[str]) -> str:
        """The file relative to the workspace, a link as it is called; empty for one outside."""
        root = Path(os.path.realpath(self._environ.get("GITHUB_WORKSPACE") or "."))
        place = Path(os.path.realpath(Path(file).parent)) / Path(file).name
        return place.relative_to(root).as_posix() if place.is_relative_to(root) else ""

    def _flush_annotations(self) -> None:
        if not self._stop_token:
            self._write_lines(*self._annotations)
            self._annotations.clear()

    def _write_lines(self, *lines: str) -> None:
        """The lines in one piece: no other process writes between them."""
        self._stream.write("".join(f"{line}\n" for line in lines))
        self._stream.flush()


def escape_invisible(text: str) -> str:
    r"""Text in which nothing hides: control, bidi and the like as `\x1b`; \r and \n stay."""
    return "".join(
        char.encode("unicode_escape").decode()
        if category(char) in _INVISIBLE_CATEGORIES and char not in "\r\n"
        else char
        for char in text
    )


def _command(name: str, message: str = "", facts: Mapping[str, str] | None = None) -> str:
    pairs = ",".join(
        f"{key}={_escape_property(value)}" for key, value in (facts or {}).items() if value
    )
    return f"::{name}{' ' if pairs else ''}{pairs}::{_escape_data(message)}"


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")


def _encode(text: str) -> bytes:
    return text.encode(errors="backslashreplace")


def _truncate(text: bytes, max_bytes: int) -> bytes:
    """All of the text, or its first lines and that it is cut, or nothing: at most `room` bytes."""
    if len(text) <= max_bytes:
        return text
    if len(TRUNCATION_NOTICE) > max_bytes:
        return b""
    return text[: text.rfind(b"\n", 0, max_bytes - len(TRUNCATION_NOTICE)) + 1] + TRUNCATION_NOTICE


def _write_new_file(folder: Path, stem: str, text: str) -> Path:
    path = folder / f"{stem}.json"
    numbers = count(2)
    while True:
        with suppress(FileExistsError), path.open("x", encoding="utf-8") as stream:
            stream.write(text)
            return path
        path = folder / f"{stem}-{next(numbers)}.json"

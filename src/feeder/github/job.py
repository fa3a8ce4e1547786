"""Workflow commands of GitHub Actions: annotations, groups, masks, outputs and summary.

Does nothing outside of GitHub Actions.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Literal, Self, TextIO
from unicodedata import category

from feeder.errors import os_reason

Level = Literal["error", "warning", "notice"]

MAX_ANNOTATIONS = 9
"""Annotations of each level: GitHub shows ten of a step, and the tenth counts the others."""
MAX_SUMMARY_BYTES = 1_000_000
"""Limit of a step. GitHub shows none above 1 MiB, and the runner's masks may lengthen it."""
TRUNCATION_NOTICE = b"\n\n**The summary is cut here: GitHub shows no more.**\n"

_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# .NET ignores some characters when it compares strings; none of them is printable ASCII
_LINE_COMMAND = re.compile(r"((?:^|[\r\n])[^!-~\r\n]*):(?=[^!-~\r\n]*:)")
_LEGACY_COMMAND = re.compile(r"#(?=[^!-~\r\n]*#[^!-~\r\n]*\[)")


class Job:
    """The job around this process; outside of GitHub Actions its methods do nothing.

    Commands go to `stream`, so that stdout has only results: the runner reads both. A missing file
    of the runner is not written; one that cannot be written gives a warning, never an error, since
    the result of the run counts more.
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
        """Returns the job around this process; commands go to stderr by default."""
        return cls(environ, stream or sys.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        """Prints how many annotations were left out."""
        for level, number in self._count.items():
            if (more := number - MAX_ANNOTATIONS) > 0:
                self._write_lines(
                    _command(level, f"{more:,} more {level}{'s' if more > 1 else ''}")
                )

    @property
    def is_active(self) -> bool:
        """True if this is GitHub Actions."""
        return self._is_actions

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Folds what is printed in the block, and keeps the runner from executing commands in it.

        That covers `stream` only. The runner may read stdout after the end of the group, so text
        for stdout must pass `neutralize_commands`. A group within a group has no effect.
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
            self.close_group()

    def close_group(self) -> None:
        """Ends the open group, if there is one; the runner executes commands again."""
        if not self._stop_token:
            return
        with suppress(OSError):
            sys.stdout.flush()
        # the empty line ends an unfinished line
        self._write_lines("", _command(self._stop_token), _command("endgroup"))
        self._stop_token = ""
        self._flush_annotations()

    def neutralize_commands(self, text: str) -> str:
        r"""Escapes what the runner would execute, by `\u` escapes: JSON keeps its meaning."""
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
        """Puts a message on the run's page, and beside a line of a file in the workspace.

        It is printed at the end of an open group. After nine of a level they are only counted.
        """
        self._count[level] += self._is_actions
        if not self._is_actions or self._count[level] > MAX_ANNOTATIONS:
            return
        path = self._workspace_path(file) if file else ""
        if file and not path:
            message = f"{os.fspath(file)}: {message}"
        properties = {"file": escape_invisible(path), "line": str(line or "")} if path else {}
        self._annotations.append(_command(level, escape_invisible(message), properties))
        self._flush_annotations()

    def mask(self, secret: str) -> None:
        """Makes the runner print `***` for each line of a derived secret from now on.

        It masks the secrets of the workflow itself. An open group is suspended for the command.
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
        """Adds to the step's summary as many whole lines as fit, and a notice if it is cut.

        A fence that is open at the cut stays open.
        """
        if file := self._path_from("GITHUB_STEP_SUMMARY"):
            with self._warn_on_error("The job summary"), file.open("ab") as stream:
                stream.write(_truncate(_encode(f"{markdown}\n"), MAX_SUMMARY_BYTES - stream.tell()))

    def write_file(self, name: str, text: str) -> Path | None:
        """Writes a new file `feeder-NAME` that lasts as long as the job, and returns its path."""
        if folder := self._path_from("RUNNER_TEMP"):
            with self._warn_on_error(f"The file {name}"):
                return _write_new_file(folder / f"feeder-{name}", text)
        return None

    def _path_from(self, variable: str) -> Path | None:
        value = self._environ.get(variable)
        return Path(value) if value and self._is_actions else None

    @contextmanager
    def _warn_on_error(self, subject: str) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            self.annotate("warning", f"{subject} cannot be written: {os_reason(exc)}")

    def _workspace_path(self, file: str | os.PathLike[str]) -> str:
        """The path relative to the workspace, with links unresolved; empty for one outside."""
        root = Path(os.path.realpath(self._environ.get("GITHUB_WORKSPACE") or "."))
        path = Path(os.path.realpath(Path(file).parent)) / Path(file).name
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else ""

    def _flush_annotations(self) -> None:
        if not self._stop_token:
            self._write_lines(*self._annotations)
            self._annotations.clear()

    def _write_lines(self, *lines: str) -> None:
        """Writes the lines in one call, so that no other process writes between them."""
        self._stream.write("".join(f"{line}\n" for line in lines))
        self._stream.flush()


def escape_invisible(text: str) -> str:
    r"""Escapes control, bidi and other invisible characters as in `\x1b`, except \r and \n."""
    return "".join(
        char.encode("unicode_escape").decode()
        if category(char) in _INVISIBLE_CATEGORIES and char not in "\r\n"
        else char
        for char in text
    )


def _command(name: str, message: str = "", properties: Mapping[str, str] | None = None) -> str:
    pairs = ",".join(
        f"{key}={_escape_property(value)}" for key, value in (properties or {}).items() if value
    )
    return f"::{name}{' ' if pairs else ''}{pairs}::{_escape_data(message)}"


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")


def _encode(text: str) -> bytes:
    return text.encode(errors="backslashreplace")


def _truncate(text: bytes, max_bytes: int) -> bytes:
    """Returns the text, or its first lines with a notice, or nothing: at most `max_bytes`."""
    if len(text) <= max_bytes:
        return text
    if len(TRUNCATION_NOTICE) > max_bytes:
        return b""
    return text[: text.rfind(b"\n", 0, max_bytes - len(TRUNCATION_NOTICE)) + 1] + TRUNCATION_NOTICE


def _write_new_file(file: Path, text: str) -> Path:
    path = file
    numbers = count(2)
    while True:
        with suppress(FileExistsError), path.open("x", encoding="utf-8") as stream:
            stream.write(text)
            return path
        path = file.with_stem(f"{file.stem}-{next(numbers)}")

"""What does a run tell GitHub Actions? Elsewhere it says nothing."""

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

ANNOTATIONS = 9
"""Of each level in a run: GitHub shows ten of a step, and the tenth tells of the others."""
SUMMARY_BYTES = 1_000_000
"""Of a step. Above 1 MiB none of it is shown, and the runner's masks may make it longer."""
CUT = b"\n\n**The summary is cut here: it may not be longer.**\n"

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
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
        self._speaks = environ.get("GITHUB_ACTIONS") == "true"
        self._environ = environ
        self._stream = stream
        self._fence = ""
        self._annotations: list[str] = []
        self._count: Counter[Level] = Counter()

    @classmethod
    def of(cls, environ: Mapping[str, str] = os.environ, stream: TextIO | None = None) -> Self:
        """The job around this process; its stderr is the stream unless told."""
        return cls(environ, stream or sys.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        """Says how many annotations there were that have not been printed."""
        for level, number in self._count.items():
            if (more := number - ANNOTATIONS) > 0:
                self._say(_command(level, f"{more:,} more {level}{'s' if more > 1 else ''}"))

    @property
    def is_there(self) -> bool:
        """Whether this is GitHub Actions."""
        return self._speaks

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Folds what is printed meanwhile, and keeps the runner from obeying any of it.

        That holds for the stream. The runner reads stdout on its own time, maybe after the end of
        the group: what goes there must be `inert`. A group within a group is none.
        """
        if not self._speaks or self._fence:
            yield
            return
        self._fence = os.urandom(16).hex()
        self._say(_command("group", visible(title)), _command("stop-commands", self._fence))
        try:
            yield
        finally:
            with suppress(OSError):
                sys.stdout.flush()
            # the empty line ends one that has no end yet
            self._say("", _command(self._fence), _command("endgroup"))
            self._fence = ""
            self._release()

    def inert(self, text: str) -> str:
        r"""Text in which the runner finds no command; its `\u` escapes leave JSON what it is."""
        if not self._speaks:
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
        self._count[level] += self._speaks
        if not self._speaks or self._count[level] > ANNOTATIONS:
            return
        place = self._in_workspace(file) if file else ""
        if file and not place:
            message = f"{os.fspath(file)}: {message}"
        facts = {"file": visible(place), "line": str(line or "")} if place else {}
        self._annotations.append(_command(level, visible(message), facts))
        self._release()

    def mask(self, secret: str) -> None:
        """Has the runner print `***` for each line of a secret, from now on; for derived ones only.

        An open group is suspended for it.
        """
        masks = [_command("add-mask", line) for line in re.split(r"[\r\n]", secret) if line.strip()]
        if not self._speaks or not masks:
            return
        if self._fence:
            masks = ["", _command(self._fence), *masks, _command("stop-commands", self._fence)]
        self._say(*masks)

    def output(self, name: str, value: str | int) -> None:
        """Sets an output of the step; the value may be any text."""
        end = f"end-{os.urandom(16).hex()}"
        if file := self._path("GITHUB_OUTPUT"):
            with self._excused(f"The output {name}"), file.open("ab") as stream:
                stream.write(_utf8(f"{name}<<{end}\n{value}\n{end}\n"))

    def summarize(self, markdown: str) -> None:
        """Adds to the step's summary as many whole lines as fit, and says so where that is not all.

        What a cut leaves open, such as a fence, stays so.
        """
        if file := self._path("GITHUB_STEP_SUMMARY"):
            with self._excused("The job summary"), file.open("ab") as stream:
                stream.write(_fitting(_utf8(f"{markdown}\n"), SUMMARY_BYTES - stream.tell()))

    def keep(self, name: str, facts: Any) -> Path | None:
        """The path of a new JSON file with the facts, which lasts as long as the job."""
        if folder := self._path("RUNNER_TEMP"):
            with self._excused(f"The {name}"):
                return _write_new(folder, f"feeder-{name}", json.dumps(facts, indent=2))
        return None

    def _path(self, variable: str) -> Path | None:
        value = self._environ.get(variable)
        return Path(value) if value and self._speaks else None

    @contextmanager
    def _excused(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            self.annotate("warning", f"{what} cannot be written: {exc}")

    def _in_workspace(self, file: str | os.PathLike[str]) -> str:
        """The file relative to the workspace, a link as it is called; empty for one outside."""
        root = Path(os.path.realpath(self._environ.get("GITHUB_WORKSPACE") or "."))
        place = Path(os.path.realpath(Path(file).parent)) / Path(file).name
        return place.relative_to(root).as_posix() if place.is_relative_to(root) else ""

    def _release(self) -> None:
        if not self._fence:
            self._say(*self._annotations)
            self._annotations.clear()

    def _say(self, *lines: str) -> None:
        """The lines in one piece: no other process writes between them."""
        self._stream.write("".join(f"{line}\n" for line in lines))
        self._stream.flush()


def visible(text: str) -> str:
    r"""Text in which nothing hides: control, bidi and the like as `\x1b`; \r and \n stay."""
    return "".join(
        char.encode("unicode_escape").decode()
        if category(char) in _UNSEEN and char not in "\r\n"
        else char
        for char in text
    )


def _command(name: str, message: str = "", facts: Mapping[str, str] | None = None) -> str:
    pairs = ",".join(f"{key}={_property(value)}" for key, value in (facts or {}).items() if value)
    return f"::{name}{' ' if pairs else ''}{pairs}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _utf8(text: str) -> bytes:
    return text.encode(errors="backslashreplace")


def _fitting(text: bytes, room: int) -> bytes:
    """All of the text, or its first lines and that it is cut, or nothing: at most `room` bytes."""
    if len(text) <= room:
        return text
    if len(CUT) > room:
        return b""
    return text[: text.rfind(b"\n", 0, room - len(CUT)) + 1] + CUT


def _write_new(folder: Path, stem: str, text: str) -> Path:
    path = folder / f"{stem}.json"
    numbers = count(2)
    while True:
        with suppress(FileExistsError), path.open("x", encoding="utf-8") as stream:
            stream.write(text)
            return path
        path = folder / f"{stem}-{next(numbers)}.json"

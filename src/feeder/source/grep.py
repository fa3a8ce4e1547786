"""Searches a commit or a working tree with `git grep`, within limits of time and output."""

import re
import subprocess
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from feeder.errors import UserError
from feeder.private_files import temporary_folder
from feeder.source import paths
from feeder.source.git_command import GIT_NOT_FOUND, git_arguments, git_environment, killed_after
from feeder.text import unicode_forms

TIMEOUT_S = 1.0
MAX_OUTPUT_BYTES = 16_000_000
"""Maximum bytes of git's output that are read."""
LINES_TIMEOUT_S = 60.0
MAX_LINES_BYTES = 64_000_000
"""The same limits for `grep_lines`, whose answer is to be complete."""

_OUTPUT_ROW = re.compile(rb"([^\0]+)\0(\d+)\0[^\n]*\n")
_LINE_ROW = re.compile(rb"([^\0]+)\0(\d+)\0(\d+)\0([^\n]*)\n")
_INVALID_PATTERN = re.compile(rb"fatal: (?:-e option|command line), '.*': (.*)", re.DOTALL)
_NO_PERL_PATTERNS = b"Perl-compatible"
"""In the error of a git without Perl patterns."""
_TOO_MANY_STEPS = re.compile(
    rb"pcre2?_\w+ failed with error code (?:-(?:46|47|53|63)\b|-\d+: .*limit exceeded)"
)
"""The error for a pattern that backtracks without end in a line."""
_NON_ASCII = (("-P", rb"[\r\x80-\xff]"), ("-E", b"[\r\x80-\xff]"))
"""The syntaxes of a pattern for a carriage return or a byte that is not ASCII."""


class Truncation(StrEnum):
    """The reason why matches may be missing: a predicate whose subject is the pattern."""

    NONE = ""
    TOO_MANY = "matches more lines than feeder reads, so some are missing."
    TIMEOUT = "took too long: git was stopped before it had searched all files."
    CRASHED = "was too much for git, which ended before it had searched all files."


class GrepMatches(NamedTuple):
    """The numbers of the matching lines, from 1, by path.

    `is_literal` if the pattern is not a valid regular expression and was searched for as text.
    """

    lines: dict[str, list[int]]
    truncation: Truncation = Truncation.NONE
    is_literal: bool = False


class PatternOptions(NamedTuple):
    """The way in which a pattern is compared with lines."""

    fixed_strings: bool = False
    ignore_case: bool = False
    whole_words: bool = False


class MatchingLine(NamedTuple):
    """A line with its number, and the column of its first match in bytes; both from 1.

    `content` has no line end.
    """

    number: int
    column: int
    content: bytes


class LineMatches(NamedTuple):
    """The matching lines by path, in the order of their numbers."""

    files: dict[str, list[MatchingLine]]
    truncation: Truncation = Truncation.NONE


class FileNames(NamedTuple):
    """Paths of files; some are missing with a `truncation`."""

    paths: list[str]
    truncation: Truncation = Truncation.NONE


class _GrepOutput(NamedTuple):
    stdout: bytes
    error: bytes
    truncation: Truncation


def git_grep(
    base: Path,
    commit: str | None,
    pattern: str,
    *,
    case_sensitive: bool,
    timeout_s: float = TIMEOUT_S,
) -> GrepMatches:
    """Searches the text files of a commit, or without one the files below `base`, for a pattern.

    The pattern is a Perl regular expression, or an extended one if git lacks Perl's; an invalid one
    is searched for as text. Lines are compared as bytes, except that in valid UTF-8 a character is
    one: `grep_texts` is for other encodings and line ends. Raises UserError if git fails.
    """
    text = re.sub(r"[\0\r\n]", " ", pattern)
    patterns = [part for form in _pattern_forms(text) for part in ("-e", form)]
    options = ["-n", "-I", "-z", "--full-name", "--no-color", *patterns]
    if not case_sensitive:
        options.insert(0, "-i")
    target = (commit,) if commit else ("--no-index",)
    for syntax in ("-P", "-E", "-F"):
        arguments = git_arguments(base, "grep", syntax, *options, *target, "--")
        output = _run_grep(arguments, timeout_s, MAX_OUTPUT_BYTES)
        if not output.error:
            lines = _parse_lines(output.stdout, commit)
            return GrepMatches(lines, output.truncation, is_literal=syntax == "-F")
        if not (_INVALID_PATTERN.match(output.error) or _NO_PERL_PATTERNS in output.error):
            break
    if _TOO_MANY_STEPS.search(output.error):
        raise _too_many_steps(f"/{pattern}/")
    remedy = f"Search without /{pattern}/."
    raise UserError(f"git cannot search in {base} ({_first_line(output.error)}).", remedy)


def _pattern_forms(pattern: str) -> list[str]:
    """The composed and the decomposed form of a regular expression.

    A class such as `[öä]` would become one of letters and of marks apart, so there it is left.
    """
    return [pattern] if "[" in pattern else unicode_forms(pattern)


def grep_texts(
    texts: Mapping[str, bytes], pattern: str, *, case_sensitive: bool, timeout_s: float = TIMEOUT_S
) -> GrepMatches:
    """The same for texts by path: UTF-8 with `\\n` as line end."""
    with _joined(texts) as joined:
        result = git_grep(
            joined.folder, None, pattern, case_sensitive=case_sensitive, timeout_s=timeout_s
        )
    lines: dict[str, list[int]] = {}
    for number in result.lines.get(_JOINED_NAME, ()):
        path, own = joined.place(number)
        lines.setdefault(path, []).append(own)
    return result._replace(lines=lines)


def grep_lines(
    base: Path, commit: str | None, pattern: str, options: PatternOptions
) -> LineMatches:
    """Finds all lines of a commit or tree, or without one of the files below `base`, that match.

    The pattern is a Perl regular expression, or an extended one if git lacks Perl's. In a commit,
    lines of binary files are found too, since attributes may call a text binary. Lines are compared
    as by `git_grep`. Raises UserError for an invalid pattern, and if git fails.
    """
    if re.search(r"[\0\r\n]", pattern):
        raise UserError(
            "The pattern contains a line break, but patterns match single lines.",
            "Search for one of its lines.",
        )
    flags = ["-n", "--column", "-z", "--full-name", "--no-color", "--no-recurse-submodules"]
    flags += ["-i"] if options.ignore_case else []
    flags += ["-w"] if options.whole_words else []
    forms = unicode_forms(pattern) if options.fixed_strings else _pattern_forms(pattern)
    patterns = [part for form in forms for part in ("-e", form)]
    target = ("-a", *patterns, commit) if commit else ("-I", *patterns, "--no-index")
    for syntax in ("-F",) if options.fixed_strings else ("-P", "-E"):
        arguments = git_arguments(base, "grep", syntax, *flags, *target, "--")
        output = _run_grep(arguments, LINES_TIMEOUT_S, MAX_LINES_BYTES)
        if not output.error:
            return LineMatches(_parse_matching_lines(output.stdout, commit), output.truncation)
        if invalid := _INVALID_PATTERN.match(output.error):
            raise UserError(
                f"{pattern} is not a valid regular expression: {_first_line(invalid[1])}.",
                "Correct it, or search for it as text with -F.",
            )
        if _NO_PERL_PATTERNS not in output.error:
            break
    if _TOO_MANY_STEPS.search(output.error):
        raise _too_many_steps(pattern)
    raise UserError(
        f"git cannot search in {base} ({_first_line(output.error)}).",
        "Run `git grep` there for details.",
    )


def grep_text_lines(
    texts: Mapping[str, bytes], pattern: str, options: PatternOptions
) -> LineMatches:
    """The same for texts by path: UTF-8 with `\\n` as line end."""
    with _joined(texts) as joined:
        result = grep_lines(joined.folder, None, pattern, options)
    files: dict[str, list[MatchingLine]] = {}
    for line in result.files.get(_JOINED_NAME, ()):
        path, own = joined.place(line.number)
        files.setdefault(path, []).append(line._replace(number=own))
    return result._replace(files=files)


def files_with_non_ascii(base: Path, commit: str | None, timeout_s: float) -> FileNames:
    """Lists the files with a carriage return or a byte that is not ASCII, binary ones too.

    Raises UserError if git fails.
    """
    target = (commit,) if commit else ("--no-index",)
    options = ("-l", "-a", "-z", "--full-name", "--no-color", "--no-recurse-submodules")
    for syntax, pattern in _NON_ASCII:
        arguments = git_arguments(base, "grep", syntax, *options, "-e", pattern, *target, "--")
        # in this locale a byte is a character
        output = _run_grep(arguments, timeout_s, MAX_LINES_BYTES, locale="C")
        if not output.error:
            prefix = f"{commit}:".encode() if commit else b""
            names = output.stdout.split(b"\0")[:-1]
            escaped = [paths.escape_name(name.removeprefix(prefix)) for name in names]
            return FileNames(escaped, output.truncation)
        if _NO_PERL_PATTERNS not in output.error:
            break
    raise UserError(
        f"git cannot search in {base} ({_first_line(output.error)}).",
        "Run `git grep` there for details.",
    )


class _JoinedTexts(NamedTuple):
    """Texts as one file in a folder, which git searches at once; `starts` are their first lines."""

    folder: Path
    paths: list[str]
    starts: list[int]

    def place(self, number: int) -> tuple[str, int]:
        """The path and the line's number in it."""
        at = bisect_right(self.starts, number) - 1
        return self.paths[at], number - self.starts[at] + 1


_JOINED_NAME = "texts"


@contextmanager
def _joined(texts: Mapping[str, bytes]) -> Iterator[_JoinedTexts]:
    with temporary_folder() as folder:
        joined = _JoinedTexts(folder, [], [])
        line = 1
        with (joined.folder / _JOINED_NAME).open("wb") as file:
            for path, text in texts.items():
                if text:  # without a line
                    joined.paths.append(path)
                    joined.starts.append(line)
                    whole = text if text.endswith(b"\n") else text + b"\n"
                    file.write(whole)
                    line += whole.count(b"\n")
        yield joined


def _too_many_steps(pattern: str) -> UserError:
    return UserError(
        f"{pattern} takes git too many steps on one line, because it can match the same text in "
        "many ways.",
        r"Do not repeat a repetition: \w+ instead of (\w+)+.",
    )


def _first_line(message: bytes) -> str:
    return message.strip().partition(b"\n")[0].decode("utf-8", "backslashreplace")


def _run_grep(
    arguments: list[str | bytes], timeout_s: float, max_bytes: int, locale: str = "C.UTF-8"
) -> _GrepOutput:
    """git's output within the limits of time and bytes."""
    pipe = subprocess.PIPE
    # a partial clone fetches no contents for a search; in UTF-8, a letter is more than one byte
    environment = git_environment() | {"GIT_NO_LAZY_FETCH": "1", "LC_ALL": locale}
    try:
        process = subprocess.Popen(arguments, env=environment, stdout=pipe, stderr=pipe)
    except FileNotFoundError as exc:
        raise UserError(*GIT_NOT_FOUND) from exc
    with process, killed_after(process, timeout_s) as timed_out:
        stdout = process.stdout.read(max_bytes) if process.stdout else b""
        if is_full := len(stdout) == max_bytes:
            process.kill()
        error = process.stderr.read() if process.stderr else b""
    truncation = Truncation.NONE
    if is_full:
        truncation = Truncation.TOO_MANY
    elif process.returncode < 0:
        truncation = Truncation.TIMEOUT if timed_out.is_set() else Truncation.CRASHED
    return _GrepOutput(stdout, error if process.returncode > 1 else b"", truncation)


def _parse_lines(stdout: bytes, commit: str | None) -> dict[str, list[int]]:
    """The line numbers by path, without an incomplete last row."""
    lines: dict[str, list[int]] = {}
    prefix = f"{commit}:".encode() if commit else b""
    for name, line in _OUTPUT_ROW.findall(stdout):
        lines.setdefault(paths.escape_name(name.removeprefix(prefix)), []).append(int(line))
    return lines


def _parse_matching_lines(stdout: bytes, commit: str | None) -> dict[str, list[MatchingLine]]:
    """The lines by path, without an incomplete last row."""
    lines: dict[str, list[MatchingLine]] = {}
    prefix = f"{commit}:".encode() if commit else b""
    for row in _LINE_ROW.finditer(stdout):
        name, number, column, content = row.groups()
        line = MatchingLine(int(number), int(column), content.removesuffix(b"\r"))
        lines.setdefault(paths.escape_name(name.removeprefix(prefix)), []).append(line)
    return lines

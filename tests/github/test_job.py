"""Workflow commands, outputs and summaries, read back by the rules of GitHub's runner."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from feeder.github.job import MAX_SUMMARY_BYTES, TRUNCATION_NOTICE, Job, escape_invisible

MIB = 1024 * 1024
ANYWHERE = {"GITHUB_ACTIONS": "true"}

# a lone surrogate is what Python makes of a byte of a file's name that is no UTF-8
texts = st.text(st.one_of(st.characters(), st.sampled_from("%:,;=]#[\r\n\x00\x1b\u202e\udc80")))
commands = st.sampled_from(
    ["::error::", "::add-mask::x", "##[error]", "##[", "#", ":", "::", "\u00ad", "\u200b", " ", "]"]
)
hostile = st.lists(st.one_of(commands, st.text(max_size=3)), max_size=8).map("".join)


class Command(NamedTuple):
    """A command as the runner obeys it."""

    name: str
    facts: dict[str, str]
    message: str


class Runner:
    """Reads lines as GitHub's runner does: two forms of commands, and stop-commands.

    If `careless`, it ignores unprintable characters in comparisons, like culture-sensitive code.
    """

    NAMES = frozenset({"group", "endgroup", "error", "warning", "notice", "add-mask"})

    def __init__(self, *, careless: bool = False) -> None:
        self._careless = careless
        self.obeyed: list[Command] = []
        self.shown: list[str] = []
        self._token = ""

    def read(self, text: str) -> list[Command]:
        """Returns the commands in a stream; all other text goes to the log."""
        for line in re.split(r"\r\n|\r|\n", text):
            seen = "".join(filter(str.isprintable, line)) if self._careless else line
            command = self._current(seen.lstrip()) or self._legacy(seen)
            if command is None or not self._obey(command):
                self.shown.append(line)
        return self.obeyed

    def _obey(self, command: Command) -> bool:
        if self._token:
            self._token = "" if command.name == self._token else self._token
            return not self._token
        if command.name == "stop-commands":
            self._token = command.message
        else:
            self.obeyed.append(command)
        return True

    def _known(self, name: str) -> bool:
        return name in {*self.NAMES, "stop-commands", self._token}

    def _current(self, line: str) -> Command | None:
        if not line.startswith("::") or "::" not in line[2:]:
            return None
        head, message = line[2:].split("::", 1)
        name, _, pairs = head.partition(" ")
        facts = dict(pair.split("=", 1) for pair in pairs.split(",") if "=" in pair)
        plain = {key: _unescaped(value, "\r\n:,%") for key, value in facts.items()}
        return Command(name, plain, _unescaped(message, "\r\n%")) if self._known(name) else None

    def _legacy(self, line: str) -> Command | None:
        found = re.search(r"##\[([^] ]*)[^]]*\](.*)", line)
        if not found or not self._known(found[1]):
            return None
        return Command(found[1], {}, found[2])


def _unescaped(text: str, chars: str) -> str:
    for char in chars:
        text = text.replace(f"%{ord(char):02X}", char)
    return text


def read_outputs(text: str) -> dict[str, str]:
    """Returns the outputs that the runner reads from a step's file."""
    outputs = {}
    lines = iter(text.split("\n"))
    for line in lines:
        if not line:
            continue
        name, _, end = line.partition("<<")
        value = []
        while (part := next(lines)) != end:
            value.append(part)
        outputs[name] = "\n".join(value)
    return outputs


def obeyed(stream: io.StringIO) -> list[Command]:
    return Runner().read(stream.getvalue())


def job(stream: io.StringIO, environ: Mapping[str, str] = ANYWHERE) -> Job:
    return Job.from_environ(environ, stream)


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.mark.parametrize("actions", [{}, {"GITHUB_ACTIONS": ""}, {"GITHUB_ACTIONS": "false"}])
def test_nothing_is_written_outside_of_actions(
    actions: dict[str, str], tmp_path: Path, stream: io.StringIO
) -> None:
    """Whatever else is in the environment."""
    files = {"GITHUB_OUTPUT": "o", "GITHUB_STEP_SUMMARY": "s"}
    environ = {name: str(tmp_path / file) for name, file in files.items()}
    with job(stream, {**environ, **actions, "RUNNER_TEMP": str(tmp_path)}) as nowhere:
        with nowhere.group("title"):
            nowhere.annotate("error", "message")
        nowhere.mask("secret")
        nowhere.output("name", "value")
        nowhere.add_summary("text")
        assert nowhere.write_file("report.json", "{}") is None
        assert nowhere.neutralize_commands("::error::") == "::error::"
    assert (stream.getvalue(), list(tmp_path.iterdir())) == ("", [])


def test_group_has_a_title_and_an_end(stream: io.StringIO) -> None:
    """Output in between is shown inside it."""
    with job(stream).group("sync: 100% of\nit"):
        print("a line", file=stream)
    runner = Runner()
    assert runner.read(stream.getvalue()) == [
        Command("group", {}, "sync: 100% of\nit"),
        Command("endgroup", {}, ""),
    ]
    assert "a line" in runner.shown


def test_commands_within_a_group_are_not_obeyed(stream: io.StringIO) -> None:
    """In either form, nor by guessing the stop token."""
    with job(stream).group("title"):
        print("::error::a\n  ::add-mask::b\nx ##[warning]c", file=stream)
        print("::stop-commands::d\n::d::\n::error::e", file=stream)
    assert [command.name for command in obeyed(stream)] == ["group", "endgroup"]


def test_each_group_has_its_own_stop_token(stream: io.StringIO) -> None:
    """So that the log of one does not reveal the next."""
    here = job(stream)
    for _ in range(2):
        with here.group("title"):
            pass
    fences = re.findall("::stop-commands::(.+)", stream.getvalue())
    assert len(set(fences)) == 2


def test_group_ends_after_an_unterminated_line(stream: io.StringIO) -> None:
    """As left by a progress bar or a failing program."""
    with pytest.raises(ValueError, match="boom"), job(stream).group("title"):
        stream.write("50 %")
        raise ValueError("boom")
    assert [command.name for command in obeyed(stream)] == ["group", "endgroup"]


def test_nested_group_is_ignored(stream: io.StringIO) -> None:
    """GitHub does not support it; the outer one continues."""
    here = job(stream)
    with here.group("outer"), here.group("inner"):
        pass
    assert [command.message for command in obeyed(stream)] == ["outer", ""]


def test_stdout_is_flushed_before_the_group_ends() -> None:
    program = (
        "from feeder.github.job import Job\n"
        "with Job.from_environ({'GITHUB_ACTIONS': 'true'}).group('title'):\n"
        "    print('a result')\n"
    )
    command = [sys.executable, "-c", program]
    run = subprocess.run(
        command,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
    )
    lines = run.stdout.decode().splitlines()
    assert lines.index("a result") < lines.index("::endgroup::")


def test_annotations_are_written_after_the_group(stream: io.StringIO) -> None:
    """Outside of a group at once."""
    here = job(stream)
    here.annotate("notice", "before")
    assert obeyed(stream) == [Command("notice", {}, "before")]
    with here.group("title"):
        here.annotate("error", "within")
    assert obeyed(stream)[1:] == [
        Command("group", {}, "title"),
        Command("endgroup", {}, ""),
        Command("error", {}, "within"),
    ]


@pytest.mark.parametrize(
    ("number", "expected"), [(9, "8"), (10, "1 more error"), (1234, "1,225 more errors")]
)
def test_nine_annotations_per_level_and_a_count(
    number: int, expected: str, stream: io.StringIO
) -> None:
    """The tenth says how many more there are."""
    with job(stream) as here:
        here.annotate("warning", "a warning")
        for index in range(number):
            here.annotate("error", str(index))
    errors = [command.message for command in obeyed(stream) if command.name == "error"]
    assert errors[:9] == ["0", "1", "2", "3", "4", "5", "6", "7", "8"]
    assert (errors[-1], len(errors)) == (expected, min(number, 10))
    assert len(obeyed(stream)) == len(errors) + 1


@given(texts)
@example("100%, %0A is no line, %25 no sign")
def test_any_message_is_one_command(message: str) -> None:
    """Invisible characters are escaped."""
    stream = io.StringIO()
    job(stream).annotate("error", message)
    assert obeyed(stream) == [Command("error", {}, escape_invisible(message))]


names = texts.filter(lambda name: name.strip() not in {"", ".", ".."} and "\0" not in name)


@given(names.map(lambda name: name.strip().replace("/", "")).filter(lambda name: name.strip(".")))
def test_any_file_name_is_annotated(name: str) -> None:
    """With its line; invisible characters are escaped."""
    stream = io.StringIO()
    workspace = {**ANYWHERE, "GITHUB_WORKSPACE": "/nowhere/work"}
    job(stream, workspace).annotate("warning", "m", f"/nowhere/work/{name}", 7)
    assert obeyed(stream) == [
        Command("warning", {"file": escape_invisible(name), "line": "7"}, "m")
    ]


def test_annotated_file_is_relative_to_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: io.StringIO
) -> None:
    """Also from a subfolder, or if the workspace is reached by a link."""
    (tmp_path / "real" / "web").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path / "real" / "web")
    here = job(stream, {**ANYWHERE, "GITHUB_WORKSPACE": str(tmp_path / "link")})
    here.annotate("error", "m", tmp_path / "real" / "web" / "a.py", 3)
    here.annotate("error", "m", "a.py")
    facts = [command.facts for command in obeyed(stream)]
    assert facts == [{"file": "web/a.py", "line": "3"}, {"file": "web/a.py"}]


def test_file_outside_the_workspace_is_named_in_the_message(
    tmp_path: Path, stream: io.StringIO
) -> None:
    """GitHub has no page for it."""
    here = job(stream, {**ANYWHERE, "GITHUB_WORKSPACE": str(tmp_path / "work")})
    here.annotate("error", "m", tmp_path / "a.py", 3)
    assert obeyed(stream) == [Command("error", {}, f"{tmp_path}/a.py: m")]


def test_each_line_of_a_secret_is_masked(stream: io.StringIO) -> None:
    """Except empty lines."""
    job(stream).mask("50%: a\r\n\r\n \n\tb\n")
    assert obeyed(stream) == [Command("add-mask", {}, "50%: a"), Command("add-mask", {}, "\tb")]


@pytest.mark.parametrize("secret", ["", " ", "\n", "\r\n\t"])
def test_empty_secret_is_not_masked(secret: str, stream: io.StringIO) -> None:
    """The runner would warn."""
    job(stream).mask(secret)
    assert stream.getvalue() == ""


def test_secret_is_masked_within_a_group(stream: io.StringIO) -> None:
    """Even after an unterminated line; later text stays inert."""
    here = job(stream)
    with here.group("title"):
        stream.write("50 %")
        here.mask("secret")
        print("::error::forged", file=stream)
    assert obeyed(stream)[1:] == [Command("add-mask", {}, "secret"), Command("endgroup", {}, "")]


@given(st.text(), st.text())
@example("a\nend-0\n", "=<<x\n\n")
@example("\r\n", "")
def test_any_output_value_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, one: str, other: str
) -> None:
    """With any lines, and followed by another output."""
    file = tmp_path_factory.getbasetemp() / "any_output"
    file.unlink(missing_ok=True)
    here = job(io.StringIO(), {**ANYWHERE, "GITHUB_OUTPUT": str(file)})
    here.output("one", one)
    here.output("number", 12)
    here.output("other", other)
    written = file.read_bytes().decode()
    assert read_outputs(written) == {"one": one, "number": "12", "other": other}


def test_invalid_utf8_is_escaped(tmp_path: Path) -> None:
    """In outputs and in the summary."""
    file = tmp_path / "file"
    here = job(
        io.StringIO(), {**ANYWHERE, "GITHUB_OUTPUT": str(file), "GITHUB_STEP_SUMMARY": str(file)}
    )
    here.output("name", "a\udc80")
    here.add_summary("b\udc80")
    assert read_outputs(file.read_text().removesuffix("b\\udc80\n")) == {"name": "a\\udc80"}


def write_summary(tmp_path: Path, *parts: str) -> bytes:
    file = tmp_path / "summary.md"
    here = job(io.StringIO(), {**ANYWHERE, "GITHUB_STEP_SUMMARY": str(file)})
    for part in parts:
        here.add_summary(part)
    return file.read_bytes()


def test_summary_is_appended(tmp_path: Path) -> None:
    """On lines of its own."""
    assert write_summary(tmp_path, "größe", "two") == "größe\ntwo\n".encode()


def test_summary_of_the_maximum_size_is_complete(tmp_path: Path) -> None:
    """The limit is in bytes, below the runner's."""
    written = write_summary(tmp_path, "ä" * (MAX_SUMMARY_BYTES // 2 - 1) + "x")
    assert len(written) == MAX_SUMMARY_BYTES < MIB
    assert written.endswith(b"x\n")


def test_long_summary_is_cut_at_a_line_end(tmp_path: Path) -> None:
    """Its last line says so, and nothing is added later."""
    lines = [f"{number} größer als der Kreis" for number in range(50_000)]
    written = write_summary(tmp_path, "first", "\n".join(lines), "later\n" * 100)
    assert MAX_SUMMARY_BYTES - 200 < len(written) <= MAX_SUMMARY_BYTES
    stored, _, rest = written.partition(TRUNCATION_NOTICE)
    assert rest == b""
    assert stored.decode().split("\n") == ["first", *lines[: stored.count(b"\n") - 1], ""]


def test_line_longer_than_the_limit_is_left_out(tmp_path: Path) -> None:
    """The omission is reported."""
    assert write_summary(tmp_path, "first", "x" * MIB) == b"first\n" + TRUNCATION_NOTICE


def test_each_report_file_has_its_own_name(tmp_path: Path) -> None:
    """Two steps of a job each write a report."""
    here = job(io.StringIO(), {**ANYWHERE, "RUNNER_TEMP": str(tmp_path)})
    facts = [{"path": "größe"}, {"path": "\udc80"}, {}]
    paths = [here.write_file("report.json", json.dumps(fact)) for fact in facts]
    names = ["feeder-report.json", "feeder-report-2.json", "feeder-report-3.json"]
    assert paths == [tmp_path / name for name in names]
    assert [json.loads((tmp_path / name).read_text()) for name in names] == facts


@pytest.mark.parametrize("value", [None, ""])
def test_runner_without_summary_files_gets_none(value: str | None, stream: io.StringIO) -> None:
    """Older runners; an empty variable counts as missing."""
    names = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP")
    here = job(stream, {**ANYWHERE, **({} if value is None else dict.fromkeys(names, value))})
    here.output("name", "value")
    here.add_summary("text")
    assert here.write_file("report.json", "{}") is None
    assert stream.getvalue() == ""


def test_unwritable_file_is_a_warning(tmp_path: Path, stream: io.StringIO) -> None:
    """The result of the run counts more."""
    names = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP")
    here = job(stream, {**ANYWHERE, **dict.fromkeys(names, str(tmp_path / "not" / "there"))})
    here.output("matrix", "value")
    here.add_summary("text")
    assert here.write_file("report.json", "{}") is None
    said = [(command.name, command.message.split(":")[0]) for command in obeyed(stream)]
    assert said == [
        ("warning", "The output matrix cannot be written"),
        ("warning", "The job summary cannot be written"),
        ("warning", "The file report.json cannot be written"),
    ]


@given(hostile)
@example("::error::a\r ::error::b\n###[error]c")
@example("\u00ad:\u200b:error::a\n#\u00ad#\u200b[error]b")
def test_inert_text_contains_no_command(text: str) -> None:
    """In either form, with invisible characters in between."""
    inert = job(io.StringIO()).neutralize_commands(text)
    assert Runner().read(inert) == Runner(careless=True).read(inert) == []


@given(st.lists(hostile))
def test_inert_json_has_the_same_value(facts: list[str]) -> None:
    line = json.dumps(facts, ensure_ascii=False, indent=2)
    inert = job(io.StringIO()).neutralize_commands(line)
    assert json.loads(inert) == facts
    assert Runner(careless=True).read(inert) == []


def test_ordinary_text_is_unchanged() -> None:
    """Colons and other characters that form no command stay."""
    text = "std::vector, a: b\n  - # 12 ## x [y]\n:: "
    assert (
        job(io.StringIO()).neutralize_commands(text)
        == "std::vector, a: b\n  - # 12 ## x [y]\n\\u003a: "
    )


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("größe 東京 🙂", "größe 東京 🙂"),
        ("a\tb\x1b[0m", r"a\tb\x1b[0m"),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("a\u200bb\u2028\ufeff", r"a\u200bb\u2028\ufeff"),
        ("\udc80", r"\udc80"),
        ("a\r\nb", "a\r\nb"),
    ],
)
def test_invisible_characters_are_escaped(text: str, seen: str) -> None:
    """Control characters, direction marks, zero-width characters and invalid bytes."""
    assert escape_invisible(text) == seen

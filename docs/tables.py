"""Generates the tables of the pages from the program and action.yml.

A table stands between `<!-- table: settings -->` and `<!-- end -->`. Arguments are the pages to
rewrite; without any, all pages are rewritten.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import yaml

from feeder.cli.main import cli
from feeder.mcp.clients.known_clients import CLIENTS, Kind, expand_path

ROOT = Path(__file__).resolve().parents[1]
MARKED = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
WORD = re.compile(r"\.?[\w<>]+(?:[./][\w<>]+)*/?")

Row = tuple[str, ...]


def commands() -> Iterator[Row]:
    """Yields each command with its required arguments, and what it does."""
    yield "command", "what it does"
    for name, command in cli.load_commands().items():
        needed = filter(None, (_needed(parameter) for parameter in command.params))
        yield _code(" ".join(["feeder", name, *needed])), _prose(command.help or "")


def settings() -> Iterator[Row]:
    """Yields each option that has an environment variable, but for `action`, which has inputs."""
    yield "option", "environment", "what it does"
    by_variables: dict[str, click.Option] = {}
    flags: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for name, command in cli.load_commands().items():
        options = [
            param for param in command.params if isinstance(param, click.Option) and param.envvar
        ]
        for option in options if name != "action" else ():
            variables = ", ".join(map(_code, _twins(option)))
            by_variables.setdefault(variables, option)
            flags[variables].update(dict.fromkeys(_flags(option)))
    for variables, option in by_variables.items():
        default = f" Default: {option.default:,}." if option.show_default else ""
        yield ", ".join(flags[variables]), variables, _prose(option.help or "") + default


def inputs() -> Iterator[Row]:
    """Yields the action's inputs."""
    yield "input", "what it does", "default"
    for name, entry in _action()["inputs"].items():
        yield _code(name), _prose(entry["description"]), _code(entry["default"])


def outputs() -> Iterator[Row]:
    """Yields the action's outputs."""
    yield "output", "what it is"
    for name, entry in _action()["outputs"].items():
        yield _code(name), _prose(entry["description"])


def clients() -> Iterator[Row]:
    """Yields the clients that `feeder mcp install` knows, with the files of each."""
    kinds: tuple[Kind, ...] = ("instructions", "skill", "agent")
    yield "client", "`--client`", "user file", "project file", "instructions", "skill", "sub-agent"
    for client in CLIENTS.values():
        server = (_file(client.files["server"].get(scope)) or "—" for scope in ("user", "project"))
        also = (_files(client.files[kind]) or "—" for kind in kinds)
        yield client.title, _code(client.name), *server, *also


def _files(files: Mapping[Any, Sequence[str]]) -> str:
    return ", ".join(filter(None, (_file(files.get(scope)) for scope in ("user", "project"))))


def _file(written: Sequence[str] | None) -> str:
    """Formats a path as it is on Linux with no variable set; of several the first."""
    return _code(expand_path(written[0], {}, "linux")) if written else ""


TABLES: dict[str, Callable[[], Iterator[Row]]] = {
    table.__name__: table for table in (commands, settings, inputs, outputs, clients)
}


def filled(page: str) -> str:
    """Returns the page with each marked table regenerated; raises KeyError for an unknown table."""
    return MARKED.sub(lambda match: f"{match[1]}{_markdown(TABLES[match[2]]())}{match[3]}", page)


def _markdown(rows: Iterable[Row]) -> str:
    head, *body = rows
    lines = (f"| {' | '.join(cells)} |\n" for cells in (head, ["---"] * len(head), *body))
    return f"\n{''.join(lines)}\n"


def _action() -> Any:
    return yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def _needed(parameter: click.Parameter) -> str:
    """Formats a required parameter; returns an empty string for an optional one."""
    if not parameter.required:
        return ""
    value = _value(parameter)
    if isinstance(parameter, click.Argument):
        return value
    several = " …" if parameter.multiple else ""
    return f"{parameter.opts[0]} {value}{several}" if value != parameter.opts[0].upper() else value


def _flags(option: click.Option) -> list[str]:
    names = [name for name in (*option.opts, *option.secondary_opts) if name.startswith("--")]
    if option.is_flag:
        return list(map(_code, names))
    return [_code(f"{names[-1]} {_value(option)}")]


def _value(parameter: click.Parameter) -> str:
    """Returns the placeholder of a value: its choices, its kind, or the last word of the name."""
    match parameter.type:
        case click.Choice(choices=choices):
            return "|".join(choices)
        case click.IntRange():
            return "N"
        case click.Path(dir_okay=False):
            return "FILE"
        case click.Path(file_okay=False):
            return "FOLDER"
    return parameter.metavar or parameter.opts[-1].rpartition("-")[2].upper()


def _twins(option: click.Option) -> list[str]:
    named = option.envvar or ()
    return [named] if isinstance(named, str) else list(named)


def _code(text: str) -> str:
    return f"`{text}`".replace("|", r"\|") if text else ""


def _prose(text: str) -> str:
    """Formats a help text's first paragraph as a cell; names of files and variables are code."""
    line = " ".join(text.partition("\n\n")[0].split())
    parts = line.split("`")
    parts[::2] = [WORD.sub(_named, part).replace("|", r"\|") for part in parts[::2]]
    return "`".join(parts)


def _named(word: re.Match[str]) -> str:
    return _code(word[0]) if re.search("[._/<]", word[0]) else word[0]


def main() -> None:
    """Rewrites the given pages, or all."""
    every = (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
    pages = [Path(page) for page in sys.argv[1:]] or every
    for page in pages:
        text = page.read_text("utf-8")
        if (now := filled(text)) != text:
            page.write_text(now, "utf-8")


if __name__ == "__main__":
    main()

"""The repository whose index is counted: the same files and commit on every machine."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

EDITED = "python/module_0.py"
_VOCABULARY = """
account address amount archive article balance basket batch branch budget buffer cache carrier
catalog channel charge client column config contract coupon courier currency customer delivery
discount document envoy event export field filter folder gateway header history import invoice
ledger letter locale margin market member message method module network notice number offer
option order packet parcel parser payment period person policy portal price printer product
profile purchase quantity queue rebate receipt record refund region report request return route
schema section sender session shipment source station status stock storage supplier table target
tariff ticket token total transfer update value vendor voucher warehouse window
"""
_WORDS = _VOCABULARY.split()
_WRITTEN_S = 1_700_000_000
_EDITED_S = _WRITTEN_S + 3_600
_DATE = {"GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000"}


class _Numbers:
    """A linear congruential generator, whose numbers are the same in every version of Python."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def below(self, limit: int) -> int:
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self._state >> 33) % limit

    def words(self, count: int) -> list[str]:
        return [_WORDS[self.below(len(_WORDS))] for _ in range(count)]


def _python(numbers: _Numbers) -> str:
    kind, *names = numbers.words(7)
    methods = "".join(
        f"    def {name}_{other}(self, {other}, count={numbers.below(90)}):\n"
        f'        """Returns the {" ".join(numbers.words(6))}."""\n'
        f"        {name} = self.{kind}.get({other}, count)\n"
        f"        if {name} is None:\n            raise KeyError({other!r})\n"
        f"        return {name} * {numbers.below(900)}\n\n"
        for name, other in zip(names, reversed(names), strict=True)
    )
    text = " ".join(numbers.words(9))
    return f'"""The {text}."""\n\nimport json\n\n\nclass {kind.title()}Book:\n{methods}'


def _typescript(numbers: _Numbers) -> str:
    kind, *names = numbers.words(6)
    title = kind.title()
    functions = "".join(
        f"/** The {' '.join(numbers.words(7))}. */\n"
        f"export function {name}{title}{at}({kind}: string, limit = {numbers.below(50)}) {{\n"
        f'  const {name}List = [{kind}, "{" ".join(numbers.words(2))}"];\n'
        f"  return {name}List.filter((one) => one.length > limit);\n}}\n\n"
        for at, name in enumerate(names)
    )
    return f"interface {title} {{\n  name: string;\n  size: number;\n}}\n\n{functions}"


def _go(numbers: _Numbers) -> str:
    kind, *names = numbers.words(6)
    functions = "".join(
        f"// {name.title()}{at} returns the {' '.join(numbers.words(5))}.\n"
        f"func (b *{kind.title()}) {name.title()}{at}({kind} string) int {{\n"
        f"\tif len({kind}) > {numbers.below(40)} {{\n\t\treturn b.size\n\t}}\n\treturn 0\n}}\n\n"
        for at, name in enumerate(names)
    )
    return f"package shop\n\ntype {kind.title()} struct {{\n\tsize int\n}}\n\n{functions}"


def _java(numbers: _Numbers) -> str:
    kind, *names = numbers.words(6)
    methods = "".join(
        f"    /** The {' '.join(numbers.words(6))}. */\n"
        f"    public int {name}Of{at}(String {kind}) {{\n"
        f"        return {kind}.length() + {numbers.below(70)};\n    }}\n\n"
        for at, name in enumerate(names)
    )
    return f"package shop;\n\npublic class {kind.title()}Service {{\n{methods}}}\n"


def _markdown(numbers: _Numbers) -> str:
    sections = (
        f"## {' '.join(numbers.words(2)).capitalize()}\n\n"
        f"{' '.join(numbers.words(25)).capitalize()}.\n\n"
        f"    run {' --'.join(numbers.words(3))}\n"
        for _ in range(6)
    )
    return f"# {' '.join(numbers.words(3)).capitalize()}\n\n" + "\n".join(sections)


def _json(numbers: _Numbers) -> str:
    entries = ",\n".join(
        f'  "{name}_{at}": {{"size": {numbers.below(999)}, "name": "{" ".join(numbers.words(3))}"}}'
        for at, name in enumerate(numbers.words(8))
    )
    return f"{{\n{entries}\n}}\n"


def _yaml(numbers: _Numbers) -> str:
    return "\n".join(
        f"{name}_{at}:\n  size: {numbers.below(999)}\n  name: {' '.join(numbers.words(3))}"
        for at, name in enumerate(numbers.words(8))
    )


def _text(numbers: _Numbers) -> str:
    return "\n".join(f"{' '.join(numbers.words(11)).capitalize()}." for _ in range(30))


_LANGUAGES: dict[str, tuple[str, int, Callable[[_Numbers], str]]] = {
    "python": ("py", 14, _python),
    "typescript": ("ts", 10, _typescript),
    "go": ("go", 8, _go),
    "java": ("java", 8, _java),
    "guide": ("md", 8, _markdown),
    "settings": ("json", 5, _json),
    "deploy": ("yaml", 4, _yaml),
    "notes": ("txt", 3, _text),
}
"""By folder: extension, number of files, and the function that generates one."""


def generated_files(seed: int) -> dict[str, str]:
    """Returns texts by path: 60 files in eight languages, equal for equal seeds."""
    numbers = _Numbers(seed)
    return {
        f"{folder}/module_{at}.{extension}": generate(numbers)
        for folder, (extension, count, generate) in _LANGUAGES.items()
        for at in range(count)
    }


def make_repository(folder: Path) -> None:
    """Creates a repository with one commit of the generated files.

    Files and git's index are old: a run just after the commit does more, because a file may have
    been written in the same moment as the index.
    """
    for path, text in generated_files(26).items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        os.utime(file, (_WRITTEN_S, _WRITTEN_S))
    _git(folder, "init", "-q", "-b", "main")
    _git(folder, "add", "-A")
    _commit(folder)
    os.utime(folder / ".git/index", (_WRITTEN_S + 60, _WRITTEN_S + 60))


def edit_a_file(folder: Path) -> None:
    """Adds a function to a file and commits it."""
    with (folder / EDITED).open("ab") as file:
        file.write(b"\n\ndef added_function(parcel):\n    return parcel.weight\n")
    os.utime(folder / EDITED, (_EDITED_S, _EDITED_S))
    _commit(folder)
    os.utime(folder / ".git/index", (_EDITED_S + 60, _EDITED_S + 60))


def _commit(folder: Path) -> None:
    _git(folder, "commit", "-q", "--all", "-m", "a commit")


def _git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=counts", "-c", "user.email=counts@example.org")
    settings = (*identity, "-c", "core.autocrlf=false", "-c", "core.hooksPath=/dev/null")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", *settings, *arguments], cwd=folder, env=environment | _DATE, check=True)

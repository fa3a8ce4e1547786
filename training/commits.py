"""Builds pairs of commit subjects and the code that the commits changed.

    python commits.py SOURCES.tsv FOLDER [COMMITS] [SECONDS]

COMMITS and SECONDS limit the commits and the time per repository.
"""

import pickle
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from nodes import CODE, LEFT_OUT, TEST
from pairs import Pair
from snapshots import folder

_SKIPPED = re.compile(
    r"^(merge|bump|release|prepare|version|revert|update (dep|change|readme|version)|changelog"
    r"|chore|ci\b|docs?\b|style|typo|fix typo|format|wip|initial commit|apply|whitespace|clean ?up"
    r"|lint|pep8|cs fix|code review|review|\[ci|\[doc|build\()|typo|changelog|dependabot|copyright"
    r"|rubocop|phpcs|spelling|licen[sc]e|fix (cs|tests?|build|style)\b|^fix \S+$",
    re.I,
)
_KIND = re.compile(
    r"^\s*(feat|fix|perf|refactor|feature|bug|minor|major|improvement|test|breaking)"
    r"(\([^)]*\))?!?\s*:\s*",
    re.I,
)
_NUMBER = re.compile(r"\(?#\d+\)?|\b[A-Z]{2,}-\d+\b|\bGH-\d+|(fix(es)?|closes?|refs?) #?\d+", re.I)


class Hunk(NamedTuple):
    path: str
    lines: list[str]
    around: list[str]


def subject(line: str) -> str | None:
    """Cleans a commit's first line; None if it is not about code."""
    text = re.sub(r"^\s*(\[[^\]]*\]\s*)+", "", line)
    if _SKIPPED.search(text):
        return None
    text = re.sub(r"\s+", " ", _NUMBER.sub(" ", _KIND.sub("", text))).strip(" :.-")
    return text if len(re.findall("[A-Za-z]{2,}", text)) >= 4 and len(text) < 160 else None


def commits(repo: str, most: int, seconds: int) -> Iterator[tuple[str, list[Hunk]]]:
    """Yields each commit's first line and changed files, with added and context lines."""
    git = ["git", "--git-dir", str(folder(repo)), "log", "--no-merges", "-p", "-U3", "--no-renames"]
    command = [
        "timeout",
        str(seconds),
        *git,
        "--no-color",
        "-n",
        str(most),
        "--format=%x01%s",
        "HEAD",
    ]
    with subprocess.Popen(
        [*command, "HEAD", "--", *(f"*.{ending}" for ending in sorted(CODE))],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
    ) as process:  # fmt: skip
        assert process.stdout
        yield from _read(process.stdout)


def _read(lines: Iterable[str]) -> Iterator[tuple[str, list[Hunk]]]:
    said, files = "", list[Hunk]()
    for line in lines:
        if line[0] == "\1":
            if said:
                yield said, files
            said, files = line[1:].strip(), []
        elif line.startswith("+++ "):
            files.append(Hunk(line[6:].strip() if line.startswith("+++ b/") else "", [], []))
        elif files and len(files) < 6 and len(files[-1].lines) < 70:
            if line.startswith("@@"):
                files[-1].around.append(line.split("@@", 2)[-1].strip())
            elif line[0] in "+ ":
                files[-1].lines.append(line[1:].rstrip())
    if said:
        yield said, files


def pairs(repo: str, most: int, seconds: int) -> Iterator[Pair]:
    seen = set()
    for line, files in commits(repo, most, seconds):
        question = subject(line)
        if not question or question.lower() in seen or not 1 <= len(files) <= 4:
            continue
        seen.add(question.lower())
        code = [f for f in files if not LEFT_OUT.search(f.path) and not TEST.search(f.path)]
        code = [hunk for hunk in code if sum(map(len, hunk.lines)) > 80]
        if code:
            best = max(code, key=lambda hunk: len(hunk.lines))
            around = " ".join(filter(None, best.around))[:200]
            yield Pair("commit", question, f"{best.path} {around}", "\n".join(best.lines)[:1800])


def main() -> None:
    sources, into = Path(sys.argv[1]), Path(sys.argv[2])
    most, seconds = (int(word) for word in (sys.argv[3:5] or ("5000", "30")))
    into.mkdir(exist_ok=True)
    for line in sources.read_text().splitlines():
        repo = line.split("\t")[0]
        out = into / f"{repo.replace('/', '+')}.pkl"
        if not out.exists():
            found = [tuple(pair) for pair in pairs(repo, most, seconds)]
            out.write_bytes(pickle.dumps(found))
            print(repo, len(found), flush=True)


if __name__ == "__main__":
    main()

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

from nodes import CODE_ENDINGS, EXCLUDED, TEST
from pairs import Pair
from snapshots import git_folder

_SKIPPED_SUBJECTS = re.compile(
    r"^(merge|bump|release|prepare|version|revert|update (dep|change|readme|version)|changelog"
    r"|chore|ci\b|docs?\b|style|typo|fix typo|format|wip|initial commit|apply|whitespace|clean ?up"
    r"|lint|pep8|cs fix|code review|review|\[ci|\[doc|build\()|typo|changelog|dependabot|copyright"
    r"|rubocop|phpcs|spelling|licen[sc]e|fix (cs|tests?|build|style)\b|^fix \S+$",
    re.I,
)
_CONVENTIONAL_PREFIX = re.compile(
    r"^\s*(feat|fix|perf|refactor|feature|bug|minor|major|improvement|test|breaking)"
    r"(\([^)]*\))?!?\s*:\s*",
    re.I,
)
_ISSUE_NUMBER = re.compile(
    r"\(?#\d+\)?|\b[A-Z]{2,}-\d+\b|\bGH-\d+|(fix(es)?|closes?|refs?) #?\d+", re.I
)


class FileChange(NamedTuple):
    """A file in a commit: its added and context lines, and the headers of its hunks."""

    path: str
    lines: list[str]
    hunk_headers: list[str]


def subject(line: str) -> str | None:
    """Cleans a commit's first line; None if it is not about code."""
    text = re.sub(r"^\s*(\[[^\]]*\]\s*)+", "", line)
    if _SKIPPED_SUBJECTS.search(text):
        return None
    text = re.sub(r"\s+", " ", _ISSUE_NUMBER.sub(" ", _CONVENTIONAL_PREFIX.sub("", text))).strip(
        " :.-"
    )
    return text if len(re.findall("[A-Za-z]{2,}", text)) >= 4 and len(text) < 160 else None


def commits(repo: str, max_commits: int, seconds: int) -> Iterator[tuple[str, list[FileChange]]]:
    """Yields each commit's first line and changed files, with added and context lines."""
    git = ["timeout", str(seconds), "git", "--git-dir", str(git_folder(repo)), "log"]
    git += ["--no-merges", "-p", "-U3", "--no-renames", "--no-color", "-n", str(max_commits)]
    command = [*git, "--format=%x01%s", "HEAD"]
    with subprocess.Popen(
        [*command, "HEAD", "--", *(f"*.{suffix}" for suffix in sorted(CODE_ENDINGS))],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
    ) as process:  # fmt: skip
        assert process.stdout
        yield from _read(process.stdout)


def _read(lines: Iterable[str]) -> Iterator[tuple[str, list[FileChange]]]:
    subject_line, files = "", list[FileChange]()
    for line in lines:
        if line[0] == "\1":
            if subject_line:
                yield subject_line, files
            subject_line, files = line[1:].strip(), []
        elif line.startswith("+++ "):
            files.append(FileChange(line[6:].strip() if line.startswith("+++ b/") else "", [], []))
        elif files and len(files) < 6 and len(files[-1].lines) < 70:
            if line.startswith("@@"):
                files[-1].hunk_headers.append(line.split("@@", 2)[-1].strip())
            elif line[0] in "+ ":
                files[-1].lines.append(line[1:].rstrip())
    if subject_line:
        yield subject_line, files


def pairs(repo: str, max_commits: int, seconds: int) -> Iterator[Pair]:
    seen = set()
    for subject_line, files in commits(repo, max_commits, seconds):
        query = subject(subject_line)
        if not query or query.lower() in seen or not 1 <= len(files) <= 4:
            continue
        seen.add(query.lower())
        code = [
            file for file in files if not EXCLUDED.search(file.path) and not TEST.search(file.path)
        ]
        code = [file for file in code if sum(map(len, file.lines)) > 80]
        if code:
            largest = max(code, key=lambda file: len(file.lines))
            headers = " ".join(filter(None, largest.hunk_headers))[:200]
            yield Pair(
                "commit", query, f"{largest.path} {headers}", "\n".join(largest.lines)[:1800]
            )


def main() -> None:
    sources, folder = Path(sys.argv[1]), Path(sys.argv[2])
    max_commits, seconds = (int(word) for word in (sys.argv[3:5] or ("5000", "30")))
    folder.mkdir(exist_ok=True)
    for line in sources.read_text().splitlines():
        repo = line.split("\t")[0]
        out = folder / f"{repo.replace('/', '+')}.pkl"
        if not out.exists():
            repo_pairs = [tuple(pair) for pair in pairs(repo, max_commits, seconds)]
            out.write_bytes(pickle.dumps(repo_pairs))
            print(repo, len(repo_pairs), flush=True)


if __name__ == "__main__":
    main()

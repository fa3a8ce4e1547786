"""Builds training pairs (kind, query, name, body) from the nodes of the sources.

    python pairs.py NODES_FOLDER PAIRS_FOLDER

The queries are doc comments, comments above blocks, headings, test descriptions, and names split
into words; each is removed from the document that it is a query for.
`name` and `body` are the two fields that a node has in the index.
"""

import pickle
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from nodes import TEST, Row


class Pair(NamedTuple):
    """A query and the two fields of the document that answers it."""

    kind: str
    question: str
    name: str
    body: str


_HASH = {"ruby", "python", "bash", "shell", "php", "elixir"}
_DASH = {"sql", "lua", "haskell"}
_COMMENTS = {
    "//": re.compile(r"\s*((?:[ \t]*//[^\n]*\n?)+|/\*.*?\*/)", re.S),
    "#": re.compile(r"\s*((?:[ \t]*#(?!\[)[^\n]*\n?)+|/\*.*?\*/)", re.S),
    "--": re.compile(r"\s*((?:[ \t]*--[^\n]*\n?)+|\{-.*?-\}|/\*.*?\*/)", re.S),
}
_PYTHON = re.compile(r'[rRuU]?("""|\'\'\')(.*?)\1', re.S)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TAG = re.compile(r"</?(summary|p|b|i|em|strong|tt|br|ul|li|para|c|code|a|span|div)\b[^>]*>")
_STATEMENT = re.compile(r"[;={}]|\w\(|->|==")
_SENTENCE = re.compile(r"(?<=[a-z0-9)`'\"])[.!?](?=\s+[A-Z`]|$)")
_REST = re.compile(
    r"^\s*(@(?!brief|summary|desc|link|code|internal\b)\w+|[\\@](param|return|see|since|throws)"
    r"|:\w+[ \w]*:|(Args|Arguments|Param(eter)?s|Returns?|Raises|Yields|Examples?|Usage|Notes?"
    r"|See [Aa]lso|Throws|Errors|Panics|Safety|Attributes|Since|Authors?)\s*:?\s*$|#+ |```|~~~"
    r"|>>>|-{3,}|={3,}|\.\. |<param|<returns|<typeparam|<exception|<remarks|<example|<pre"
    r"|- [Pp]arameters?\b|- [Rr]eturns?\b|- [Tt]hrows\b)",
    re.M,
)
_JUNK = re.compile(
    r"copyright|licen[sc]e|\btodo\b|\bfixme\b|auto-?generated|do not edit|inheritdoc|\beslint\b"
    r"|^\W*see\b|^\W*@|#region|pragma|prettier-ignore|istanbul|noqa|type: ignore|nolint"
    r"|deprecated\.?$|non-javadoc|^\W*internal use|ts-ignore|clang-format"
    r"|^Construct(or|s)\b.{0,30}$|getter for|setter for|^\W*test\W*$",
    re.I,
)
_DULL = re.compile(
    r"changelog|\d+\.\d+\.\d+|release notes|licen[sc]e|contribut|^(usage|examples?|notes?|see also"
    r"|parameters|returns|methods|api|overview|introduction|installation|table of contents)$",
    re.I,
)
_SAYS = re.compile(
    r"\b(?:it|test|describe|should|context|specify|Deno\.test)\s*\(\s*[\"'`]([^\"'`\n]{15,160})"
    r"|^\s*(?:it|test|specify|context)\s+[\"']([^\"'\n]{15,160})[\"']\s+do",
    re.M,
)


def style(language: str) -> str:
    return "#" if language in _HASH else "--" if language in _DASH else "//"


def documented(language: str, text: str) -> tuple[str, str]:
    """Splits a definition into its doc comment and the remaining code."""
    if language == "python":
        found = _PYTHON.search(text)
        if found and text[: found.start()].rstrip().endswith(":"):
            return found[2], text[: found.start()] + text[found.end() :]
    comments, at = [], 0
    while (found := _COMMENTS[style(language)].match(text, at)) and found.end() > at:
        comments.append(found[1])
        at = found.end()
    return "\n".join(comments), text[at:].lstrip("\n")


def _bare(comment: str) -> str:
    """Removes the comment markers."""
    lines = []
    for raw in comment.replace("\r", "").split("\n"):
        line = re.sub(r"^\s*(/\*\*?!?|\*/|\*(?!\*)|///?/?!?|//!|#+!?|--+ ?\|?|\{-)\s?", "", raw)
        line = re.sub(r"(\*+/|-\})\s*$", "", line)
        lines.append(line.rstrip())
    return "\n".join(lines).strip()


def prose(comment: str) -> tuple[str, str]:
    """Returns the first paragraph of a comment as plain text, and the rest."""
    text = _bare(comment)
    text = _TAG.sub(" ", text)
    text = re.sub(r"^[\\@](brief|summary|desc(ription)?)\s+", "", text.strip())
    found = _REST.search(text)
    opening = (text[: found.start()] if found else text).strip()
    first, _, more = opening.partition("\n\n")
    return _plain(first), (more + "\n" + (text[found.start() :] if found else ""))[:600].strip()


def _plain(text: str) -> str:
    for sign, instead in (
        (r"\{@\w+\s+([^}]*)\}", r"\1"),
        (r"<see(also)? \w+=\"(?:[A-Z]:)?([^\"]*)\"\s*/?>", r"\2"),
        (r"<paramref name=\"([^\"]*)\"\s*/?>", r"\1"),
        (r"\b[LCIBUM]\{([^}]*)\}", r"\1"),
        (r":\w+:`~?([^`]*)`", r"\1"),
        (r"!?\[([^\]]*)\]\([^)]*\)", r"\1"),
        (r"https?://\S+", ""),
        (r"<[^<>]{0,80}>", " "),
        (r"\s+", " "),
    ):
        text = re.sub(sign, instead, text)
    return text.strip()


def good(question: str, least: int = 3) -> bool:
    """Returns True if a query is prose of enough words and not boilerplate."""
    found = re.findall(r"[A-Za-z]{2,}", question)
    share = sum(map(len, found)) / max(1, len(question.replace(" ", "")))
    return (
        len(found) >= least and len(question) >= 12 and share > 0.55 and not _JUNK.search(question)
    )


def _first(text: str, draw: random.Random) -> str:
    found = _SENTENCE.search(text)
    kept = text[: found.start()] if found and draw.random() < 0.65 else text
    return " ".join(kept.split()[:60])


def blocks(language: str, code: str) -> Iterator[tuple[str, str]]:
    """Yields the comments within code, each with the lines below it."""
    mark = style(language)
    lines = code.split("\n")
    at = 1
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].strip().startswith(mark):
            end += 1
        if end > at:
            below = end
            while below < min(len(lines), end + 14) and lines[below].strip():
                if lines[below].strip().startswith(mark):
                    break
                below += 1
            question, _ = prose("\n".join(lines[at:end]))
            told = good(question, 4) and len(question) < 400 and not _STATEMENT.search(question)
            if told and below - end >= 2:
                yield question, "\n".join(lines[end:below])
        at = max(end, at + 1)


def header(row: Row, name: str | None = None) -> str:
    """Returns the header line of a node's embedding input; see `feeder.nodes.embedding_input`."""
    called = row.name if name is None else name
    return f"{row.path} {row.language} {row.kind} {called}".rstrip()


def of_section(row: Row, draw: random.Random) -> Iterator[Pair]:
    titles = [t.strip() for t in re.split(r"\s+>\s+", row.name) if t.strip()]
    body = row.text.partition("\n")[2]
    body = body.strip(" \n=-~")
    if not titles or len(body) < 80 or _DULL.search(titles[-1]) or _DULL.search(row.path):
        return
    question = " ".join(titles[-2:] if draw.random() < 0.5 else titles[-1:])
    if re.search("[A-Za-z]{2,}", question):
        above = " > ".join(titles[:-1]) if draw.random() < 0.5 else ""
        yield Pair("md", question, header(row, above), body)
    text, _ = prose(body)
    if good(text, 6):
        sentence = _first(text, draw)
        rest = body[len(sentence) :]
        if len(rest) > 150:
            yield Pair("mdtext", sentence, header(row), rest)


def of_definition(row: Row, draw: random.Random) -> Iterator[Pair]:
    comment, code = documented(row.language, row.text)
    signature = "" if '"""' in row.signature else row.signature
    whole = f"{signature}\n{code}" if signature else code
    if comment:
        text, more = prose(comment)
        question = _first(text, draw)
        if good(text) and good(question) and len(code.strip()) > 25:
            kept = f"{whole}\n{more}" if more and draw.random() < 0.5 else whole
            yield Pair("doc" if row.kind == "method" else "cdoc", question, header(row), kept)
    if TEST.search(row.path):
        for found in list(_SAYS.finditer(row.text))[:3]:
            said = found[1] or found[2]
            if good(said, 4):
                yield Pair("test", said, header(row), row.text[found.end() : found.end() + 900])
    if row.kind != "method" or code.count("\n") < 4:
        return
    own = re.split(r"[.:#]+", row.name)
    pieces = _PART.findall(own[-1])
    if len(pieces) >= 2 and draw.random() < 0.45:
        hidden = re.sub(re.escape(own[-1]), " ", whole)
        outer = _PART.findall(own[-2]) if len(own) > 1 and draw.random() < 0.3 else []
        name = header(row, "") if draw.random() < 0.5 else ""
        yield Pair("name", " ".join(pieces + outer).lower(), name, hidden)
    for question, block in blocks(row.language, code):
        yield Pair("block", question, header(row) if draw.random() < 0.5 else "", block)


def pairs(rows: list[Row], seed: str) -> list[Pair]:
    draw = random.Random(seed)
    seen = set()
    found = []
    for row in rows:
        for pair in (of_section if row.kind == "md_section" else of_definition)(row, draw):
            key = (pair.kind[0], pair.question.lower())
            if key not in seen:
                seen.add(key)
                body = pair.body[:2200]
                found.append(pair._replace(question=pair.question[:500], body=body))
    return found


def _one(task: tuple[Path, Path]) -> tuple[str, Counter[str]]:
    source, into = task
    found = pairs([Row(*row) for row in pickle.loads(source.read_bytes())], source.stem)
    into.write_bytes(pickle.dumps([tuple(pair) for pair in found]))
    return source.stem, Counter(pair.kind for pair in found)


def main() -> None:
    nodes, into = Path(sys.argv[1]), Path(sys.argv[2])
    into.mkdir(exist_ok=True)
    tasks = [(path, into / path.name) for path in sorted(nodes.glob("*.pkl"))]
    total: Counter[str] = Counter()
    with ProcessPoolExecutor(2) as pool:
        for name, counts in pool.map(_one, [t for t in tasks if not t[1].exists()]):
            total += counts
            print(name, dict(counts), flush=True)
    print(dict(total), total.total())


if __name__ == "__main__":
    main()

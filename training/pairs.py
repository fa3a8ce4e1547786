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
    query: str
    name: str
    body: str


_HASH_LANGUAGES = {"ruby", "python", "bash", "shell", "php", "elixir"}
_DASH_LANGUAGES = {"sql", "lua", "haskell"}
_COMMENTS = {
    "//": re.compile(r"\s*((?:[ \t]*//[^\n]*\n?)+|/\*.*?\*/)", re.S),
    "#": re.compile(r"\s*((?:[ \t]*#(?!\[)[^\n]*\n?)+|/\*.*?\*/)", re.S),
    "--": re.compile(r"\s*((?:[ \t]*--[^\n]*\n?)+|\{-.*?-\}|/\*.*?\*/)", re.S),
}
_PYTHON = re.compile(r'[rRuU]?("""|\'\'\')(.*?)\1', re.S)
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TAG = re.compile(r"</?(summary|p|b|i|em|strong|tt|br|ul|li|para|c|code|a|span|div)\b[^>]*>")
_STATEMENT = re.compile(r"[;={}]|\w\(|->|==")
_SENTENCE = re.compile(r"(?<=[a-z0-9)`'\"])[.!?](?=\s+[A-Z`]|$)")
_TAGS_START = re.compile(
    r"^\s*(@(?!brief|summary|desc|link|code|internal\b)\w+|[\\@](param|return|see|since|throws)"
    r"|:\w+[ \w]*:|(Args|Arguments|Param(eter)?s|Returns?|Raises|Yields|Examples?|Usage|Notes?"
    r"|See [Aa]lso|Throws|Errors|Panics|Safety|Attributes|Since|Authors?)\s*:?\s*$|#+ |```|~~~"
    r"|>>>|-{3,}|={3,}|\.\. |<param|<returns|<typeparam|<exception|<remarks|<example|<pre"
    r"|- [Pp]arameters?\b|- [Rr]eturns?\b|- [Tt]hrows\b)",
    re.M,
)
_BOILERPLATE = re.compile(
    r"copyright|licen[sc]e|\btodo\b|\bfixme\b|auto-?generated|do not edit|inheritdoc|\beslint\b"
    r"|^\W*see\b|^\W*@|#region|pragma|prettier-ignore|istanbul|noqa|type: ignore|nolint"
    r"|deprecated\.?$|non-javadoc|^\W*internal use|ts-ignore|clang-format"
    r"|^Construct(or|s)\b.{0,30}$|getter for|setter for|^\W*test\W*$",
    re.I,
)
_GENERIC_HEADING = re.compile(
    r"changelog|\d+\.\d+\.\d+|release notes|licen[sc]e|contribut|^(usage|examples?|notes?|see also"
    r"|parameters|returns|methods|api|overview|introduction|installation|table of contents)$",
    re.I,
)
_TEST_DESCRIPTION = re.compile(
    r"\b(?:it|test|describe|should|context|specify|Deno\.test)\s*\(\s*[\"'`]([^\"'`\n]{15,160})"
    r"|^\s*(?:it|test|specify|context)\s+[\"']([^\"'\n]{15,160})[\"']\s+do",
    re.M,
)


def comment_marker(language: str) -> str:
    return "#" if language in _HASH_LANGUAGES else "--" if language in _DASH_LANGUAGES else "//"


def split_doc_comment(language: str, text: str) -> tuple[str, str]:
    """Splits a definition into its doc comment and the remaining code."""
    if language == "python":
        comment = _PYTHON.search(text)
        if comment and text[: comment.start()].rstrip().endswith(":"):
            return comment[2], text[: comment.start()] + text[comment.end() :]
    comments, at = [], 0
    while (comment := _COMMENTS[comment_marker(language)].match(text, at)) and comment.end() > at:
        comments.append(comment[1])
        at = comment.end()
    return "\n".join(comments), text[at:].lstrip("\n")


def _without_markers(comment: str) -> str:
    """Removes the comment markers."""
    lines = []
    for raw in comment.replace("\r", "").split("\n"):
        line = re.sub(r"^\s*(/\*\*?!?|\*/|\*(?!\*)|///?/?!?|//!|#+!?|--+ ?\|?|\{-)\s?", "", raw)
        line = re.sub(r"(\*+/|-\})\s*$", "", line)
        lines.append(line.rstrip())
    return "\n".join(lines).strip()


def first_paragraph(comment: str) -> tuple[str, str]:
    """Returns the first paragraph of a comment as plain text, and the rest."""
    text = _without_markers(comment)
    text = _TAG.sub(" ", text)
    text = re.sub(r"^[\\@](brief|summary|desc(ription)?)\s+", "", text.strip())
    tags = _TAGS_START.search(text)
    opening = (text[: tags.start()] if tags else text).strip()
    first, _, more = opening.partition("\n\n")
    return _plain_text(first), (more + "\n" + (text[tags.start() :] if tags else ""))[:600].strip()


def _plain_text(text: str) -> str:
    for pattern, replacement in (
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
        text = re.sub(pattern, replacement, text)
    return text.strip()


def is_prose(query: str, min_words: int = 3) -> bool:
    """Returns True if a query is prose of enough words and not boilerplate."""
    words = re.findall(r"[A-Za-z]{2,}", query)
    letter_share = sum(map(len, words)) / max(1, len(query.replace(" ", "")))
    return (
        len(words) >= min_words
        and len(query) >= 12
        and letter_share > 0.55
        and not _BOILERPLATE.search(query)
    )


def _first_sentence(text: str, draw: random.Random) -> str:
    end = _SENTENCE.search(text)
    sentence = text[: end.start()] if end and draw.random() < 0.65 else text
    return " ".join(sentence.split()[:60])


def commented_blocks(language: str, code: str) -> Iterator[tuple[str, str]]:
    """Yields the comments within code, each with the lines below it."""
    marker = comment_marker(language)
    lines = code.split("\n")
    at = 1
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].strip().startswith(marker):
            end += 1
        if end > at:
            below = end
            while below < min(len(lines), end + 14) and lines[below].strip():
                if lines[below].strip().startswith(marker):
                    break
                below += 1
            query, _ = first_paragraph("\n".join(lines[at:end]))
            is_description = (
                is_prose(query, 4) and len(query) < 400 and not _STATEMENT.search(query)
            )
            if is_description and below - end >= 2:
                yield query, "\n".join(lines[end:below])
        at = max(end, at + 1)


def header(row: Row, name: str | None = None) -> str:
    """Returns the header line of a node's embedding input; see `feeder.nodes.embedding_input`."""
    symbol = row.name if name is None else name
    return f"{row.path} {row.language} {row.kind} {symbol}".rstrip()


def section_pairs(row: Row, draw: random.Random) -> Iterator[Pair]:
    titles = [title.strip() for title in re.split(r"\s+>\s+", row.name) if title.strip()]
    body = row.text.partition("\n")[2]
    body = body.strip(" \n=-~")
    if (
        not titles
        or len(body) < 80
        or _GENERIC_HEADING.search(titles[-1])
        or _GENERIC_HEADING.search(row.path)
    ):
        return
    query = " ".join(titles[-2:] if draw.random() < 0.5 else titles[-1:])
    if re.search("[A-Za-z]{2,}", query):
        parent_titles = " > ".join(titles[:-1]) if draw.random() < 0.5 else ""
        yield Pair("md", query, header(row, parent_titles), body)
    text, _ = first_paragraph(body)
    if is_prose(text, 6):
        sentence = _first_sentence(text, draw)
        rest = body[len(sentence) :]
        if len(rest) > 150:
            yield Pair("mdtext", sentence, header(row), rest)


def definition_pairs(row: Row, draw: random.Random) -> Iterator[Pair]:
    comment, code = split_doc_comment(row.language, row.text)
    signature = "" if '"""' in row.signature else row.signature
    definition = f"{signature}\n{code}" if signature else code
    if comment:
        text, more = first_paragraph(comment)
        query = _first_sentence(text, draw)
        if is_prose(text) and is_prose(query) and len(code.strip()) > 25:
            body = f"{definition}\n{more}" if more and draw.random() < 0.5 else definition
            yield Pair("doc" if row.kind == "method" else "cdoc", query, header(row), body)
    if TEST.search(row.path):
        for match in list(_TEST_DESCRIPTION.finditer(row.text))[:3]:
            description = match[1] or match[2]
            if is_prose(description, 4):
                yield Pair(
                    "test", description, header(row), row.text[match.end() : match.end() + 900]
                )
    if row.kind != "method" or code.count("\n") < 4:
        return
    symbol_parts = re.split(r"[.:#]+", row.name)
    name_words = _NAME_PART.findall(symbol_parts[-1])
    if len(name_words) >= 2 and draw.random() < 0.45:
        code_without_name = re.sub(re.escape(symbol_parts[-1]), " ", definition)
        class_words = (
            _NAME_PART.findall(symbol_parts[-2])
            if len(symbol_parts) > 1 and draw.random() < 0.3
            else []
        )
        name = header(row, "") if draw.random() < 0.5 else ""
        yield Pair("name", " ".join(name_words + class_words).lower(), name, code_without_name)
    for query, block in commented_blocks(row.language, code):
        yield Pair("block", query, header(row) if draw.random() < 0.5 else "", block)


def pairs(rows: list[Row], seed: str) -> list[Pair]:
    draw = random.Random(seed)
    seen = set()
    unique = []
    for row in rows:
        for pair in (section_pairs if row.kind == "md_section" else definition_pairs)(row, draw):
            key = (pair.kind[0], pair.query.lower())
            if key not in seen:
                seen.add(key)
                body = pair.body[:2200]
                unique.append(pair._replace(query=pair.query[:500], body=body))
    return unique


def _pairs_of_file(task: tuple[Path, Path]) -> tuple[str, Counter[str]]:
    source, target = task
    file_pairs = pairs([Row(*row) for row in pickle.loads(source.read_bytes())], source.stem)
    target.write_bytes(pickle.dumps([tuple(pair) for pair in file_pairs]))
    return source.stem, Counter(pair.kind for pair in file_pairs)


def main() -> None:
    nodes, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    tasks = [(path, folder / path.name) for path in sorted(nodes.glob("*.pkl"))]
    total: Counter[str] = Counter()
    with ProcessPoolExecutor(2) as pool:
        for name, counts in pool.map(
            _pairs_of_file, [task for task in tasks if not task[1].exists()]
        ):
            total += counts
            print(name, dict(counts), flush=True)
    print(dict(total), total.total())


if __name__ == "__main__":
    main()

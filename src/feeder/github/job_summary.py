"""Renders the report of a run and of a validation as the markdown of a job summary."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from feeder.cloudflare.free_tier import format_percent
from feeder.errors import Interrupted, StoppedEarly, Superseded
from feeder.escaping import count_of
from feeder.github.job import escape_invisible
from feeder.nodes import NODE_TYPES

if TYPE_CHECKING:
    from feeder.github.impact_facts import ChangedDeclaration, ImpactFacts, ReferenceSite

MAX_SHOWN = 20
"""Items shown of each list; the rest is counted."""
MAX_CHARS = 200
"""Characters of a path or a sentence before it is cut."""

COMMENT_MARK = "<!-- feeder: impact -->"

_SERVICES = {"d1": "D1", "vectorize": "Vectorize", "ai": "Workers AI"}
_SHA = re.compile(r"[0-9a-f]{7,64}")
_MARKDOWN_SYNTAX = re.compile(
    r"[\\`*\[\]<>#|~&$@]|_(?![^\W_])|:(?=//)|(?<=www)\.|^(?:[-+=]|\d+(?=[.)]))", re.I
)
"""Characters that are markup in markdown or HTML, or may start a link."""


def summary(
    title: str,
    report: Mapping[str, Any] | None,
    verdict: Mapping[str, Any] | None,
    error: BaseException | None,
    *,
    part: str = "",
) -> str:
    """Returns markdown: how the run ended, then what changed, what it used, what was skipped.

    `report` and `verdict` are in the form of their `as_json`; `part` names the part of the source
    tree that the run was about, empty for all of it. The text is always far below 1 MiB.
    """
    blocks = [f"## {escape_markdown(title)}: {_state_text(report, verdict, error, part)}"]
    if error and str(error):
        blocks.append(
            _alert("WARNING" if isinstance(error, StoppedEarly) else "CAUTION", str(error))
        )
    if isinstance(error, Interrupted):
        blocks.append(_index_state(report))
    if report:
        blocks += _report_blocks(report)
    if verdict:
        blocks += _validation_section(verdict)
    return "\n\n".join(blocks) + "\n"


def impact_section(facts: "ImpactFacts") -> str:
    """Returns markdown for what a change touches.

    Paths and names are code spans; no line of a file is shown.
    """
    totals = facts.totals
    sections = (
        ("test file", " to run", totals.tests, [code_span(test.path) for test in facts.tests]),
        (
            "reference",
            " from elsewhere",
            totals.references,
            [_impact_reference(site, facts) for site in facts.references],
        ),
        (
            "changed declaration",
            "",
            totals.changed,
            [_changed_node(node) for node in facts.changed],
        ),
        (
            "line",
            " of documents",
            totals.documents,
            [
                f"{code_span(f'{line.path}:{line.line}')} names {code_span(facts.name_of(line.of))}"
                for line in facts.documents
            ],
        ),
        (
            "similar declaration",
            "",
            totals.similar,
            [
                f"{code_span(node.path)}: {code_span(node.symbol)} is like "
                f"{code_span(facts.name_of(node.of))}"
                for node in facts.similar
            ],
        ),
    )
    blocks = ["### What this change touches"]
    for noun, after, total, lines in sections:
        if lines:
            entries = _bullet_list(lines[:MAX_SHOWN], "item", total)
            title = f"{count_of(total, noun)}{after}"
            blocks.append(_details_block(title, entries, is_open=noun == "test file"))
    if len(blocks) == 1:
        blocks.append("No declaration is changed, and no test, reference or document is found.")
    if facts.at_least:
        blocks.append(
            f"References and tests may be missing: {code_span('feeder impact')} says what was not "
            "read."
        )
    return "\n\n".join(blocks) + "\n"


def impact_comment(facts: "ImpactFacts") -> str:
    """Returns markdown for a comment on the pull request; `COMMENT_MARK` at its start finds it."""
    note = (
        "Determined by the pull request's own workflow. Names and paths are those of the change; "
        "the lists are cut."
    )
    return f"{COMMENT_MARK}\n{impact_section(facts)}\n{note}\n"


def _changed_node(node: "ChangedDeclaration") -> str:
    note = ", its signature too" if node.signature_changed and node.change == "edited" else ""
    place = f"{node.path}:{node.start_line}"
    change = escape_markdown(node.change)
    return f"{code_span(node.name or place)} in {code_span(place)}: {change}{note}"


def _impact_reference(site: "ReferenceSite", facts: "ImpactFacts") -> str:
    note = "" if site.resolved else ", by name only"
    place, name = code_span(f"{site.path}:{site.line}"), code_span(facts.name_of(site.of))
    return f"{place}: {escape_markdown(site.kind)} of {name}{note}"


def escape_markdown(text: str, max_chars: int = MAX_CHARS) -> str:
    """Escapes text for one line of markdown that shows it literally, also in a table."""
    return _MARKDOWN_SYNTAX.sub(_html_entities, _one_line(text.strip(), max_chars))


def code_span(text: str) -> str:
    """Returns text as a code span, for a line of its own or a list; not for tables."""
    text = _one_line(text, MAX_CHARS) or " "
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    # markdown strips one blank at both ends, unless there is nothing else
    pad = " " if text.strip(" ") and {text[0], text[-1]} & {"`", " "} else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _one_line(text: str, max_chars: int) -> str:
    """One line without invisible characters, cut at `max_chars`."""
    text = escape_invisible(text[: max_chars + 1]).replace("\r", r"\r").replace("\n", r"\n")
    return text if len(text) <= max_chars else f"{text[: max_chars - 1]}…"


def _html_entities(match: re.Match[str]) -> str:
    return "".join(f"&#{ord(char)};" for char in match[0])


def _state_text(
    report: Mapping[str, Any] | None,
    verdict: Mapping[str, Any] | None,
    error: BaseException | None,
    part: str,
) -> str:
    if error:
        return _error_state(error)
    if verdict and not verdict["passed"]:
        failed = sum(not check["passed"] for check in verdict["checks"])
        return f"the index is not correct, {failed} of {_check_count(verdict)} failed"
    proof = f"{_check_count(verdict)} passed" if verdict else ""
    if not report:
        return f"the index is correct, {proof}" if proof else "nothing to do"
    goal = f"{part and f'{escape_markdown(part)} of '}{_commit_label(report['head'])}"
    if report["dry_run"]:
        return f"dry run for {goal}, nothing was written"
    if not report["finished"]:
        return f"stopped early, before the index was at {goal}"
    return f"the index {'has' if part else 'equals'} {goal}{proof and f', {proof}'}"


def _error_state(error: BaseException) -> str:
    if isinstance(error, Superseded):
        return "superseded by a later run"
    if isinstance(error, StoppedEarly):
        return "stopped early, the next run continues"
    if isinstance(error, Interrupted):
        return "cancelled, the next run continues"
    return "failed"


def _index_state(report: Mapping[str, Any] | None) -> str:
    """Describes what a cancelled run has left; its last batch may not be counted yet."""
    if not report or report["dry_run"]:
        return "Nothing was written: the index is unchanged."
    goal, written = _commit_label(report["head"]), report["files_processed"]
    if report["finished"]:
        return f"The run had finished: the index has everything of {goal} that it was to write."
    if not written:
        return f"The index is unchanged, or has the first files of {goal}."
    files = count_of(written, "file")
    return f"The index has at least {files} of {goal}; the other files are unchanged."


def _check_count(verdict: Mapping[str, Any]) -> str:
    return count_of(len(verdict["checks"]), "check")


def _commit_label(head: str) -> str:
    if not head:
        return "the folder"
    return f"`{head[:7]}`" if _SHA.fullmatch(head) else escape_markdown(head)


def _alert(kind: str, text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()][:MAX_SHOWN]
    return f"> [!{kind}]\n> {'<br>'.join(escape_markdown(line, 1000) for line in lines)}"


def _report_blocks(report: Mapping[str, Any]) -> Iterator[str]:
    heading = (
        f"Repository {escape_markdown(report['repo'])}, branch {escape_markdown(report['branch'])}"
    )
    yield f"{heading}, {_duration(report['seconds'])}."
    if report["notes"]:
        notes = [escape_markdown(note) for note in report["notes"][:MAX_SHOWN]]
        yield _bullet_list(notes, "note", len(report["notes"]))
    yield "### What would change" if report["dry_run"] else "### What changed"
    yield _change_list(report)
    yield from _node_type_chart(report)
    if report["usage"]:
        yield "### What it would use" if report["dry_run"] else "### What it used"
        yield _cost_table(report["usage"])
    yield from _skipped_section(report["skipped"])
    yield from _plain_text_section(report["as_plain_text"])
    yield from _unparsed_section(report["unparsed"])


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60:,} min {int(seconds) % 60} s"


def _change_list(report: Mapping[str, Any]) -> str:
    would = "would be " if report["dry_run"] else ""
    files = {
        f"{would}processed": report["files_processed"],
        f"{would}deleted": report["files_deleted"],
        "unchanged": report["files_unchanged"],
        "skipped": len(report["skipped"]),
    }
    nodes = {f"{would}added": report["nodes_new"], f"{would}deleted": report["nodes_deleted"]}
    vectors = {
        f"{would}computed": report["texts_embedded"],
        "from the cache": report["texts_cached"],
    }
    if report["texts_waiting"]:
        vectors["waiting for a later run"] = report["texts_waiting"]
    rows = {"Files": files, "Nodes": nodes, "Model vectors": vectors}
    return "\n".join(f"- **{label}:** {_number_list(row)}" for label, row in rows.items())


def _number_list(row: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {label}" for label, number in row.items())


def _node_type_chart(report: Mapping[str, Any]) -> Iterator[str]:
    """Draws a pie chart of node types if there are several; Mermaid rejects an empty one."""
    types = Counter({name: report["nodes_by_type"].get(name, 0) for name in NODE_TYPES})
    slices = [f'    "{name}" : {number}' for name, number in types.most_common() if number > 0]
    if len(slices) > 1:
        title = "Nodes to add, by type" if report["dry_run"] else "Nodes added, by type"
        yield "\n".join(["```mermaid", "pie showData", f"    title {title}", *slices, "```"])


def _cost_table(usage: Mapping[str, Any]) -> str:
    share = {name: format_percent(of_one) for name, of_one in usage["free_tier"].items()}
    size = f"{usage['database_bytes'] / 1e6:,.1f} MB"
    estimates = [
        ("Dimensions written", usage["dimensions"], f"{share['dimensions']} of a free store"),
        ("Tokens, about", usage["tokens"], ""),
        ("Neurons, about", usage["neurons"], f"{share['neurons']} of a day"),
    ]
    rows = [
        *_request_rows(usage),
        ("Rows written", f"{usage['rows_written']:,}", f"{share['rows_written']} of a day"),
        ("Rows read", f"{usage['rows_read']:,}", f"{share['rows_read']} of a day"),
        *((label, f"{number:,}", free) for label, number, free in estimates if number),
    ]
    if usage["database_bytes"]:
        rows.append(("Size of the database", size, f"{share['database_bytes']} of the size"))
    if usage["waited_s"] >= 1:
        rows.append(("Waited for services", _duration(usage["waited_s"]), ""))
    return _table(("", "Amount", "Free tier"), rows)


def _request_rows(usage: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for service, number in usage["requests"].items():
        retries = usage["retries"].get(service)
        again = f" ({retries:,} retried)" if retries else ""
        yield (
            f"Requests to {_SERVICES.get(service, escape_markdown(service))}",
            f"{number:,}{again}",
            "",
        )


def _skipped_section(reasons: Mapping[str, str]) -> Iterator[str]:
    """Lists skipped files by reason, the most frequent reason first."""
    if not reasons:
        return
    yield f"### Skipped: {count_of(len(reasons), 'file')}"
    paths = defaultdict(list)
    for path, reason in reasons.items():
        paths[reason].append(path)
    groups = sorted(paths.items(), key=lambda group: -len(group[1]))
    for reason, skipped in groups[:MAX_SHOWN]:
        yield _details_block(
            f"{count_of(len(skipped), 'file')}: {escape_markdown(reason)}",
            _bullet_list([code_span(path) for path in skipped[:MAX_SHOWN]], "file", len(skipped)),
        )
    if more := groups[MAX_SHOWN:]:
        files = count_of(sum(len(skipped) for _, skipped in more), "file")
        yield f"And {files} for {count_of(len(more), 'other reason')}."


def _plain_text_section(reasons: Mapping[str, str]) -> Iterator[str]:
    if reasons:
        yield f"### Indexed as plain text: {count_of(len(reasons), 'file')}"
        lines = [
            f"{code_span(path)}: {escape_markdown(reason)}"
            for path, reason in list(reasons.items())[:MAX_SHOWN]
        ]
        yield _bullet_list(lines, "file", len(reasons))


def _unparsed_section(ranges: Mapping[str, str]) -> Iterator[str]:
    """Lists files with lines that their grammar does not know."""
    if ranges:
        yield f"### Not parsed completely: {count_of(len(ranges), 'file')}"
        lines = [f"{code_span(path)}: {text}" for path, text in list(ranges.items())[:MAX_SHOWN]]
        yield _bullet_list(lines, "file", len(ranges))


def _validation_section(verdict: Mapping[str, Any]) -> Iterator[str]:
    checks = verdict["checks"]
    passed = sum(check["passed"] for check in checks)
    yield f"### Validation: {passed} of {_check_count(verdict)} passed"
    rows = [
        (
            "passed" if check["passed"] else "**failed**",
            escape_markdown(check["name"]),
            _figure_text(check),
        )
        for check in checks
    ]
    yield _table(("", "Check", "Figures"), rows)
    for check in checks:
        if differences := check["differences"]:
            title = f"{count_of(len(differences), 'difference')}: {escape_markdown(check['name'])}"
            lines = [code_span(line) for line in differences[:MAX_SHOWN]]
            yield _details_block(
                title, _bullet_list(lines, "difference", len(differences)), is_open=True
            )
    yield from map(escape_markdown, verdict["notes"])


def _figure_text(check: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{escape_markdown(name)} {number:,}" for name, number in check["figures"].items()
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are markdown without a bar; amounts are right-aligned."""
    lines = [head, ["---:" if name == "Amount" else "---" for name in head], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _bullet_list(lines: Sequence[str], noun: str, total: int) -> str:
    """Lists the given lines, and counts the rest of `total`."""
    shown = [f"- {line}" for line in lines]
    if more := total - len(lines):
        shown.append(f"- and {count_of(more, f'more {noun}')}")
    return "\n".join(shown)


def _details_block(title: str, content: str, *, is_open: bool = False) -> str:
    """Folds the content behind its title; empty lines around it make it markdown again."""
    opening = "<details open>" if is_open else "<details>"
    return f"{opening}<summary>{title}</summary>\n\n{content}\n\n</details>"

"""What shall a tired engineer see of a run on its page? The report and the verdict as markdown."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from feeder.actions.github import visible
from feeder.cloudflare.freetier import percent
from feeder.errors import Interrupted, StoppedEarly, Superseded
from feeder.nodes import NODE_TYPES

SHOWN = 20
"""Of each list; what follows is counted."""
LONGEST = 200
"""Characters of a path or a sentence before it is cut."""

_SERVICES = {"d1": "D1", "vectorize": "Vectorize", "ai": "Workers AI"}
_SHA = re.compile(r"[0-9a-f]{7,64}")
_ACTIVE = re.compile(
    r"[\\`*\[\]<>#|~&$@]|_(?![^\W_])|:(?=//)|(?<=www)\.|^(?:[-+=]|\d+(?=[.)]))", re.I
)
"""What means something in markdown or HTML, or may become a link."""


def summary(
    title: str,
    report: Mapping[str, Any] | None,
    verdict: Mapping[str, Any] | None,
    error: BaseException | None,
    *,
    part: str = "",
) -> str:
    """Markdown of a run: its state in the first line, then what changed, what it cost and why.

    `report` and `verdict` are as their `as_json` say, None where there is none; `part` names what
    the run was about when that is not the whole tree. Far below 1 MiB, whatever they hold.
    """
    blocks = [f"## {prose(title)}: {_state(report, verdict, error, part)}"]
    if error and str(error):
        blocks.append(
            _alert("WARNING" if isinstance(error, StoppedEarly) else "CAUTION", str(error))
        )
    if report:
        blocks += _account(report)
    if verdict:
        blocks += _parity(verdict)
    return "\n\n".join(blocks) + "\n"


def prose(text: str, longest: int = LONGEST) -> str:
    """Somebody's text as a line of markdown that shows just this text, in a table too."""
    return _ACTIVE.sub(_entities, _shown(text.strip(), longest))


def code(text: str) -> str:
    """Somebody's text as a span of code on a line of its own or in a list; not for tables."""
    text = _shown(text, LONGEST) or " "
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    # of blanks at both ends one is taken off, unless there is nothing else
    pad = " " if text.strip(" ") and {text[0], text[-1]} & {"`", " "} else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _shown(text: str, longest: int) -> str:
    """A line in which nothing hides, cut where it is too long."""
    text = visible(text[: longest + 1]).replace("\r", r"\r").replace("\n", r"\n")
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _entities(match: re.Match[str]) -> str:
    return "".join(f"&#{ord(char)};" for char in match[0])


def _state(
    report: Mapping[str, Any] | None,
    verdict: Mapping[str, Any] | None,
    error: BaseException | None,
    part: str,
) -> str:
    if error:
        return _ending(error)
    if verdict and not verdict["passed"]:
        failed = sum(not check["passed"] for check in verdict["checks"])
        return f"the index is not right, {failed} of {_checks(verdict)} failed"
    proof = f"{_checks(verdict)} passed" if verdict else ""
    if not report:
        return f"the index is right, {proof}" if proof else "nothing to do"
    goal = f"{part and f'{prose(part)} of '}{_commit(report['head'])}"
    if report["dry_run"]:
        return f"a plan for {goal}, nothing was written"
    if not report["finished"]:
        return f"stopped early on the way to {goal}"
    return f"the index {'has' if part else 'equals'} {goal}{proof and f', {proof}'}"


def _ending(error: BaseException) -> str:
    if isinstance(error, Superseded):
        return "gave way to a later run"
    if isinstance(error, StoppedEarly):
        return "stopped early, the next run goes on"
    if isinstance(error, Interrupted):
        return "interrupted, the next run goes on"
    return "failed"


def _checks(verdict: Mapping[str, Any]) -> str:
    return _counted(len(verdict["checks"]), "check")


def _commit(head: str) -> str:
    if not head:
        return "the folder"
    return f"`{head[:7]}`" if _SHA.fullmatch(head) else prose(head)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _alert(kind: str, text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()][:SHOWN]
    return f"> [!{kind}]\n> {'<br>'.join(prose(line, 1000) for line in lines)}"


def _account(report: Mapping[str, Any]) -> Iterator[str]:
    place = f"Repository {prose(report['repo'])}, branch {prose(report['branch'])}"
    yield f"{place}, {_duration(report['seconds'])}."
    if report["notes"]:
        notes = [prose(note) for note in report["notes"][:SHOWN]]
        yield _listed(notes, "note", len(report["notes"]))
    yield "### What would change" if report["dry_run"] else "### What changed"
    yield _changes(report)
    yield from _chart(report)
    if report["usage"]:
        yield "### What it would cost" if report["dry_run"] else "### What it cost"
        yield _costs(report["usage"])
    yield from _skipped(report["skipped"])
    yield from _plain_text(report["as_plain_text"])


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60:,} min {int(seconds) % 60} s"


def _changes(report: Mapping[str, Any]) -> str:
    would = "would be " if report["dry_run"] else ""
    files = {
        f"{would}processed": report["files_processed"],
        f"{would}deleted": report["files_deleted"],
        "unchanged": report["files_unchanged"],
        "skipped": len(report["skipped"]),
    }
    nodes = {f"{would}new": report["nodes_new"], f"{would}gone": report["nodes_deleted"]}
    texts = {
        f"{would}embedded": report["texts_embedded"],
        "from the cache": report["texts_cached"],
    }
    if report["texts_waiting"]:
        texts["waiting for a later run"] = report["texts_waiting"]
    rows = {"Files": files, "Nodes": nodes, "Texts": texts}
    return "\n".join(f"- **{what}:** {_numbers(row)}" for what, row in rows.items())


def _numbers(row: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {what}" for what, number in row.items())


def _chart(report: Mapping[str, Any]) -> Iterator[str]:
    """Slices for the types of nodes, where there are several; Mermaid draws none of nothing."""
    types = Counter({name: report["nodes_by_type"].get(name, 0) for name in NODE_TYPES})
    slices = [f'    "{name}" : {number}' for name, number in types.most_common() if number > 0]
    if len(slices) > 1:
        title = "Nodes that would be new, by type" if report["dry_run"] else "New nodes by type"
        yield "\n".join(["```mermaid", "pie showData", f"    title {title}", *slices, "```"])


def _costs(usage: Mapping[str, Any]) -> str:
    share = {name: percent(of_one) for name, of_one in usage["free_tier"].items()}
    size = f"{usage['database_bytes'] / 1e6:,.1f} MB"
    estimates = [
        ("Dimensions written", usage["dimensions"], f"{share['dimensions']} of a free store"),
        ("Tokens, about", usage["tokens"], ""),
        ("Neurons, about", usage["neurons"], f"{share['neurons']} of a day"),
    ]
    rows = [
        *_requests(usage),
        ("Rows written", f"{usage['rows_written']:,}", f"{share['rows_written']} of a day"),
        ("Rows read", f"{usage['rows_read']:,}", f"{share['rows_read']} of a day"),
        *((what, f"{number:,}", free) for what, number, free in estimates if number),
    ]
    if usage["database_bytes"]:
        rows.append(("Size of the database", size, f"{share['database_bytes']} of the size"))
    if usage["waited_s"] >= 1:
        rows.append(("Waited for services", _duration(usage["waited_s"]), ""))
    return _table(("", "Amount", "Free tier"), rows)


def _requests(usage: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for service, number in usage["requests"].items():
        retries = usage["retries"].get(service)
        again = f" ({retries:,} retried)" if retries else ""
        yield f"Requests to {_SERVICES.get(service, prose(service))}", f"{number:,}{again}", ""


def _skipped(reasons: Mapping[str, str]) -> Iterator[str]:
    """How many files for which reason, the most frequent first, with the first of each."""
    if not reasons:
        return
    yield f"### Skipped: {_counted(len(reasons), 'file')}"
    paths = defaultdict(list)
    for path, reason in reasons.items():
        paths[reason].append(path)
    groups = sorted(paths.items(), key=lambda group: -len(group[1]))
    for reason, skipped in groups[:SHOWN]:
        said = f"{_counted(len(skipped), 'file')}: {prose(reason)}"
        yield _folded(said, _listed([code(path) for path in skipped[:SHOWN]], "file", len(skipped)))
    if more := groups[SHOWN:]:
        files = _counted(sum(len(skipped) for _, skipped in more), "file")
        yield f"And {files} for {_counted(len(more), 'other reason')}."


def _plain_text(reasons: Mapping[str, str]) -> Iterator[str]:
    if reasons:
        yield f"### Taken as plain text: {_counted(len(reasons), 'file')}"
        lines = [f"{code(path)}: {prose(why)}" for path, why in list(reasons.items())[:SHOWN]]
        yield _listed(lines, "file", len(reasons))


def _parity(verdict: Mapping[str, Any]) -> Iterator[str]:
    checks = verdict["checks"]
    passed = sum(check["passed"] for check in checks)
    yield f"### Parity: {passed} of {_checks(verdict)} passed"
    rows = [
        ("passed" if check["passed"] else "**failed**", prose(check["name"]), _figures(check))
        for check in checks
    ]
    yield _table(("", "Check", "Figures"), rows)
    for check in checks:
        if differences := check["differences"]:
            said = f"{_counted(len(differences), 'difference')}: {prose(check['name'])}"
            lines = [code(line) for line in differences[:SHOWN]]
            yield _folded(said, _listed(lines, "difference", len(differences)), is_open=True)
    yield from map(prose, verdict["notes"])


def _figures(check: Mapping[str, Any]) -> str:
    return ", ".join(f"{prose(name)} {number:,}" for name, number in check["figures"].items())


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are markdown without a bar; amounts stand to the right."""
    lines = [head, ["---:" if name == "Amount" else "---" for name in head], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _listed(lines: Sequence[str], noun: str, total: int) -> str:
    """A list of the first lines, and how many more there are of `total`."""
    shown = [f"- {line}" for line in lines]
    if more := total - len(lines):
        shown.append(f"- and {_counted(more, f'more {noun}')}")
    return "\n".join(shown)


def _folded(said: str, content: str, *, is_open: bool = False) -> str:
    """The content behind a line; the empty lines around it make it markdown again."""
    opening = "<details open>" if is_open else "<details>"
    return f"{opening}<summary>{said}</summary>\n\n{content}\n\n</details>"

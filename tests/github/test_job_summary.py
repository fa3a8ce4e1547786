"""The job summary of a run, rendered by an independent markdown reader."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from feeder.cloudflare.free_tier import Usage
from feeder.errors import Interrupted, ServiceError, StoppedEarly, Superseded, UserError
from feeder.github.job import MAX_SUMMARY_BYTES, escape_invisible
from feeder.github.job_summary import code_span, escape_markdown, summary
from feeder.store.integrity import Damage
from feeder.sync.report import Check, Report, ValidationResult

SHA = "abc1234def5678900000000000000000000000ff"

markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
signs = st.sampled_from(
    [*"\\`*_{}[]<>()#+-=!|~&$@:/.1 \n\r\t", "\u202e", "&amp;", "```", "</code>"]
)
hostile = st.lists(st.one_of(signs, st.text(max_size=2)), max_size=20).map("".join)
words = hostile.filter(str.strip)


def report(**facts: Any) -> dict[str, Any]:
    """A report as in the JSON output, finished by default."""
    whole = Report("acme/shop", "main", **{"head": SHA, "finished": True, **facts})
    return dict(json.loads(json.dumps(whole.as_json())))


def verdict(*checks: Check) -> dict[str, Any]:
    return ValidationResult(list(checks), Damage()).as_json()


GOOD = Check("every node is in the word index", {"docs": 9200, "docs_fts": 9200}, [])
BAD = Check(
    "the index has the same files as HEAD", {"files": 3}, ["a.py: indexed, but not in HEAD"]
)


def first_line(*facts: Any, part: str = "") -> str:
    return summary("feeder", *facts, part=part).split("\n")[0]


def section(text: str, title: str) -> list[str]:
    """Returns the non-empty lines between a heading and the next one."""
    _, _, below = text.partition(f"### {title}\n")
    return [line for line in re.split("^### ", below, flags=re.M)[0].split("\n") if line]


def inline(tokens: Sequence[Token]) -> list[Token]:
    return [child for token in tokens for child in token.children or ()]


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ((report(), None, None), "the index equals `abc1234`"),
        ((report(), verdict(GOOD), None), "the index equals `abc1234`, 1 check passed"),
        ((report(head=""), None, None), "the index equals the folder"),
        ((report(dry_run=True), None, None), "dry run for `abc1234`, nothing was written"),
        ((report(finished=False), None, None), "stopped early, before the index was at `abc1234`"),
        ((report(), None, StoppedEarly("x")), "stopped early, the next run continues"),
        ((report(), None, Superseded("x")), "superseded by a later run"),
        ((None, None, Interrupted("x")), "cancelled, the next run continues"),
        ((report(), None, ServiceError("x")), "failed"),
        ((None, None, UserError("x")), "failed"),
        ((None, verdict(GOOD, GOOD), None), "the index is correct, 2 checks passed"),
        ((report(), verdict(GOOD, BAD), None), "the index is not correct, 1 of 2 checks failed"),
        ((None, None, None), "nothing to do"),
    ],
)
def test_first_line_is_the_state(facts: tuple[Any, ...], line: str) -> None:
    """In one sentence; failures come before changes."""
    assert first_line(*facts) == f"## feeder: {line}"


def test_partial_run_is_not_reported_as_the_whole() -> None:
    """The first line names the part."""
    line = first_line(report(), None, None, part="shard 3/16")
    assert line == "## feeder: the index has shard 3/16 of `abc1234`"


def test_changes_are_three_lines() -> None:
    """Files, nodes and texts, with thousands separators."""
    facts = report(
        files_processed=1204,
        files_deleted=1,
        files_unchanged=7,
        skipped={"a.png": "binary, by its name"},
        nodes_new=92000,
        nodes_deleted=4,
        texts_embedded=90000,
        texts_cached=2000,
        texts_waiting=5,
        seconds=83.2,
    )
    text = summary("feeder", facts, None, None)
    assert "Repository acme/shop, branch main, 1 min 23 s." in text
    assert section(text, "What changed") == [
        "- **Files:** 1,204 processed, 1 deleted, 7 unchanged, 1 skipped",
        "- **Nodes:** 92,000 added, 4 deleted",
        "- **Model vectors:** 90,000 computed, 2,000 from the cache, 5 waiting for a later run",
    ]


def test_dry_run_summary_is_in_the_conditional() -> None:
    facts = report(dry_run=True, files_processed=3, nodes_new=7, usage=Usage())
    text = summary("feeder", facts, None, None)
    assert section(text, "What would change")[0] == (
        "- **Files:** 3 would be processed, 0 would be deleted, 0 unchanged, 0 skipped"
    )
    assert section(text, "What it would use")


def test_nodes_by_type_are_a_chart() -> None:
    """Ordered by number, without zeros and other counts."""
    types = Counter({"chunk": 20, "method": 6000, "md_section": 0, 'x" : 1\n```': 5})
    lines = section(summary("feeder", report(nodes_by_type=types), None, None), "What changed")
    assert lines[3:] == [
        "```mermaid",
        "pie showData",
        "    title Nodes added, by type",
        '    "method" : 6000',
        '    "chunk" : 20',
        "```",
    ]


@pytest.mark.parametrize("types", [{}, {"method": 3}, {"method": 3, "chunk": 0}])
def test_single_node_type_has_no_chart(types: dict[str, int]) -> None:
    text = summary("feeder", report(nodes_by_type=Counter(types)), None, None)
    assert "mermaid" not in text


def test_costs_are_a_table_with_free_tier_shares() -> None:
    """Free per day: 100,000 rows written, 5,000,000 read, 10,000 neurons."""
    usage = Usage(
        requests={"d1": 12, "ai": 1204},
        retries={"d1": 2, "ai": 0},
        waited_s=12.4,
        rows_read=4210,
        rows_written=31500,
        dimensions=500_000,
        tokens=120_400,
        neurons=223.14,
        database_bytes=12_500_000,
    )
    assert section(summary("feeder", report(usage=usage), None, None), "What it used") == [
        "|  | Amount | Free tier |",
        "| --- | ---: | --- |",
        "| Requests to D1 | 12 (2 retried) |  |",
        "| Requests to Workers AI | 1,204 |  |",
        "| Rows written | 31,500 | 31.5 % of a day |",
        "| Rows read | 4,210 | below 0.1 % of a day |",
        "| Dimensions written | 500,000 | 10.0 % of a free store |",
        "| Tokens, about | 120,400 |  |",
        "| Neurons, about | 223.1 | 2.2 % of a day |",
        "| Size of the database | 12.5 MB | 2.5 % of the size |",
        "| Waited for services | 12.4 s |  |",
    ]


def test_local_index_has_no_cost_table() -> None:
    assert "cost" not in summary("feeder", report(), None, None)


def test_skipped_files_are_counted_by_reason() -> None:
    """The most frequent reason first, with its first 20 files."""
    skipped = {"yarn.lock": "a lock file"}
    skipped |= {f"{number:02}.png": "binary, by its name" for number in range(22)}
    lines = section(summary("feeder", report(skipped=skipped), None, None), "Skipped: 23 files")
    assert lines == [
        "<details><summary>22 files: binary, by its name</summary>",
        *(f"- `{number:02}.png`" for number in range(20)),
        "- and 2 more files",
        "</details>",
        "<details><summary>1 file: a lock file</summary>",
        "- `yarn.lock`",
        "</details>",
    ]


def test_rare_reasons_are_counted_together() -> None:
    """Beyond the first 20."""
    skipped = {f"{number}.png": f"reason {number}" for number in range(22)}
    text = summary("feeder", report(skipped=skipped), None, None)
    assert section(text, "Skipped: 22 files")[-1] == "And 2 files for 2 other reasons."


def test_files_as_plain_text_are_named_with_their_reasons() -> None:
    """20 of them."""
    reasons = {f"{number:02}.yaml": "the parser crashed" for number in range(21)}
    text = summary("feeder", report(as_plain_text=reasons), None, None)
    lines = section(text, "Indexed as plain text: 21 files")
    assert (lines[0], lines[20]) == ("- `00.yaml`: the parser crashed", "- and 1 more file")


def test_files_with_lines_that_no_grammar_knows_are_named() -> None:
    """20 of them."""
    unparsed = {f"{number:02}.py": "12-40,55" for number in range(21)}
    text = summary("feeder", report(unparsed=unparsed), None, None)
    lines = section(text, "Not parsed completely: 21 files")
    assert (lines[0], lines[20]) == ("- `00.py`: 12-40,55", "- and 1 more file")


def test_validation_is_a_table_of_checks() -> None:
    """With counts; differences are below."""
    text = summary("feeder", None, verdict(GOOD, BAD), None)
    assert section(text, "Validation: 1 of 2 checks passed") == [
        "|  | Check | Figures |",
        "| --- | --- | --- |",
        "| passed | every node is in the word index | docs 9,200, docs_fts 9,200 |",
        "| **failed** | the index has the same files as HEAD | files 3 |",
        "<details open><summary>1 difference: the index has the same files as HEAD</summary>",
        "- `a.py: indexed, but not in HEAD`",
        "</details>",
    ]


def test_notes_of_a_validation_are_below_it() -> None:
    proof = ValidationResult([GOOD], Damage(), ["Words were *not* compared."]).as_json()
    text = summary("feeder", None, proof, None)
    assert text.endswith("\n\nWords were &#42;not&#42; compared.\n")


def test_notes_and_errors_are_shown_unchanged() -> None:
    """An error keeps its lines; a stopped run is a warning."""
    text = summary("feeder", report(notes=["A *note*."]), None, UserError("One.\n\n<b>Two</b>"))
    assert "> [!CAUTION]\n> One.<br>&#60;b&#62;Two&#60;/b&#62;\n" in text
    assert "\n- A &#42;note&#42;.\n" in text
    assert "> [!WARNING]\n> Enough.\n" in summary("feeder", None, None, StoppedEarly("Enough."))


def test_any_summary_is_far_below_the_size_limit() -> None:
    """With any number of files and any names."""
    odd = "\u202e|`" * 1000
    many = {f"{number}{odd}": f"{odd}{number % 100}" for number in range(2_000)}
    bad = Check(odd, dict.fromkeys(("a", "b"), 1), list(many))
    facts = report(skipped=many, as_plain_text=many, notes=list(many))
    text = summary(odd, facts, verdict(*[bad] * 7), UserError("\n".join(many)))
    assert len(text.encode()) < MAX_SUMMARY_BYTES / 2
    skipped = {f"src/folder/file_{number}.png": "binary, by its name" for number in range(100_000)}
    assert len(summary("feeder", report(skipped=skipped), None, None)) < 2000


@pytest.mark.parametrize("frame", ["- {}", "- x{}", "## {}", "> {}", "| a |\n| --- |\n| {} |"])
@given(text=words)
@example(text="1. a")
@example(text="- a")
@example(text="https://evil.example www.evil.example <b>x</b> &amp; @you #1 __a__ a_b $x$")
def test_prose_is_escaped(frame: str, text: str) -> None:
    """It adds no markup and no line."""
    shown = escape_invisible(text.strip().replace("\r", r"\r").replace("\n", r"\n"))
    line = escape_markdown(text, 10_000)
    children = inline(markdown.parse(frame.format(line)))
    assert {child.type for child in children} <= {"text", "text_special"}
    said = "".join(child.content for child in children)
    assert (
        said.strip() == f"{'a' if frame[0] == '|' else 'x' if 'x' in frame else ''}{shown}".strip()
    )


def test_prose_makes_no_github_links() -> None:
    """GitHub links @names, #numbers and addresses, and renders formulas between $."""
    line = escape_markdown("@you #1 $x$ https://a.example www.a.example")
    assert not re.search(r"@|(?<!&)#|\$|://|www\.", line)


@given(hostile)
@example("`")
@example("")
@example("a`b``c")
@example(" a ")
@example("  ")
def test_code_is_escaped(text: str) -> None:
    """One code span in its list line, with any backticks."""
    shown = escape_invisible(text.replace("\r", r"\r").replace("\n", r"\n"))
    tokens = markdown.parse(f"<details>\n\n- {code_span(text)}: why\n\n</details>")
    spans = inline(tokens)
    assert [span.type for span in spans] == ["code_inline", "text"]
    assert [span.content for span in spans] == [shown or " ", ": why"]


@given(path=hostile, reason=words, note=words, error=words)
def test_repository_text_does_not_change_the_structure(
    path: str, reason: str, note: str, error: str
) -> None:
    """The blocks are those of an ordinary run."""

    def blocks(path: str, reason: str, note: str, error: str) -> list[tuple[str, str]]:
        checks = verdict(GOOD, Check(reason, {note: 1}, [path]))
        facts = report(
            notes=[note], skipped={path: reason}, as_plain_text={path: reason}, usage=Usage()
        )
        tokens = markdown.parse(summary("feeder", facts, checks, UserError(error)))
        return [(token.type, token.tag) for token in tokens]

    assert blocks(path, reason, note, error) == blocks("a", "a", "a", "a")

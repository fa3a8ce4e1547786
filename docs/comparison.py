"""Draws README's picture from the tables of the benchmark pages, and prints its figures.

    python docs/comparison.py [SVG]

SVG is the file to write; by default docs/pictures/comparison.svg.
"""

import re
import sys
from html import escape
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).resolve().parent
QUALITY, SPEED = DOCS / "benchmarks/search-quality.md", DOCS / "benchmarks/speed.md"
PICTURE = DOCS / "pictures/comparison.svg"
PEERS = ("CodeRankEmbed (137M parameters) with BM25", "Semble (static model, BM25, rules)")
PEERS += ("SIFS", "ColGREP", "BM25 alone", "grepai", "ripgrep")
"""The rows of the quality table that are drawn, as they begin."""
OWN_ROW, SET = "feeder, words and static vectors", "`repositories`"
WIDTH, ROW, TOP = 860, 24, 58
STYLE = """\
text { font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 14px } .note { font-size: 11px; fill: #59636e }
.peer { fill: #afb8c1 } .ours { fill: #0969da } .line { stroke: #59636e; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .note { fill: #9198a1 }
.peer { fill: #57606a } .ours { fill: #4493f8 } .line { stroke: #9198a1 } }
"""


class Bar(NamedTuple):
    """A labelled figure; `is_own` marks those of this program."""

    label: str
    value: float
    shown: str
    is_own: bool


def rows(page: Path, column: str) -> list[dict[str, str]]:
    """Returns the rows of a page's first table that has the column, by the names of its columns."""
    head: list[str] = []
    table: list[dict[str, str]] = []
    for line in page.read_text("utf-8").splitlines():
        cells = [cell.strip().replace("**", "") for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            if table:
                return table
            head = []
        elif not head:
            head = cells
        elif column in head and not set(line) <= set("|-: "):
            table.append(dict(zip(head, cells, strict=True)))
    return table


def quality() -> list[Bar]:
    """Returns NDCG@10 of each program, the highest first; raises LookupError for a missing row."""
    table = rows(QUALITY, "repositories")
    [own] = [row for row in table if row["program"] == OWN_ROW and SET in row["repositories"]]
    others = [next(row for row in table if row["program"].startswith(peer)) for peer in PEERS]
    bars = []
    for row in (own, *others):
        figure = row["NDCG@10"].split()[0]
        name = "feeder" if row is own else re.sub(r" \(.*?\)", "", row["program"])
        count = row["repositories"].split()[0].rstrip(";")
        bars.append(Bar(f"{name} ({count})", float(figure), figure, row is own))
    return sorted(bars, key=lambda bar: -bar.value)


def speed() -> list[Bar]:
    """Returns the time of the first index beside Semble's, for each corpus, the shortest first."""
    bars = []
    for row in rows(SPEED, "feeder ÷ Semble"):
        ratio = row["feeder ÷ Semble"]
        corpus, files, *_ = row.values()
        bars.append(Bar(f"{corpus} ({files} files)", float(ratio), ratio, True))
    return sorted(bars, key=lambda bar: bar.value)


def panel(bars: list[Bar], left: int, labels: int, bar_width: int, largest: float) -> list[str]:
    """Returns the SVG elements of labels, horizontal bars and figures, each in a column."""
    parts = []
    start = left + labels
    for number, bar in enumerate(bars):
        y = TOP + number * ROW
        wide = round(bar.value / largest * bar_width, 1)
        kind = "ours" if bar.is_own else "peer"
        weight = ' font-weight="600"' if bar.label.startswith("feeder") else ""
        parts += [
            f'<text x="{start - 8}" y="{y + 13}" text-anchor="end"{weight}>'
            f"{escape(bar.label)}</text>",
            f'<rect class="{kind}" x="{start}" y="{y}" width="{wide}" height="17" rx="2"/>',
            f'<text x="{start + bar_width + 8}" y="{y + 13}"{weight}>{escape(bar.shown)}</text>',
        ]
    return parts


def drawn(qualities: list[Bar], times: list[Bar]) -> str:
    """Returns the SVG with both panels."""
    height = TOP + max(len(qualities), len(times)) * ROW + 14
    second, labels, bar_width = 475, 145, 185
    largest = max(bar.value for bar in times)
    one = second + labels + bar_width / largest
    end = TOP + len(times) * ROW
    parts = [
        '<text class="title" x="8" y="20">Search quality (NDCG@10), more is better</text>',
        '<text class="note" x="8" y="38">queries of Semble\'s benchmark, over (n) '
        "repositories</text>",
        *panel(qualities, 0, 240, 165, 1),
        f'<text class="title" x="{second}" y="20">Time of the first index, less is better</text>',
        f'<text class="note" x="{second}" y="38">feeder with static vectors; 1 (dashed) is '
        "Semble's time</text>",
        *panel(times, second, labels, bar_width, largest),
        f'<line class="line" x1="{one:.1f}" y1="{TOP - 8}" x2="{one:.1f}" y2="{end}"/>',
    ]
    summary = "; ".join(f"{bar.label} {bar.shown}" for bar in (*qualities, *times))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" role="img">',
            f"<title>Search quality and time of the first index: {escape(summary)}</title>",
            f"<style>\n{STYLE}</style>",
            *parts,
            "</svg>\n",
        ]
    )


def main() -> None:
    """Writes the picture and prints its figures."""
    qualities, times = quality(), speed()
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    target.write_text(drawn(qualities, times), "utf-8")
    print("NDCG@10 (number of repositories)")
    for bar in qualities:
        print(f"  {bar.label:38} {bar.shown}")
    print("Time of the first index, feeder ÷ Semble")
    for bar in times:
        print(f"  {bar.label:38} {bar.shown}")


if __name__ == "__main__":
    main()

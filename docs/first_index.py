"""Draws README's picture from the table of first runs in the benchmarks, and prints its figures.

    python docs/first_index.py [SVG]

SVG is the file to write; by default docs/pictures/first-index.svg.
"""

import re
import sys
from html import escape
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).resolve().parent
SPEED = DOCS / "benchmarks/speed.md"
PICTURE = DOCS / "pictures/first-index.svg"
SECONDS = "with vectors, s"
PROJECT = re.compile(r"`([\w-]+?)(?:==|@|-source-)([\d.]+)`")
"""A corpus that is made of a single project, and its version."""
WIDTH, LABELS, BARS, ROW, TOP = 760, 300, 380, 28, 36
STYLE = """\
text { font: 14px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
.title { font-weight: 600 } rect { fill: #0969da }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #4493f8 } }
"""


class Bar(NamedTuple):
    """A project with the size of its files in MB, and the seconds of its first index."""

    label: str
    size: float
    seconds: str


def rows(column: str) -> list[dict[str, str]]:
    """Returns the rows of the page's first table with the column, by column.

    Of two columns with one name it takes the first. Raises StopIteration if there is no such table.
    """
    lines = SPEED.read_text("utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    start = next(at for at, row in enumerate(cells) if column in row)
    end = next(at for at in range(start, len(lines)) if not lines[at].startswith("|"))
    columns = cells[start][::-1]
    return [dict(zip(columns, row[::-1], strict=True)) for row in cells[start + 2 : end]]


def bars() -> list[Bar]:
    """Returns a bar for each corpus that is a single project, the smallest first."""
    seconds = {run["corpus"]: run[SECONDS] for run in rows(SECONDS)}
    found = []
    for corpus in rows("packages"):
        if made_of := PROJECT.fullmatch(corpus["packages"]):
            size = float(corpus["MB"])
            label = f"{made_of[1]} {made_of[2]}, {corpus['files']} files, {size:.0f} MB"
            found.append(Bar(label, size, seconds[corpus["corpus"]]))
    return sorted(found, key=lambda bar: bar.size)


def drawn(chart: list[Bar]) -> str:
    """Returns the SVG of a horizontal bar chart."""
    title = "Seconds from nothing to a searchable index, two cores"
    longest = max(float(bar.seconds) for bar in chart)
    parts = [f'<text class="title" x="8" y="20">{title}</text>']
    for number, bar in enumerate(chart):
        y = TOP + number * ROW
        wide = round(float(bar.seconds) / longest * BARS, 1)
        parts += [
            f'<text x="{LABELS - 8}" y="{y + 15}" text-anchor="end">{escape(bar.label)}</text>',
            f'<rect x="{LABELS}" y="{y}" width="{wide}" height="20" rx="2"/>',
            f'<text x="{LABELS + wide + 8}" y="{y + 15}">{bar.seconds} s</text>',
        ]
    height = TOP + len(chart) * ROW + 8
    summary = "; ".join(f"{bar.label}: {bar.seconds} s" for bar in chart)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" role="img">',
            f"<title>{title}: {escape(summary)}</title>",
            f"<style>\n{STYLE}</style>",
            *parts,
            "</svg>\n",
        ]
    )


def main() -> None:
    """Writes the picture and prints its figures."""
    chart = bars()
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    target.write_text(drawn(chart), "utf-8")
    for bar in chart:
        print(f"{bar.label:40} {bar.seconds}")


if __name__ == "__main__":
    main()

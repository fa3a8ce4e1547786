"""Pages of a PDF: running headers, tables, code and headings."""

import pytest

from parse import documents as docs
from parse.documents import Line, parsed

pytestmark = pytest.mark.needs("documents")

BODY = [
    [Line(line, y=700 - 12 * n) for n, line in enumerate(lines)]
    for lines in (
        ("The clock runs from the mains.", "It has a quartz for storms.", "Set it at noon."),
        ("The reset waits for power.", "A second is enough.", "Two are more."),
        ("The watchdog bites.", "Feed it every second.", "It never sleeps."),
        ("Errors are counted.", "The count is kept.", "None is lost."),
    )
]


def texts(pages: list[list[Line]]) -> list[str]:
    """Returns the text of each page."""
    return [node.text for node in parsed("m.pdf", docs.pdf(pages)).nodes]


def page(number: int, *more: Line) -> list[Line]:
    return [*more[:1], *BODY[number], *more[1:]]


def test_running_headers_and_footers_are_kept_once() -> None:
    pages = [
        page(n, Line("Clocks of the North", y=780), Line(f"Page {n + 7} of 12", y=60))
        for n in range(4)
    ]
    first, *others = texts(pages)
    assert first.startswith("Clocks of the North\n")
    assert first.endswith("\nPage 7 of 12")
    assert others == ["\n".join(line.text for line in body) for body in BODY[1:]]


def test_page_with_only_a_running_header_keeps_it() -> None:
    assert texts([[Line("Left blank.", y=780)]] * 2) == ["Left blank."] * 2


def test_left_and_right_pages_have_separate_running_headers() -> None:
    heads = ["2 About Clocks", "Chapter 1: Time 3", "4 About Clocks", "Chapter 1: Time 5"]
    found = texts([page(n, Line(head, y=780)) for n, head in enumerate(heads)])
    assert [head in text for head, text in zip(heads, found, strict=True)] == [
        *(True, True),
        *(False, False),
    ]


def test_number_that_is_no_page_number_is_no_running_header() -> None:
    heads = ["Invoice 40", "Invoice 43", "Invoice 51", "Invoice 52 of June"]
    found = texts([page(n, Line(head, y=780)) for n, head in enumerate(heads)])
    assert all(text.startswith(head) for head, text in zip(heads, found, strict=True))


def test_title_in_a_larger_font_is_no_running_header() -> None:
    found = texts([page(n, Line("Results", y=780, size=20)) for n in range(2)])
    assert [text.count("Results") for text in found] == [1, 1]


def test_repeated_text_line_is_no_running_header() -> None:
    pages = [[Line("See below.", y=712), *page(n)] for n in range(2)]
    assert all(text.startswith("See below.") for text in texts(pages))


def test_repeated_table_header_is_no_running_header() -> None:
    rows = [("Name", "Offset", 780), ("CTRL", "0x00", 752), ("STATUS", "0x04", 738)]
    rows += [("DATA", "0x08", 724)]
    cells = [(Line(name, y=y), Line(offset, 222, y)) for name, offset, y in rows]
    table = [cell for row in cells for cell in row]
    found = parsed("m.pdf", docs.pdf([[*table, *body] for body in BODY[:2]])).nodes
    tables = [node.text for node in found if node.node_type == "doc_table"]
    assert tables == ["\n".join(f"{name} | {offset}" for name, offset, _ in rows)] * 2


def test_one_or_two_monospaced_lines_stay_in_the_text() -> None:
    call = Line("halt (seconds)", y=712, font="Courier")
    aside = [Line("stop", y=664, font="Courier"), Line("go", y=652, font="Courier")]
    [node] = parsed("m.pdf", docs.pdf([[call, *BODY[0], *aside, Line("End.", y=640)]])).nodes
    words = [line.text for line in BODY[0]]
    assert node.text.split("\n") == ["halt (seconds)", *words, "stop", "go", "End."]


def test_leader_dots_are_shortened() -> None:
    lines = ["Install . . . . . . . . 3", "Power........ 4", "and so on ... 5"]
    [text] = texts([[Line(line, y=700 - 12 * n) for n, line in enumerate(lines)]])
    assert text.split("\n") == ["Install … 3", "Power … 4", "and so on ... 5"]


def test_line_numbers_are_not_part_of_the_code() -> None:
    code = ["def start():", "    wait()", "", "    return stop(1)", ""]
    page = [*BODY[0]]
    for n, line in enumerate(code):
        y = 640 - 12 * n
        text = line.lstrip()
        page.append(Line(str(n + 1), 40, y, size=8))
        page += [Line(text, 72 + 6 * (len(line) - len(text)), y, "Courier")] if text else []
    [block] = [node for node in parsed("m.pdf", docs.pdf([page])).nodes if "code" in node.node_type]
    assert block.text == "\n".join(code[:4])


def test_list_is_no_table() -> None:
    items = [(mark, f"Step {n}") for n, mark in enumerate(("1.", "2)", "(3)", "4."))]
    cells = [
        (Line(mark, 72, 640 - 12 * n), Line(step, 120, 640 - 12 * n))
        for n, (mark, step) in enumerate(items)
    ]
    found = parsed("m.pdf", docs.pdf([[*BODY[0], *(cell for row in cells for cell in row)]])).nodes
    assert "doc_table" not in {node.node_type for node in found}


def test_justified_lines_are_no_table() -> None:
    """The letter `m` is 8.33 points wide, a space 2.78."""
    page = [*BODY[0]]
    for n, count in enumerate((5, 10, 15)):
        y, right = 640 - 12 * n, 21 - count
        page.append(Line(" ".join(["mm"] * count), y=y))
        page.append(Line(" ".join(["mm"] * right), 500 - round(19.44 * right - 2.78), y))
    found = parsed("m.pdf", docs.pdf([page])).nodes
    assert "doc_table" not in {node.node_type for node in found}


@pytest.mark.parametrize(
    "heading", ["Control", "2.1 Control", "Chapter 3: Control", "A.2 Control", "Appendix B Control"]
)
def test_heading_is_found_after_its_number(heading: str) -> None:
    page = [*BODY[0], Line(heading, y=640), *(line._replace(y=line.y - 90) for line in BODY[1])]
    found = parsed("m.pdf", docs.pdf([page], [("Control", 0)])).nodes
    assert [(node.logical_path, node.text.split("\n")[0]) for node in found] == [
        ("p. 1", "The clock runs from the mains."),
        ("Control > p. 1", heading),
    ]


def test_word_before_a_title_is_no_number() -> None:
    page = [*BODY[0], Line("A control is no heading.", y=640)]
    [node] = parsed("m.pdf", docs.pdf([page], [("Control", 0)])).nodes
    assert node.logical_path == "Control > p. 1"

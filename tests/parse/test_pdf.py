"""What of a page of a PDF is its own, and what only stands on every page?"""

from parse import papers
from parse.papers import Line, parsed

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
    """What each page says."""
    return [node.text for node in parsed("m.pdf", papers.pdf(pages)).nodes]


def page(number: int, *more: Line) -> list[Line]:
    return [*more[:1], *BODY[number], *more[1:]]


def test_heads_and_feet_stay_where_they_first_stand() -> None:
    pages = [
        page(n, Line("Clocks of the North", y=780), Line(f"Page {n + 7} of 12", y=60))
        for n in range(4)
    ]
    first, *others = texts(pages)
    assert first.startswith("Clocks of the North\n")
    assert first.endswith("\nPage 7 of 12")
    assert others == ["\n".join(line.text for line in body) for body in BODY[1:]]


def test_left_and_right_pages_have_heads_of_their_own() -> None:
    heads = ["2 About Clocks", "Chapter 1: Time 3", "4 About Clocks", "Chapter 1: Time 5"]
    found = texts([page(n, Line(head, y=780)) for n, head in enumerate(heads)])
    assert [head in text for head, text in zip(heads, found, strict=True)] == [
        *(True, True),
        *(False, False),
    ]


def test_a_number_that_counts_no_pages_is_no_head() -> None:
    heads = ["Invoice 40", "Invoice 43", "Invoice 51", "Invoice 52 of June"]
    found = texts([page(n, Line(head, y=780)) for n, head in enumerate(heads)])
    assert all(text.startswith(head) for head, text in zip(heads, found, strict=True))


def test_a_title_in_larger_type_is_no_head() -> None:
    found = texts([page(n, Line("Results", y=780, size=20)) for n in range(2)])
    assert [text.count("Results") for text in found] == [1, 1]


def test_a_line_of_the_text_is_no_head() -> None:
    pages = [[Line("See below.", y=712), *page(n)] for n in range(2)]
    assert all(text.startswith("See below.") for text in texts(pages))


def test_the_head_of_a_table_that_goes_on_is_no_head_of_the_page() -> None:
    rows = [("Name", "Offset", 780), ("CTRL", "0x00", 752), ("STATUS", "0x04", 738)]
    rows += [("DATA", "0x08", 724)]
    cells = [(Line(name, y=y), Line(offset, 222, y)) for name, offset, y in rows]
    table = [cell for row in cells for cell in row]
    found = parsed("m.pdf", papers.pdf([[*table, *body] for body in BODY[:2]])).nodes
    tables = [node.text for node in found if node.node_type == "doc_table"]
    assert tables == ["\n".join(f"{name} | {offset}" for name, offset, _ in rows)] * 2


def test_a_line_or_two_in_a_typewriters_face_stay_with_the_text() -> None:
    call = Line("halt (seconds)", y=712, font="Courier")
    aside = [Line("stop", y=664, font="Courier"), Line("go", y=652, font="Courier")]
    [node] = parsed("m.pdf", papers.pdf([[call, *BODY[0], *aside, Line("End.", y=640)]])).nodes
    words = [line.text for line in BODY[0]]
    assert node.text.split("\n") == ["halt (seconds)", *words, "stop", "go", "End."]


def test_dots_that_lead_to_a_page_are_short() -> None:
    lines = ["Install . . . . . . . . 3", "Power........ 4", "and so on ... 5"]
    [text] = texts([[Line(line, y=700 - 12 * n) for n, line in enumerate(lines)]])
    assert text.split("\n") == ["Install … 3", "Power … 4", "and so on ... 5"]

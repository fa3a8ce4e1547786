"""The last line of a statement, from its first one."""

import pytest

from feeder.snippets.statement_lines import MAX_STATEMENT_LINES, statement_end


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("A = 1\nB = 2", 0),
        ("A = {\n 'a': [1,\n 2],\n}\nB = 2", 3),
        ("A = '{'\nB = 2", 0),
        ('A = """\nwith ( a bracket\n"""\nB = 2', 2),
        ('A = """one line"""\nB = 2', 0),
        ("const A = `\n${b}\n`;\nconst B = 2;", 2),
        ("A =\n  1\nB = 2", 1),
        ("A = 1 + \\\n  2\nB = 2", 1),
        ("const A = new Map([\n  ['a', f(1)],\n]);\n", 2),
        ("A = [\nno end", 0),
    ],
)
def test_statement_ends_where_brackets_and_texts_are_closed(text: str, last: int) -> None:
    assert statement_end(text.split("\n"), 0) == last


def test_search_for_the_end_is_limited() -> None:
    lines = ["A = [", *["  1,"] * MAX_STATEMENT_LINES, "]"]
    assert statement_end(lines, 0) == 0
    assert statement_end(lines, 2) == 2

"""One node, one text, one declaration is one hit."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from feeder.search.engine import search_scope
from feeder.search.excerpts import Excerpt, ExcerptReader
from feeder.search.results import Pagination, PartMatch, Result
from feeder.source.git_trees import Commit
from feeder.store.hits import Hit
from feeder.store.scope import Scope
from index_helpers import REPO, open_database, run_sync
from source.repos import Repo

LINE = "    total = total + parcel_weight(order, {0})  # the parcels of order {0}\n"


def asked(
    folder: Path,
    files: dict[str, str],
    question: str,
    *,
    copies: bool = False,
    now: Mapping[str, str] = {},
) -> Sequence[Result]:
    """What answers after the files of `now` have been edited."""
    repo = Repo(folder)
    repo.commit(files)
    database = open_database()
    run_sync(Commit(repo.path), database)
    for name, text in now.items():
        (folder / name).write_text(text)

    def lines_of(hits: Sequence[Hit]) -> dict[str, Excerpt]:
        sources = ExcerptReader(database, repo.path, REPO, hits)
        return {hit.id: sources.read(hit) for hit in hits}

    said = search_scope(
        database,
        [],
        question,
        Scope.of_repo(REPO),
        Pagination(10),
        find_excerpts=lines_of if copies else None,
    )
    database.close()
    return said.results


def test_the_pieces_of_a_long_function_are_one_hit_with_all_its_lines(tmp_path: Path) -> None:
    """And it is told which lines answer, and how many of the pieces do."""
    body = "".join(LINE.format(n) for n in range(200))
    text = f"def weigh(order):\n    total = 0\n{body}    return total\n"
    [found] = asked(tmp_path, {"weigh.py": text}, "order 150")
    assert (found.hit.start_line, found.hit.end_line) == (1, 203)
    assert isinstance(found.part_match, PartMatch)
    assert found.part_match.matching == found.part_match.of > 1
    assert found.part_match.start_line <= 153 <= found.part_match.end_line


def test_overloads_are_hits_of_their_own(tmp_path: Path) -> None:
    text = "class Cart {\n  void add(int a) { put(a); }\n  void add(long b) { put(b); }\n}\n"
    found = asked(tmp_path, {"Cart.java": text}, "add")
    assert [one.hit.signature for one in found if one.hit.node_type == "method"] == [
        "void add(int a)",
        "void add(long b)",
    ]


def test_two_definitions_of_a_name_are_two_hits(tmp_path: Path) -> None:
    """As in the branches of a condition, with more than a line between them."""
    one = "int ship(int order) {\n  return send(order);\n}\n"
    text = f"#ifdef FAST\n{one}#else\n#include <slow.h>\n\n{one}#endif\n"
    found = asked(tmp_path, {"ship.c": text}, "ship")
    assert [one.hit.start_line for one in found if one.hit.symbol == "ship"] == [2, 8]


def test_a_section_and_its_code_block_are_one(tmp_path: Path) -> None:
    text = "# Install\n\nInstall the parcel tool.\n\n```sh\ninstall parcel tool\n```\n"
    found = asked(tmp_path, {"README.md": text}, "install parcel")
    assert len(found) == 1


def test_a_code_block_is_no_piece_of_its_section(tmp_path: Path) -> None:
    """Of a section in pieces it is counted that these answer."""
    line = "The parcels of order {0} are weighed and sent to where they belong, one by one.\n"
    prose, code = "".join(map(line.format, range(60))), "weigh(order).parcels(belong)\n" * 60
    text = f"# Weigh\n\n{prose}\n```python\n{code}```\n"
    [found] = asked(tmp_path, {"weigh.md": text}, "order belong sent")
    kinds = [one.hit.node_type for one in (found, *found.grouped)]
    assert kinds.count("md_codeblock") > 0
    assert found.part_match
    assert found.part_match.matching == found.part_match.of == kinds.count("md_section") > 1


def test_a_pascal_declaration_stands_with_its_implementation(tmp_path: Path) -> None:
    text = (
        "unit Cart;\ninterface\ntype\n  TCart = class\n    procedure Ship(Order: Integer);\n"
        "  end;\nimplementation\nprocedure TCart.Ship(Order: Integer);\nbegin\n  Send(Order);\n"
        "end;\nend.\n"
    )
    found = asked(tmp_path, {"cart.pas": text}, "Ship")
    assert [one.hit.symbol for one in found].count("Cart.TCart.Ship") == 1


def test_copies_of_a_text_are_one_hit(tmp_path: Path) -> None:
    """With the others named; two lines that are alike are no copy."""
    text = "def ship(order):\n    send(order)\n    return order\n"
    short = "def send(order):\n    return order\n"
    files = {f"{name}.py": text + "\n\n" + short for name in "abc"}
    found = asked(tmp_path, files, "ship order", copies=True)
    [ship] = [one for one in found if one.hit.symbol == "ship"]
    assert {one.hit.path for one in ship.duplicates} == {"a.py", "b.py", "c.py"} - {ship.hit.path}
    assert sum(one.hit.symbol == "send" for one in found) == 3
    assert sum(one.hit.symbol == "ship" for one in asked(tmp_path, files, "ship order")) == 3


def test_copies_are_told_by_the_lines_as_they_are_now(tmp_path: Path) -> None:
    """Where a copy has moved it is one still, and is told where it is; other lines that stand where
    a node was are none."""
    ship = "def ship(order):\n    send(order)\n    return order\n"
    other = "def ship(order):\n    hold(order)\n    return order\n"
    files = {"a.py": ship, "b.py": ship, "c.py": other}
    now = {"b.py": f"# new\n\n{ship}", "c.py": f"{ship}\n\n{other}"}
    found = asked(tmp_path, files, "ship order", copies=True, now=now)
    assert {one.hit.path for one in found} == {"a.py", "c.py"}
    [copy] = next(one for one in found if one.hit.path == "a.py").duplicates
    assert (copy.hit.path, copy.hit.start_line, copy.hit.end_line) == ("b.py", 3, 5)


def test_copies_of_a_long_function_are_one_hit_whichever_of_their_pieces_answer(
    tmp_path: Path,
) -> None:
    text = "def weigh(order):\n    total = 0\n" + "".join(map(LINE.format, range(120)))
    files = {f"{name}.py": f"{text}    return total\n" for name in "ab"}
    [found] = asked(tmp_path, files, "order 110", copies=True)
    [copy] = found.duplicates
    assert (copy.hit.start_line, copy.hit.end_line) == (1, 123)


def test_pieces_of_one_long_line_are_one_hit(tmp_path: Path) -> None:
    """They have no name, and the same line is shown of each."""
    line = " ".join(f"zebra{number} crosses" for number in range(2000))
    found = asked(tmp_path, {"long.txt": f"{line}\n", "b.txt": "a zebra0\n"}, "crosses")
    assert [one.hit.path for one in found] == ["long.txt"]
    assert len(found[0].grouped) > 1

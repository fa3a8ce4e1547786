"""Duplicates of one node, text or declaration are grouped into one hit."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from feeder.query.request_filters import Pagination
from feeder.ranking.results import PartMatch, Result
from feeder.snippets.excerpts import Excerpt, ExcerptReader
from feeder.source.git_trees import Commit
from feeder.store.hits import Hit
from feeder.store.scope import Scope
from index_helpers import REPO, open_database, run_sync, search_scope
from source.repos import Repo

LINE = "    total = total + parcel_weight(order, {0})  # the parcels of order {0}\n"


def search_after_edits(
    folder: Path,
    files: dict[str, str],
    query: str,
    *,
    copies: bool = False,
    now: Mapping[str, str] = {},
) -> Sequence[Result]:
    """Indexes `files`, writes the files of `now`, searches and returns the results."""
    repo = Repo(folder)
    repo.commit(files)
    database = open_database()
    run_sync(Commit(repo.path), database)
    for name, text in now.items():
        (folder / name).write_text(text)

    def lines_of(hits: Sequence[Hit]) -> dict[str, Excerpt]:
        sources = ExcerptReader(database, repo.path, REPO, hits)
        return {hit.id: sources.read(hit) for hit in hits}

    page = search_scope(
        database,
        [],
        query,
        Scope.of_repo(REPO),
        Pagination(10),
        find_excerpts=lines_of if copies else None,
    )
    database.close()
    return page.results


def test_parts_of_a_long_function_are_one_hit(tmp_path: Path) -> None:
    """The hit has the lines of the whole function, the matching lines and the number of matching
    parts.
    """
    body = "".join(LINE.format(n) for n in range(200))
    text = f"def weigh(order):\n    total = 0\n{body}    return total\n"
    [found] = search_after_edits(tmp_path, {"weigh.py": text}, "order 150")
    assert (found.hit.start_line, found.hit.end_line) == (1, 203)
    assert isinstance(found.part_match, PartMatch)
    assert found.part_match.matching == found.part_match.of > 1
    assert found.part_match.start_line <= 153 <= found.part_match.end_line


def test_overloads_are_separate_hits(tmp_path: Path) -> None:
    text = "class Cart {\n  void add(int a) { put(a); }\n  void add(long b) { put(b); }\n}\n"
    found = search_after_edits(tmp_path, {"Cart.java": text}, "add")
    assert [result.hit.signature for result in found if result.hit.node_type == "method"] == [
        "void add(int a)",
        "void add(long b)",
    ]


def test_two_definitions_of_a_name_are_separate_hits(tmp_path: Path) -> None:
    """Such as those in the branches of a condition."""
    one = "int ship(int order) {\n  return send(order);\n}\n"
    text = f"#ifdef FAST\n{one}#else\n#include <slow.h>\n\n{one}#endif\n"
    found = search_after_edits(tmp_path, {"ship.c": text}, "ship")
    assert [result.hit.start_line for result in found if result.hit.symbol == "ship"] == [2, 8]


def test_section_and_its_code_block_are_one_hit(tmp_path: Path) -> None:
    text = "# Install\n\nInstall the parcel tool.\n\n```sh\ninstall parcel tool\n```\n"
    found = search_after_edits(tmp_path, {"README.md": text}, "install parcel")
    assert len(found) == 1


def test_code_block_does_not_count_as_a_part_of_its_section(tmp_path: Path) -> None:
    """The number of matching parts includes only parts of the section."""
    line = "The parcels of order {0} are weighed and sent to where they belong, one by one.\n"
    prose, code = "".join(map(line.format, range(60))), "weigh(order).parcels(belong)\n" * 60
    text = f"# Weigh\n\n{prose}\n```python\n{code}```\n"
    [found] = search_after_edits(tmp_path, {"weigh.md": text}, "order belong sent")
    kinds = [result.hit.node_type for result in (found, *found.grouped)]
    assert kinds.count("md_codeblock") > 0
    assert found.part_match
    assert found.part_match.matching == found.part_match.of == kinds.count("md_section") > 1


def test_pascal_declaration_is_grouped_with_its_implementation(tmp_path: Path) -> None:
    text = (
        "unit Cart;\ninterface\ntype\n  TCart = class\n    procedure Ship(Order: Integer);\n"
        "  end;\nimplementation\nprocedure TCart.Ship(Order: Integer);\nbegin\n  Send(Order);\n"
        "end;\nend.\n"
    )
    found = search_after_edits(tmp_path, {"cart.pas": text}, "Ship")
    assert [result.hit.symbol for result in found].count("Cart.TCart.Ship") == 1


def test_copies_of_a_text_are_one_hit(tmp_path: Path) -> None:
    """The hit names the other copies; two equal lines are no copy."""
    text = "def ship(order):\n    send(order)\n    return order\n"
    short = "def send(order):\n    return order\n"
    files = {f"{name}.py": text + "\n\n" + short for name in "abc"}
    found = search_after_edits(tmp_path, files, "ship order", copies=True)
    [ship] = [result for result in found if result.hit.symbol == "ship"]
    assert {duplicate.hit.path for duplicate in ship.duplicates} == {"a.py", "b.py", "c.py"} - {
        ship.hit.path
    }
    assert sum(result.hit.symbol == "send" for result in found) == 3
    assert (
        sum(
            search_after_edit.hit.symbol == "ship"
            for search_after_edit in search_after_edits(tmp_path, files, "ship order")
        )
        == 3
    )


def test_copies_are_compared_as_the_files_are_now(tmp_path: Path) -> None:
    """A moved copy keeps counting, with its new lines; one whose lines were replaced does not."""
    ship = "def ship(order):\n    send(order)\n    return order\n"
    other = "def ship(order):\n    hold(order)\n    return order\n"
    files = {"a.py": ship, "b.py": ship, "c.py": other}
    now = {"b.py": f"# new\n\n{ship}", "c.py": f"{ship}\n\n{other}"}
    found = search_after_edits(tmp_path, files, "ship order", copies=True, now=now)
    assert {result.hit.path for result in found} == {"a.py", "c.py"}
    [copy] = next(result for result in found if result.hit.path == "a.py").duplicates
    assert (copy.hit.path, copy.hit.start_line, copy.hit.end_line) == ("b.py", 3, 5)


def test_copies_of_a_long_function_are_one_hit_whichever_parts_match(
    tmp_path: Path,
) -> None:
    text = "def weigh(order):\n    total = 0\n" + "".join(map(LINE.format, range(120)))
    files = {f"{name}.py": f"{text}    return total\n" for name in "ab"}
    [found] = search_after_edits(tmp_path, files, "order 110", copies=True)
    [copy] = found.duplicates
    assert (copy.hit.start_line, copy.hit.end_line) == (1, 123)


def test_parts_of_one_long_line_are_one_hit(tmp_path: Path) -> None:
    """They have no name, and the same line is shown for each."""
    line = " ".join(f"zebra{number} crosses" for number in range(2000))
    found = search_after_edits(
        tmp_path, {"long.txt": f"{line}\n", "b.txt": "a zebra0\n"}, "crosses"
    )
    assert [result.hit.path for result in found] == ["long.txt"]
    assert len(found[0].grouped) > 1

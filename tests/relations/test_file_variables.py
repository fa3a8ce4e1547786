"""Variables of files of C and C++ are found with and without a value."""

from typing import Any

from command_runner import RunFeeder
from source.repos import Repo

FILES: dict[str, str | bytes] = {
    "store.h": (
        "#ifndef STORE_H\n#define STORE_H\nextern int total;\nextern char *names[];\n#endif\n"
    ),
    "store.c": (
        '#include "store.h"\n'
        "int total;\nchar *names[4];\nstatic int hits;\n\n"
        "int add(int n) {\n  total += n;\n  hits++;\n  return total;\n}\n"
    ),
    "main.c": (
        '#include "store.h"\n'
        "static int hits;\n\n"
        "int main(void) {\n  hits = 2;\n  return total + (names[0] != 0);\n}\n"
        "int other(int total) { return total; }\n"
    ),
    "shop.cc": (
        "namespace shop {\n"
        "Cart* cart_;\nint size() { return cart_->size(); }\n"
        "}  // namespace shop\n"
    ),
}


def sites(feeder: RunFeeder, repo: Repo, target: str) -> set[tuple[str, int, bool]]:
    """The path, line and certainty of each reference."""
    found: list[dict[str, Any]] = feeder(repo, "references", target, "--json").json["references"]
    return {(one["path"], one["line"], one["resolved"]) for one in found}


def test_uses_of_a_variable_without_a_value_are_resolved(feeder: RunFeeder, repo: Repo) -> None:
    """Also by its `extern` declaration in a header, inside of an include guard."""
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    uses = {("store.c", 7, True), ("store.c", 9, True), ("main.c", 6, True)}
    assert sites(feeder, repo, "store.c#total") == uses
    assert sites(feeder, repo, "store.h#total") == uses
    assert sites(feeder, repo, "store.c#names") == {("main.c", 6, True)}
    assert sites(feeder, repo, "shop.cc#cart_") == {("shop.cc", 3, True)}


def test_variable_that_another_file_declares_too_is_there_by_name_only(
    feeder: RunFeeder, repo: Repo
) -> None:
    """`static int hits;` of main.c is another one; `extern int hits;` would not be."""
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    assert sites(feeder, repo, "store.c#hits") == {("store.c", 8, True), ("main.c", 5, False)}

"""The outline of a folder whose symbols do not all fit."""

import pytest

from mcp_server.conftest import index
from mcp_server.test_tools import call_tools_in, footer, result_text
from source.repos import Repo

GO = "package shop\n\ntype Cart{0} struct {{\n\tLines int\n}}\n\n" + "".join(
    f"func (c *Cart{{0}}) Step{number}() int {{{{\n\treturn {number}\n}}}}\n\n"
    for number in range(30)
)


def test_outline_of_a_large_folder_lists_types_without_members(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Methods beside their type, as in Go, are its members by name.

    Each file has a type, a field in it and 30 methods beside it.
    """
    repo = Repo(tmp_path_factory.mktemp("many") / "shop")
    repo.commit({f"src/cart{number}.go": GO.format(number) for number in range(20)})
    index(repo)
    for more, count in (({}, 20 * 32), ({"depth": 1}, 20 * 31)):
        text = result_text(call_tools_in(repo.path)("outline", path="src", **more))
        assert text.split("\n")[:2] == ["src/cart0.go: shop.Cart0", "src/cart1.go: shop.Cart1"]
        assert footer(text)[:2] == [
            f"{count} symbols and sections in 20 files",
            "Shortened to top-level names. Outline a file or a subfolder.",
        ]


@pytest.mark.slow
def test_outline_of_a_large_folder_rolls_up_its_folders(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Files of this level come first; `depth` sets the levels of folders that are listed."""
    repo = Repo(tmp_path_factory.mktemp("deep") / "shop")
    below = {f"src/lang/{at:03}.go": GO.format(at) for at in range(400)}
    deeper = {f"src/lang/old/{at:03}.go": GO.format(at) for at in range(30)}
    repo.commit({"src/zoo.go": GO.format("Zoo"), "src/app.go": GO.format("App"), **below, **deeper})
    index(repo)
    outline = call_tools_in(repo.path)
    text = result_text(outline("outline", path="src"))
    assert text.split("\n")[:3] == [
        "src/app.go: shop.CartApp",
        "src/zoo.go: shop.CartZoo",
        "src/lang/ 430 files",
    ]
    assert footer(text)[1] == (
        "Shortened to top-level names in 1 level of folders. Outline a file or a subfolder."
    )
    text = result_text(outline("outline", path="src", depth=1))
    assert text.split("\n")[0] == "src/app.go"
    assert "\nsrc/lang/ 430 files\n" in text

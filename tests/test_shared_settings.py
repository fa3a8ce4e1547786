"""Settings in a repository's own files."""

from pathlib import Path

import pytest

from feeder.errors import UserError
from feeder.shared_settings import read_shared_settings

CATEGORIES = "[categories]\nmanuals = ['docs/']\n"
SHARED = '[tool.feeder]\nindex = "shared"'


@pytest.mark.parametrize(
    ("files", "index"),
    [
        ({}, ""),
        ({".feeder.toml": f'index = "own"\n{CATEGORIES}'}, "own"),
        ({"pyproject.toml": f"{SHARED}\n[tool.other]\nindx = 1\n"}, "shared"),
        (
            {".feeder.toml": 'index = "own"', "pyproject.toml": SHARED},
            "own",
        ),
        (
            {".feeder.toml": CATEGORIES, "pyproject.toml": SHARED},
            "shared",
        ),
    ],
)
def test_index_is_named_by_one_of_two_files(
    tmp_path: Path, files: dict[str, str], index: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert read_shared_settings(tmp_path).index == index


@pytest.mark.parametrize(
    ("file", "text", "problem", "remedy"),
    [
        (
            "pyproject.toml",
            '[tool.feeder]\nindx = "a"',
            "[tool.feeder] of pyproject.toml has an unknown key: indx.",
            "Did you mean `index`?",
        ),
        (
            "pyproject.toml",
            '[tool.feeder]\nmodel = "minilm"',
            "[tool.feeder] of pyproject.toml has an unknown key: model.",
            "It may have: index.",
        ),
        (
            ".feeder.toml",
            "[category]\nmanuals = []",
            ".feeder.toml has an unknown key: category.",
            "Did you mean `categories`?",
        ),
        (
            ".feeder.toml",
            "index = 1",
            "index in .feeder.toml is not a string.",
            'Write: index = "PLACE"',
        ),
    ],
)
def test_wrong_setting_is_an_error(
    tmp_path: Path, file: str, text: str, problem: str, remedy: str
) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(UserError) as caught:
        read_shared_settings(tmp_path)
    assert (caught.value.problem, caught.value.remedy) == (problem, remedy)

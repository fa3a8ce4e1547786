"""Settings in a repository's own files."""

from pathlib import Path

import pytest

from feeder.errors import UserError
from feeder.shared_settings import SHARED_MODELS, read_shared_settings

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
            '[tool.feeder]\nexecutable = "x"',
            "[tool.feeder] of pyproject.toml has an unknown key: executable.",
            "It may have: index, model.",
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
        (
            ".feeder.toml",
            "model = ['static']",
            "model in .feeder.toml is not a string.",
            'Write: model = "static"',
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


@pytest.mark.parametrize("model", SHARED_MODELS)
def test_model_that_comes_with_feeder_may_be_named(tmp_path: Path, model: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[tool.feeder]\nmodel = "{model}"\nindex = "a"\n')
    (tmp_path / ".feeder.toml").write_text('index = "b"\n')
    settings = read_shared_settings(tmp_path)
    assert (settings.model, settings.index) == (model, "b")


@pytest.mark.parametrize(
    "model", ["https://example.org/v1#m", "@cf/baai/bge-m3", "models/own", "/etc", "Static", "x#y"]
)
def test_model_that_gets_or_runs_other_things_is_refused(tmp_path: Path, model: str) -> None:
    (tmp_path / ".feeder.toml").write_text(f'model = "{model}"\n')
    with pytest.raises(UserError, match="only a model that comes with feeder: words, static"):
        read_shared_settings(tmp_path)


@pytest.mark.parametrize(
    "index",
    [
        "http://127.0.0.1:8080/delete",
        "https://example.org/delete?all=1&x=",
        "https://example.org/x#",
        r"\\\\example.org\\share",
        "//example.org/share",
    ],
)
def test_place_that_a_hostile_repository_could_misuse_is_refused(
    tmp_path: Path, index: str
) -> None:
    (tmp_path / ".feeder.toml").write_text(f'index = "{index}"\n')
    with pytest.raises(UserError, match="which a repository cannot choose"):
        read_shared_settings(tmp_path)

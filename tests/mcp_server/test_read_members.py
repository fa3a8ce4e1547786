"""Constants and enum members can be read by the names that results show."""

import pytest

from mcp_server.conftest import index
from mcp_server.test_tools import Ask, call_tools_in, error_text, result_text
from source.repos import Repo

STEPS = "".join(f"    step_{number}('a step of the long way')\n" for number in range(60))
SETTINGS = f"import os\n\nLIMIT = 3\nRETRIES = 5\n\n\ndef steps():\n{STEPS}\n\nPORT = 8000\n"
COLOR = "package acme;\n\nenum Color {\n  RED,\n  GREEN;\n\n  int code() { return 1; }\n}\n"
CHUNK = "settings.py:1-4 chunk\nimport os\n\nLIMIT = 3\nRETRIES = 5\n\n"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    repo = Repo(tmp_path_factory.mktemp("members") / "shop")
    files = {"settings.py": SETTINGS, "Color.java": COLOR, "other/settings.py": "PORT = 1\n"}
    repo.commit({**files, "yarn.lock": "lock\n"})
    index(repo)
    return call_tools_in(repo.path)


@pytest.mark.parametrize("target", ["settings.py#RETRIES", "RETRIES", "retries"])
def test_constant_is_read_with_its_lines(asked: Ask, target: str) -> None:
    """Not the whole file."""
    assert result_text(asked("read", target=target)).startswith(CHUNK)


@pytest.mark.parametrize("target", ["Color.GREEN", "Color.java#GREEN", "acme.Color.GREEN"])
def test_enum_member_is_read_as_the_enum(asked: Ask, target: str) -> None:
    assert result_text(asked("read", target=target)).startswith("Color.java:3-8 class acme.Color\n")


def test_ambiguous_constant_lists_the_readable_names(asked: Ask) -> None:
    text = error_text(asked("read", target="PORT"))
    assert text.startswith("'PORT' matches 2 targets: ")
    for target, line in (("settings.py#PORT", 70), ("other/settings.py#PORT", 1)):
        assert target in text
        assert result_text(asked("read", target=target)).startswith(
            target.split("#")[0] + f":{line}-"
        )


def test_unknown_name_suggests_names_of_the_file(asked: Ask) -> None:
    """The nearest ones, including members, or the command that lists all."""
    assert error_text(asked("read", target="settings.py#RETRYS")).startswith(
        "The index has no symbol 'settings.py#RETRYS'. Did you mean RETRIES?"
    )
    assert 'the outline tool with path "settings.py"' in error_text(
        asked("read", target="settings.py#zzz")
    )


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read", {"target": "yarn.lock"}),
        ("search", {"like": "yarn.lock:1"}),
        ("outline", {"path": "yarn.lock"}),
    ],
)
def test_skipped_file_is_named_with_its_reason(
    asked: Ask, tool: str, arguments: dict[str, str]
) -> None:
    assert error_text(asked(tool, **arguments)).startswith(
        "yarn.lock is not in the index: it was skipped (a lock file). To include it, "
    )

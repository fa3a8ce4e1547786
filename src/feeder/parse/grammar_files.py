"""Loads the shipped `grammar_queries.json`, with a user's languages over it."""

import json
from pathlib import Path
from typing import Any

from feeder.errors import UserError, os_reason
from feeder.parse.grammar_schema import schema_errors
from feeder.parse.grammars import Grammars

_SHIPPED_SETTINGS = Path(__file__).parents[1] / "grammar_queries.json"

_KEYED_BY_EXTENSION = (
    "code_extensions",
    "noncode_ts_grammar",
    "text_extensions",
    "content_patterns",
)


def load_grammars(user_path: Path | None = None) -> Grammars:
    """Loads the shipped settings, with a user's languages over them.

    `user_path` is a JSON file of the same form, which is merged, or a folder of languages, which
    replace the shipped ones of their names. Raises UserError for one that is neither.
    """
    settings = json.loads(_SHIPPED_SETTINGS.read_bytes())
    if user_path and user_path.is_dir():
        return Grammars(_with_folders(settings, user_path))
    if user_path:
        settings = _merge_settings(settings, _read_user_file(user_path))
        for error in schema_errors(settings):
            raise UserError(
                f"The grammar file {user_path} is invalid: {error}.",
                "See docs/reference/languages.md.",
            )
    return Grammars(settings)


def _with_folders(settings: dict[str, Any], root: Path) -> dict[str, Any]:
    # imported only for a user's languages: compiling them takes more modules than reading settings
    from feeder.parse.languages.folders import compile_folders, find_folders, replace_languages
    from feeder.parse.languages.query_errors import check_queries

    folders = find_folders(root)
    check_queries(folders, settings["packages"])
    compiled = compile_folders(folders, settings)
    return replace_languages(settings, compiled, {folder.name for folder in folders})


def _read_user_file(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads(path.read_text("utf-8-sig"))
        json.dumps(settings, ensure_ascii=False).encode()  # \ud800 is JSON, but no text
    except (OSError, ValueError, RecursionError) as exc:
        raise UserError(
            f"The grammar file {path} cannot be read: {os_reason(exc)}.",
            "Pass --grammar a JSON file, or a folder of languages.",
        ) from exc
    if not isinstance(settings, dict):
        raise UserError(
            f"The grammar file {path} is not a JSON object.",
            "Use grammar_queries.json as a template.",
        )
    for section in _KEYED_BY_EXTENSION:
        if isinstance(extensions := settings.get(section), dict):
            settings[section] = {
                extension.lower().removeprefix("."): value
                for extension, value in extensions.items()
            }
    return settings


def _merge_settings(base: dict[str, Any], override: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in override.items():
        both = isinstance(value, dict) and isinstance(base.get(key), dict)
        merged[key] = _merge_settings(base[key], value) if both else value
    return merged

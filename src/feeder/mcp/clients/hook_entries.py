"""The hook in Claude Code's settings that runs hook.sh before a search: adding, recognizing and
removing it without changing anything else.

The settings are `{"hooks": {"PreToolUse": [{"matcher": …, "hooks": [{"command": …}]}]}}`
(https://code.claude.com/docs/en/hooks). Raises ValueError for a text that cannot be edited.
"""

from collections.abc import Iterator
from typing import Any

from feeder import jsonc
from feeder.mcp.clients import Scope

_EVENT = ("hooks", "PreToolUse")
_SCRIPT = "/hooks/feeder.sh"
_FOLDERS = {
    "project": '"$CLAUDE_PROJECT_DIR"/.claude',
    "user": '"${CLAUDE_CONFIG_DIR:-$HOME/.claude}"',
}
_TIMEOUT_S = 5


def add(text: str, scope: Scope) -> str:
    """The text with the hook, as the last one of its event."""
    # a shell ends with 2 if the script is missing, and 2 would forbid the search
    command = f"sh {_FOLDERS[scope]}{_SCRIPT} || true"
    hook = {"type": "command", "command": command, "timeout": _TIMEOUT_S}
    if not text.strip("\ufeff \t\r\n"):
        text = text[: text.startswith("\ufeff")] + "{}\n"
    groups = _groups(text)
    if own := next(_own_hooks(groups), None):
        current = groups[own[0]]["hooks"][own[-1]]["command"]
        is_same = current == command
        return text if is_same else jsonc.set_value(text, (*_EVENT, *own, "command"), command)
    group = {"matcher": "Grep|Bash", "hooks": [hook]}
    if groups:
        return jsonc.set_value(text, (*_EVENT, len(groups)), group)
    return jsonc.set_value(text, _EVENT, [group])


def remove(text: str) -> str:
    """The text without the hook, and without the group and the lists that are empty then."""
    while own := next(_own_hooks(groups := _groups(text)), None):
        is_alone = len(groups[own[0]]["hooks"]) == 1
        text = jsonc.remove_value(text, (*_EVENT, *(own[:1] if is_alone else own)))
        if not _groups(text):
            text = jsonc.remove_value(text, _EVENT)
            if not jsonc.loads(text)[_EVENT[0]]:
                text = jsonc.remove_value(text, _EVENT[:1])
    return text


def has_own(text: str) -> bool:
    """True if the text has the hook."""
    return any(_own_hooks(_groups(text)))


def _own_hooks(groups: list[Any]) -> Iterator[tuple[int, str, int]]:
    """The paths of this program's hooks below the list of groups."""
    for number, group in enumerate(groups):
        hooks = group.get("hooks") if isinstance(group, dict) else None
        for position, hook in enumerate(hooks if isinstance(hooks, list) else []):
            if isinstance(hook, dict) and _SCRIPT in str(hook.get("command")):
                yield number, "hooks", position


def _groups(text: str) -> list[Any]:
    groups: Any = jsonc.loads(text)
    for at, key in enumerate(_EVENT):
        groups = groups.get(key)
        if not isinstance(groups, (list if at else dict) | None):
            raise ValueError(f"{'.'.join(_EVENT[: at + 1])} does not have the expected form")
        groups = groups if groups is not None else ([] if at else {})
    return list(groups)

"""Which clients are there, where does each keep its servers, and in which shape?

Read from the clients' own documentation and sources in November 2026. A file is written as
`places.resolve` reads it; of several the first that is there counts, else the first.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from feeder.serve.install import Scope

Files = Mapping[Scope, str | tuple[str, ...]]
Entry = dict[str, Any]

_MARKDOWN = "feeder-search.md"


def _plain(command: list[str]) -> Entry:
    return {"command": command[0], "args": command[1:]}


def _stdio(command: list[str]) -> Entry:
    return {"type": "stdio", **_plain(command)}


def _in_the_open_folder(command: list[str]) -> Entry:
    """An editor starts a user's servers in the home, but puts in the folder that is open."""
    return _stdio([*command, "-C", "${workspaceFolder}"])


def _always(command: list[str]) -> Entry:
    """Claude Code shows a model the names of tools alone, unless it is told to load them."""
    return {**_stdio(command), "alwaysLoad": True}


def _local(command: list[str]) -> Entry:
    return {"type": "local", "command": command, "enabled": True}


def _copilot(command: list[str]) -> Entry:
    return {"type": "local", **_plain(command), "tools": ["*"]}


def _zed(command: list[str]) -> Entry:
    return {"source": "custom", **_plain(command)}


def _cline(command: list[str]) -> Entry:
    return {"transport": _stdio(command)}


@dataclass(frozen=True, kw_only=True)
class Client:
    """A program that asks MCP servers; a scope that a mapping lacks is one that it has not."""

    name: str
    title: str
    binaries: tuple[str, ...] = ()
    """Of which one on the PATH says that it is installed."""
    folder: str
    """That it makes for itself."""
    files: Files
    """What lists its servers."""
    keys: tuple[str, ...] = ("mcpServers",)
    """What leads to them in the file."""
    shape: Callable[[list[str]], Entry] = _plain
    """What stands there for a server that a command starts, in the user's files…"""
    shared: Callable[[list[str]], Entry] | None = None
    """… and in the project's, where that is another."""
    instructions: Files = field(default_factory=dict)
    """What its model is told of a project, or of all."""
    agent: Files = field(default_factory=dict)
    """A sub-agent's file; TOML or markdown."""
    tools: str = ""
    """The line of such a file that says what the sub-agent may use; without one, all."""

    def entry(self, scope: Scope, command: list[str]) -> Entry:
        """What the client's file says of the server."""
        shape = self.shared if scope == "project" and self.shared else self.shape
        return shape(command)


CLIENTS = (
    Client(
        name="claude",
        title="Claude Code",
        binaries=("claude",),
        folder="{CLAUDE_CONFIG_DIR:~/.claude}",
        files={"project": ".mcp.json", "user": "{CLAUDE_CONFIG_DIR:~}/.claude.json"},
        shape=_always,
        instructions={
            # AGENTS.md is read where there is no CLAUDE.md, which one of ours would change
            "project": ("CLAUDE.md", "AGENTS.md"),
            "user": "{CLAUDE_CONFIG_DIR:~/.claude}/CLAUDE.md",
        },
        agent={
            "project": f".claude/agents/{_MARKDOWN}",
            "user": f"{{CLAUDE_CONFIG_DIR:~/.claude}}/agents/{_MARKDOWN}",
        },
        tools="tools: Bash, Read",
    ),
    Client(
        name="cursor",
        title="Cursor",
        binaries=("cursor", "cursor-agent"),
        folder="~/.cursor",
        files={"project": ".cursor/mcp.json", "user": "~/.cursor/mcp.json"},
        shape=_in_the_open_folder,
        instructions={"project": "AGENTS.md"},
        agent={
            "project": f".cursor/agents/{_MARKDOWN}",
            "user": f"~/.cursor/agents/{_MARKDOWN}",
        },
    ),
    Client(
        name="vscode",
        title="VS Code",
        binaries=("code",),
        folder="{settings}/Code/User",
        files={"project": ".vscode/mcp.json", "user": "{settings}/Code/User/mcp.json"},
        keys=("servers",),
        shape=_in_the_open_folder,
        instructions={"project": "AGENTS.md"},
        agent={"project": ".github/agents/feeder-search.agent.md"},
    ),
    Client(
        name="codex",
        title="Codex",
        binaries=("codex",),
        folder="{CODEX_HOME:~/.codex}",
        files={"project": ".codex/config.toml", "user": "{CODEX_HOME:~/.codex}/config.toml"},
        keys=("mcp_servers",),
        instructions={"project": "AGENTS.md", "user": "{CODEX_HOME:~/.codex}/AGENTS.md"},
        agent={
            "project": ".codex/agents/feeder-search.toml",
            "user": "{CODEX_HOME:~/.codex}/agents/feeder-search.toml",
        },
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        binaries=("gemini",),
        folder="~/.gemini",
        files={"project": ".gemini/settings.json", "user": "~/.gemini/settings.json"},
        instructions={"project": "GEMINI.md", "user": "~/.gemini/GEMINI.md"},
        agent={
            "project": f".gemini/agents/{_MARKDOWN}",
            "user": f"~/.gemini/agents/{_MARKDOWN}",
        },
        tools="tools: [run_shell_command, read_file]",
    ),
    Client(
        name="zed",
        title="Zed",
        binaries=("zed", "zeditor"),
        folder="{zed}",
        files={"project": ".zed/settings.json", "user": "{zed}/settings.json"},
        keys=("context_servers",),
        shape=_zed,
        instructions={"project": "AGENTS.md"},
    ),
    Client(
        name="windsurf",
        title="Windsurf",
        binaries=("windsurf",),
        folder="~/.codeium/windsurf",
        files={"user": "~/.codeium/windsurf/mcp_config.json"},
        instructions={"project": "AGENTS.md"},
    ),
    Client(
        name="opencode",
        title="OpenCode",
        binaries=("opencode",),
        folder="{xdg}/opencode",
        files={
            "project": ("opencode.json", "opencode.jsonc"),
            "user": ("{xdg}/opencode/opencode.json", "{xdg}/opencode/opencode.jsonc"),
        },
        keys=("mcp",),
        shape=_local,
        instructions={"project": "AGENTS.md", "user": "{xdg}/opencode/AGENTS.md"},
        agent={
            "project": f".opencode/agents/{_MARKDOWN}",
            "user": f"{{xdg}}/opencode/agents/{_MARKDOWN}",
        },
        tools="mode: subagent",
    ),
    Client(
        name="copilot",
        title="Copilot CLI",
        binaries=("copilot",),
        folder="{COPILOT_HOME:~/.copilot}",
        files={"project": ".mcp.json", "user": "{COPILOT_HOME:~/.copilot}/mcp-config.json"},
        shape=_copilot,
        shared=_always,  # one file with Claude Code, whose keys it reads
        instructions={"project": "AGENTS.md"},
        agent={
            "project": ".github/agents/feeder-search.agent.md",
            "user": "{COPILOT_HOME:~/.copilot}/agents/feeder-search.agent.md",
        },
    ),
    Client(
        name="kiro",
        title="Kiro",
        binaries=("kiro", "kiro-cli"),
        folder="~/.kiro",
        files={"project": ".kiro/settings/mcp.json", "user": "~/.kiro/settings/mcp.json"},
        instructions={"project": "AGENTS.md", "user": "~/.kiro/steering/feeder.md"},
        agent={
            "project": f".kiro/agents/{_MARKDOWN}",
            "user": f"~/.kiro/agents/{_MARKDOWN}",
        },
        tools="tools: [read, shell]",
    ),
    Client(
        name="antigravity",
        title="Antigravity",
        binaries=("agy", "antigravity"),
        folder="~/.gemini/antigravity-cli",
        files={"user": "~/.gemini/config/mcp_config.json"},
        instructions={"user": "~/.gemini/GEMINI.md"},
    ),
    Client(
        name="cline",
        title="Cline",
        binaries=("cline",),
        folder="~/.cline",
        files={"user": "~/.cline/data/settings/cline_mcp_settings.json"},
        shape=_cline,
        instructions={"project": "AGENTS.md", "user": "~/.cline/rules/feeder.md"},
    ),
    Client(
        name="grok",
        title="Grok Build",
        binaries=("grok",),
        folder="~/.grok",
        files={"user": "~/.grok/config.toml"},
        keys=("mcp_servers",),
        instructions={"user": "~/.grok/AGENTS.md"},
        agent={"user": f"~/.grok/agents/{_MARKDOWN}"},
    ),
    Client(
        name="kilo",
        title="Kilo Code",
        binaries=("kilo",),
        folder="{xdg}/kilo",
        files={
            "project": (".kilo/kilo.jsonc", ".kilo/kilo.json", "kilo.jsonc", "kilo.json"),
            "user": ("{xdg}/kilo/kilo.jsonc", "{xdg}/kilo/kilo.json"),
        },
        keys=("mcp",),
        shape=_local,
        instructions={"project": "AGENTS.md", "user": "{xdg}/kilo/AGENTS.md"},
        agent={"user": f"{{xdg}}/kilo/agents/{_MARKDOWN}"},
        tools="mode: subagent",
    ),
    Client(
        name="qwen",
        title="Qwen Code",
        binaries=("qwen",),
        folder="~/.qwen",
        files={"project": ".qwen/settings.json", "user": "~/.qwen/settings.json"},
        instructions={"project": "QWEN.md", "user": "~/.qwen/QWEN.md"},
        agent={"project": f".qwen/agents/{_MARKDOWN}", "user": f"~/.qwen/agents/{_MARKDOWN}"},
        tools="tools: [run_shell_command, read_file]",
    ),
)
NAMES = [client.name for client in CLIENTS]


def named(name: str) -> Client:
    """The client of that name, which is one of `NAMES`."""
    return next(client for client in CLIENTS if client.name == name)

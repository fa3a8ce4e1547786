"""The supported MCP clients: where each keeps its configuration, the shape of a server entry,
its instruction file and its sub-agent file. Taken from the clients' own documentation and
sources in November 2026; paths are templates that `client_paths.expand_path` expands.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from feeder.mcp.clients import Scope

PathTemplates = Mapping[Scope, str | tuple[str, ...]]
ServerEntry = dict[str, Any]

_AGENT_FILE = "feeder-search.md"


def _command_entry(command: list[str]) -> ServerEntry:
    return {"command": command[0], "args": command[1:]}


def _stdio_entry(command: list[str]) -> ServerEntry:
    return {"type": "stdio", **_command_entry(command)}


def _workspace_entry(command: list[str]) -> ServerEntry:
    """An editor starts a user's servers in the home, and replaces the variable by the project."""
    return _stdio_entry([*command, "-C", "${workspaceFolder}"])


def _always_loaded_entry(command: list[str]) -> ServerEntry:
    """Claude Code shows a model only the names of tools unless it has to load them."""
    return {**_stdio_entry(command), "alwaysLoad": True}


def _local_entry(command: list[str]) -> ServerEntry:
    return {"type": "local", "command": command, "enabled": True}


def _copilot_entry(command: list[str]) -> ServerEntry:
    return {"type": "local", **_command_entry(command), "tools": ["*"]}


def _zed_entry(command: list[str]) -> ServerEntry:
    return {"source": "custom", **_command_entry(command)}


def _cline_entry(command: list[str]) -> ServerEntry:
    return {"transport": _stdio_entry(command)}


@dataclass(frozen=True, kw_only=True)
class Client:
    """An MCP client. If a mapping lacks a scope, the client has no such file for it."""

    name: str
    title: str
    binaries: tuple[str, ...] = ()
    """Programs on the PATH that show that the client is installed."""
    config_folder: str
    """The folder that the client creates for itself."""
    server_files: PathTemplates
    """The configuration files with the list of servers."""
    server_keys: tuple[str, ...] = ("mcpServers",)
    """The keys that lead to that list."""
    make_entry: Callable[[list[str]], ServerEntry] = _command_entry
    """Builds the server entry for a command."""
    make_project_entry: Callable[[list[str]], ServerEntry] | None = None
    """The same for a project's file, if it differs."""
    instruction_files: PathTemplates = field(default_factory=dict)
    """The files with instructions that the client shows to its model."""
    agent_files: PathTemplates = field(default_factory=dict)
    """The file that defines a sub-agent, in TOML or markdown."""
    agent_tools_line: str = ""
    """The line of that file that names the tools it may use; without one it may use all."""

    def entry(self, scope: Scope, command: list[str]) -> ServerEntry:
        """The server entry in the client's file of that scope."""
        project_entry = self.make_project_entry if scope == "project" else None
        return (project_entry or self.make_entry)(command)


CLIENTS = (
    Client(
        name="claude",
        title="Claude Code",
        binaries=("claude",),
        config_folder="{CLAUDE_CONFIG_DIR:~/.claude}",
        server_files={"project": ".mcp.json", "user": "{CLAUDE_CONFIG_DIR:~}/.claude.json"},
        make_entry=_always_loaded_entry,
        instruction_files={
            # AGENTS.md is read if there is no CLAUDE.md; creating one would hide it
            "project": ("CLAUDE.md", "AGENTS.md"),
            "user": "{CLAUDE_CONFIG_DIR:~/.claude}/CLAUDE.md",
        },
        agent_files={
            "project": f".claude/agents/{_AGENT_FILE}",
            "user": f"{{CLAUDE_CONFIG_DIR:~/.claude}}/agents/{_AGENT_FILE}",
        },
        agent_tools_line="tools: Bash, Read",
    ),
    Client(
        name="cursor",
        title="Cursor",
        binaries=("cursor", "cursor-agent"),
        config_folder="~/.cursor",
        server_files={"project": ".cursor/mcp.json", "user": "~/.cursor/mcp.json"},
        make_entry=_workspace_entry,
        instruction_files={"project": "AGENTS.md"},
        agent_files={
            "project": f".cursor/agents/{_AGENT_FILE}",
            "user": f"~/.cursor/agents/{_AGENT_FILE}",
        },
    ),
    Client(
        name="vscode",
        title="VS Code",
        binaries=("code",),
        config_folder="{settings}/Code/User",
        server_files={"project": ".vscode/mcp.json", "user": "{settings}/Code/User/mcp.json"},
        server_keys=("servers",),
        make_entry=_workspace_entry,
        instruction_files={"project": "AGENTS.md"},
        agent_files={"project": ".github/agents/feeder-search.agent.md"},
    ),
    Client(
        name="codex",
        title="Codex",
        binaries=("codex",),
        config_folder="{CODEX_HOME:~/.codex}",
        server_files={"project": ".codex/config.toml", "user": "{CODEX_HOME:~/.codex}/config.toml"},
        server_keys=("mcp_servers",),
        instruction_files={"project": "AGENTS.md", "user": "{CODEX_HOME:~/.codex}/AGENTS.md"},
        agent_files={
            "project": ".codex/agents/feeder-search.toml",
            "user": "{CODEX_HOME:~/.codex}/agents/feeder-search.toml",
        },
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        binaries=("gemini",),
        config_folder="~/.gemini",
        server_files={"project": ".gemini/settings.json", "user": "~/.gemini/settings.json"},
        instruction_files={"project": "GEMINI.md", "user": "~/.gemini/GEMINI.md"},
        agent_files={
            "project": f".gemini/agents/{_AGENT_FILE}",
            "user": f"~/.gemini/agents/{_AGENT_FILE}",
        },
        agent_tools_line="tools: [run_shell_command, read_file]",
    ),
    Client(
        name="zed",
        title="Zed",
        binaries=("zed", "zeditor"),
        config_folder="{zed}",
        server_files={"project": ".zed/settings.json", "user": "{zed}/settings.json"},
        server_keys=("context_servers",),
        make_entry=_zed_entry,
        instruction_files={"project": "AGENTS.md"},
    ),
    Client(
        name="windsurf",
        title="Windsurf",
        binaries=("windsurf",),
        config_folder="~/.codeium/windsurf",
        server_files={"user": "~/.codeium/windsurf/mcp_config.json"},
        instruction_files={"project": "AGENTS.md"},
    ),
    Client(
        name="opencode",
        title="OpenCode",
        binaries=("opencode",),
        config_folder="{xdg}/opencode",
        server_files={
            "project": ("opencode.json", "opencode.jsonc"),
            "user": ("{xdg}/opencode/opencode.json", "{xdg}/opencode/opencode.jsonc"),
        },
        server_keys=("mcp",),
        make_entry=_local_entry,
        instruction_files={"project": "AGENTS.md", "user": "{xdg}/opencode/AGENTS.md"},
        agent_files={
            "project": f".opencode/agents/{_AGENT_FILE}",
            "user": f"{{xdg}}/opencode/agents/{_AGENT_FILE}",
        },
        agent_tools_line="mode: subagent",
    ),
    Client(
        name="copilot",
        title="Copilot CLI",
        binaries=("copilot",),
        config_folder="{COPILOT_HOME:~/.copilot}",
        server_files={"project": ".mcp.json", "user": "{COPILOT_HOME:~/.copilot}/mcp-config.json"},
        make_entry=_copilot_entry,
        make_project_entry=_always_loaded_entry,  # shares Claude Code's file, and reads its keys
        instruction_files={"project": "AGENTS.md"},
        agent_files={
            "project": ".github/agents/feeder-search.agent.md",
            "user": "{COPILOT_HOME:~/.copilot}/agents/feeder-search.agent.md",
        },
    ),
    Client(
        name="kiro",
        title="Kiro",
        binaries=("kiro", "kiro-cli"),
        config_folder="~/.kiro",
        server_files={"project": ".kiro/settings/mcp.json", "user": "~/.kiro/settings/mcp.json"},
        instruction_files={"project": "AGENTS.md", "user": "~/.kiro/steering/feeder.md"},
        agent_files={
            "project": f".kiro/agents/{_AGENT_FILE}",
            "user": f"~/.kiro/agents/{_AGENT_FILE}",
        },
        agent_tools_line="tools: [read, shell]",
    ),
    Client(
        name="antigravity",
        title="Antigravity",
        binaries=("agy", "antigravity"),
        config_folder="~/.gemini/antigravity-cli",
        server_files={"user": "~/.gemini/config/mcp_config.json"},
        instruction_files={"user": "~/.gemini/GEMINI.md"},
    ),
    Client(
        name="cline",
        title="Cline",
        binaries=("cline",),
        config_folder="~/.cline",
        server_files={"user": "~/.cline/data/settings/cline_mcp_settings.json"},
        make_entry=_cline_entry,
        instruction_files={"project": "AGENTS.md", "user": "~/.cline/rules/feeder.md"},
    ),
    Client(
        name="grok",
        title="Grok Build",
        binaries=("grok",),
        config_folder="~/.grok",
        server_files={"user": "~/.grok/config.toml"},
        server_keys=("mcp_servers",),
        instruction_files={"user": "~/.grok/AGENTS.md"},
        agent_files={"user": f"~/.grok/agents/{_AGENT_FILE}"},
    ),
    Client(
        name="kilo",
        title="Kilo Code",
        binaries=("kilo",),
        config_folder="{xdg}/kilo",
        server_files={
            "project": (".kilo/kilo.jsonc", ".kilo/kilo.json", "kilo.jsonc", "kilo.json"),
            "user": ("{xdg}/kilo/kilo.jsonc", "{xdg}/kilo/kilo.json"),
        },
        server_keys=("mcp",),
        make_entry=_local_entry,
        instruction_files={"project": "AGENTS.md", "user": "{xdg}/kilo/AGENTS.md"},
        agent_files={"user": f"{{xdg}}/kilo/agents/{_AGENT_FILE}"},
        agent_tools_line="mode: subagent",
    ),
    Client(
        name="qwen",
        title="Qwen Code",
        binaries=("qwen",),
        config_folder="~/.qwen",
        server_files={"project": ".qwen/settings.json", "user": "~/.qwen/settings.json"},
        instruction_files={"project": "QWEN.md", "user": "~/.qwen/QWEN.md"},
        agent_files={
            "project": f".qwen/agents/{_AGENT_FILE}",
            "user": f"~/.qwen/agents/{_AGENT_FILE}",
        },
        agent_tools_line="tools: [run_shell_command, read_file]",
    ),
)
CLIENT_NAMES = [client.name for client in CLIENTS]


def client_by_name(name: str) -> Client:
    """The client of that name, which is one of `CLIENT_NAMES`."""
    return next(client for client in CLIENTS if client.name == name)

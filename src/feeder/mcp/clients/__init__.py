"""Registers the MCP server in the configuration of coding agents' clients, and removes it again.

Start reading with `installation.py`. This package never opens an index; a client is a table
in clients.toml.
"""

from typing import Literal

SERVER_NAME = "feeder"
"""The name of the server in a client's list, and of this program."""

Scope = Literal["project", "user"]
"""Files in the repository, for everyone who works on it, or files in the user's home."""

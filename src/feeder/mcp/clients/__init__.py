"""Registers the MCP server in the configuration of coding agents' clients, and removes it again.

Start reading with `installation.py`. This package never opens an index; a client is a row in
`known_clients.py`.
"""

from typing import Literal

SERVER_NAME = "feeder"
"""Under which a client lists the server."""
Scope = Literal["project", "user"]

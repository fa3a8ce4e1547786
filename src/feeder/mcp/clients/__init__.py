"""How does a coding agent's program learn of the server, and how is that taken back?"""

from typing import Literal

SERVER_NAME = "feeder"
"""Under which a client lists the server."""
Scope = Literal["project", "user"]

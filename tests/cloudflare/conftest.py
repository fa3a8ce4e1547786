"""The fixtures of the stand-in's own tests."""

import sys
from pathlib import Path

# This folder has the name of Cloudflare's SDK, so its modules cannot be imported as a package's.
sys.path.insert(0, str(Path(__file__).parent))

from standin_fixtures import api, standin, standin_process

__all__ = ["api", "standin", "standin_process"]

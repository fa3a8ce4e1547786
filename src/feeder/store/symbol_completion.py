"""Reads symbols that begin with a text from an index in a file, without opening it for a run."""

from contextlib import closing
from pathlib import Path

from feeder.store.recorded_meta import open_read_only, translated_errors

# ?1 the text; a symbol is offered whole, or by its last part: Cart.add_line and add_line
_SYMBOLS = """
WITH named(symbol, last) AS (
  SELECT DISTINCT symbol, substr(symbol, length(rtrim(symbol, replace(symbol, '.', ''))) + 1)
  FROM docs WHERE node_type IN ('class', 'method') AND instr(symbol, ?1)
)
SELECT name FROM (
  SELECT symbol AS name FROM named UNION SELECT last FROM named
) WHERE substr(name, 1, length(?1)) = ?1
ORDER BY length(name), name LIMIT ?2
"""


def read_symbols_starting(file: Path, start: str, limit: int) -> list[str]:
    """Returns methods and classes whose name or last part begins so, the shortest first.

    Raises UserError if the file cannot be read or is no index.
    """
    with translated_errors(file), closing(open_read_only(file)) as connection:
        return [str(symbol) for (symbol,) in connection.execute(_SYMBOLS, (start, limit))]

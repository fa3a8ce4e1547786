"""Counts the files with lines that their grammar could not parse, and these lines."""

LINES_OF_FILE = """coalesce((SELECT sum(
  coalesce(nullif(substr(value, instr(value || '-', '-') + 1), ''), value)
  - CAST(value AS INTEGER) + 1
) FROM json_each('["' || replace(f.unparsed, ',', '","') || '"]')), 0)"""
"""SQL for the number of unparsed lines of the file `f`: 12-40,55 are 30.

CAST reads the digits before the dash.
"""

UNPARSED_TOTAL = f"""
SELECT count(*) AS files, coalesce(sum({LINES_OF_FILE}), 0) AS lines
FROM files f WHERE f.repo = ?1 AND f.unparsed IS NOT NULL
"""
"""Counts the files of repository ?1 with unparsed lines, and the lines."""

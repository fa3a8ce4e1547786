"""Compiles folders that describe languages into the form of `grammar_queries.json`.

A folder `languages/NAME` goes in, the sections of `grammar_queries.json` come out; its form is in
`languages/README.md`. Read `folders` first; `query_source` reads `*.scm`, `pattern_source` the
regular expressions. Nothing here reads an indexed file: at run time only the compiled file is read,
or the folder that `--grammar` names.
"""

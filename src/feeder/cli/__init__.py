"""Command line: parses options, runs commands and formats their output for a terminal.

Start with `main`. No other package imports `cli`.
"""

"""Command line: parses options, runs commands and formats their output for a terminal.

Start with `main.main`, which runs one command. No other package imports `cli`, and `feeder --help`
imports no command's own packages: command functions import what they need.
"""

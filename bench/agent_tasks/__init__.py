"""Replays tasks of coding agents with grep and with feeder; start reading with `command.py`."""

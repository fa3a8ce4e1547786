"""Opens what a command needs: store, models, source tree.

Entry point: `session.open_session(workspace, settings)` yields a `Session`; read `session.py`
first. `session` never parses command-line arguments.
"""

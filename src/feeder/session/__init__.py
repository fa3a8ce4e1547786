"""Opens what a command needs: store, models, source tree.

Entry point: `opening.open_session(workspace, settings)` yields a `Session`; read `session` first.
This package never parses command-line arguments.
"""

"""Do the promises of docs/guarantees.md hold? Each is tried at every point, and counted."""

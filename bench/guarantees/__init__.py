"""Do the promises of docs/explanation/guarantees.md hold? Each is tried at every point, and counted."""

"""Tests the guarantees of docs/explanation/guarantees.md at every step of a run."""

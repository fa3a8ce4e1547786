"""Tests each promise of docs/explanation/guarantees.md at every point, and counts."""

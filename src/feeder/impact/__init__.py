"""Impact: what a change in the working tree or between two commits touches.

Entry point: `impact.find_impact`; `changed_nodes` compares the two states, `touched` has the
records, and the other modules find renamed files, callers, tests, mentions and near duplicates.
This package never writes.
"""

"""Impact: what a change in the working tree or between two commits touches.

Entry point: `impact.find_impact`; `changed_nodes` compares the two states, the other modules find
callers, tests, mentions and near duplicates of what changed. This package never writes.
"""

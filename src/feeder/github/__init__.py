"""Integrates with GitHub Actions.

Entry points: `step.plan_step` turns inputs and the event into commands;
`outputs.WorkflowReport` writes outputs, annotations and the job summary. `github` never opens
the index.
"""
